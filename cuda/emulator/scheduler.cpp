// Fibers by Boost.Context. A fiber that ends a thread without having waited takes the next one, so that kernels without
// barriers switch once per block.
//
// The order is greedy: one warp runs as far as it can before the next one may, so that what lacks a barrier meets its
// worst case. An order that is fair, even a random one, keeps all warps at the same pace and hides most such mistakes.
#include "cuda/emulator/scheduler.h"

#include <sys/mman.h>

#include <algorithm>
#include <boost/context/detail/fcontext.hpp>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include "cuda/emulator/emulator.h"
#include "system/error.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace heed::emulator {
namespace {

namespace bc = boost::context::detail;
constexpr size_t kStack = 128 << 10, kPage = 4096;
constexpr size_t kMostShared = 48 << 10;  // what a block may have without asking for more

struct Fiber {
  bc::fcontext_t context = nullptr;
  char* stack = nullptr;
  unsigned thread = 0;
};

struct Thread {
  Fiber* fiber = nullptr;
  bool waits = false, done = false;
  Scope scope = Scope::block;
  std::source_location where;
};

struct Warp {
  uint64_t slots[2][32];
  unsigned turn[32] = {};  // how many shuffles each lane has begun
  bool begun = false;
};

struct Shared {
  const void* key = nullptr;
  size_t bytes = 0;
  std::unique_ptr<char[]> memory;
  bool fresh = true;  // in this block
};

struct Block {
  const std::function<void()>* kernel = nullptr;
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::vector<unsigned> order;  // of the threads: warp by warp
  size_t next = 0;              // of the order: the first that has not begun
  std::vector<Shared> shared;
  std::vector<std::unique_ptr<Fiber>> all;
  std::vector<Fiber*> idle;
  bc::fcontext_t scheduler = nullptr;
  Fiber* running = nullptr;  // null: the scheduler runs
  std::string error;
};
Block now;

Schedule& schedule() {
  static Schedule one = [] {
    const char* text = std::getenv("HEED_SCHEDULE");
    return schedule_from(text ? text : "forward");
  }();
  return one;
}
std::mt19937 random_numbers;

void note(const std::string& error) {
  if (now.error.empty()) now.error = error;
}

// ---- switching; AddressSanitizer wants to know which stack is in use

#ifdef __SANITIZE_ADDRESS__
const void* scheduler_stack = nullptr;
size_t scheduler_stack_bytes = 0;
void* scheduler_fake = nullptr;
void leave(void** fake, const void* stack, size_t bytes) { __sanitizer_start_switch_fiber(fake, stack, bytes); }
void arrive(void* fake, const void** from, size_t* bytes) { __sanitizer_finish_switch_fiber(fake, from, bytes); }
#else
void* scheduler_fake = nullptr;
const void* scheduler_stack = nullptr;
size_t scheduler_stack_bytes = 0;
void leave(void**, const void*, size_t) {}
void arrive(void*, const void**, size_t*) {}
#endif

void to_scheduler() {
  void* fake = nullptr;
  leave(&fake, scheduler_stack, scheduler_stack_bytes);
  now.scheduler = bc::jump_fcontext(now.scheduler, nullptr).fctx;
  arrive(fake, &scheduler_stack, &scheduler_stack_bytes);
}

void resume(Fiber* fiber) {
  now.running = fiber;
  threadIdx.x = fiber->thread;
  leave(&scheduler_fake, fiber->stack + kPage, kStack - kPage);
  fiber->context = bc::jump_fcontext(fiber->context, fiber).fctx;
  arrive(scheduler_fake, nullptr, nullptr);
  now.running = nullptr;
}

bool has_waiting(unsigned warp) {
  for (unsigned i = 32 * warp; i < 32 * warp + 32; i++)
    if (now.threads[i].waits) return true;
  return false;
}

// What a fiber does: thread after thread, until one of the warp has to wait and the warp has begun altogether.
[[noreturn]] void run_threads(bc::transfer_t from) {
  arrive(nullptr, &scheduler_stack, &scheduler_stack_bytes);
  now.scheduler = from.fctx;
  auto* self = static_cast<Fiber*>(from.data);
  for (;;) {
    for (bool go_on = now.next < now.order.size(); go_on;) {
      const unsigned thread = now.order[now.next++];
      self->thread = threadIdx.x = thread;
      now.threads[thread].fiber = self;
      (*now.kernel)();
      now.threads[thread].done = true;
      go_on = now.next < now.order.size() && (now.order[now.next] / 32 == thread / 32 || !has_waiting(thread / 32));
    }
    now.idle.push_back(self);
    to_scheduler();
  }
}

Fiber* spare() {
  if (now.idle.empty()) {
    void* stack = mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    HEED_CHECK(stack != MAP_FAILED, "emulator", "there is no memory for the stack of a thread");
    mprotect(stack, kPage, PROT_NONE);
    auto fiber = std::make_unique<Fiber>();
    fiber->stack = static_cast<char*>(stack);
    fiber->context = bc::make_fcontext(fiber->stack + kStack, kStack - kPage, run_threads);
    now.all.push_back(std::move(fiber));
    return now.all.back().get();
  }
  Fiber* fiber = now.idle.back();
  now.idle.pop_back();
  return fiber;
}

// ---- barriers

std::string place(const std::source_location& where) {
  return std::string(where.file_name()) + ":" + std::to_string(where.line());
}
bool same_place(const std::source_location& a, const std::source_location& b) {
  return a.line() == b.line() && a.column() == b.column() && std::string(a.file_name()) == b.file_name();
}

// Lets the threads [begin, end) go on if all that live wait for the same thing. False: somebody does not, yet.
bool release_threads(unsigned begin, unsigned end, Scope scope) {
  const Thread* first = nullptr;
  bool some_done = false;
  for (unsigned i = begin; i < end; i++) {
    const Thread& t = now.threads[i];
    some_done |= t.done;
    if (t.done) continue;
    if (!t.waits || t.scope != scope) return false;
    if (first && !same_place(t.where, first->where))
      note("threads wait at different barriers: " + place(first->where) + " and " + place(t.where));
    first = first ? first : &t;
  }
  if (first && some_done) note("a barrier that not all threads reach: " + place(first->where));
  for (unsigned i = begin; i < end; i++) now.threads[i].waits = false;
  return first != nullptr;
}

// The warp's threads, up to their next wait. False: all of them wait for other warps, or are done.
bool run_warp(unsigned w) {
  if (!now.warps[w].begun) {
    now.warps[w].begun = true;
    const auto begun = [&] { return now.next == now.order.size() || now.order[now.next] / 32 != w; };
    if (!begun()) {  // otherwise fibers of the warp before it have begun all of it, as far as its first wait
      while (!begun() && now.error.empty()) resume(spare());
      return true;
    }
  }
  release_threads(32 * w, 32 * w + 32, Scope::warp);
  bool any = false;
  for (unsigned i = 0; i < 32 && now.error.empty(); i++) {
    Thread& t = now.threads[32 * w + (schedule().order == Order::reverse ? 31 - i : i)];
    if (t.done || t.waits || !t.fiber) continue;
    any = true;
    resume(t.fiber);
  }
  return any;
}

std::vector<unsigned> warp_order(unsigned warps) {
  std::vector<unsigned> order(warps);
  for (unsigned w = 0; w < warps; w++) order[w] = schedule().order == Order::reverse ? warps - 1 - w : w;
  if (schedule().order == Order::random) std::shuffle(order.begin(), order.end(), random_numbers);
  return order;
}

void run_block() {
  const unsigned warps = unsigned(now.warps.size());
  const std::vector<unsigned> order = warp_order(warps);
  now.next = 0;
  now.order.clear();
  for (const unsigned w : order)
    for (unsigned i = 0; i < 32; i++) now.order.push_back(32 * w + (schedule().order == Order::reverse ? 31 - i : i));
  for (Shared& each : now.shared) each.fresh = true;
  std::fill(now.threads.begin(), now.threads.end(), Thread{});
  std::fill(now.warps.begin(), now.warps.end(), Warp{});
  for (bool any = true; any && now.error.empty();) {
    any = false;
    for (size_t k = 0; k < order.size() && !any; k++) any = run_warp(order[k]);
    if (!any) any = release_threads(0, 32 * warps, Scope::block);
  }
  for (const Thread& t : now.threads)
    if (!t.done) note("a barrier that not all threads reach: " + place(t.where));
}

}  // namespace

