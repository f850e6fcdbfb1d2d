// Worker: another process that does work when it is told to, a line at a time. PyTorch (bench/peer.py) is one, and so
// is build/bench itself (--serve). The protocol stands at the top of bench/peer.py.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "bench/turns.h"
#include "system/error.h"

namespace heed::bench {

// The process is gone or makes no sense. The text is a sentence for the user.
class WorkerError : public Error {
  using Error::Error;
};

class Worker {
 public:
  // The program, looked for in PATH, and its arguments; `environment` ("NAME=value") is added to ours. `name` is what
  // errors call it. Throws WorkerError if it cannot be started.
  Worker(std::string name, const std::vector<std::string>& command, const std::vector<std::string>& environment = {});
  ~Worker();  // it gets a second to end by itself
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  const std::string& name() const { return name_; }
  std::string ask(const std::string& request);  // one line there, one line back; throws WorkerError

  std::string prepare(const std::string& work);  // "" when it is ready, or why this worker cannot do it
  double time(long repetitions);                 // runs what was prepared; seconds
  double cpu_seconds() const;                    // that the process has used
  Side side();                                   // these two; the worker must outlive it

 private:
  [[noreturn]] void fail_gone();
  std::string last_words() const;

  std::string name_;
  pid_t pid_ = -1;
  int socket_ = -1;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> errors_;  // its stderr
  std::string unread_;
};

}  // namespace heed::bench
