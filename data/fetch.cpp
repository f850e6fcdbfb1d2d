#include "data/fetch.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "system/error.h"
#include "system/file_bytes.h"
#include "system/nearest.h"
#include "system/sha256.h"
#include "system/write_file.h"

extern char** environ;

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOp = "fetch";
constexpr const char* kPage = "http://mattmahoney.net/dc";
constexpr long kSize = 100'000'000;
constexpr const char* kEnwik8 = "2b49720ec4d78c3c9fabaee6e4179a5e997302b3a70029f30f2d582218c024a8";

// What is wrong with the file; "" if it is the one.
std::string fault_of(const std::string& name, const std::string& path) {
  const FileBytes file(kOp, path);
  if (file.size() != kSize) return "it has " + std::to_string(file.size()) + " bytes, not 100000000";
  if (name == "enwik8") {
    const std::string sum = sha256(file.bytes());
    return sum == kEnwik8 ? "" : "its SHA-256 is " + sum + ", not " + kEnwik8;
  }
  const auto odd =
      std::find_if(file.bytes().begin(), file.bytes().end(), [](char c) { return c != ' ' && (c < 'a' || c > 'z'); });
  if (odd == file.bytes().end()) return "";
  return "its byte " + std::to_string(odd - file.bytes().begin()) + " is neither a-z nor a blank";
}

// Runs a program without a shell, its output in a file, and what it says on stderr in another; "": the user sees it.
// Returns its exit code (-1: there is no such program; 128 + signal), and the last line that it wrote to stderr.
struct Ran {
  int code;
  std::string complaint;
};

std::string last_line(const std::string& path) {
  std::string text(FileBytes(kOp, path).bytes());
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

Ran run_program(const std::vector<std::string>& words, const std::string& output, const std::string& errors) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int kNew = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), kNew, 0666);
  if (!errors.empty()) posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(), kNew, 0666);
  pid_t child = 0;
  const int reason = ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (reason != 0) return {-1, std::strerror(reason)};
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, errors.empty() ? "it said why" : last_line(errors)};
}

struct Request {
  std::string name, url, target, zip, unpacked, errors;
};

[[noreturn]] void fail_by_hand(const Request& request, const std::string& what) {
  fail(kOp, what, ". By hand: get ", request.url, " on any machine, unpack it, and put the file ", request.name, " at ",
       request.target);
}

// Gives up where less than 1000 bytes per second come for a minute. Shows a bar if somebody looks.
void download(const Request& request, const std::string& curl) {
  const bool watched = ::isatty(STDERR_FILENO);
  const Ran ran = run_program(
      {curl, "--fail", "--location", watched ? "--progress-bar" : "--silent", "--show-error", "--connect-timeout", "30",
       "--speed-limit", "1000", "--speed-time", "60", "--retry", "2", "--output", request.zip, request.url},
      "/dev/null", watched ? "" : request.errors);
  if (ran.code < 0) fail_by_hand(request, "cannot run " + curl + " (" + ran.complaint + "); install it");
  if (ran.code > 0) fail_by_hand(request, "cannot download " + request.url + " (" + ran.complaint + ")");
}

void unpack(const Request& request, const std::string& unzip) {
  const Ran ran = run_program({unzip, "-p", request.zip, request.name}, request.unpacked, request.errors);
  if (ran.code < 0) fail_by_hand(request, "cannot run " + unzip + " (" + ran.complaint + "); install it");
  if (ran.code > 0)
    fail_by_hand(request, request.url + " is not a zip file with " + request.name + " in it (" + ran.complaint + ")");
}

// Is it there already? Throws if something else is.
bool is_there(const std::string& name, const std::string& target) {
  if (std::error_code none; !fs::exists(target, none)) return false;
  const std::string fault = fault_of(name, target);
  HEED_CHECK(fault.empty(), kOp, target, " is there, but it is not ", name, ": ", fault,
             ". Move it away, or choose another folder");
  return true;
}

}  // namespace

std::string fetch_data(const std::string& name, const std::string& folder, FunctionRef<void(const std::string&)> say,
                       const FetchOptions& options) {
  if (name != "enwik8" && name != "text8") fail_unknown(kOp, "data set", name, {"enwik8", "text8"});
  const std::string target = (fs::path(folder) / name).string();
  remove_stale_temporaries(folder.empty() ? "." : folder, name + ".");  // of a download that Ctrl-C ended
  if (is_there(name, target)) {
    say(target + " is there already, and it is right");
    return target;
  }
  const TemporaryFile unpacked(target), zip(target + ".zip"), errors(target + ".log");
  const std::string base = options.base_url.empty() ? kPage : options.base_url;
  const Request request{name, base + "/" + name + ".zip", target, zip.path(), unpacked.path(), errors.path()};
  say("downloading " + request.url + " (about 35 MB)");
  download(request, options.curl);
  say("unpacking and checking 100 MB");
  unpack(request, options.unzip);
  const std::string fault = fault_of(name, request.unpacked);
  if (!fault.empty()) fail_by_hand(request, "what " + request.url + " holds is not " + name + ": " + fault);
  HEED_CHECK(::rename(request.unpacked.c_str(), target.c_str()) == 0, kOp, "cannot write ", target, ": ",
             std::strerror(errno));
  say(target + " is there, and it is right");
  return target;
}

}  // namespace heed
