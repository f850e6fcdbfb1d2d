// charlm that is stopped: by Ctrl-C, by kill -9 at any moment, by a full disk, by another process in its folder.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "system/write_file.h"
#include "tests/demos/charlm.h"
#include "tests/support/folder.h"
#include "tests/support/small_disk.h"
#include "tests/support/tiny_lm.h"
#include "train/run_folder.h"

using namespace heed;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(charlm_stop_test)

namespace {

// A constant rate: a step does not depend on how many there will be.
Words steady(const Place& at, const std::string& run, const Words& more) {
  Words words = tiny_train(at.data, run, {"--schedule", "constant:warmup=0", "--dropout", "0.1"});
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Every step once, in order, and a validation with every `every` steps.
void check_metrics(const std::string& run, long steps, long every) {
  const auto curve = RunFolder(run).curve("step", "bpc"), valid = RunFolder(run).curve("step", "valid_bpc");
  BOOST_TEST(long(curve.size()) == steps);
  for (size_t i = 0; i < curve.size(); i++) BOOST_TEST(curve[i].x == double(i + 1));
  BOOST_TEST(long(valid.size()) == steps / every);
  for (size_t i = 0; i < valid.size(); i++) BOOST_TEST(valid[i].x == double(every * long(i + 1)));
  BOOST_TEST(long(RunFolder(run).samples().size()) == steps / every);
}

long kills() {  // HEED_KILLS=20 for more of them
  const char* wanted = std::getenv("HEED_KILLS");
  return wanted ? std::strtol(wanted, nullptr, 10) : 5;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_killed_at_any_moment_finishes_with_the_same_bits) {
  const Place at;
  const auto words = [&](const std::string& run) {  // one that was killed before it began has nothing to resume
    Words more = {"--steps", "60", "--checkpoint-every", "12"};
    if (RunFolder(run).begun()) more.push_back("--resume");
    return steady(at, run, more);
  };
  const auto begin = std::chrono::steady_clock::now();
  BOOST_REQUIRE(at(words(at.run)).code == 0);
  const std::chrono::duration<double, std::micro> whole = std::chrono::steady_clock::now() - begin;
  std::mt19937 random(1);
  long killed = 0;
  for (long i = 0; i < kills(); i++) {
    const std::string run = at.folder / ("killed-" + std::to_string(i));
    for (int times = 0; times < 1 + i % 2; times++) {  // some of them twice
      Charlm child(at.folder.path.string(), words(run));
      ::usleep(useconds_t(std::uniform_real_distribution(0.0, whole.count())(random)));
      child.signal(SIGKILL);
      killed += child.wait().code == -SIGKILL;
    }
    const Ran ran = at(words(run));
    BOOST_TEST(ran.code == 0, ran.err);
    BOOST_TEST(!contains(ran.out, "is left out"));
    BOOST_TEST((read_file(newest_checkpoint(run)) == read_file(newest_checkpoint(at.run))));
    check_metrics(run, 60, 12);
    for (const auto& entry : fs::directory_iterator(run + "/checkpoints"))
      BOOST_TEST(entry.path().extension() == ".safetensors", entry.path());  // no temporary file is left
  }
  BOOST_TEST(killed > 0);
}

BOOST_AUTO_TEST_CASE(ctrl_c_saves_and_the_run_goes_on) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Place at;
    Charlm child(at.folder.path.string(), steady(at, at.run, {"--steps", "1000000", "--checkpoint-every", "100000"}));
    child.wait_until([&] { return !RunFolder(at.run).metrics().empty(); });
    BOOST_TEST(contains(read_file(at.run + "/index.html"), "the run goes on, and this page follows it"));
    child.signal(signal);
    const Ran ran = child.wait();
    BOOST_TEST(contains(ran.out.substr(ran.out.find("stopped at")), "\nthe page is " + at.run + "/index.html\n"));
    BOOST_TEST(!contains(read_file(at.run + "/index.html"), "location.reload"));
    BOOST_TEST(ran.code == 130);
    const std::string saved = newest_checkpoint(at.run);
    const long step = read_checkpoint_summary(saved).step;
    BOOST_TEST(contains(ran.err, "stopping when this step is done and saved"));
    BOOST_TEST(contains(ran.out, "stopped at step " + std::to_string(step) + "; saved " + saved + "\n"));
    BOOST_TEST(contains(ran.out, "go on with: build/charlm train --resume --run " + at.run + "\n"));
    BOOST_TEST(contains(ran.out, "\nfinal step=" + std::to_string(step) + " train_bpc="));
    BOOST_TEST(contains(ran.out, " valid_bpc=nan "));  // it was never measured
    BOOST_TEST(last_line(ran.out).ends_with(" valid_step=0"));
    if (signal != SIGINT) continue;
    const Words on = {"--steps", std::to_string(step + 5), "--checkpoint-every", "100000"};
    Words resume = on;
    resume.push_back("--resume");
    BOOST_TEST(at(steady(at, at.run, resume)).code == 0);
    const std::string other = at.folder / "other";
    BOOST_TEST(at(steady(at, other, on)).code == 0);
    BOOST_TEST(same_training(newest_checkpoint(at.run), newest_checkpoint(other)));
    BOOST_TEST(long(RunFolder(at.run).curve("step", "bpc").size()) == step + 5);
  }
}

