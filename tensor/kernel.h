// Kernel slots connect backends. A slot is a named place for one function per backend:
//
//   template <class T> inline Kernel<void(T* y, const T* x, long rows, long cols)> softmax_rows{"softmax"};  // header
//   const Registered on_cpu{softmax_rows<float>, Backend::cpu, softmax_rows_cpu<float>};         // tensor/cpu/...
//   softmax_rows<T>(x.device())(y, x, rows, cols);                                               // the door
//
// Kernels are free functions on pointers and sizes; they never allocate and never throw. Deleting a backend's file
// empties its slots; a door that meets an empty slot throws "softmax has no cuda kernel".
#pragma once

#include <type_traits>
#include <vector>

#include "tensor/device.h"
#include "tensor/dtype.h"
#include "tensor/error.h"

namespace heed {

// Every function that was put into a slot: what `build/ops` makes the table of ops from.
struct KernelEntry {
  const char* op;
  DType dtype;  // f32 or f64; DType(255) for a kernel that serves every type
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
    note_kernel({op_, maths_type(), backend});
  }
  bool has(Backend backend) const { return functions_[static_cast<int>(backend)] != nullptr; }
  const char* op() const { return op_; }

  Function operator()(Device device) const {
    Function function = functions_[static_cast<int>(device.backend)];
    if (!function) fail(op_, op_, " has no ", name(device.backend), " kernel; move x with to(x, cpu)");
    return function;
  }

 private:
  template <class T>
  static constexpr bool points_to = ((std::is_same_v<Args, T*> || std::is_same_v<Args, const T*>) || ...);
  static constexpr DType maths_type() { return points_to<double> ? f64 : points_to<float> ? f32 : DType(255); }

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
