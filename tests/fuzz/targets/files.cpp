// Files that a user may have from anywhere: sounds, tables, pictures.
#include "data/delimited.h"
#include "data/images/picture_file.h"
#include "data/images/pixel_palette.h"
#include "data/wav.h"
#include "tests/fuzz/target.h"

using namespace heed;

namespace {

const RegisteredFuzzTarget wav{{"wav", [](std::string_view bytes) { parse_wav(bytes, "it"); }}};
const RegisteredFuzzTarget csv{{"csv", [](std::string_view bytes) { parse_csv(bytes, "fuzz", "it"); }}};
const RegisteredFuzzTarget tsv{{"tsv", [](std::string_view bytes) { parse_tsv(bytes); }}};
const RegisteredFuzzTarget picture{
    {"picture", [](std::string_view bytes) { square_of(parse_picture(bytes, "it"), 14); }}};
const RegisteredFuzzTarget palette{
    {"palette", [](std::string_view bytes) { PixelPalette::from_saved(std::string(bytes), "it"); }}};

}  // namespace
