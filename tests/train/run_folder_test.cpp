// The folder of a run: what is logged, what a resumed run forgets, and who may train in it.
#include "train/run_folder.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "data/wav.h"
#include "system/write_file.h"
#include "tasks/language/lm_settings.h"
#include "tests/support/error_of.h"
#include "tests/support/folder.h"
#include "tests/support/tiny_lm.h"
#include "train/run_page.h"

using namespace heed;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(run_folder_test)

namespace {

Json line(long step, const char* name, double value) {
  Json json = Json::object();
  json["step"] = step;
  json[name] = value;
  return json;
}

std::string steps(const RunFolder& run) {
  std::string text;
  for (const Json& one : run.metrics()) text += one.at("step").dump() + " ";
  return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_logged_comes_back) {
  const Folder folder;
  const RunFolder run(folder / "new/");
  BOOST_TEST(run.path() == (folder / "new"));
  BOOST_TEST(!run.exists());
  BOOST_TEST(run.metrics().empty());
  run.log(line(1, "bpc", 7.5));
  run.log(line(2, "bpc", 1.0 / 3));
  run.log(line(2, "valid_bpc", 4));
  BOOST_TEST(read_file(run.file("metrics.jsonl")).starts_with("{\"step\":1,\"bpc\":7.5}\n{\"step\":2,"));
  const auto curve = run.curve("step", "bpc");
  BOOST_REQUIRE(curve.size() == 2u);
  BOOST_TEST(curve[1].x == 2);
  BOOST_TEST(curve[1].y == 1.0 / 3);
  BOOST_TEST(run.curve("step", "valid_bpc").size() == 1u);
  BOOST_TEST(run.curve("seconds", "bpc").empty());
  BOOST_TEST(run.last("bpc").value() == 1.0 / 3);
  BOOST_TEST(!run.last("seconds").has_value());
}

BOOST_AUTO_TEST_CASE(moving_aside_keeps_all_that_is_in_the_folder) {
  const Folder folder;
  const RunFolder run(folder / "demo");
  BOOST_TEST(!run.begun());
  for (const char* number : {"1", "2", "3"}) {
    run.write_config(Json::object());
    BOOST_TEST(run.begun());
    write_file(run.file("look/mine.txt"), number);
    BOOST_TEST(run.move_aside() == (folder / "demo-") + number);
    BOOST_TEST(!fs::exists(run.path()));
  }
  for (const std::string number : {"1", "2", "3"}) {
    BOOST_TEST(RunFolder(folder / ("demo-" + number)).exists());
    BOOST_TEST(read_file(folder / ("demo-" + number + "/look/mine.txt")) == number);
  }
}

BOOST_AUTO_TEST_CASE(a_config_tells_where_the_data_lay_and_is_the_settings_alone) {
  const Folder folder;
  const RunFolder run(folder / "run");
  Json settings = Json::object();
  settings["data"] = "a.txt";
  run.write_config(settings);
  BOOST_TEST(run.data() == "a.txt");
  run.write_config(settings, folder / "a.txt");
  BOOST_TEST(run.config().dump() == settings.dump());
  BOOST_TEST(run.data() == folder / "a.txt");
  run.write_config(settings, absolute_path("a.txt"));
  BOOST_TEST(run.data() == "a.txt");
}

BOOST_AUTO_TEST_CASE(lines_that_were_cut_off_are_left_out) {
  const Folder folder;
  const RunFolder run(folder.path.string());
  write_file(run.file("metrics.jsonl"),
             "{\"step\":1,\"bpc\":2}\n{\"step\":2,\"bp\n\n[3]\n{\"step\":\"4\"}\n{\"bpc\":1}\n" + std::string(5, '\0') +
                 "\n{\"step\":5}\n{\"step\":6,\"bpc\":1");
  BOOST_TEST(steps(run) == "1 5 ");
  run.forget_after(4);
  BOOST_TEST(read_file(run.file("metrics.jsonl")) == "{\"step\":1,\"bpc\":2}\n");
  run.log(line(2, "bpc", 3));
  BOOST_TEST(steps(run) == "1 2 ");
}

BOOST_AUTO_TEST_CASE(a_resumed_run_forgets_what_it_will_do_again) {
  const Folder folder;
  const RunFolder run(folder.path.string());
  for (const long step : {1, 2, 3, 4}) run.log(line(step, "bpc", 1));
  for (const long step : {2, 4, 1234567}) run.write_sample(step, "text " + std::to_string(step));
  write_file(run.file("samples/notes.txt"), "mine");
  write_file(run.file("samples/step-x.txt"), "mine");
  const auto samples = run.samples();
  BOOST_REQUIRE(samples.size() == 3u);
  BOOST_TEST(samples[0].first == 2);
  BOOST_TEST(samples[2].first == 1234567);
  BOOST_TEST(samples[2].second == "text 1234567");
  run.forget_after(3);
  BOOST_TEST(steps(run) == "1 2 3 ");
  BOOST_TEST(run.samples().size() == 1u);
  BOOST_TEST(fs::exists(run.file("samples/notes.txt")));
  run.forget_after(0);
  BOOST_TEST(steps(run) == "");
  BOOST_TEST(run.samples().empty());
}

BOOST_AUTO_TEST_CASE(a_folder_that_is_no_run_is_told) {
  const Folder folder;
  BOOST_TEST(error_of([&] { RunFolder(folder / "x").config(); }) ==
             "run: " + (folder / "x") + " is not a run folder: it has no config.json");
  BOOST_CHECK_THROW(RunFolder(folder / "x").config(), NoRun);
  BOOST_TEST(error_of([] { RunFolder(""); }) ==
             "run: the name of the run folder is empty; give one, such as runs/mine");
  write_file(folder / "config.json", "{\"a\": ");
  BOOST_TEST(error_of([&] { RunFolder(folder.path.string()).config(); }) ==
             "json: " + (folder / "config.json") + " is not JSON; the first error is at byte 7");
  write_file(folder / "file", "");
  BOOST_TEST(error_of([&] {
               RunFolder(folder / "file").log(line(1, "bpc", 1));
             }).ends_with("; a part of its path is a file, not a folder"));
}

BOOST_AUTO_TEST_CASE(one_process_at_a_time_trains_in_a_folder) {
  const Folder folder;
  const RunFolder run(folder.path.string());
  int ready[2];
  BOOST_REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const RunLock lock(run);
    [[maybe_unused]] const auto told = ::write(ready[1], "x", 1);
    ::pause();
  }
  char x = 0;
  BOOST_REQUIRE(::read(ready[0], &x, 1) == 1);
  const std::string error =
      "run: another process trains in " + run.path() + " now; wait for it, or choose another folder";
  BOOST_TEST(error_of([&] { const RunLock lock(run); }) == error);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  { const RunLock lock(run); }  // the kill let go, and so does the end of the block
  const RunLock lock(run);
  ::close(ready[0]);
  ::close(ready[1]);
}

