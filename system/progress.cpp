#include "system/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <iostream>

#include "system/text.h"

namespace heed {
namespace {

bool is_terminal(const std::ostream& out) {
  return (&out == &std::cout && isatty(STDOUT_FILENO)) || (&out == &std::cerr && isatty(STDERR_FILENO));
}

size_t columns_of(int terminal) {
  winsize size{};
  return ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

// "a   b  c" -> "a b c"
std::string narrowed(const std::string& text) {
  std::string line;
  for (const char c : text)
    if (c != ' ' || (!line.empty() && line.back() != ' ')) line += c;
  return line;
}

}  // namespace

std::string fitted_line(const std::string& head, const std::string& given, const std::string& tail, size_t width) {
  const auto whole = [&](const std::string& text) {
    return head + (text.empty() ? "" : "   " + text) + (tail.empty() ? "" : "   " + tail);
  };
  std::string text = given;
  if (whole(text).size() <= width) return whole(text);
  while (!text.empty() && narrowed(whole(text)).size() > width) {
    const size_t last = text.rfind("   ");
    text = last == std::string::npos ? "" : text.substr(0, last);
  }
  return narrowed(whole(text)).substr(0, width);
}

std::string duration_text(double seconds) {
  if (!(seconds >= 0) || seconds > 1e9) return "?";
  if (seconds < 9.95) return format("%.1f s", seconds);
  const long s = std::lround(seconds);
  if (s < 60) return format("%ld s", s);
  if (s < 3600) return format("%ld min %02ld s", s / 60, s % 60);
  return format("%ld h %02ld min", s / 3600, s / 60 % 60);
}

Progress::Progress(const std::string& unit, long total) : Progress(unit, total, std::cerr) {}

Progress::Progress(const std::string& unit, long total, std::ostream& out)
    : unit_(unit), total_(total), out_(out), terminal_(is_terminal(out)) {}

Progress::~Progress() { end_line(); }

void Progress::end_line() {
  if (open_) out_ << std::endl;
  open_ = false;
}

double Progress::seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

bool Progress::due(long done) const {
  const double since = std::chrono::duration<double>(Clock::now() - shown_).count();
  if (terminal_) return since >= 0.1;
  return since >= 60 || (since >= 1 && (done - shown_done_) * 10 >= total_);
}

void Progress::show(long done, const std::string& text) {
  if (first_ < 0) first_ = done, first_seconds_ = seconds(), shown_done_ = done;
  if (!due(done) || done >= total_) return;  // the last line is finish()'s
  shown_ = Clock::now(), shown_done_ = done;
  const std::string total = std::to_string(total_);
  std::string head = unit_ + format(" %*ld/", int(total.size()), done) + total, tail;
  if (total_ > 0) head += format("   %3.0f%%", 100.0 * double(done) / double(total_));
  if (done > first_) {
    const double pace = (seconds() - first_seconds_) / double(done - first_);
    tail = duration_text(pace * double(total_ - done)) + " left";
  }
  print(head, text, tail);
}

void Progress::finish(const std::string& text) {
  const std::string total = std::to_string(total_);
  print(unit_ + " " + total + "/" + total + "   100%", text, duration_text(seconds()));
  if (terminal_) out_ << std::endl;
  open_ = false;
}

void Progress::print(const std::string& head, const std::string& text, const std::string& tail) {
  if (!terminal_)
    out_ << fitted_line(head, text, tail, std::string::npos) << std::endl;
  else  // back to the start of the line, write, erase what is left of the line before
    out_ << '\r' << fitted_line(head, text, tail, columns_of(STDERR_FILENO) - 1) << "\033[K" << std::flush;
  open_ = terminal_;
}

void print_line(const std::string& text) { std::cout << text << std::endl; }

void print_sentence(const std::string& text) { print_line(wrapped(text, stdout_width())); }

size_t stdout_width() { return isatty(STDOUT_FILENO) ? columns_of(STDOUT_FILENO) : std::string::npos; }

}  // namespace heed
