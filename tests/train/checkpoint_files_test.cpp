// Checkpoints: what comes back, which files stay, and what happens when files or disks are bad.
#include "train/checkpoint_files.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <thread>

#include "system/write_file.h"
#include "tensor/create.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/folder.h"
#include "tests/support/small_disk.h"

using namespace heed;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(checkpoint_files_test)

namespace {

TrainingState state_of(long step, double bpc = NAN) {
  TrainingState state{.step = step, .settings = "{}", .weights = {{"w", full({100}, double(step))}}};
  if (!std::isnan(bpc)) state.numbers[kValidBpc] = bpc;
  return state;
}

std::string steps(const CheckpointFiles& files) {
  std::string text;
  for (const CheckpointFile& file : files.list()) text += std::to_string(file.step) + " ";
  return text;
}

struct Found {
  std::optional<TrainingState> state;
  std::string said;
};
Found newest(const CheckpointFiles& files) {
  Found found;
  found.state = files.newest([&](const std::string& text) { found.said += text + "\n"; });
  return found;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_CASE(a_state_comes_back_to_the_same_bits) {
  const Folder run;
  const CheckpointFiles files(run.path.string());
  const TrainingState state{.step = 120,
                            .settings = "{\"layers\": 4}",
                            .data = "1200 bytes, crc32 89abcdef",
                            .numbers = {{"a", 0.1}, {"b", -INFINITY}, {"c", 1e-310}, {"count", 123456789012.0}},
                            .weights = {{"out.weight", noise({3, 4}, 1, f32)}, {"out.bias", noise({4}, 2, f32)}},
                            .optimiser = {{"m.out.weight", noise({3, 4}, 3, f32)}}};
  const std::string path = files.save(state);
  BOOST_TEST(path == (run / "checkpoints/step-000120.safetensors"));
  const Found found = newest(files);
  BOOST_REQUIRE(found.state.has_value());
  BOOST_TEST(found.state->step == 120);
  BOOST_TEST(found.state->settings == state.settings);
  BOOST_TEST((found.state->numbers == state.numbers));
  BOOST_TEST(found.state->data == state.data);
  BOOST_TEST(found.state->weights.size() == 2u);
  BOOST_TEST(found.state->weights[0].name == "out.weight");
  BOOST_TEST((found.state->weights[0].value.to_vector<float>() == state.weights[0].value.to_vector<float>()));
  BOOST_TEST(found.state->optimiser[0].name == "m.out.weight");
  BOOST_TEST((found.state->optimiser[0].value.to_vector<float>() == state.optimiser[0].value.to_vector<float>()));
  const TrainingState model = read_checkpoint(path, CheckpointPart::model);
  BOOST_TEST(model.optimiser.empty());
  BOOST_TEST(model.weights.size() == 2u);
  BOOST_TEST(model.step == 120);
  const TrainingState summary = read_checkpoint_summary(path);
  BOOST_TEST((summary.numbers == state.numbers));
  BOOST_TEST(summary.weights.empty());
}

BOOST_AUTO_TEST_CASE(an_empty_run_has_no_checkpoint) {
  const Folder run;
  const CheckpointFiles files(run / "new");
  BOOST_TEST(!newest(files).state.has_value());
  BOOST_TEST(!files.best().has_value());
  BOOST_TEST(!fs::exists(run / "new"));
  files.prepare();
  BOOST_TEST(fs::is_empty(files.folder()));
  write_file(files.folder() + "/step-12.safetensors", "another name");
  write_file(files.folder() + "/notes.txt", "mine");
  BOOST_TEST(steps(files) == "");
}

BOOST_AUTO_TEST_CASE(what_a_killed_run_left_goes_and_what_a_living_one_writes_stays) {
  const Folder run;
  const CheckpointFiles files(run.path.string());
  const std::vector<std::string> stale = {run / "config.json.tmp-12-3", run / "samples/step-000012.txt.tmp-12-4",
                                          run / "checkpoints/step-000012.safetensors.tmp-12-5"};
  for (const std::string& path : stale) write_file(path, "half");
  write_file(run / "samples/notes.tmp-x", "mine");
  const TemporaryFile living(run / "samples/step-000013.txt");
  files.prepare();
  for (const std::string& path : stale) BOOST_TEST(!fs::exists(path), path);
  BOOST_TEST(fs::exists(run / "samples/notes.tmp-x"));
  BOOST_TEST(fs::exists(living.path()));
}

BOOST_AUTO_TEST_CASE(the_last_k_and_the_best_stay) {
  const Folder run;
  const CheckpointFiles files(run.path.string(), 2);
  const double bpc[] = {3, 2, 2.5, 2.2, 2.1, 1.9, 2.4, 2.4};
  std::string kept;
  for (int i = 0; i < 8; i++) {
    files.save(state_of(10 * (i + 1), bpc[i]));
    kept += steps(files) + "| ";
  }
  BOOST_TEST(kept == "10 | 10 20 | 20 30 | 20 30 40 | 20 40 50 | 50 60 | 60 70 | 60 70 80 | ");
  BOOST_TEST(files.best()->step == 60);
}

BOOST_AUTO_TEST_CASE(without_validation_the_last_k_stay_and_nan_is_not_the_best) {
  const Folder run;
  const CheckpointFiles files(run.path.string(), 1);
  files.save(state_of(1, NAN));
  files.save(state_of(2));
  TrainingState bad = state_of(3);
  bad.numbers[kValidBpc] = NAN;
  files.save(bad);
  BOOST_TEST(steps(files) == "3 ");
  BOOST_TEST(!files.best().has_value());
  BOOST_TEST(error_of([&] { CheckpointFiles(run.path.string(), 0); }) ==
             "checkpoint: to keep the last 0 checkpoints is not possible; the last 1 must stay");
}

BOOST_AUTO_TEST_CASE(damaged_ones_are_skipped_with_a_sentence) {
  const Folder run;
  const CheckpointFiles files(run.path.string(), 3);
  for (long step : {1, 2, 3}) files.save(state_of(step));
  fs::resize_file(files.path(3), fs::file_size(files.path(3)) - 1);
  Found found = newest(files);
  BOOST_TEST(found.state->step == 2);
  BOOST_TEST(contains(found.said, "the checkpoint of step 3 is left out: safetensors: " + files.path(3) +
                                      " is cut off: 'w' ends at byte "));
  std::string bytes = read_file(files.path(2));
  bytes[bytes.size() - 5] ^= 1;
  write_file(files.path(2), bytes);
  found = newest(files);
  BOOST_TEST(found.state->step == 1);
  BOOST_TEST(contains(found.said, "step 2 is left out: safetensors: " + files.path(2) + " is damaged: its checksum"));
  write_file(files.path(1), "");
  BOOST_TEST(contains(error_of([&] { newest(files); }),
                      "checkpoint: none of the 3 checkpoints in " + files.folder() + " can be read (safetensors: "));
}

BOOST_AUTO_TEST_CASE(a_damaged_later_one_does_not_push_out_what_is_saved) {
  const Folder run;
  const CheckpointFiles files(run.path.string(), 1);
  files.save(state_of(10));
  write_file(files.path(20), "damaged");
  files.save(state_of(15));
  BOOST_TEST(steps(files) == "15 20 ");
  BOOST_TEST(newest(files).state->step == 15);
  files.save(state_of(20));
  BOOST_TEST(steps(files) == "20 ");
}

BOOST_AUTO_TEST_CASE(a_foreign_file_is_not_a_checkpoint) {
  const Folder run;
  write_safetensors(run / "a", {.tensors = {{"w", zeros({2})}}});
  BOOST_TEST(error_of([&] { read_checkpoint(run / "a"); }) ==
             "checkpoint: " + (run / "a") + " is a safetensors file, but not a checkpoint of heed");
  Safetensors file = to_safetensors(state_of(5));
  file.metadata["step"] = "five";
  BOOST_TEST(error_of([&] { to_training_state(file, "it"); }) == "checkpoint: it is damaged: its step is 'five'");
  TrainingState state = state_of(5);
  state.weights[0].name = "optimiser.w";
  BOOST_TEST(
      contains(error_of([&] { to_safetensors(state); }), "names that begin with optimiser. are the optimiser's"));
}

BOOST_AUTO_TEST_CASE(a_full_disk_keeps_the_last_good_checkpoint) {
  const Folder run;
  const CheckpointFiles files(run.path.string(), 1);
  files.save(state_of(1));
  const std::string before = read_file(files.path(1));
  TrainingState large = state_of(2);
  large.weights[0].value = zeros({10'000});
  std::string error;
  {
    const SmallDisk disk(4096);
    error = error_of([&] { files.save(large); });
  }
  BOOST_TEST(error == "checkpoint: step 2 was not saved (write_file: cannot write " + files.path(2) +
                          ": File too large); the last checkpoint is as it was: " + files.path(1));
  BOOST_TEST(steps(files) == "1 ");
  BOOST_TEST(read_file(files.path(1)) == before);
  BOOST_TEST(std::distance(fs::directory_iterator(files.folder()), fs::directory_iterator()) == 1);
}

BOOST_AUTO_TEST_CASE(a_place_that_is_no_folder_is_an_error) {
  const Folder run;
  write_file(run / "checkpoints", "a file");
  const CheckpointFiles files(run.path.string());
  const std::string error = error_of([&] { files.prepare(); });
  BOOST_TEST(contains(error, "write_file: cannot write " + (run / "checkpoints/step")));
  BOOST_TEST(contains(error, "; a part of its path is a file, not a folder"));
  BOOST_TEST(contains(error_of([&] { files.save(state_of(1)); }), "; a part of its path is a file, not a folder"));
}

BOOST_AUTO_TEST_CASE(a_run_killed_while_it_saves_goes_on_from_a_whole_checkpoint) {
  const Folder run;
  const CheckpointFiles files(run.path.string(), 2);
  long last = 0;
  for (int i = 0; i < 10; i++) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (long step = last + 1;; step++) files.save({.step = step, .weights = {{"w", full({50'000}, double(step))}}});
    }
    ::usleep(useconds_t(5000 + 3100 * i));  // when does not matter: any moment must do
    ::kill(child, SIGKILL);
    int status = 0;
    BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
    files.prepare();
    BOOST_TEST(remove_stale_temporaries(files.folder()) == 0);
    const Found found = newest(files);
    BOOST_TEST(found.said == "");
    if (!found.state) continue;
    BOOST_TEST(found.state->step >= last);
    last = found.state->step;
    BOOST_TEST(found.state->weights[0].value.at({49'999}) == double(last));
  }
  BOOST_TEST(last > 0);
}

// A link that leads to itself cannot be read by anybody, root included.
BOOST_AUTO_TEST_CASE(a_folder_that_cannot_be_read_is_not_an_empty_one) {
  const Folder run;
  fs::create_symlink("checkpoints", run / "checkpoints");
  const CheckpointFiles files(run.path.string());
  const std::string text = "checkpoint: cannot read the folder " + files.folder() + ": ";
  BOOST_TEST(contains(error_of([&] { files.list(); }), text));
  BOOST_TEST(contains(error_of([&] { newest(files); }), text));
  BOOST_TEST(contains(error_of([&] { files.best(); }), "; what is in there is not known, and nothing may be written"));
}

// Every save makes a better one and removes the one before, which a reader may have chosen a moment ago.
BOOST_AUTO_TEST_CASE(whoever_reads_beside_a_trainer_finds_the_newest_and_the_best) {
  const Folder run;
  const CheckpointFiles files(run.path.string(), 1);
  files.save(state_of(1, 1));
  std::atomic<bool> done = false;
  std::thread trainer([&] {
    for (long step = 2; !done; step++) files.save(state_of(step, 1.0 / double(step)));
  });
  long last = 0;
  try {
    for (int i = 0; i < 300; i++) {
      const auto best = files.read_best(CheckpointPart::model);
      const Found found = newest(files);
      if (!best || !found.state || found.said != "" || best->step < last) {
        BOOST_ERROR("a checkpoint was missed behind step " << last << ": " << found.said);
        break;
      }
      last = best->step;
    }
  } catch (const Error& error) {
    BOOST_ERROR(error.what());
  }
  done = true;
  trainer.join();
}

BOOST_AUTO_TEST_SUITE_END()
