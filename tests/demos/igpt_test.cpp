// build/igpt as a user calls it: trains, goes on to the same bits, draws, completes, probes, and says what is wrong.
#include <filesystem>

#include "show/picture.h"
#include "system/json.h"
#include "system/write_file.h"
#include "tests/data/images/picture_bytes.h"
#include "tests/demos/charlm.h"

using namespace heed;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(igpt_program_test)

namespace {

struct Pictures {
  Folder folder;
  std::string run = folder / "run";
  Ran operator()(const Words& words) const { return Charlm(folder.path.string(), words, "", "igpt").wait(); }
  Ran train(const Words& more = {}) const {
    Words words = {"train",
                   "--data",
                   "shapes:pictures=80",
                   "--run",
                   run,
                   "--layers",
                   "1",
                   "--width",
                   "16",
                   "--heads",
                   "2",
                   "--batch",
                   "4",
                   "--steps",
                   "8",
                   "--lr",
                   "0.01",
                   "--threads",
                   "1",
                   "--checkpoint-every",
                   "4",
                   "--colours",
                   "8",
                   "--samples",
                   "3",
                   "--schedule",
                   "constant:warmup=2"};
    words.insert(words.end(), more.begin(), more.end());
    return (*this)(words);
  }
};

void check_fails(const Ran& ran, const std::string& text) {
  BOOST_TEST(ran.code == 1);
  BOOST_TEST(contains(ran.err, text), "'" << ran.err << "' does not have '" << text << "'");
}

bool is_png(const std::string& path) { return read_file(path).starts_with("\x89PNG"); }

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_trains_draws_completes_and_probes) {
  const Pictures at;
  const Ran ran = at.train();
  BOOST_REQUIRE_MESSAGE(ran.code == 0, ran.err);
  BOOST_TEST(contains(ran.out, "80 pictures of 14 x 14, 5 labels: train 72, valid 4, test 4\n"), ran.out);
  BOOST_TEST(contains(ran.out, "a palette of 8 colours; knowing nothing: 2.079 nats per pixel\n"), ran.out);
  BOOST_TEST(last_line(ran.out).starts_with("final step=8 train_nats="), ran.out);
  BOOST_TEST(contains(read_file(at.run + "/index.html"), "What it draws"));
  BOOST_TEST(contains(read_file(at.run + "/index.html"), "samples/step-000008.png"));
  BOOST_TEST(is_png(at.run + "/samples/step-000008.png"));
  const std::string out = at.folder / "new/a.png";
  const Ran sample = at({"sample", "--run", at.run, "--count", "3", "--out", out, "--top-k", "4", "--top-p", "0.9"});
  BOOST_TEST(contains(sample.out, "3 pictures from step 8 in "), sample.err);
  const std::string bytes = read_file(out);
  at({"sample", "--run", at.run, "--count", "3", "--out", out, "--top-k", "4", "--top-p", "0.9", "--threads", "1"});
  BOOST_TEST((bytes == read_file(out)));
  at({"sample", "--run", at.run, "--count", "3", "--out", out, "--seed", "2"});
  BOOST_TEST((bytes != read_file(out)));
  BOOST_TEST(
      contains(at({"complete", "--run", at.run, "--count", "9"}).out,
               "4 completions of 4 pictures of test each, from step 8, written to " + at.run + "/completions.png"));
  BOOST_TEST(is_png(at.run + "/completions.png"));
  const Ran probe = at({"probe", "--run", at.run, "--json"});
  BOOST_REQUIRE_MESSAGE(probe.code == 0, probe.err);
  BOOST_TEST(Json::parse(probe.out, "probe").at("layers").items().size() == 2u);
  BOOST_TEST(is_png(at.run + "/probe.png"));
  BOOST_TEST(contains(at({"palette", "--run", at.run}).out, "8 colours; a channel is "));
  BOOST_TEST(is_png(at.run + "/palette.png"));
  const Ran info = at({"info", "--run", at.run});
  BOOST_TEST(contains(info.out, "8 colours, labels: disc, square, triangle, cross, ring\n"), info.err);
  BOOST_TEST(contains(info.out, "step 8 of 8, validation "), info.out);
}

