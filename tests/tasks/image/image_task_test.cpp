// A picture model as a task: batches, scores, samples, and a trainer that learns it.
#include "tasks/image/image_task.h"

#include <cmath>
#include <set>

#include "tasks/image/image_sampler.h"
#include "tensor/ops/cross_entropy.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/folder.h"
#include "tests/tasks/image/tiny_image.h"
#include "train/run_folder.h"
#include "train/trainer.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(image_task_test)

namespace {

std::unique_ptr<ImageTask> task_of(const ImageSettings& s) {
  return std::make_unique<ImageTask>(s, tiny_pictures(), palette_for(s, tiny_pictures()));
}

std::vector<double> losses(ImageSettings s, long micro_batch, long steps) {
  s.micro_batch = micro_batch;
  const auto task = task_of(s);
  Trainer trainer(*task);
  std::vector<double> all;
  while (trainer.step() < steps) all.push_back(trainer.advance().loss);
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_first_loss_is_ln_k_and_falls) {
  for (const char* objective : {"next", "masked"}) {
    ImageSettings s = tiny_image();
    s.objective = objective;
    const auto task = task_of(s);
    BOOST_TEST(std::abs(task->validate({}) - std::log(8.0)) < 1e-5);
    Trainer trainer(*task);
    double first = trainer.advance().loss, last = first;
    BOOST_TEST(std::abs(first - std::log(8.0)) < 1e-5);
    while (trainer.step() < trainer.last_step()) last = trainer.advance().loss;
    BOOST_TEST(last < 0.8 * first);
    BOOST_TEST(task->validate({}) < 0.8 * first);
  }
}

BOOST_AUTO_TEST_CASE(any_ordering_of_sublayers_and_reversible_stacks_train) {
  ImageSettings s = tiny_image();
  s.layers = 2, s.ordering = "sandwich:1";
  BOOST_TEST(to_json(s).at("ordering").text() == "ssff");
  s.reversible = true;
  const std::vector<double> reversible = losses(s, 0, 20);
  BOOST_TEST(reversible.back() < reversible.front());
  s.ordering = "ff";
  BOOST_TEST(error_of([&] { check_settings(s); }).find("attention") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_axial_model_begins_at_ln_k_and_learns) {
  ImageSettings s = tiny_image();
  s.model = "axial";
  for (const bool conditional : {false, true}) {
    s.conditional = conditional;
    const auto task = task_of(s);
    BOOST_TEST(std::abs(task->validate({}) - std::log(8.0)) < 1e-5);
    Trainer trainer(*task);
    while (trainer.step() < trainer.last_step()) trainer.advance();
    BOOST_TEST(task->validate({}) < 0.8 * std::log(8.0));
    const std::vector<long> labels = conditional ? std::vector<long>{0, 4} : std::vector<long>();
    BOOST_TEST(drawn_ids(task->model(), {.count = 2, .labels = labels})[1].size() == 196u);
  }
  s.conditional = false, s.layers = 2, s.ordering = "sandwich:1", s.reversible = true;
  const std::vector<double> reversible = losses(s, 2, 20);
  BOOST_TEST(reversible.back() < reversible.front());
}

BOOST_AUTO_TEST_CASE(micro_batches_compute_the_same) {
  for (const char* objective : {"next", "masked"}) {
    ImageSettings s = tiny_image();
    s.objective = objective;
    s.batch = 5, s.dropout = 0.2;
    const std::vector<double> whole = losses(s, 0, 3);
    for (const long rows : {1, 2, 5}) {
      const std::vector<double> parts = losses(s, rows, 3);
      for (size_t i = 0; i < 3; i++) BOOST_TEST(std::abs(parts[i] / whole[i] - 1) < 1e-5);
    }
  }
}

BOOST_AUTO_TEST_CASE(all_pictures_come_and_a_part_of_their_pixels_is_hidden) {
  ImageSettings s = tiny_image();
  s.objective = "masked", s.hidden = 0.25;
  const auto task = task_of(s);
  std::set<std::vector<int64_t>> seen;
  long counted = 0;
  for (uint32_t step = 1; step <= 200; step++) {
    const Batch batch = task->draw({.seed = 1, .step = step, .first = 0, .rows = 4, .context = 196});
    const std::vector<int64_t> ids = batch.inputs.to_vector<int64_t>(), targets = batch.targets.to_vector<int64_t>();
    for (long row = 0; row < 4; row++) seen.insert({ids.begin() + row * 196, ids.begin() + (row + 1) * 196});
    long hidden = 0;
    for (size_t i = 0; i < ids.size(); i++) {
      BOOST_REQUIRE((targets[i] == kNoTarget || targets[i] == ids[i]));
      hidden += targets[i] != kNoTarget;
    }
    BOOST_REQUIRE(hidden == batch.counted);
    counted += hidden;
  }
  BOOST_TEST(seen.size() == size_t(tiny_pictures().train.count()));
  BOOST_TEST(std::abs(double(counted) / (200 * 4 * 196) - 0.25) < 0.005);
}

BOOST_AUTO_TEST_CASE(a_conditional_model_draws_every_label) {
  ImageSettings s = tiny_image();
  s.conditional = true;
  const auto task = task_of(s);
  BOOST_TEST(task->model().classes() == 5);
  BOOST_TEST(task->draw({.seed = 1, .step = 1, .rows = 3, .context = 196}).labels.shape() == (Shape{3}));
  const Folder folder;
  const RunFolder run(folder.path.string());
  task->write_samples(run, 7);
  BOOST_REQUIRE(run.pictures().size() == 1u);
  BOOST_TEST(run.pictures()[0].second == "samples/step-000007.png");
  BOOST_TEST(read_file(run.picture_path(7)).starts_with("\x89PNG"));
  BOOST_TEST(error_of([&] { drawn_ids(task->model(), {.count = 1, .labels = {5}}); }) ==
             "draw: there is no class 5; the model knows 5");
  run.forget_after(6);
  BOOST_TEST(run.pictures().empty());
}

BOOST_AUTO_TEST_CASE(a_masked_model_shows_what_it_fills_in) {
  ImageSettings s = tiny_image();
  s.objective = "masked";
  const auto task = task_of(s);
  const Folder folder;
  task->write_samples(RunFolder(folder.path.string()), 1);
  BOOST_TEST(read_file(folder / "samples/step-000001.png").starts_with("\x89PNG"));
}

BOOST_AUTO_TEST_CASE(what_is_begun_stays_and_pictures_do_not_depend_on_each_other) {
  ImageSettings s = tiny_image();
  s.order = "blocks:7x7";
  const auto task = task_of(s);
  PictureModel& model = task->model();
  const std::vector<Ids> three = drawn_ids(model, {.count = 3});
  BOOST_TEST((drawn_ids(model, {.count = 1, .sample = {.first_row = 2}})[0] == three[2]));
  const Ids again = drawn_ids(model, {.count = 1, .sample = {.seed = 9}, .begun = {three[0]}, .kept = 49})[0];
  for (long row = 0; row < 14; row++)
    for (long column = 0; column < 14; column++)
      if (row < 7 && column < 7)  // the first block
        BOOST_TEST(again[size_t(row * 14 + column)] == three[0][size_t(row * 14 + column)]);
  BOOST_TEST((again != three[0]));
  BOOST_TEST((drawn_ids(model, {.count = 1, .begun = {three[0]}, .kept = 196})[0] == three[0]));
}

BOOST_AUTO_TEST_CASE(a_checkpoint_has_palette_and_labels) {
  const auto task = task_of(tiny_image());
  const auto strings = task->strings();
  BOOST_TEST((PixelPalette::from_saved(strings.at(kPaletteString), "it").colours() == task->palette().colours()));
  BOOST_TEST(strings.at(kImageLabelStrings) == R"(["disc","square","triangle","cross","ring"])");
}

BOOST_AUTO_TEST_CASE(fewer_colours_than_asked_are_said) {
  ImageData data = tiny_pictures();
  for (uint8_t& byte : data.train.pixels) byte = byte < 100 ? 0 : 255;
  ImageSettings s = tiny_image();
  s.colours = 16;
  std::string said;
  const PixelPalette palette = palette_for(s, data, [&](const std::string& text) { said = text; });
  BOOST_TEST(palette.size() <= 8);
  BOOST_TEST(said == std::to_string(palette.size()) + " colours were found, and 16 were asked for");
}

BOOST_AUTO_TEST_CASE(settings_that_cannot_be_are_refused) {
  const auto error = [](auto change) {
    ImageSettings s = tiny_image();
    change(s);
    return error_of([&] { check_settings(s); });
  };
  BOOST_TEST(error([](auto& s) { s.heads = 3; }) ==
             "settings: width is 16 and heads 3; the heads must divide the width");
  BOOST_TEST(error([](auto& s) { s.reversible = true, s.recompute_blocks = true; }) ==
             "settings: reversible and recompute_blocks are both on; choose one, a reversible stack keeps no block's "
             "input");
  BOOST_TEST(error([](auto& s) { s.reversible = true, s.ordering = "sff"; }) ==
             "settings: the ordering 'sff' has 3 letters; a reversible stack is made of pairs, such as sfsf or ssff");
  BOOST_TEST(error([](auto& s) { s.size = 13; }).find("size") != std::string::npos);
  BOOST_TEST(error([](auto& s) { s.order = "spiral"; }).starts_with("pixel_order: 'spiral' is no order of pixels"));
  BOOST_TEST(error([](auto& s) { s.attention = "image-local:query=4x7"; }) ==
             "image-local: got query=4x7; the model reads its pixels row by row (raster), and every block must be "
             "complete before the next one. Set the pixel order to blocks:4x7 (igpt: --order blocks:4x7)");
  BOOST_TEST(
      error([](auto& s) { s.schedule = "constant:steps=3,context=80"; }) ==
      "settings: a phase of the schedule has context 80; pictures have 196 pixels and are learned whole. Leave it "
      "away");
  BOOST_TEST(error([](auto& s) { s.conditional = true, s.objective = "masked"; }) ==
             "settings: the objective is masked, and the model is to be told labels; it has no start to put them into. "
             "Leave one of the two away");
  BOOST_TEST(error([](auto& s) { s.attention = "linear", s.positions = "rotary"; }) ==
             "settings: the attention linear takes no rotary positions; choose learned or axial ones");
  BOOST_TEST(error_of([] { image_settings_from_json(Json::parse("{\"preset\":\"tiny\"}", "it"), "it"); }) ==
             "settings: it does not say 'preset' and 'colours'; it is not of a picture model of this version");
  ImageData unlabelled = tiny_pictures();
  unlabelled.labels.clear();
  ImageSettings s = tiny_image();
  s.conditional = true;
  BOOST_TEST(
      error_of([&] { ImageTask(s, unlabelled, palette_for(s, unlabelled)); }) ==
      "image_task: the model is to be told the label of each picture, and these pictures have none; put them into "
      "a folder for each label, or leave it away");
  BOOST_TEST(error_of([&] {
               ImageTask(tiny_image(), tiny_pictures(), PixelPalette({{1, 1, 1}}, 1));
             }) == "image_task: the pictures have 3 channels and the palette 1; one is grey and the other not");
}

BOOST_AUTO_TEST_CASE(what_an_axial_model_cannot_is_refused) {
  const auto error = [](auto change) {
    ImageSettings s = tiny_image();
    s.model = "axial";
    change(s);
    return error_of([&] { check_settings(s); });
  };
  BOOST_TEST(
      error([](auto& s) { s.objective = "masked"; }) ==
      "settings: the model is axial and the objective masked; it draws pixel by pixel and fills in none that are "
      "hidden. Choose the model igpt, or the objective next");
  BOOST_TEST(error([](auto& s) { s.order = "blocks:7x7"; }) ==
             "settings: the model is axial and the order 'blocks:7x7'; it reads pictures row by row. Leave the order "
             "away");
  BOOST_TEST(error([](auto& s) { s.attention = "window:left=3"; }) ==
             "settings: the model is axial and the attention window:left=3; its attentions are rows and columns. Leave "
             "the attention away, or choose the model igpt");
  for (const char* positions : {"rotary", "none"})
    BOOST_TEST(error([&](auto& s) { s.positions = positions; }) ==
               "settings: the model is axial and the positions are " + std::string(positions) +
                   "; it has a learned vector for every row and one for every column. Leave them away");
  BOOST_TEST(error([](auto& s) { s.schedule = "constant:steps=3,window=8"; }) ==
             "settings: the model is axial, and a phase of the schedule has a window of 8; its attentions see whole "
             "rows and columns. Leave it away");
  BOOST_TEST(error([](auto& s) { s.heads = 3; }) ==
             "settings: width is 16 and heads 3; the heads must divide the width");
  BOOST_TEST(error([](auto& s) { s.model = "axal"; }).find("igpt, axial") != std::string::npos);
  ImageSettings s = tiny_image();
  s.model = "axial", s.positions = "axial", s.conditional = true;
  BOOST_CHECK_NO_THROW(check_settings(s));
}

BOOST_AUTO_TEST_CASE(blocks_of_an_image_train_in_their_order) {
  for (const char* objective : {"next", "masked"}) {
    ImageSettings s = tiny_image();
    s.objective = objective, s.order = "blocks:4x5", s.attention = "image-local:query=4x5,flange=2x3";
    const std::vector<double> all = losses(s, 0, 20);
    BOOST_TEST(all.back() < all.front());
  }
}

// Every variant that can decode is taken, and the others are refused with a sentence.
BOOST_AUTO_TEST_CASE(any_attention_that_decodes_trains) {
  for (const Variant* variant : variants())
    for (const std::string& spec : shown_specs(*variant)) {
      ImageSettings s = tiny_image();
      s.attention = spec;
      if (spec.find("grid=512x64") != std::string::npos) {  // of another picture
        BOOST_TEST(error_of([&] { check_settings(s); }).find("the model's pictures are 14x14") != std::string::npos,
                   spec);
        continue;
      }
      const Capabilities can =
          make_mixer(spec, {.C = s.width, .heads = s.heads, .max_length = 196, .grid = {14, 14}})->can();
      if (can.causal && can.decode) {
        const std::vector<double> all = losses(s, 0, 4);  // a batch differs from the next: the first is ln K for any
        BOOST_TEST((std::isfinite(all[3]) && all[3] < all[0]), spec << ": " << all[0] << " -> " << all[3]);
      } else
        BOOST_TEST(error_of([&] { check_settings(s); }).find("the attention " + spec + " cannot ") != std::string::npos,
                   spec);
    }
}

BOOST_AUTO_TEST_SUITE_END()
