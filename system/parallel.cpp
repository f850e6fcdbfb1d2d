// A small pool of our own instead of OpenMP's: there a loop ends when every thread of the team has come by, so a thread
// that the system does not run at that moment (another program has its core) holds up a loop it took no part in. Here
// the caller takes pieces like everybody else and waits only for pieces that somebody has begun.
#include "system/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "system/command_line.h"
#include "system/error.h"

namespace heed {
namespace {

constexpr int kMaxThreads = 64;                             // OpenBLAS fails beyond 128 callers; we stay well below
constexpr long kMostPieces = 1'000'000;                     // of one loop
constexpr auto kPatience = std::chrono::microseconds(200);  // how long an idle worker looks for work before it sleeps

// cgroup v2: "max 100000" or "150000 100000" (quota and period in microseconds).
int quota_cores() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) return kMaxThreads;
  return std::max(1, int(std::stod(quota) / period + 0.5));
}

int default_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : int(std::thread::hardware_concurrency());
  return std::clamp(std::min(cores, quota_cores()), 1, kMaxThreads);
}

std::atomic<int>& count() {
  static std::atomic<int> value = default_threads();
  return value;
}

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

using Piece = FunctionRef<void(long, long)>;

void run_piece(const Piece& f, long piece, long n, long grain) { f(piece * grain, std::min(n, (piece + 1) * grain)); }

thread_local bool inside = false;  // this thread runs a piece: loops in it are not cut again

class Pool {
 public:
  static Pool& instance() {
    static Pool* pool = new Pool;        // never freed: a worker may outlive main's statics
    static const Stopper stopper{pool};  // but the workers end before the library is unloaded
    return *pool;
  }

  // False if another thread's loop has the pool; the caller then works alone.
  bool run(long n, long grain, long pieces, int team, const Piece& f) {
    std::unique_lock lock(busy_, std::try_to_lock);
    if (!lock || stopping_) return false;
    team = 1 + grow(team - 1);
    keep_apart();
    f_.emplace(f);
    n_ = n, grain_ = grain, pieces_ = pieces, team_ = team;
    done_.store(0, std::memory_order_relaxed);
    const uint32_t round = round_.load(std::memory_order_relaxed) + 1;
    for (int id = 0; id < team; id++)
      open_[id].range.store(Range{round, pieces * id / team, pieces * (id + 1) / team}.word(),
                            std::memory_order_release);
    round_.store(round);  // after open_: who sees the new round finds its pieces
    round_.notify_all();
    inside = true;
    while (take_piece(0)) continue;
    inside = false;
    for (int spins = 0; done_.load(std::memory_order_acquire) < pieces;)
      ++spins % 1024 ? pause() : std::this_thread::yield();
    return true;
  }

 private:
  struct Stopper {
    Pool* pool;
    ~Stopper() { pool->stop(); }
  };

  // Pieces that nobody has claimed yet, and the round they belong to, in one word.
  struct Range {
    static constexpr int kBits = 20;
    uint64_t round;
    long begin, end;
    static Range of(uint64_t word) {
      constexpr long mask = (1L << kBits) - 1;
      return {word >> 2 * kBits, long(word >> kBits) & mask, long(word) & mask};
    }
    uint64_t word() const { return round << 2 * kBits | uint64_t(begin) << kBits | uint64_t(end); }
  };
  static_assert(kMostPieces < 1L << Range::kBits);

  // Claims one open piece and runs it: the first of its own, so that from loop to loop a thread finds its part of the
  // data in its own cache, and when these are done the last of somebody else's. A claim succeeds only in the round it
  // was read in, and until the claimed piece is done the caller stays and the loop is alive.
  bool take_piece(int id) {
    const int team = team_.load(std::memory_order_relaxed);
    for (int k = 0; k < team; k++)
      if (const long piece = claim(open_[(id + k) % team].range, k == 0); piece >= 0) {
        run_piece(*f_, piece, n_, grain_);
        done_.fetch_add(1, std::memory_order_release);
        return true;
      }
    return false;
  }

  static long claim(std::atomic<uint64_t>& open, bool first) {  // -1: nothing left
    uint64_t seen = open.load(std::memory_order_acquire);
    for (;;) {
      Range range = Range::of(seen);
      if (range.begin == range.end) return -1;
      const long piece = first ? range.begin++ : --range.end;
      if (open.compare_exchange_weak(seen, range.word(), std::memory_order_acq_rel, std::memory_order_acquire))
        return piece;
    }
  }

