// Our one thread pool. Work is cut by the shape only, never by the number of threads, so results have the same bits
// for any number of threads.
#pragma once

#include <memory>
#include <type_traits>

namespace heed {

int threads();                // default: the cores this process may use, within the cgroup's quota
void set_threads(int count);  // 1..64

// A reference to a callable: what parallel_for needs of std::function, without its allocation.
template <class Signature> class FunctionRef;

template <class R, class... Args> class FunctionRef<R(Args...)> {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>) FunctionRef(F&& f)
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* object, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(static_cast<Args>(args)...);
        }) {}
  R operator()(Args... args) const { return call_(object_, static_cast<Args>(args)...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

// Calls f(begin, end) for the pieces [0, grain), [grain, 2 grain), ... of [0, n), several at a time. f must not
// throw. Nested calls run in the calling thread, and so do calls in a forked child and while another thread's loop has
// the pool: the result is the same.
void parallel_for(long n, long grain, FunctionRef<void(long, long)> f);

}  // namespace heed
