// Kernel slots connect backends. A slot is a named place for one function per backend:
//
//   template <class E> inline Kernel<void(E* y, const E* x, long rows, long cols)> softmax_rows{"softmax"};  // header
//   const Registered on_cpu{softmax_rows<float>, Backend::cpu, softmax_rows_cpu<float>};         // tensor/cpu/...
//   softmax_rows<E>(x.device())(y, x, rows, cols);                                               // the door
//
// Kernels are free functions on pointers and sizes; they never allocate and never throw. Deleting a backend's file
// empties its slots; a door that meets an empty slot throws "softmax has no cuda kernel".
//
// While somebody profiles (profile.h) every call is timed, and the tensors whose data() is taken in its arguments are
// its bytes. A door that knows the work can tell it: matmul<E>(x.device(), 2.0 * m * n * k)(c, a, b, layout).
#pragma once

#include <type_traits>
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
};
const std::vector<KernelEntry>& kernel_entries();
void note_kernel(const KernelEntry& entry);  // for Kernel::set

template <class Signature> class Kernel;

template <class Result, class... Args> class Kernel<Result(Args...)> {
 public:
  using Function = Result (*)(Args...);

  constexpr explicit Kernel(const char* op) : op_(op) {}  // constexpr: filled before any registration runs

  void set(Backend backend, Function function) {
    functions_[static_cast<int>(backend)] = function;
    if (function && computes) note_kernel({op_, element_type(), backend});
  }
  bool has(Backend backend) const { return functions_[static_cast<int>(backend)] != nullptr; }
  const char* op() const { return op_; }

  // What a slot gives: call it. C++ asks the slot before it looks at the arguments of the call, so that touch(), called
  // by the arguments' data(), comes behind begin_call().
  class Call {
   public:
    Call(Function function, const char* timed_op, double flops)
        : function_(function), timed_op_(timed_op), flops_(flops) {}
    Result operator()(Args... args) const {
      if (!timed_op_) [[likely]]
        return function_(args...);
      const profile::Timed timed(timed_op_, flops_);
      return function_(args...);
    }
    operator Function() const { return function_; }  // untimed; to keep it and set it again later

   private:
    Function function_;
    const char* timed_op_;  // null: nobody profiles
    double flops_;
  };

  Call operator()(Device device, double flops = 0) const {
    Function function = functions_[static_cast<int>(device.backend)];
    if (!function) [[unlikely]]
      fail(op_, op_, " has no ", name(device.backend), " kernel; move x with to(x, cpu)");
    const bool timed = computes && profile::on();
    if (timed) [[unlikely]]
      profile::begin_call();
    return Call(function, timed ? op_ : nullptr, flops);
  }

 private:
  template <class E>
  static constexpr bool points_to = ((std::is_same_v<Args, E*> || std::is_same_v<Args, const E*>) || ...);
  // The type a kernel computes in; pointers to void come with a type or size given at run time.
  static constexpr DType element_type() {
    if (points_to<double>) return f64;
    if (points_to<float>) return f32;
    if (points_to<void>) return kEveryType;
    return points_to<int32_t> ? i32 : points_to<int64_t> ? i64 : points_to<uint8_t> ? u8 : boolean;
  }
  static constexpr bool computes = (std::is_pointer_v<Args> || ...);  // the others only tell the size of a workspace

  const char* op_;
  Function functions_[kBackends] = {};
};

// A static object of this type puts a function into a slot when its file is linked in.
struct Registered {
  template <class Result, class... Args>
  Registered(Kernel<Result(Args...)>& slot, Backend backend, Result (*function)(Args...)) {
    slot.set(backend, function);
  }
};

}  // namespace heed