BOOST_AUTO_TEST_CASE(a_reader_that_goes_away_lets_the_run_save) {
  const Place at;
  const std::string pipe = at.folder / "pipe";
  BOOST_REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  Charlm child(at.folder.path.string(),
               steady(at, at.run, {"--steps", "1000000", "--checkpoint-every", "100000", "--json"}), pipe);
  child.wait_until([&] { return !RunFolder(at.run).metrics().empty(); });
  ::close(reader);
  const Ran ran = child.wait();
  BOOST_TEST(ran.code == 130);
  BOOST_TEST(contains(ran.err, "\nnobody reads what is printed: stopping when this step is done and saved\n"), ran.err);
  BOOST_TEST(contains(ran.err, "; saved " + newest_checkpoint(at.run)), ran.err);
}

// The text is mapped: what is gone would end the process by SIGBUS.
BOOST_AUTO_TEST_CASE(a_text_that_becomes_shorter_ends_the_run_with_a_checkpoint_and_a_sentence) {
  const Place at;
  write_file(at.data, tiny_text(40'000));
  Charlm child(at.folder.path.string(), steady(at, at.run, {"--steps", "1000000", "--checkpoint-every", "100000"}));
  child.wait_until([&] { return !RunFolder(at.run).metrics().empty(); });
  fs::resize_file(at.data, 1000);
  const Ran ran = child.wait();
  BOOST_TEST(ran.code == 1);
  BOOST_TEST(contains(ran.err, "charlm: read: " + at.data + " became shorter while it was read: "), ran.err);
  const std::string saved = newest_checkpoint(at.run);
  BOOST_TEST(contains(ran.out, "stopped at step " + std::to_string(read_checkpoint_summary(saved).step) + "; saved "));
  write_file(at.data, tiny_text(40'000));
  const Words on = {"--steps", std::to_string(read_checkpoint_summary(saved).step), "--checkpoint-every", "100000"};
  BOOST_TEST(at(steady(at, at.folder / "other", on)).code == 0);
  BOOST_TEST(same_training(saved, newest_checkpoint(at.folder / "other")));  // no zeros were learned
}

BOOST_AUTO_TEST_CASE(commands_that_are_shown_can_be_copied_into_a_shell) {
  const Place at;
  const std::string run = at.folder / "my run's";
  const Ran ran = at(tiny_train(at.data, run));
  BOOST_TEST(ran.code == 0, ran.err);
  const std::string quoted = "'" + (at.folder / "my run'\\''s") + "'";
  BOOST_TEST(contains(read_file(run + "/index.html"), "build/charlm eval --run " + quoted + " --split test\n"));
  BOOST_TEST(contains(at({"sample", "--run", "no run"}).err, "`build/charlm train --run 'no run'` makes one"));
}

BOOST_AUTO_TEST_CASE(ctrl_c_before_the_first_step_ends_at_once) {
  const Place at;
  write_file(at.data, tiny_text(600));
  Charlm child(at.folder.path.string(), tiny_train(at.data, at.run,
                                                   {"--layers", "4", "--width", "256", "--heads", "4", "--context",
                                                    "512", "--batch", "16", "--steps", "1000000"}));
  child.wait_for("million parameters");  // now it tries a step, which takes seconds
  child.signal(SIGINT);
  const Ran ran = child.wait();
  BOOST_TEST(ran.code == 130);
  BOOST_TEST(contains(ran.err, "stopped before the first step"));
  BOOST_TEST(CheckpointFiles(at.run).list().empty());
}

BOOST_AUTO_TEST_CASE(two_processes_do_not_train_in_one_folder) {
  const Place at;
  const Words more = {"--steps", "1000000", "--checkpoint-every", "100000"};
  Charlm first(at.folder.path.string(), steady(at, at.run, more));
  first.wait_until([&] { return RunFolder(at.run).exists(); });
  Words again = more;
  again.push_back("--resume");
  const Ran second = at(steady(at, at.run, again));
  BOOST_TEST(second.code == 1);
  BOOST_TEST(second.err ==
             "charlm: run: another process trains in " + at.run + " now; wait for it, or choose another folder\n");
  first.signal(SIGKILL);
  BOOST_TEST(first.wait().code == -SIGKILL);
  BOOST_TEST(at(steady(at, at.run, {"--resume"})).code == 0);
}

BOOST_AUTO_TEST_CASE(a_full_disk_leaves_the_last_checkpoint) {
  const Place at;
  BOOST_TEST(at(steady(at, at.run, {"--steps", "6"})).code == 0);
  const std::string last = newest_checkpoint(at.run), bytes = read_file(last);
  Ran ran;
  {
    const SmallDisk disk(50'000);
    ran = at(steady(at, at.run, {"--resume"}));
  }
  BOOST_TEST(ran.code == 1);
  BOOST_TEST(contains(ran.err, "charlm: checkpoint: step 12 was not saved (write_file: cannot write "));
  BOOST_TEST(contains(ran.err, ": File too large); the last checkpoint is as it was: " + last + "\n"));
  BOOST_TEST((read_file(last) == bytes));
  BOOST_TEST(newest_checkpoint(at.run) == last);
  BOOST_TEST(at(steady(at, at.run, {"--resume"})).code == 0);
  check_metrics(at.run, 12, 6);
  {
    const SmallDisk disk(500);  // not even for the metrics
    ran = at(steady(at, at.run, {"--resume", "--steps", "20"}));
  }
  BOOST_TEST(ran.code == 1);
  BOOST_TEST(contains(ran.err, "cannot write "));
  BOOST_TEST(at(steady(at, at.run, {"--resume", "--steps", "18"})).code == 0);
  check_metrics(at.run, 18, 6);
}

BOOST_AUTO_TEST_CASE(a_loss_that_is_not_finite_leaves_the_last_checkpoint) {
  const Place at;
  const Ran ran = at(tiny_train(at.data, at.run,
                                {"--optimiser", "sgd", "--clip", "0", "--schedule", "constant:rate=1000,warmup=0",
                                 "--steps", "500", "--checkpoint-every", "1", "--sample-bytes", "0"}));
  BOOST_TEST(ran.code == 1);
  BOOST_TEST(contains(ran.err, "is not finite"), ran.err);
  BOOST_TEST(contains(ran.err, "made "), ran.err);  // the op
  BOOST_TEST(ran.err.ends_with(" (--lr and --schedule set them)\n"), ran.err);
  BOOST_TEST(!contains(ran.out, "final "));
  for (const NamedTensor& tensor : read_checkpoint(newest_checkpoint(at.run)).weights)
    for (const float x : tensor.value.to_vector<float>()) BOOST_REQUIRE(std::isfinite(x));
  BOOST_TEST(at({"sample", "--run", at.run, "--length", "3"}).code == 0);
}

BOOST_AUTO_TEST_CASE(a_loss_that_runs_away_and_stays_finite_is_told_once) {
  const Place at;
  const Ran ran = at(tiny_train(at.data, at.run, {"--schedule", "constant:rate=3,warmup=0", "--steps", "60"}));
  BOOST_TEST(ran.code == 0, ran.err);
  const size_t first = ran.out.find("the loss has run away: it was ");
  BOOST_TEST((first != std::string::npos), ran.out);
  BOOST_TEST(ran.out.find("the loss has run away", first + 1) == std::string::npos);
  BOOST_TEST(contains(ran.out, "begin with a lower --lr or a longer warm-up (--schedule)\n"));
  BOOST_TEST(!contains(at(tiny_train(at.data, at.folder / "good")).out, "run away"));
}

BOOST_AUTO_TEST_SUITE_END()
