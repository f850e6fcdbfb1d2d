// Slots; device_test.cpp has what a door does with an empty one.
#include "tensor/kernel.h"

#include <algorithm>

using namespace heed;

namespace {

template <class E> struct Pointers { E* y; };

template <class E> Kernel<void(E* y)> typed{"test_typed"};
template <class E> Kernel<void(const Pointers<E>& p)> of_struct{"test_of_struct"};
Kernel<void(void* y, DType dtype)> every{"test_every"};
Kernel<long(long rows)> size{"test_size"};

template <class E> void kernel(E*) {}
template <class E> void struct_kernel(const Pointers<E>&) {}
void every_kernel(void*, DType) {}
long size_kernel(long rows) { return 2 * rows; }

bool entered(const char* op, DType dtype) {
  const auto& all = kernel_entries();
  return std::any_of(all.begin(), all.end(), [&](const KernelEntry& entry) {
    return entry.op == std::string(op) && entry.dtype == dtype && entry.backend == Backend::custom;
  });
}

using OnCustom = On<Backend::custom>;

}  // namespace

BOOST_AUTO_TEST_SUITE(kernel_test)

BOOST_AUTO_TEST_CASE(slots_are_filled_for_f32_and_f64_unless_types_are_named) {
  const OnCustom both{[]<class E>(auto set) { set(typed<E>, kernel<E>); }};
  BOOST_TEST(typed<float>.has(Backend::custom));
  BOOST_TEST(typed<double>.has(Backend::custom));
  BOOST_TEST(!typed<float>.has(Backend::cpu));
  BOOST_TEST(!typed<int64_t>.has(Backend::custom));
  const OnCustom whole{kTypes<int64_t, bool>, []<class E>(auto set) { set(typed<E>, kernel<E>); }};
  BOOST_TEST(typed<int64_t>.has(Backend::custom));
  BOOST_TEST(typed<bool>.has(Backend::custom));
  BOOST_TEST(!typed<int32_t>.has(Backend::custom));
}

BOOST_AUTO_TEST_CASE(a_slot_without_a_type_is_filled_once) {
  const OnCustom here{[](auto set) {
    set(every, every_kernel);
    set(size, size_kernel);
  }};
  BOOST_TEST(every.has(Backend::custom));
  BOOST_TEST(size({Backend::custom, 0})(21) == 42);
}

BOOST_AUTO_TEST_CASE(the_type_of_a_kernel_is_that_of_its_pointers_also_inside_of_a_struct) {
  const OnCustom here{[]<class E>(auto set) {
    set(typed<E>, kernel<E>);
    set(of_struct<E>, struct_kernel<E>);
  }};
  for (DType dtype : {f32, f64}) {
    BOOST_TEST(entered("test_typed", dtype));
    BOOST_TEST(entered("test_of_struct", dtype));
  }
  const OnCustom untyped{[](auto set) { set(every, every_kernel); }};
  BOOST_TEST(entered("test_every", kEveryType));
  BOOST_TEST(!entered("test_size", kEveryType));  // no kernel that computes: it tells the size of a workspace
}

BOOST_AUTO_TEST_SUITE_END()