BOOST_AUTO_TEST_CASE(neighbours_become_their_mean) {
  std::vector<Point> points;
  for (int i = 0; i < 10; i++) points.push_back({double(i), double(i * i)});
  BOOST_TEST(thinned(points, 10).size() == 10u);
  BOOST_TEST(thinned(points, 100).size() == 10u);
  const auto fewer = thinned(points, 4);  // three each, the last one alone
  BOOST_REQUIRE(fewer.size() == 4u);
  BOOST_TEST(fewer[1].x == 4);
  BOOST_TEST(fewer[1].y == (9 + 16 + 25) / 3.0);
  BOOST_TEST(fewer[3].x == 9);
  BOOST_TEST(thinned({}, 4).empty());
}

BOOST_AUTO_TEST_CASE(the_page_plays_sounds_and_a_resumed_run_forgets_them) {
  const Folder folder;
  const RunFolder run(folder.path.string());
  run.write_config(to_json(tiny_lm()));
  run.write_sample(6, "a text");
  run.write_sample(12, "\xff\xff\xff");
  for (const long step : {6, 12, 18}) write_wav(run.sound_path(step), "\x80\x81\x82", 8000);
  fs::remove(run.file("samples/step-000006.wav"));
  write_page(run);
  const std::string page = read_file(run.file("index.html"));
  const auto audio = [](const std::string& step) {
    return "after step " + step + "</summary><audio controls src='samples/step-0000" + step + ".wav'></audio>";
  };
  BOOST_TEST(page.find("<details open><summary>" + audio("18")) != std::string::npos);
  BOOST_TEST(page.find(audio("12")) != std::string::npos);
  BOOST_TEST(page.find("after step 6</summary><pre>a text</pre>") != std::string::npos);
  BOOST_TEST(page.find("\u00b7") == std::string::npos);
  const Wav wav = parse_wav(read_file(run.file("samples/step-000012.wav")), "it");
  BOOST_TEST((wav.samples == "\x80\x81\x82" && wav.sample_rate == 8000));
  run.forget_after(12);
  BOOST_REQUIRE(run.sounds().size() == 1u);
  BOOST_TEST(run.sounds()[0].first == 12);
  BOOST_TEST(run.sounds()[0].second == "samples/step-000012.wav");
  run.forget_after(0);
  BOOST_TEST(run.sounds().empty());
}

BOOST_AUTO_TEST_CASE(a_folder_that_cannot_be_locked_is_an_error) {
  const Folder folder;
  BOOST_TEST(error_of([&] {
               RunLock(RunFolder(folder / "x"));
             }).starts_with("run: cannot lock " + (folder / "x") + ": No such file or directory; without a lock"));
}

BOOST_AUTO_TEST_CASE(a_config_that_is_no_object_is_damaged) {
  const Folder folder;
  const RunFolder run(folder.path.string());
  BOOST_TEST(!run.intact_config().has_value());
  for (const char* text : {"", "{\"steps\": 12", "[1]", "7"}) {
    write_file(run.file("config.json"), text);
    BOOST_CHECK_THROW(run.config(), Error);
    BOOST_TEST(!run.intact_config().has_value());
  }
  run.write_config(Json::Object{{"steps", 12}});
  BOOST_TEST(run.intact_config().value().at("steps").integer() == 12);
}

BOOST_AUTO_TEST_SUITE_END()
