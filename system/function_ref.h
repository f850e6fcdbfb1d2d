// FunctionRef: a reference to a callable, for a parameter that is called and not kept. What most functions need of
// std::function, without its allocation: void each(long n, FunctionRef<void(long)> f).
#pragma once

#include <memory>
#include <type_traits>

namespace heed {

template <class Signature> class FunctionRef;

template <class R, class... Args> class FunctionRef<R(Args...)> {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>) FunctionRef(F&& f)
      : object_(const_cast<void*>(reinterpret_cast<const void*>(std::addressof(f)))),
        call_([](void* object, Args... args) -> R {
          return (*reinterpret_cast<std::remove_reference_t<F>*>(object))(static_cast<Args>(args)...);
        }) {}
  R operator()(Args... args) const { return call_(object_, static_cast<Args>(args)...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

}  // namespace heed
