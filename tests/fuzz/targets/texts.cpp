// What a user types, or a run has written: settings, specs, JSON.
#include "models/orderings.h"
#include "nn/mixing/mixer.h"
#include "nn/mixing/registry.h"
#include "system/json.h"
#include "tasks/classify/classify_settings.h"
#include "tasks/image/image_settings.h"
#include "tasks/language/lm_settings.h"
#include "tests/fuzz/target.h"
#include "train/schedule.h"

using namespace heed;

namespace {

// What is read, written and read again is the same.
const RegisteredFuzzTarget json{{"json", [](std::string_view bytes) {
                                   const Json read = Json::parse(bytes, "it");
                                   must(Json::parse(read.dump(), "it") == read);
                                 }}};

const RegisteredFuzzTarget language_settings{{"settings", [](std::string_view bytes) {
                                                const LmSettings s = settings_from_json(Json::parse(bytes, "it"), "it");
                                                must(to_json(settings_from_json(to_json(s), "it")) == to_json(s));
                                              }}};
const RegisteredFuzzTarget classify_settings{
    {"classify_settings", [](std::string_view bytes) { classify_settings_from_json(Json::parse(bytes, "it"), "it"); }}};
const RegisteredFuzzTarget image_settings{
    {"image_settings", [](std::string_view bytes) { image_settings_from_json(Json::parse(bytes, "it"), "it"); }}};

const RegisteredFuzzTarget schedule{{"schedule", [](std::string_view bytes) {
                                       const Schedule read{std::string(bytes)};
                                       must(Schedule(read.text()).text() == read.text());
                                       must(read.steps() > 0 && read.rate_at(1) >= 0);
                                     }}};

const RegisteredFuzzTarget attention{{"attention", [](std::string_view bytes) {
                                        for (const std::string& spec : layer_specs(std::string(bytes), 4))
                                          make_mixer(spec, {.C = 8, .heads = 2});
                                      }}};

const RegisteredFuzzTarget ordering{{"ordering", [](std::string_view bytes) {
                                       for (const std::string& text : listed_orderings(std::string(bytes)))
                                         check_language_ordering("fuzz", expanded_ordering(text, 6));
                                     }}};

}  // namespace
