#include "tasks/image/image_settings.h"

#include "data/images/pixel_palette.h"
#include "nn/mixing/registry.h"
#include "system/error.h"

namespace heed {
namespace {

// What the Axial Transformer cannot.
void check_axial(const ImageSettings& s) {
  HEED_CHECK(!s.masked(), "settings",
             "the model is axial and the objective masked; it draws pixel by pixel and fills in none that are hidden. "
             "Choose the model igpt, or the objective next");
  HEED_CHECK(PixelOrder(s.order, s.size, s.size).is_raster(), "settings", "the model is axial and the order '", s.order,
             "'; it reads pictures row by row. Leave the order away");
  HEED_CHECK(s.attention == "full", "settings", "the model is axial and the attention ", s.attention,
             "; its attentions are rows and columns. Leave the attention away, or choose the model igpt");
  HEED_CHECK(s.positions == "learned" || s.positions == "axial", "settings",
             "the model is axial and the positions are ", s.positions,
             "; it has a learned vector for every row and one for every column. Leave them away");
  const Schedule schedule = schedule_of(s);
  for (const Phase& phase : schedule.phases())
    HEED_CHECK(phase.window == 0, "settings", "the model is axial, and a phase of the schedule has a window of ",
               phase.window, "; its attentions see whole rows and columns. Leave it away");
}

// What the model would say, before anything is read.
void check_model(const ImageSettings& s) {
  check_stack_sizes(s);
  if (s.axial()) return check_axial(s);
  HEED_CHECK(!s.masked() || !s.conditional, "settings",
             "the objective is masked, and the model is to be told labels; it has no start to put them into. Leave one "
             "of the two away");
  const Grid grid = PixelOrder(s.order, s.size, s.size).grid();
  for (const std::string& spec : attention_specs(s)) {
    const Capabilities can =
        make_mixer(spec, {.C = s.width, .heads = s.heads, .max_length = s.pixels(), .grid = grid})->can();
    HEED_CHECK(s.masked() || can.causal, "settings", "the attention ", spec,
               " cannot be causal; a model that predicts pixels from those before must not look ahead. Choose another, "
               "such as full");
    HEED_CHECK(s.masked() || can.decode, "settings", "the attention ", spec,
               " cannot decode token by token, and so cannot draw; choose another, such as full");
    HEED_CHECK(can.rotary || s.positions != "rotary", "settings", "the attention ", spec,
               " takes no rotary positions; choose learned or axial ones");
  }
}

}  // namespace

ImageSettings::ImageSettings() {
  width = 128;
  positions = "learned";  // models/igpt.h
}

const std::vector<std::string>& image_preset_names() {
  static const std::vector<std::string> names = {"tiny", "small", "base"};
  return names;
}

ImageSettings image_preset(const std::string& name) {
  ImageSettings s;
  s.preset = name;
  table_of(s).front().check();
  s.batch = 32, s.rate = 3e-3, s.beta2 = 0.95, s.weight_decay = 0.01;
  if (name == "tiny") s.layers = 2, s.width = 64, s.steps = 1500, s.rate = 5e-3;
  if (name == "base") s.layers = 8, s.width = 256, s.heads = 8, s.steps = 20000, s.rate = 1e-3;
  return s;
}

SettingTable table_of(ImageSettings& s) {
  const SettingTable first = {
      {"preset", s.preset, "sizes, steps and rate to start from", image_preset_names()},
      {"data", s.data,
       "a folder of PNG and JPEG files, idx files (MNIST) or their folder, CIFAR-10 in binary, fashion-mnist, or "
       "shapes: generated"},
      {"size", s.size, kMinSize, kMaxSize, "pixels along each side"},
      {"colour", s.colour, "what pixels are; auto: grey if all pictures are", colour_names()},
      {"colours", s.colours, 2, kMaxColours, "of the palette, at most: each is a token"},
      {"model",
       s.model,
       "igpt: one stack over all pixels; axial: the Axial Transformer, rows and columns, `layers` of each of its two "
       "stacks",
       {"igpt", "axial"}},
      {"objective",
       s.objective,
       "next: every pixel from those before it; masked: hidden ones from all others, as BERT",
       {"next", "masked"}},
      {"hidden", s.hidden, 0.01, 0.99, "the share of pixels that masked hides"},
      {"conditional", s.conditional, "tell the model the label of each picture, and later draw what you ask for"}};
  const SettingTable places = {
      {"positions", s.positions, "how the model knows where a pixel is; axial: by its row and its column",
       pixel_position_names()},
      {"order", s.order, "in which pixels are read: raster, row by row, or blocks:4x7, block by block"}};
  const SettingTable last = {
      {"valid_pictures", s.valid_pictures, 1, 1L << 50, "of the validation data to look at with every checkpoint"},
      {"samples", s.samples, 0, 1000, "pictures to draw with every checkpoint; 0: none"}};
  return joined_tables(
      {first, stack_size_rows(s), places, stack_memory_rows(s), training_rows(s), writing_rows(s), last});
}

void check_settings(const ImageSettings& s) {
  ImageSettings copy = s;
  check_settings(table_of(copy));
  check_training(s);
  const Schedule schedule = schedule_of(s);
  for (const Phase& phase : schedule.phases())
    HEED_CHECK(phase.context_of(s.pixels()) == s.pixels(), "settings", "a phase of the schedule has context ",
               phase.context_of(s.pixels()), "; pictures have ", s.pixels(),
               " pixels and are learned whole. Leave it away");
  check_model(s);
}

ImageOptions image_options(const ImageSettings& s) { return {.size = s.size, .colour = s.colour}; }

IgptOptions model_options(const ImageSettings& s, long colours, long labels) {
  return {.colours = colours,
          .rows = s.size,
          .columns = s.size,
          .order = s.order,
          .positions = s.positions,
          .classes = s.conditional ? labels : 0,
          .masked = s.masked(),
          .stack = stack_options(s)};
}

AxialTransformerOptions axial_options(const ImageSettings& s, long colours, long labels) {
  return {.colours = colours,
          .rows = s.size,
          .columns = s.size,
          .classes = s.conditional ? labels : 0,
          .stack = stack_options(s)};
}

Json to_json(const ImageSettings& s) {
  ImageSettings copy = s;
  if (!s.ordering.empty()) copy.ordering = ordering_of(s);
  return to_json(table_of(copy));
}

ImageSettings image_settings_from_json(const Json& json, const std::string& from) {
  HEED_CHECK(json.find("preset") && json.find("colours"), "settings", from,
             " does not say 'preset' and 'colours'; it is not of a picture model of this version");
  ImageSettings s;
  read_settings(table_of(s), json, from);
  try {
    check_settings(s);
  } catch (const Error& error) {
    fail("settings", from, " has settings that cannot be (", error.what(), ")");
  }
  return s;
}

}  // namespace heed
