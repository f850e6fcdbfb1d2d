#include "tensor/profile.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "system/command_line.h"
#include "system/text.h"
#include "tensor/allocator.h"
#include "tensor/tensor.h"

namespace heed {
namespace {

struct Sums {
  long calls = 0;
  double seconds = 0, bytes = 0, flops = 0;
};

// Everything since the first of the Profiles that live now began; each of them subtracts what was there before it.
struct Table {
  std::mutex mutex;
  std::map<std::pair<const char*, const char*>, Sums> sums;  // by op, and by the op whose backward it is, or null
};

Table& table() {
  static Table* all = new Table;  // never destroyed: HEED_PROFILE reports when the program ends
  return *all;
}

// What a thread is doing.
struct Now {
  static constexpr int kMost = 16;  // more than any kernel has operands
  const void* seen[kMost];          // tensors touched since begin_call: by the address of their first element
  int count = 0;
  double bytes = 0;
  const char* backward_of = nullptr;
  profile::Timed* open = nullptr;
};
thread_local Now now;

// Of the elements that exist: an axis of stride 0 shows one element many times.
double bytes_of(const Tensor& x) {
  double elements = x.numel() > 0;
  for (int i = 0; i < x.dims(); i++)
    if (x.strides()[i] != 0) elements *= double(x.shape()[i]);
  return std::min(elements * double(size_of(x.dtype())), double(x.storage()->bytes()));
}

bool same_place(const ProfileRow& a, const ProfileRow& b) { return a.op == b.op && a.within == b.within; }

void add(std::vector<ProfileRow>& rows, const ProfileRow& more, int sign) {
  auto row = std::find_if(rows.begin(), rows.end(), [&](const ProfileRow& r) { return same_place(r, more); });
  if (row == rows.end()) row = rows.insert(rows.end(), {more.op, more.within});
  row->calls += sign * more.calls;
  row->seconds += sign * more.seconds;
  row->bytes += sign * more.bytes;
  row->flops += sign * more.flops;
}

std::vector<ProfileRow> all_rows() {
  const std::lock_guard lock(table().mutex);
  std::vector<ProfileRow> rows;  // names are compared as texts: two slots may have one name
  for (const auto& [key, s] : table().sums) {
    const std::string within = key.second ? "backward of " + std::string(key.second) : "";
    add(rows, {key.first, within, s.calls, s.seconds, s.bytes, s.flops}, 1);
  }
  return rows;
}

// ---- the table as text

std::string rate(double amount, double seconds) {
  return amount > 0 && seconds > 0 ? format("%.1f", amount / seconds * 1e-9) : "-";
}

// op, calls, ms, share, GB/s, GFLOP/s
constexpr const char *kKernelFormat = "%-*s %9s %11s %7s %8s %9s\n", *kSumFormat = "%-*s %9s %11s %7s\n";

std::string name_of(const ProfileRow& row) { return row.within.empty() ? row.op : row.op + ", " + row.within; }

std::string text_of(int width, const std::string& name, const ProfileRow& row, double seconds) {
  const std::string calls = row.calls ? std::to_string(row.calls) : "", ms = format("%.3f", 1e3 * row.seconds);
  const std::string share = format("%.1f%%", 100 * row.seconds / seconds);
  if (row.op.empty()) return format(kSumFormat, width, name.c_str(), calls.c_str(), ms.c_str(), share.c_str());
  return format(kKernelFormat, width, name.c_str(), calls.c_str(), ms.c_str(), share.c_str(),
                rate(row.bytes, row.seconds).c_str(), rate(row.flops, row.seconds).c_str());
}

// HEED_PROFILE=1: from the start of the program to its end.
const bool from_environment = [] {
  const char* value = std::getenv("HEED_PROFILE");
  if (!value || !*value || !std::strcmp(value, "0")) return false;
  static const Profile* whole = new Profile;
  std::atexit([] { std::fputs(whole->text().c_str(), stderr); });
  return true;
}();

// --profile: from the command line to the end of the program.
bool wanted = false;
std::unique_ptr<Profile> of_program;

void declare_profile(CommandLine& line) {
  wanted = false;
  line.flag("--profile", wanted, "print at the end how long each op took");
}

void begin_profile() { of_program = wanted ? std::make_unique<Profile>() : nullptr; }

void print_profile() {
  if (!of_program) return;
  of_program->stop();
  std::cerr << of_program->text();
  of_program.reset();
}

const RegisteredCommonOption option{{"--profile", declare_profile, begin_profile, print_profile}};

}  // namespace

Profile::Profile() {
  {
    const std::lock_guard lock(table().mutex);
    if (profile::running++ == 0) table().sums.clear();
  }
  before_ = all_rows();
  begin_ = Clock::now();
}

Profile::~Profile() { stop(); }

void Profile::stop() {
  if (!std::exchange(running_, false)) return;
  end_ = Clock::now();
  after_ = all_rows();
  profile::running--;
}

double Profile::seconds() const {
  return std::chrono::duration<double>((running_ ? Clock::now() : end_) - begin_).count();
}

std::vector<ProfileRow> Profile::rows() const {
  std::vector<ProfileRow> rows = running_ ? all_rows() : after_;
  for (const ProfileRow& row : before_) add(rows, row, -1);
  std::erase_if(rows, [](const ProfileRow& row) { return row.calls == 0; });
  std::sort(rows.begin(), rows.end(), [](const ProfileRow& a, const ProfileRow& b) { return a.seconds > b.seconds; });
  return rows;
}

std::string Profile::text() const {
  const double whole = std::max(seconds(), 1e-9);
  const std::vector<ProfileRow> all = rows();
  ProfileRow outside, total;
  outside.seconds = total.seconds = whole;
  int width = int(std::strlen("outside of kernels"));
  for (const ProfileRow& row : all) {
    outside.seconds = std::max(0.0, outside.seconds - row.seconds);  // several threads may spend more than there is
    total.calls += row.calls;
    width = std::max(width, int(name_of(row).size()));
  }
  std::string text = format(kKernelFormat, width, "op", "calls", "ms", "share", "GB/s", "GFLOP/s");
  for (const ProfileRow& row : all) text += text_of(width, name_of(row), row, whole);
  text += text_of(width, "outside of kernels", outside, whole) + text_of(width, "total", total, whole);
  return text + format("peak memory of tensors: %.1f MiB\n", double(memory_stats().peak) / (1 << 20));
}

namespace profile {

std::atomic<int> running = 0;

void begin_call() { now.count = 0, now.bytes = 0; }

void touch(const Tensor& x) {
  const void* first = static_cast<const char*>(x.storage()->data()) + x.offset() * size_of(x.dtype());
  for (int i = 0; i < now.count; i++)
    if (now.seen[i] == first) return;
  if (now.count < Now::kMost) now.seen[now.count++] = first;
  now.bytes += bytes_of(x);
}

Timed::Timed(const char* op, double flops)
    : op_(op), flops_(flops), bytes_(now.bytes), outer_(std::exchange(now.open, this)) {
  start_ = std::chrono::steady_clock::now();
}

Timed::~Timed() {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  now.open = outer_;
  if (outer_) outer_->inner_ += seconds;
  const std::lock_guard lock(table().mutex);
  Sums& sums = table().sums[{op_, now.backward_of}];
  sums.calls++;
  sums.seconds += seconds - inner_;
  sums.bytes += bytes_;
  sums.flops += flops_;
}

const char* Backward::exchange(const char* op) { return std::exchange(now.backward_of, op); }

}  // namespace profile
}  // namespace heed
