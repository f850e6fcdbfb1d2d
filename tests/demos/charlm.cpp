#include "tests/demos/charlm.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>

#include "system/write_file.h"
#include "tests/support/compare.h"
#include "tests/support/folder.h"
#include "tests/support/tiny_lm.h"

using namespace heed;
namespace fs = std::filesystem;

namespace {

// Programs stand beside the tests.
std::string path_of(const std::string& program) {
  return (fs::read_symlink("/proc/self/exe").parent_path() / program).string();
}

std::string text_of(const std::string& path) { return fs::exists(path) ? read_file(path) : ""; }

bool same_tensors(const std::vector<NamedTensor>& a, const std::vector<NamedTensor>& b) {
  bool same = a.size() == b.size();
  for (size_t i = 0; same && i < a.size(); i++) same = a[i].name == b[i].name && same_bits(a[i].value, b[i].value);
  return same;
}

}  // namespace

Charlm::Charlm(const std::string& folder, const Words& words, const std::string& out, const std::string& program,
               const std::string& from, const std::string& in) {
  static std::atomic<int> number = 0;
  const std::string stem = folder + "/" + program + "-" + std::to_string(number++);
  out_ = stem + ".out";
  err_ = stem + ".err";
  const std::string to = out.empty() ? out_ : out;
  std::string path = path_of(program);
  Words all = words;
  std::vector<char*> argv = {path.data()};
  for (std::string& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (!from.empty()) posix_spawn_file_actions_addchdir_np(&actions, from.c_str());
  posix_spawn_file_actions_addopen(&actions, 0, in.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, to.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  posix_spawn_file_actions_addopen(&actions, 2, err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  posix_spawnattr_t attributes;  // tests in the background ignore these signals, and their children would, too
  posix_spawnattr_init(&attributes);
  sigset_t stops;
  sigemptyset(&stops);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&stops, signal);
  posix_spawnattr_setsigdefault(&attributes, &stops);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int reason = posix_spawn(&child_, path.c_str(), &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  BOOST_REQUIRE_MESSAGE(reason == 0, "cannot start " << path << ": `make build/" << program << "` makes it");
}

Charlm::~Charlm() {
  if (child_ < 0) return;
  ::kill(child_, SIGKILL);
  ::waitpid(child_, nullptr, 0);
}

void Charlm::signal(int number) const { ::kill(child_, number); }

bool Charlm::ended() const {
  siginfo_t about = {};
  ::waitid(P_PID, id_t(child_), &about, WEXITED | WNOHANG | WNOWAIT);
  return about.si_pid != 0;
}

void Charlm::wait_until(FunctionRef<bool()> holds) const {
  while (!holds()) {
    BOOST_REQUIRE_MESSAGE(!ended() || holds(), "it ended before: " << text_of(err_));
    ::usleep(1000);
  }
}

void Charlm::wait_for(const std::string& text) const {
  wait_until([&] { return contains(text_of(out_), text); });
}

Ran Charlm::wait() {
  int status = 0;
  BOOST_REQUIRE(::waitpid(child_, &status, 0) == child_);
  child_ = -1;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), text_of(out_), text_of(err_)};
}

Ran charlm(const std::string& folder, const Words& words, const std::string& out) {
  return Charlm(folder, words, out).wait();
}

Words tiny_train(const std::string& data, const std::string& run, const Words& more) {
  Words words = {
      "train", "--data",         data, "--run",   run, "--layers", "1",  "--width",   "16", "--heads",
      "2",     "--context",      "16", "--batch", "2", "--steps",  "12", "--threads", "1",  "--checkpoint-every",
      "6",     "--sample-bytes", "20"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Place::Place() { write_file(data, tiny_text()); }

Trained::Trained(const Words& more) : ran(train(more)) { BOOST_REQUIRE_MESSAGE(ran.code == 0, ran.err); }

std::string last_line(const std::string& text) {
  const std::string all = text.substr(0, text.find_last_not_of('\n') + 1);
  return all.substr(all.rfind('\n') + 1);
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bool same_training(const std::string& a, const std::string& b) {
  const TrainingState one = read_checkpoint(a), two = read_checkpoint(b);
  return one.step == two.step && same_tensors(one.weights, two.weights) && same_tensors(one.optimiser, two.optimiser);
}

std::string newest_checkpoint(const std::string& run) {
  const auto list = CheckpointFiles(run).list();
  BOOST_REQUIRE(!list.empty());
  return list.back().path;
}
