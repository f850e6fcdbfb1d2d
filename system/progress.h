// Progress: one line that tells how far a long job is.
//
//   Progress progress("step", 2000);
//   for (long step = 1; step <= 2000; step++) { ...; progress.show(step, "loss 0.0123"); }
//   progress.finish("loss 0.0045");
//
//   step 1200/2000   60%   loss 0.0123   3 s left
#pragma once

#include <chrono>
#include <ostream>
#include <string>

namespace heed {

class Progress {
 public:
  // Writes to stderr, or to the stream given.
  Progress(const std::string& unit, long total);
  Progress(const std::string& unit, long total, std::ostream& out);
  ~Progress();  // ends a line that is not finished: what comes next, perhaps an error, begins a new one
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // May be called as often as one likes: a terminal's line is rewritten ten times a second; elsewhere (a file, a pipe)
  // a new line comes with every tenth of the work, at most one a second and at least one a minute.
  void show(long done, const std::string& text);
  void finish(const std::string& text);  // the last line: all is done, and how long it took
  void end_line();                       // if one is open: what is printed next, perhaps elsewhere, begins a new one
  double seconds() const;                // since the start

 private:
  bool due(long done) const;
  void print(const std::string& head, const std::string& text, const std::string& tail);

  using Clock = std::chrono::steady_clock;
  std::string unit_;
  long total_;
  std::ostream& out_;
  bool terminal_;
  bool open_ = false;  // the terminal's cursor stands in our line
  Clock::time_point start_ = Clock::now(), shown_ = start_;
  long first_ = -1;  // what was done at the first call: a run that is resumed does not start at 0
  double first_seconds_ = 0;
  long shown_done_ = 0;
};

// The line "head   text   tail" in at most so many characters. If it does not fit, blanks go first, then the text's
// last parts (parts are three blanks apart): how far it is and how long it takes are always there.
std::string fitted_line(const std::string& head, const std::string& text, const std::string& tail, size_t width);

// Prints the text and a newline to stdout, and flushes: progress goes to stderr, and what was printed before it must
// not come behind it.
void print_line(const std::string& text);

// The same for a sentence: at a terminal it is broken between words, not in them.
void print_sentence(const std::string& text);

size_t stdout_width();  // columns of the terminal that stdout is; no limit if it is none

// "0.4 s", "12 s", "3 min 20 s", "2 h 05 min": a duration for people.
std::string duration_text(double seconds);

}  // namespace heed
