// Kernel slots connect backends. A slot is a named place for one function per backend:
//
//   // tensor/ops/softmax.h: the slot, one for f32 and one for f64
//   template <class E> inline Kernel<void(E* y, const E* x, long rows, long cols)> softmax_rows{"softmax"};
//
//   // tensor/cpu/softmax.cpp: the kernels go into their slots when the file is linked in
//   const OnCpu softmax{[]<class E>(auto set) { set(kernels::softmax_rows<E>, softmax_rows_cpu<E>); }};
//
//   // tensor/ops/softmax.cpp: the door calls the kernel of x's device
//   kernels::softmax_rows<E>(x.device())(y.mutable_data<E>(), x.data<E>(), rows, cols);
//
// Kernels are free functions on pointers and sizes; they never allocate, and those of the cpu never throw: one of
// another device throws if it cannot be started. Deleting a backend's file empties its slots; a door that meets an
// empty slot throws "softmax has no cuda kernel".
//
// While somebody profiles (profile.h) every call is timed, and the tensors whose data() is taken in its arguments are
// its bytes. A door that knows the work can tell it: matmul<E>(x.device(), 2.0 * m * n * k)(c, a, b, layout).
#pragma once

#include <atomic>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "system/error.h"
#include "tensor/device.h"
#include "tensor/dtype.h"
#include "tensor/profile.h"

