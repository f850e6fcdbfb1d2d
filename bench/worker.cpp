#include "bench/worker.h"

#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>
#include <utility>

namespace heed::bench {
namespace {

using namespace std::chrono_literals;

constexpr int kPatience = 300'000;  // milliseconds for one answer: importing PyTorch from a cold disk takes a while

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// Ours, with these instead of what has the same names.
std::vector<std::string> environment_with(const std::vector<std::string>& added) {
  std::vector<std::string> all = added;
  for (char** entry = environ; *entry; entry++) {
    const std::string text = *entry, name = text.substr(0, text.find('=') + 1);
    bool replaced = false;
    for (const std::string& other : added) replaced |= other.starts_with(name);
    if (!replaced) all.push_back(text);
  }
  return all;
}

int spawn(pid_t* pid, int socket, int errors, std::vector<std::string> command, std::vector<std::string> environment) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, 0);
  posix_spawn_file_actions_adddup2(&actions, socket, 1);
  posix_spawn_file_actions_adddup2(&actions, errors, 2);
  const int code =
      posix_spawnp(pid, command[0].c_str(), &actions, nullptr, pointers(command).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

// "ended with exit code 1", waiting for it a second and then no more.
std::string end_of(pid_t pid) {
  int status = 0;
  pid_t ended = 0;
  for (int i = 0; i < 100 && (ended = waitpid(pid, &status, WNOHANG)) == 0; i++) std::this_thread::sleep_for(10ms);
  if (ended == 0) {
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    return "did not answer and was stopped";
  }
  if (WIFSIGNALED(status)) return std::string("was ended by a signal (") + strsignal(WTERMSIG(status)) + ")";
  return "ended with exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

Worker::Worker(std::string name, const std::vector<std::string>& command, const std::vector<std::string>& environment)
    : name_(std::move(name)), errors_(std::tmpfile(), &std::fclose) {
  // A socket instead of two pipes: sending to a process that is gone is an error there and no signal.
  int ends[2];
  if (!errors_ || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw WorkerError(name_ + " cannot be started: " + std::strerror(errno));
  const int code = spawn(&pid_, ends[1], fileno(errors_.get()), command, environment_with(environment));
  close(ends[1]);
  socket_ = ends[0];
  if (code == 0) return;
  close(socket_);
  throw WorkerError(name_ + " cannot be started: " + command[0] + ": " + std::strerror(code));
}

Worker::~Worker() {
  close(socket_);
  if (pid_ > 0) end_of(pid_);
}

std::string Worker::last_words() const {
  std::rewind(errors_.get());
  std::string last;
  char line[1024];
  while (std::fgets(line, sizeof line, errors_.get())) {
    std::string text(line);
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    if (!text.empty()) last = text;
  }
  return last;
}

void Worker::fail_gone() {
  const std::string how = pid_ > 0 ? end_of(std::exchange(pid_, -1)) : "is gone";
  const std::string words = last_words();
  throw WorkerError(name_ + " " + how + (words.empty() ? "" : ": " + words));
}

std::string Worker::ask(const std::string& request) {
  const std::string line = request + "\n";
  if (send(socket_, line.data(), line.size(), MSG_NOSIGNAL) != ssize_t(line.size())) fail_gone();
  for (size_t end; (end = unread_.find('\n')) == std::string::npos;) {
    pollfd readable{socket_, POLLIN, 0};
    char buffer[512];
    if (poll(&readable, 1, kPatience) <= 0) fail_gone();
    const ssize_t count = recv(socket_, buffer, sizeof buffer, 0);
    if (count <= 0) fail_gone();
    unread_.append(buffer, size_t(count));
  }
  const size_t end = unread_.find('\n');
  std::string answer = unread_.substr(0, end);
  unread_.erase(0, end + 1);
  return answer;
}

std::string Worker::prepare(const std::string& work) {
  const std::string answer = ask("work " + work);
  if (answer == "ok") return "";
  if (answer.starts_with("no ")) return answer.substr(3);
  throw WorkerError(name_ + " answered \"" + answer + "\" to \"work " + work + "\"; ok or no was expected");
}

double Worker::time(long repetitions) {
  const std::string answer = ask("time " + std::to_string(repetitions));
  char* end = nullptr;
  const double seconds = std::strtod(answer.c_str(), &end);
  if (end == answer.c_str() || *end || !(seconds > 0))
    throw WorkerError(name_ + " answered \"" + answer + "\"; seconds were expected");
  return seconds;
}

double Worker::cpu_seconds() const {
  clockid_t clock;
  timespec time{};
  if (clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

Side Worker::side() {
  return {[this](long repetitions) { return time(repetitions); }, [this] { return cpu_seconds(); }};
}

}  // namespace heed::bench