Schedule schedule_from(const std::string& text) {
  if (text == "forward" || text == "reverse") return {text == "forward" ? Order::forward : Order::reverse, 0};
  const std::string begin = "random:", digits = text.substr(std::min(text.size(), begin.size()));
  HEED_CHECK(text.starts_with(begin) && !digits.empty() && digits.size() < 9 &&
                 digits.find_first_not_of("0123456789") == std::string::npos,
             "emulator", "the schedule is '", text, "'; the rule is forward, reverse or random:SEED, such as random:7");
  return {Order::random, unsigned(std::stoul(digits))};
}
void set_schedule(const Schedule& wanted) { schedule() = wanted; }

void wait(Scope scope, const std::source_location& where) {
  Thread& t = now.threads[now.running->thread];
  t.waits = true, t.scope = scope, t.where = where;
  to_scheduler();
}

void* shared(const void* key, size_t bytes) {
  Shared* found = nullptr;
  size_t total = bytes;
  for (Shared& each : now.shared) {
    if (each.key == key) found = &each;
    if (each.key != key && !each.fresh) total += each.bytes;
  }
  if (!found) {
    now.shared.push_back({key, bytes, std::make_unique<char[]>(bytes), true});
    found = &now.shared.back();
  }
  if (found->fresh) {
    if (total > kMostShared)
      note(std::to_string(total) + " bytes of shared memory; the rule is at most " + std::to_string(kMostShared));
    std::memset(found->memory.get(), 0xff, bytes);
    found->fresh = false;
  }
  return found->memory.get();
}

uint64_t* warp_slots() {
  Warp& w = now.warps[threadIdx.x / 32];
  return w.slots[w.turn[threadIdx.x % 32]++ % 2];
}

void abandon_thread(const std::string& what) {
  if (!now.running) return;
  note(what + ", by thread " + std::to_string(now.running->thread));
  now.threads[now.running->thread].done = true;
  to_scheduler();  // for good
}

std::string run_grid(unsigned blocks, unsigned threads, const std::function<void()>& kernel) {
  now.kernel = &kernel;
  now.threads.resize(threads);
  now.warps.resize(threads / 32);
  now.shared.clear();  // keys may be those of another kernel
  gridDim = {blocks, 1, 1}, blockDim = {threads, 1, 1};
  random_numbers.seed(schedule().seed);
  for (unsigned b = 0; b < blocks; b++) {
    blockIdx = {schedule().order == Order::reverse ? blocks - 1 - b : b, 0, 0};
    run_block();
    if (now.error.empty()) continue;
    const std::string error = "block " + std::to_string(blockIdx.x) + ": " + now.error;
    now.error.clear();
    now.idle.clear();  // the stacks of those that still wait are lost
    return error;
  }
  return "";
}

}  // namespace heed::emulator