namespace heed {

inline constexpr DType kEveryType = DType(255);

// Every function that was put into a slot: what the table of ops in README.md is made from.
struct KernelEntry {
  const char* op;
  DType dtype;  // kEveryType for a kernel that serves all of them
  Backend backend;
  bool computes;  // or does it only tell the size of a workspace?
  void* slot;
  void (*assign)(void* slot, Backend to, const Backend* from);  // the function of another backend; null: none
};
const std::vector<KernelEntry>& kernel_entries();
void note_kernel(const KernelEntry& entry);  // for Kernel::set; from any thread
// Puts the functions of one backend into all slots of another, or empties them: for the second device of our tests.
void lend_kernels(Backend from, Backend to);
void empty_kernels(Backend backend);

// Somebody who looks at every call of a kernel that is not the cpu's, or at all of them, with the bytes of its
// arguments: a pointer, a number, or the struct that a reference means. It may let the kernel of another backend do the
// same with other arguments.
struct KernelArgument {
  const std::type_info* type;
  const void* bytes;
  size_t size;
};
struct KernelCall {
  const char* op;
  DType dtype;
  Backend backend;
  const KernelArgument* arguments;
  int count;
  const void* slot;
  bool (*run)(const void* slot, Backend backend, const void* const* arguments);  // false: it has no kernel
};
struct KernelWatch {
  void (*before)(const KernelCall& call);
  void (*after)(const KernelCall& call);
  bool cpu_too = false;
};
void watch_kernels(const KernelWatch* watch);  // null: nobody
const KernelWatch* kernel_watch();
extern std::atomic<bool> cpu_kernels_are_watched;

// What an argument of a kernel points to: E for E*, const E* and a struct of such pointers, const NormRows<E>&.
struct None {};
template <class Arg> struct PointsToOf { using Type = None; };
template <class E> struct PointsToOf<E*> { using Type = E; };
template <class E> struct PointsToOf<const E*> { using Type = E; };
template <template <class> class Pointers, class E> struct PointsToOf<const Pointers<E>&> { using Type = E; };
template <class Arg> using PointsTo = typename PointsToOf<Arg>::Type;

template <class Signature> class Kernel;

template <class Result, class... Args> class Kernel<Result(Args...)> {
 public:
  using Function = Result (*)(Args...);

  constexpr explicit Kernel(const char* op) : op_(op) {}  // constexpr: filled before any registration runs

  void set(Backend backend, Function function) {
    functions_[static_cast<int>(backend)] = function;
    if (function) note_kernel({op_, element_type(), backend, computes, this, assign});
  }
  bool has(Backend backend) const { return functions_[static_cast<int>(backend)] != nullptr; }
  const char* op() const { return op_; }

  // What a slot gives: call it. C++ asks the slot before it looks at the arguments of the call, so that touch(), called
  // by the arguments' data(), comes behind begin_call().
  class Call {
   public:
    Call(const Kernel& slot, Function function, Device device, bool seen, double flops)
        : slot_(slot), function_(function), device_(device), seen_(seen), flops_(flops) {}
    Result operator()(Args... args) const {
      if (!seen_) [[likely]]
        return function_(args...);
      if constexpr (std::is_void_v<Result>) {
        if (!profile::on()) return watched(args...);
        const profile::Timed timed(slot_.op_, flops_);
        watched(args...);
        if (device_.backend != Backend::cpu) finish(device_);  // its time is taken when it has ended
      } else {
        return function_(args...);
      }
    }
    operator Function() const { return function_; }  // untimed; to keep it and set it again later

   private:
    void watched(Args... args) const {
      const KernelWatch* watch = kernel_watch();
      if (!watch || (device_.backend == Backend::cpu && !watch->cpu_too)) return void(function_(args...));
      const KernelArgument arguments[] = {{&typeid(args), &args, sizeof(args)}...};
      const KernelCall call{slot_.op_, element_type(), device_.backend, arguments, int(sizeof...(Args)), &slot_, run};
      watch->before(call);
      function_(args...);
      watch->after(call);
    }

    const Kernel& slot_;
    Function function_;
    Device device_;
    bool seen_;  // by a profile or a watch
    double flops_;
  };

  Call operator()(Device device, double flops = 0) const {
    Function function = functions_[static_cast<int>(device.backend)];
    if (!function) [[unlikely]]
      fail(op_, op_, " has no ", name(device.backend), " kernel; move x with to(x, cpu)");
    const bool timed = computes && profile::on();
    if (timed) [[unlikely]]
      profile::begin_call();
    bool seen = timed || (computes && cpu_kernels_are_watched.load(std::memory_order_relaxed));
    if (device.backend != Backend::cpu) [[unlikely]] {
      set_device_of_kernel(device);
      seen = computes && (seen || kernel_watch());
    }
    return Call(*this, function, device, seen, flops);
  }

 private:
  template <size_t... i> static void run_with(Function f, const void* const* arguments, std::index_sequence<i...>) {
    f(*static_cast<const std::remove_reference_t<Args>*>(arguments[i])...);
  }
  static bool run(const void* slot, Backend backend, const void* const* arguments) {
    const Function function = static_cast<const Kernel*>(slot)->functions_[static_cast<int>(backend)];
    if (function) run_with(function, arguments, std::index_sequence_for<Args...>());
    return function != nullptr;
  }
  static void assign(void* slot, Backend to, const Backend* from) {
    auto& functions = static_cast<Kernel*>(slot)->functions_;
    functions[static_cast<int>(to)] = from ? functions[static_cast<int>(*from)] : nullptr;
  }
  template <class E> static constexpr bool points_to = (std::is_same_v<PointsTo<Args>, E> || ...);
  // The type a kernel computes in; pointers to void come with a type or size given at run time.
  static constexpr DType element_type() {
    if (points_to<float>) return f32;
    if (points_to<double>) return f64;
    if (points_to<void>) return kEveryType;
    return points_to<int32_t> ? i32 : points_to<int64_t> ? i64 : points_to<uint8_t> ? u8 : boolean;
  }
  static constexpr bool computes =
      (!std::is_same_v<PointsTo<Args>, None> || ...);  // the others only tell the size of a workspace

  const char* op_;
  Function functions_[kBackends] = {};
};

// A static object of this type fills the slots of a backend when its file is linked in. `fill` is given set(slot,
// kernel); with a template parameter, []<class E>(auto set), it is called once for every type E, f32 and f64 unless
// others are named: const OnCpu sort{kTypes<float, double, int64_t>, []<class E>(auto set) { ... }};
template <class... E> struct Types {};
template <class... E> inline constexpr Types<E...> kTypes;

template <Backend backend> struct On {
  template <class Fill> explicit On(Fill fill) : On(kTypes<float, double>, fill) {}

  template <class Fill, class... E> On(Types<E...>, Fill fill) {
    const auto set = []<class Result, class... Args>(Kernel<Result(Args...)>& slot, Result (*kernel)(Args...)) {
      slot.set(backend, kernel);
    };
    if constexpr (requires { fill(set); })
      fill(set);
    else
      (fill.template operator()<E>(set), ...);
  }
};
using OnCpu = On<Backend::cpu>;
using OnCuda = On<Backend::cuda>;

}  // namespace heed
