// Settings of language models: what is written is read back, and what cannot be is told.
#include "tasks/language/lm_settings.h"

#include "system/version.h"
#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(lm_settings_test)

namespace {

LmSettings unusual() {
  LmSettings s;
  s.preset = "tiny";
  s.data = "a \"b\".txt";
  s.sample_rate = 8000;
  s.attention = "window:left=7";
  s.ordering = "ssff";
  s.layers = 3;
  s.width = 24;
  s.heads = 3;
  s.context = 33;
  s.positions = "sinusoid";
  s.dropout = 0.1;
  s.batch = 5;
  s.micro_batch = 2;
  s.steps = 77;
  s.rate = 1.0 / 3;
  s.floor = 0.2;
  s.schedule = "linear:warmup=3";
  s.optimiser = "sgd";
  s.beta2 = 0.9;
  s.weight_decay = 0.25;
  s.clip = 0.5;
  s.dtype = "bf16";
  s.streams = true;
  s.freeze = "input";
  s.recompute_blocks = true;
  s.feed_forward_chunks = 4;
  s.seed = 4294967295;
  s.checkpoint_every = 3;
  s.keep = 4;
  s.valid_bytes = 5;
  s.sample_bytes = 6;
  return s;
}

// The error when one setting of a good model is changed.
template <class Of, class Value> std::string error_with(Value Of::*member, Value value) {
  LmSettings s;
  s.*member = value;
  return error_of([&] { check_settings(s); });
}

// The same in a file.
std::string error_in_file(const char* name, const Json& value) {
  Json json = to_json(LmSettings());
  json[name] = value;
  return error_of([&] { settings_from_json(json, "config.json"); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(json_gives_every_setting_back) {
  const LmSettings s = unusual();
  BOOST_TEST(differences(to_json(LmSettings()), to_json(s)).size() ==
             to_json(s).members().size() - 2);  // none was forgotten above; reversible cannot be with recompute_blocks
  BOOST_TEST(to_json(s).at("version").text() == version());
  const LmSettings back = settings_from_json(Json::parse(to_json(s).dump(), "it"), "it");
  BOOST_TEST(to_json(back).dump() == to_json(s).dump());
  BOOST_TEST(differences(to_json(s), to_json(back)).empty());
  BOOST_TEST(back.rate == 1.0 / 3);
  BOOST_TEST(back.data == "a \"b\".txt");
  BOOST_TEST(back.recompute_blocks);
  LmSettings reversible = s;
  reversible.recompute_blocks = false, reversible.reversible = true;
  BOOST_TEST(settings_from_json(to_json(reversible), "it").reversible);
}

BOOST_AUTO_TEST_CASE(presets_have_the_sizes_they_promise) {
  const auto text = [](const std::string& name) {
    const LmSettings s = preset(name);
    check_settings(s);
    return s.preset + " " + std::to_string(s.layers) + "/" + std::to_string(s.width) + "/" + std::to_string(s.heads) +
           "/" + std::to_string(s.context) + "/" + std::to_string(s.batch);
  };
  BOOST_TEST(text("tiny") == "tiny 2/128/4/128/16");
  BOOST_TEST(text("small") == "small 4/256/4/512/8");
  BOOST_TEST(text("base") == "base 12/512/8/512/16");
  BOOST_TEST(preset_names().size() == 3u);
  BOOST_TEST(error_of([] { preset("smal"); }) ==
             "settings: there is no preset 'smal'; there are tiny, small, base. Did you mean small?");
}

BOOST_AUTO_TEST_CASE(differences_are_told_in_the_order_of_the_settings) {
  LmSettings now = preset("small");
  now.steps = 9;
  now.attention = "local";
  now.recompute_blocks = true;
  const auto list = differences(to_json(preset("small")), to_json(now));
  BOOST_REQUIRE(list.size() == 3u);
  BOOST_TEST(list[0] == "attention \"full\" -> \"local\"");
  BOOST_TEST(list[1] == "recompute_blocks false -> true");
  BOOST_TEST(list[2] == "steps 2000 -> 9");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_is_an_error_that_says_the_rule) {
  check_settings(LmSettings());
  BOOST_TEST(error_with(&LmSettings::heads, 3L) ==
             "settings: width is 256 and heads 3; the heads must divide the width");
  BOOST_TEST(error_with(&LmSettings::layers, 0L) == "settings: layers is 0; it must be from 1 to 1000");
  BOOST_TEST(error_with(&LmSettings::width, 0L) == "settings: width is 0; it must be from 1 to 65536");
  BOOST_TEST(error_with(&LmSettings::heads, 0L) == "settings: heads is 0; it must be from 1 to 1024");
  BOOST_TEST(error_with(&LmSettings::context, 0L) == "settings: context is 0; it must be from 1 to 16777216");
  BOOST_TEST(error_with(&LmSettings::batch, 0L) == "settings: batch is 0; it must be from 1 to 65536");
  BOOST_TEST(error_with(&LmSettings::micro_batch, 9L) == "settings: micro_batch is 9; it must be from 0 to 8");
  BOOST_TEST(error_with(&LmSettings::steps, 0L) == "settings: steps is 0; it must be from 1 to 1000000000");
  BOOST_TEST(error_with(&LmSettings::feed_forward_chunks, 0L) ==
             "settings: feed_forward_chunks is 0; it must be from 1 to 65536");
  BOOST_TEST(error_with(&LmSettings::dropout, 1.0) == "settings: dropout is 1; it must be from 0 to 0.95");
  BOOST_TEST(error_with(&LmSettings::weight_decay, -1.0) == "settings: weight_decay is -1; it must be from 0 to 10");
  BOOST_TEST(error_with(&LmSettings::clip, double(NAN)) == "settings: clip is nan; it must be from 0 to 1e+09");
  BOOST_TEST(error_with(&LmSettings::seed, -1L) == "settings: seed is -1; it must be from 0 to 4294967295");
  BOOST_TEST(error_with(&LmSettings::dtype, std::string("f23")) ==
             "settings: there is no dtype 'f23'; there are f32, bf16. Did you mean f32?");
  BOOST_TEST(error_with(&LmSettings::optimiser, std::string("adamv")) ==
             "settings: there is no optimiser 'adamv'; there are adagrad, adam, adamw, sgd. Did you mean adam?");
  BOOST_TEST(
      error_with(&LmSettings::positions, std::string("leaned")) ==
      "settings: there is no kind of positions 'leaned'; there are learned, sinusoid, rotary, none. Did you mean "
      "learned?");
  BOOST_TEST(error_with(&LmSettings::rate, -1.0) == "settings: rate is -1; it must be from 1e-09 to 10");
  BOOST_TEST(error_with(&LmSettings::schedule, std::string("steps=5,context=600;steps=5")) ==
             "settings: a phase of the schedule has context 600; the model's is 512, which is the longest");
}

BOOST_AUTO_TEST_CASE(a_file_with_bad_settings_is_named) {
  BOOST_TEST(error_in_file("width", "wide") ==
             "settings: config.json has width \"wide\" (json: the value is a text; it must be an integer)");
  BOOST_TEST(error_in_file("clip", Json()) ==
             "settings: config.json has clip null (json: the value is null; it must be a number)");
  BOOST_TEST(error_in_file("heads", 3) ==
             "settings: config.json has settings that cannot be (settings: width is 256 and heads 3; the heads must "
             "divide the width)");
  BOOST_TEST(error_of([] { settings_from_json(Json::parse("{}", "it"), "config.json"); }) ==
             "settings: config.json does not say 'preset'; it is not of a language model of this version");
  BOOST_TEST(error_of([] { settings_from_json(Json::parse("[1]", "it"), "config.json"); }) ==
             "settings: config.json does not say 'preset'; it is not of a language model of this version");
}

// What every run so far has written: before beta2 and floor were settings.
BOOST_AUTO_TEST_CASE(a_setting_that_an_older_file_lacks_has_its_default) {
  const std::string older = R"({"preset":"tiny","data":"a.txt","sample_rate":0,"attention":"full","ordering":"",
      "layers":2,"width":24,"heads":3,"context":33,"positions":"learned","dropout":0.1,"batch":5,"micro_batch":0,
      "steps":77,"rate":0.004,"schedule":"cosine","optimiser":"adamw","weight_decay":0.1,"clip":1.0,"dtype":"f32",
      "checkpoint_blocks":true,"reversible":false,"feed_forward_chunks":1,"seed":1,"checkpoint_every":0,"keep":2,
      "valid_bytes":65536,"sample_bytes":400})";
  const LmSettings s = settings_from_json(Json::parse(older, "it"), "it");
  BOOST_TEST(s.width == 24);
  BOOST_TEST(s.beta2 == 0.98);
  BOOST_TEST(s.floor == 0.1);
  BOOST_TEST(s.recompute_blocks);  // checkpoint_blocks is its old name
  BOOST_TEST(settings_from_json(Json::parse(R"({"preset":"base"})", "it"), "it").layers == LmSettings().layers);
}

BOOST_AUTO_TEST_CASE(a_name_that_no_setting_has_is_an_error_with_the_nearest) {
  BOOST_TEST(error_in_file("heds", 3) == "settings: config.json has 'heds', which is no setting. Did you mean heads?");
  BOOST_TEST(error_in_file("zzzzzzzz", 3) == "settings: config.json has 'zzzzzzzz', which is no setting");
  Json newer = to_json(LmSettings());
  newer["version"] = "9.9.9";
  BOOST_TEST(settings_from_json(newer, "config.json").layers == 4);
  newer["keys"] = 3;
  BOOST_TEST(
      error_of([&] { settings_from_json(newer, "config.json"); }) ==
      std::string("settings: config.json has 'keys', which is no setting; heed 9.9.9 wrote it, and this is heed ") +
          version() + ". Did you mean keep?");
}

BOOST_AUTO_TEST_CASE(every_setting_but_what_is_found_out_is_an_option) {
  LmSettings s;
  CommandLine line("test", "");
  for (const Setting& setting : table_of(s)) {
    BOOST_TEST(setting.help.empty() == (setting.name == "sample_rate"), setting.name);
    if (!setting.help.empty()) setting.add_option(line, "--" + setting.name);
  }
  const char* words[] = {"test", "--width", "24", "--optimiser", "sgd", "--reversible", "--beta2=0.5"};
  BOOST_TEST(line.parse(7, words));
  BOOST_TEST(s.width == 24);
  BOOST_TEST(s.optimiser == "sgd");
  BOOST_TEST(s.reversible);
  BOOST_TEST(s.beta2 == 0.5);
}

BOOST_AUTO_TEST_CASE(the_floor_is_the_schedules_unless_it_says_its_own) {
  LmSettings s;
  s.floor = 0.25;
  s.schedule = "linear";
  BOOST_TEST(schedule_of(s).rate_at(s.steps) == 0.25 * s.rate);
  s.schedule = "linear:floor=0.5";
  BOOST_TEST(schedule_of(s).rate_at(s.steps) == 0.5 * s.rate);
}

BOOST_AUTO_TEST_CASE(the_ordering_follows_from_the_layers_or_is_given) {
  LmSettings s;
  s.layers = 2;
  BOOST_TEST(ordering_of(s) == "sfsf");
  s.ordering = "ssf";
  BOOST_TEST(ordering_of(s) == "ssf");
  BOOST_TEST(model_options(s).stack.ordering == "ssf");
}

BOOST_AUTO_TEST_CASE(an_ordering_that_has_a_name_is_written_by_its_letters) {
  LmSettings s;
  s.layers = 4;
  s.ordering = "sandwich:3";
  BOOST_TEST(ordering_of(s) == "ssssffff");
  BOOST_TEST(model_options(s).stack.ordering == "ssssffff");
  BOOST_TEST(settings_from_json(to_json(s), "here").ordering == "ssssffff");
  LmSettings letters = s;
  letters.ordering = "ssssffff";
  BOOST_TEST(differences(to_json(s), to_json(letters)).empty());
  s.ordering = {};
  BOOST_TEST(with_letters(s).ordering.empty());  // as older files have it: the layers say it
}

BOOST_AUTO_TEST_CASE(orderings_that_a_language_model_cannot_have_are_refused) {
  const auto refusal = [](const std::string& ordering) {
    LmSettings s;
    s.ordering = ordering;
    return error_of([&] { check_settings(s); });
  };
  BOOST_TEST(refusal("sandwich:5") ==
             "ordering: 'sandwich:5' is not sandwich:k with a whole number from 0 to 4, the number of layers");
  BOOST_TEST(refusal("scf").starts_with("settings: the ordering 'scf' has c (cross-attention), which reads a source"));
  BOOST_TEST(refusal("fff").starts_with("settings: the ordering 'fff' has nothing that mixes tokens"));
  BOOST_TEST(refusal("sgf").starts_with("settings: the ordering 'sgf' has 'g' at place 1; the letters are "));
}

BOOST_AUTO_TEST_CASE(a_sound_begins_with_silence_and_a_text_with_a_new_line) {
  LmSettings s;
  BOOST_TEST(usual_prompt(s) == "\n");
  s.sample_rate = 8000;
  BOOST_TEST(usual_prompt(s) == "\x80");
}

BOOST_AUTO_TEST_CASE(a_single_phase_warms_up_by_itself) {
  LmSettings s;
  s.steps = 50;
  BOOST_TEST(schedule_of(s).phases()[0].warmup == 25);
  s.steps = 1;
  BOOST_TEST(schedule_of(s).phases()[0].warmup == 0);
  for (const auto& [steps, warmup] : {std::pair{20, 10}, {60, 30}, {200, 60}, {600, 60}, {2000, 100}}) {
    s.steps = steps;
    BOOST_TEST(schedule_of(s).phases()[0].warmup == warmup);
  }
  s.steps = 5000;
  BOOST_TEST(schedule_of(s).phases()[0].warmup == 100);
  s.schedule = "constant:steps=30";
  BOOST_TEST(schedule_of(s).phases()[0].warmup == 15);
  s.schedule = "constant:warmup=7";
  BOOST_TEST(schedule_of(s).phases()[0].warmup == 7);
  s.schedule = "steps=10;steps=20,rate=1e-4";
  BOOST_TEST(schedule_of(s).phases()[0].warmup == 0);
  BOOST_TEST(schedule_of(s).steps() == 30);
}

BOOST_AUTO_TEST_SUITE_END()