BOOST_AUTO_TEST_CASE(a_resumed_run_ends_as_one_that_was_not_stopped) {
  const Pictures whole, parts;
  BOOST_TEST(whole.train({"--dropout", "0.1"}).code == 0);
  BOOST_TEST(parts.train({"--dropout", "0.1", "--steps", "4"}).code == 0);
  const Ran ran = parts({"train", "--run", parts.run, "--resume", "--steps", "8", "--threads", "2"});
  BOOST_TEST(contains(ran.out, "  changed: steps 4 -> 8\n"), ran.err);
  BOOST_TEST(same_training(newest_checkpoint(whole.run), newest_checkpoint(parts.run)));
  const std::string samples = "/samples/step-000008.png";
  BOOST_TEST((read_file(whole.run + samples) == read_file(parts.run + samples)));
}

BOOST_AUTO_TEST_CASE(an_axial_model_trains_goes_on_draws_and_completes) {
  const Pictures whole, parts;
  const Ran ran = whole.train({"--model", "axial"});
  BOOST_REQUIRE_MESSAGE(ran.code == 0, ran.err);
  BOOST_TEST(parts.train({"--model", "axial", "--steps", "4"}).code == 0);
  BOOST_TEST(parts({"train", "--run", parts.run, "--resume", "--steps", "8", "--threads", "2"}).code == 0);
  BOOST_TEST(same_training(newest_checkpoint(whole.run), newest_checkpoint(parts.run)));
  BOOST_TEST(is_png(whole.run + "/samples/step-000008.png"));
  BOOST_TEST(whole({"sample", "--run", whole.run, "--count", "3"}).code == 0);
  BOOST_TEST(whole({"complete", "--run", whole.run, "--count", "2", "--keep", "0.4"}).code == 0);
  BOOST_TEST(is_png(whole.run + "/samples.png"));
  BOOST_TEST(is_png(whole.run + "/completions.png"));
  const std::string page = read_file(whole.run + "/index.html");
  BOOST_TEST(contains(page, "an axial picture model"));
  BOOST_TEST(contains(page, "build/igpt complete"));
  BOOST_TEST(!contains(page, "build/igpt probe"));
  const Json info = Json::parse(whole({"info", "--run", whole.run, "--json"}).out, "info");
  BOOST_TEST(info.at("settings").at("model").text() == "axial");
  check_fails(whole({"probe", "--run", whole.run}), "has no features to probe; probe one of the model igpt");
  check_fails(whole.train({"--model", "axial", "--objective", "masked", "--run", whole.folder / "other"}),
              "the model is axial and the objective masked");
  check_fails(whole.train({"--model", "axial", "--order", "blocks:7x7", "--run", whole.folder / "other"}),
              "it reads pictures row by row");
  BOOST_TEST(!fs::exists(whole.folder / "other"));
}

// The pictures are others now: the run goes on with the colours it has.
BOOST_AUTO_TEST_CASE(a_run_keeps_its_palette) {
  const Pictures at;
  const Words others = {"--data", "shapes:pictures=80,seed=5"};
  const auto palette = [&](const std::string& run) {
    return Json::parse(at({"info", "--run", run, "--json"}).out, "info").at("palette").dump();
  };
  BOOST_TEST(at.train().code == 0);
  const std::string before = palette(at.run);
  const Ran ran = at({"train", "--run", at.run, "--resume", "--steps", "9", others[0], others[1]});
  BOOST_TEST(contains(ran.out, "the data has other bytes than before"), ran.err);
  BOOST_TEST(ran.code == 0);
  BOOST_TEST(palette(at.run) == before);
  BOOST_TEST(at.train({others[0], others[1], "--run", at.folder / "fresh"}).code == 0);
  BOOST_TEST(palette(at.folder / "fresh") != before);
}

BOOST_AUTO_TEST_CASE(a_conditional_model_draws_what_is_asked_for) {
  const Pictures at;
  BOOST_TEST(at.train({"--conditional", "--size", "16", "--order", "blocks:4x4", "--positions", "axial"}).code == 0);
  BOOST_TEST(at({"sample", "--run", at.run, "--label", "ring", "--count", "2"}).code == 0);
  BOOST_TEST(is_png(at.run + "/samples.png"));
  check_fails(at({"sample", "--run", at.run, "--label", "rung"}),
              "there is no label 'rung'; there are disc, square, triangle, cross, ring. Did you mean ring?");
  BOOST_TEST(at({"complete", "--run", at.run, "--each", "1"}).code == 0);
  check_fails(at({"probe", "--run", at.run}), "this model is told the class of a picture");
  // before the first is drawn
  check_fails(
      at({"sample", "--run", at.run, "--count", "300", "--columns", "300"}),
      "the 300 pictures would be 25204 x 88 pixels together; each side can have 16384. Choose a smaller --count "
      "or --scale, or other --columns");
  check_fails(at({"complete", "--run", at.run, "--data", "shapes:pictures=10000", "--count", "500", "--each", "1"}),
              "pixels together; each side can have 16384. Choose a smaller --count or --each");
}

