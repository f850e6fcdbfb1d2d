// Profile: where the time goes, op by op. While one lives, every kernel call is timed, in all threads:
//
//   Profile profile;
//   train(model);
//   std::cerr << profile.text();
//
// No op has to be told: the slots (kernel.h) do it. heed's programs have the option --profile for this; any other
// program that uses the library prints the table when it ends if HEED_PROFILE=1 is in its environment. Timing costs
// about 0.2 us a call; without a Profile a call costs two branches more.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

namespace heed {

class Tensor;

// All calls of one op's kernels in one place.
struct ProfileRow {
  std::string op;      // as in the kernel's slot: "matmul", "copy", ...
  std::string within;  // "backward of linear"; empty outside of backward
  long calls = 0;
  double seconds = 0;
  double bytes = 0;  // of the tensors that were read or written: see below
  double flops = 0;  // 0 for ops that do not tell
};

// Bytes are counted per call: each tensor once, broadcast axes once, and the whole tensor even if the kernel reads some
// rows of it only (embedding). A tensor that is changed in place is read and written, and still counts once.
class Profile {
 public:
  Profile();  // begins
  ~Profile();
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  void stop();                           // what comes later does not count
  std::vector<ProfileRow> rows() const;  // most time first
  double seconds() const;                // since it began, or from begin to stop
  // The rows as a table, then the time outside of kernels (the graph, memory, the program itself), the total, and the
  // peak of memory_stats(). GB/s and GFLOP/s are those of the time inside of the kernel.
  std::string text() const;

 private:
  using Clock = std::chrono::steady_clock;
  std::vector<ProfileRow> before_, after_;
  Clock::time_point begin_, end_;
  bool running_ = true;
};

// ---- for kernel.h, Tensor and autograd: what they tell while a Profile lives
namespace profile {

extern std::atomic<int> running;  // how many Profiles
inline bool on() { return running.load(std::memory_order_relaxed) > 0; }

void begin_call();            // a door asked for a kernel: forget the tensors touched before
void touch(const Tensor& x);  // its memory was asked for: the kernel will read or write it

// From here to its end the op's kernel runs. Time spent in kernels that this one calls is theirs only.
class Timed {
 public:
  Timed(const char* op, double flops);
  ~Timed();
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  const char* op_;
  double flops_, bytes_, inner_ = 0;  // inner_: seconds of kernels called by this one
  Timed* outer_;
  std::chrono::steady_clock::time_point start_;
};

// While one lives, kernels of this thread run in the backward of this op. The name must outlive all Profiles.
class Backward {
 public:
  explicit Backward(const char* op) : set_(on()) {
    if (set_) before_ = exchange(op);
  }
  ~Backward() {
    if (set_) exchange(before_);
  }
  Backward(const Backward&) = delete;
  Backward& operator=(const Backward&) = delete;

 private:
  static const char* exchange(const char* op);
  bool set_;
  const char* before_ = nullptr;
};

}  // namespace profile
}  // namespace heed