  void work(int id) {
    inside = true;
    for (uint32_t round = 0; !stopping_;) {
      if (id < team_.load(std::memory_order_relaxed) && take_piece(id)) continue;
      round = wait_for_work(round);
    }
  }

  // Returns when there is a new round, looking for a while and then sleeping.
  uint32_t wait_for_work(uint32_t known) {
    const auto patience = std::chrono::steady_clock::now() + kPatience;
    for (int spins = 1;; spins++) {
      uint32_t now = round_.load(std::memory_order_acquire);
      if (now != known) return now;
      pause();
      if (spins % 64 == 0 && std::chrono::steady_clock::now() > patience) round_.wait(known);
    }
  }

  // How many workers there are for a team that wants this many; a system that gives no more threads is no error.
  int grow(int wanted) {
    if (int(workers_.size()) >= wanted) return wanted;
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGBUS);                    // a worker's own fault: system/mapped_files.h mends some
    pthread_sigmask(SIG_BLOCK, &all, &before);  // a new thread inherits this: signals are the host's business
    try {
      while (int(workers_.size()) < wanted) workers_.emplace_back([this, id = int(workers_.size()) + 1] { work(id); });
    } catch (const std::system_error&) {
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return std::min(wanted, int(workers_.size()));
  }

  // Workers stay off the caller's core. A worker that is woken may be put on the core of who woke it, and there it
  // waits while the caller does its pieces, call after call, beside an idle core. Costs a look at the core's number
  // unless the caller has moved. With a single core, or one given by the user, everything stays where it is.
  void keep_apart() {
    const int core = sched_getcpu(), workers = int(workers_.size());
    if (core < 0 || core >= CPU_SETSIZE || (core == callers_core_ && workers == placed_)) return;
    callers_core_ = core, placed_ = workers;
    cpu_set_t cores;
    CPU_ZERO(&cores);
    if (pthread_getaffinity_np(pthread_self(), sizeof cores, &cores) != 0) return;
    if (CPU_COUNT(&cores) > 1) CPU_CLR(core, &cores);
    for (std::thread& worker : workers_) pthread_setaffinity_np(worker.native_handle(), sizeof cores, &cores);
  }

  void stop() {
    stopping_ = true;
    if (getpid() != owner_) return;  // a fork has no workers
    ++round_;
    round_.notify_all();
    for (std::thread& worker : workers_)  // exit() inside of a piece: a worker cannot wait for itself
      worker.get_id() == std::this_thread::get_id() ? worker.detach() : worker.join();
    workers_.clear();
  }

  std::mutex busy_;
  std::vector<std::thread> workers_;
  const pid_t owner_ = getpid();
  int callers_core_ = -1, placed_ = 0;  // what the workers were placed for
  std::atomic<bool> stopping_ = false;
  std::atomic<uint32_t> round_ = 0;
  struct alignas(64) Open {
    std::atomic<uint64_t> range = 0;
  };
  Open open_[kMaxThreads];      // of each thread of the team
  std::atomic<long> done_ = 0;  // finished pieces
  std::atomic<int> team_ = 1;
  std::optional<Piece> f_;  // the loop: written before open_, read after a claim
  long n_ = 0, grain_ = 1, pieces_ = 0;
};

int wanted_threads = 1;

void declare_threads(CommandLine& line) {
  wanted_threads = threads();
  line.option("--threads", wanted_threads, "threads; the result has the same bits for any number", 1, kMaxThreads);
}

const RegisteredCommonOption option{{"--threads", declare_threads, [] { set_threads(wanted_threads); }}};

}  // namespace

int threads() { return count(); }

void set_threads(int wanted) {
  HEED_CHECK(wanted >= 1 && wanted <= kMaxThreads, "set_threads", wanted, " threads wanted; the rule is 1 to ",
             kMaxThreads, ". This machine serves ", default_threads(), " at a time");
  count() = wanted;
}

void parallel_for(long n, long grain, FunctionRef<void(long, long)> f) {
  if (n <= 0) return;
  if (n <= grain) return f(0, n);
  grain = std::clamp(grain, (n - 1) / kMostPieces + 1, n);
  const long pieces = (n - 1) / grain + 1;
  const int team = int(std::min<long>(threads(), pieces));
  if (team > 1 && !inside && Pool::instance().run(n, grain, pieces, team, f)) return;
  for (long piece = 0; piece < pieces; piece++) run_piece(f, piece, n, grain);
}

}  // namespace heed