BOOST_AUTO_TEST_CASE(a_masked_model_is_probed_and_cannot_draw) {
  const Pictures at;
  BOOST_TEST(at.train({"--objective", "masked"}).code == 0);
  check_fails(at({"sample", "--run", at.run}), "it cannot draw");
  BOOST_TEST(at({"probe", "--run", at.run}).code == 0);
}

BOOST_AUTO_TEST_CASE(pictures_of_any_kind_are_learned) {
  const Pictures at;
  write_file(at.folder / "a.bin", cifar_records(50));
  BOOST_TEST(contains(at.train({"--data", at.folder / "a.bin", "--steps", "3"}).out, "a palette of "));
  for (int i = 0; i < 50; i++) Picture(20, 15).write_png(at.folder / ("photos/" + std::to_string(i) + ".png"));
  write_file(at.folder / "photos/bad.png", "bad");
  const Ran ran = at.train({"--data", at.folder / "photos", "--run", at.folder / "other", "--steps", "3"});
  BOOST_TEST(ran.code == 0, ran.err);
  BOOST_TEST(contains(ran.out, "1 of 51 files is left out: picture: "), ran.out);
  BOOST_TEST(contains(ran.out, "1 colour was found, and 8 were asked for\n"), ran.out);
  check_fails(at.train({"--data", at.folder / "photos", "--run", at.folder / "photos/run"}),
              "it would learn what it writes. Choose a folder outside with --run");
  const Ran palette = at({"palette", "--data", "shapes:pictures=60", "--colours", "32", "--out", at.folder / "p.png"});
  BOOST_TEST(contains(palette.out, "32 colours; "), palette.err);
  const Ran usual = at({"palette", "--data", "shapes:pictures=60", "--out", at.folder / "p.png"});
  BOOST_TEST(contains(usual.out, "128 colours; "), usual.out + usual.err);
}

BOOST_AUTO_TEST_CASE(pictures_that_have_changed_are_noticed) {
  const Pictures at;
  write_file(at.folder / "a.bin", cifar_records(60));
  BOOST_TEST(at.train({"--data", at.folder / "a.bin", "--steps", "3"}).code == 0);
  const Words complete = {"complete", "--run", at.run, "--count", "1", "--each", "1"};
  const std::string changed = (at.folder / "a.bin") + " has changed: the model has learned 60 pictures, crc32 ";
  BOOST_TEST(!contains(at(complete).err, "has changed"));
  write_file(at.folder / "a.bin", cifar_records(70));
  BOOST_TEST(contains(at(complete).err, changed));
  const Ran probe = at({"probe", "--run", at.run});
  BOOST_TEST(contains(probe.err, changed), probe.err);
  BOOST_TEST(contains(probe.err, ", and it is 70 pictures, crc32 "), probe.err);
  BOOST_TEST(!contains(at({"probe", "--run", at.run, "--data", at.folder / "a.bin"}).err, "has changed"));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_is_refused_before_anything_is_written) {
  const Pictures at;
  check_fails(at.train({"--data", at.folder / "missing"}), "images: cannot read " + (at.folder / "missing"));
  fs::create_directory(at.folder / "empty");
  check_fails(at.train({"--data", at.folder / "empty"}), "has no pictures");
  check_fails(at.train({"--attention", "nothing"}), "nothing");
  check_fails(at.train({"--order", "spiral"}), "'spiral' is no order of pixels");
  check_fails(at({"sample", "--run", at.run}), "there is no run " + at.run + "; `build/igpt train --run " + at.run);
  check_fails(at({"palette", "--run", at.run, "--size", "20"}), "--size is for a palette that is made for --data");
  BOOST_TEST(!fs::exists(at.run));
  write_file(at.run + "/config.json", "{\"mine\": 1}\n");
  check_fails(at.train(), "does not say 'preset' and 'colours'; it is not of a picture model of this version");
}

BOOST_AUTO_TEST_SUITE_END()
