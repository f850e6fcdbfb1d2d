// What stands around the body of a program: its errors become sentences, its output is complete. See command_line.h.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>

#include "system/command_line.h"

namespace heed {
namespace {

int run_guarded(const std::string& program, const std::function<int(int, char**)>& body, int argc, char** argv) {
  try {
    return body(argc, argv);
  } catch (const std::bad_alloc&) {
    std::cerr << program << ": out of memory\n";
  } catch (const std::exception& error) {
    std::cerr << program << ": " << error.what() << "\n";
  } catch (...) {
    std::cerr << program << ": failed for a reason it does not say\n";
  }
  return 1;
}

// Has everything that was printed reached stdout? Says it if not: a full disk must not look like a success.
bool flush_output(const std::string& program) {
  errno = 0;
  std::cout.flush();
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && !std::ferror(stdout) && !std::cout.bad()) return true;
  const std::string reason = errno ? std::string(": ") + std::strerror(errno) : "";
  std::cerr << program << ": not all of the output was written to stdout" << reason << "\n";
  return false;
}

}  // namespace

int run(const std::string& program, const std::function<int(int, char**)>& body, int argc, char** argv) {
  int code = run_guarded(program, body, argc, argv);
  if (!flush_output(program) && code == 0) code = 1;
  for (const CommonOption* option : common_options.all())
    if (option->at_end) option->at_end();
  return code;
}

}  // namespace heed
