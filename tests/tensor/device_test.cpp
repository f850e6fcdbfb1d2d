// Drivers and kernels of a second device: one on Backend::custom, kept apart from the host: its memory is host memory
// whose bytes are stored upside down (each one xor 0xff), so that code that reads it without the driver or a kernel
// reads nonsense.
#include "tensor/device.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <set>

#include "tensor/allocator.h"
#include "tensor/backend_library.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/embedding.h"
#include "tensor/ops/matmul.h"
#include "tensor/ops/softmax.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/folder.h"

using namespace heed;

namespace {

constexpr Device kOne{Backend::custom, 0}, kTwo{Backend::custom, 1}, kThree{Backend::custom, 2};

std::set<const void*>& blocks_of(int index) {
  static std::set<const void*> all[3];
  return all[index];
}

void* take(int index, size_t bytes) {
  if (index > 2) return nullptr;
  void* memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  return memory ? blocks_of(index).insert(memory), memory : nullptr;
}

void give_back(int index, void* memory) {
  BOOST_TEST(blocks_of(index).erase(memory) == 1u, "a block that was not taken from this device");
  std::free(memory);
}

size_t room(int) { return 1 << 20; }

void move(void* to, Device to_device, const void* from, Device from_device, size_t bytes) {
  const bool turns = (to_device.backend == Backend::custom) != (from_device.backend == Backend::custom);
  for (size_t i = 0; i < bytes; i++)
    static_cast<uint8_t*>(to)[i] = uint8_t(static_cast<const uint8_t*>(from)[i] ^ (turns ? 0xff : 0));
}

float read(const float* x) { return std::bit_cast<float>(~std::bit_cast<uint32_t>(*x)); }
void write(float* x, float value) { *x = std::bit_cast<float>(~std::bit_cast<uint32_t>(value)); }

void tanh_custom(float* y, const float* x, const Loop& loop) {
  for (long i = 0; i < loop.numel; i++) write(y + i, std::tanh(read(x + i)));
}

int finished = 0;  // how often finish() was called

// Registers the device for one test, and empties the slots that the test fills.
struct SecondDevice {
  SecondDevice() {
    finished = 0;
    register_driver(Backend::custom, {.count = [] { return 3; },
                                      .allocate = take,
                                      .release = give_back,
                                      .free_bytes = room,
                                      .copy = move,
                                      .finish = [](int) { finished++; },
                                      .describe = [](int index) { return "device " + std::to_string(index); }});
  }
  ~SecondDevice() {
    kernels::unary<ops::tanh_op, float>.set(Backend::custom, nullptr);
    kernels::strided_fill.set(Backend::custom, nullptr);
    for (Device device : {kOne, kTwo, kThree}) release_cache(device);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(device_test, SecondDevice)

BOOST_AUTO_TEST_CASE(a_tensor_goes_there_and_comes_back) {
  for (DType dtype : {f32, f64, i32, i64, u8, boolean, bf16, f16}) {
    const Tensor x = cast(noise({3, 5}), dtype), there = to(transpose(x), kOne);
    BOOST_TEST(there.device() == kOne);
    BOOST_TEST(same_bits(to(there, cpu), contiguous(transpose(x))));
    BOOST_TEST(to(there, kOne).storage() == there.storage());
    BOOST_TEST(same_bits(to(to(there, kTwo), cpu), contiguous(transpose(x))));
  }
  BOOST_TEST(to(zeros({0, 3}), kOne).shape() == (Shape{0, 3}));
}

BOOST_AUTO_TEST_CASE(values_can_be_read_and_printed_from_there) {
  const Tensor x = to(tensor({1, 2, 3, 4}, {2, 2}), kTwo);
  BOOST_TEST(x.at({1, 0}) == 3);
  BOOST_TEST(select(select(x, 0, 0), 0, 1).item() == 2);
  BOOST_TEST(x.to_vector<int>() == (std::vector<int>{1, 2, 3, 4}));
  BOOST_TEST(x.str() == "Tensor([[1, 2],\n        [3, 4]], (2, 2), f32, custom:1)");
}

BOOST_AUTO_TEST_CASE(an_empty_slot_names_the_op_and_the_backend) {
  const Tensor x = to(ones({2, 2}), kOne);
  BOOST_TEST(error_of([&] { softmax(x); }) == "softmax: softmax has no custom kernel; move x with to(x, cpu)");
  BOOST_TEST(error_of([&] { matmul(x, x); }) == "matmul: matmul has no custom kernel; move x with to(x, cpu)");
  BOOST_TEST(error_of([&] { x* x; }) == "mul: mul has no custom kernel; move x with to(x, cpu)");
  BOOST_TEST(error_of([&] { clone(x); }) == "copy: copy has no custom kernel; move x with to(x, cpu)");
  BOOST_TEST(error_of([&] { zeros({2}, f32, kOne); }) == "fill: fill has no custom kernel; move x with to(x, cpu)");
}

BOOST_AUTO_TEST_CASE(exactly_the_registered_kernels_work) {
  const Tensor x = noise({3, 4}, 1, f32), there = to(x, kOne);
  error_of([&] { tanh(there); });
  const On<Backend::custom> tanh_there{[](auto set) { set(kernels::unary<ops::tanh_op, float>, tanh_custom); }};
  const Tensor y = tanh(there);
  BOOST_TEST(y.device() == kOne);
  check_close(y, tanh(x), 1e-6);
  error_of([&] { exp(there); });
  error_of([&] { tanh(to(cast(x, f64), kOne)); });  // registered for f32 only
  BOOST_TEST((kernels::unary<ops::tanh_op, float>.has(Backend::custom)));
  BOOST_TEST((!kernels::unary<ops::tanh_op, double>.has(Backend::custom)));
  kernels::strided_fill.set(Backend::custom, [](void* at, DType, double value, const Loop& loop) {
    for (long i = 0; i < loop.numel; i++) write(static_cast<float*>(at) + i, float(value));
  });
  check_close(full({5}, 2.5, f32, kOne), full({5}, 2.5), 0);
}

BOOST_AUTO_TEST_CASE(mixed_devices_are_refused) {
  const Tensor here = ones({2, 2}), there = to(here, kOne), other = to(here, kTwo);
  BOOST_TEST(error_of([&] { here + there; }) ==
             "add: a is on cpu and b is on custom:0; both must be on one device. Move one with to(x, device)");
  BOOST_TEST(error_of([&] { matmul(there, other); }) ==
             "matmul: a is on custom:0 and b is on custom:1; both must be on one device. Move one with to(x, device)");
  BOOST_TEST(error_of([&] { copy_into(here, there); }) ==
             "copy_into: the target is on cpu and the source on custom:0; move the source with to(x, device)");
  BOOST_TEST(error_of([&] { embedding(here, to(tensor({0}, i64), kOne)); }) ==
             "embedding: x is on cpu and the ids are on custom:0; they must be there, too, or on the cpu. Move them "
             "with to(x, device)");
}

BOOST_AUTO_TEST_CASE(every_device_counts_its_own_memory) {
  const size_t here = memory_stats().live, two = memory_stats(kTwo).live;
  const Tensor x = Tensor::empty({1024}, f32, kOne);
  BOOST_TEST(memory_stats().live == here);
  BOOST_TEST(memory_stats(kOne).live == 4096u);
  BOOST_TEST(memory_stats(kTwo).live == two);
  BOOST_TEST(blocks_of(0).count(x.storage()->data()) == 1u);
}

BOOST_AUTO_TEST_CASE(a_full_device_says_so) {
  const std::string text = error_of([] { Tensor::empty({1 << 20}, f32, kThree); });
  BOOST_TEST(text ==
             "allocate: 4.0 MiB wanted on custom:2, 1.0 MiB free, 0 B in use by tensors. Try a smaller batch or a "
             "shorter context");
  BOOST_TEST(error_of([] {
               Tensor::empty({4}, f32, {Backend::custom, 7});
             }) == "device: custom:7 is not there; there are custom:0 to custom:2");
}

BOOST_AUTO_TEST_CASE(a_device_has_a_name_and_a_wrong_one_is_told_why) {
  BOOST_TEST(device_from("cpu") == cpu);
  BOOST_TEST(device_from("custom") == kOne);
  BOOST_TEST(device_from("custom:2") == kThree);
  BOOST_TEST(devices(Backend::custom) == 3);
  BOOST_TEST(description(kTwo) == "device 1");
  BOOST_TEST(description(cpu) == "cpu");
  const auto refusal = [](const char* text) { return error_of([&] { device_from(text); }); };
  BOOST_TEST(refusal("cuad") ==
             "device: there is no device 'cuad'; there are cpu, cuda, cuda:1, auto. Did you mean cuda?");
  BOOST_TEST(refusal("custom:3") == "device: custom:3 is not there; there are custom:0 to custom:2");
  BOOST_TEST(refusal("cpu:1") == "device: cpu:1 is not there; there is cpu:0 only");
  for (const char* text : {"custom:", "custom:x", "custom:-1"})
    BOOST_TEST(refusal(text) ==
               "device: '" + std::string(text) + "' was given; the rule is custom:number, such as custom:0");
}

// Where there is one, or the emulated one, tests/cuda looks at it.
BOOST_AUTO_TEST_CASE(without_a_gpu_cuda_is_refused_with_the_reason_and_auto_is_the_cpu) {
  if (devices(Backend::cuda) > 0) return;
  const std::string& reason = load_backend(Backend::cuda);
  BOOST_TEST((reason == "this heed was built without cuda" || reason == "there is no NVIDIA GPU here" ||
              reason == "there is no NVIDIA driver here, or it is older than the CUDA this was built with"));
  BOOST_TEST(error_of([] { device_from("cuda:1"); }) == "device: cuda:1 is not available: " + reason + ". Use cpu");
  BOOST_TEST(device_from("auto") == cpu);
}

BOOST_AUTO_TEST_CASE(a_library_of_a_backend_that_cannot_be_used_says_why) {
  const Folder folder;
  const std::string path = folder / "libheed_cuda.so";
  std::ofstream(path) << "no library";
  BOOST_TEST(start_library(path, kStartCuda).starts_with("libheed_cuda.so cannot be loaded: "));
  BOOST_TEST(start_library("libm.so.6", kStartCuda) ==
             "libm.so.6 has no function heed_start_cuda; it is not one of heed's, or an old one");
  BOOST_TEST(load_backend(Backend::cpu) == "");
}

BOOST_AUTO_TEST_CASE(a_kernel_knows_its_device_and_a_timed_one_is_waited_for) {
  static Device seen;
  kernels::unary<ops::tanh_op, float>.set(Backend::custom, [](float* y, const float* x, const Loop& loop) {
    seen = device_of_kernel();
    tanh_custom(y, x, loop);
  });
  for (Device device : {kTwo, kOne}) {
    const Tensor x = to(ones({4}), device);
    tanh(x);
    BOOST_TEST(seen == device);
  }
  BOOST_TEST(finished == 0);
  const Tensor x = to(ones({4}), kTwo);
  const Profile profile;
  tanh(x);
  BOOST_TEST(finished == 1);
  finish(kTwo);
  BOOST_TEST(finished == 2);
  finish(cpu);
}

BOOST_AUTO_TEST_CASE(copies_to_and_from_the_host_are_counted) {
  const CopyCounts before = copy_counts();
  const Tensor x = to(ones({4}), kOne);
  to(x, kTwo);  // stays among devices
  clone(ones({4}));
  x.at({1});
  x.to_vector<float>();
  BOOST_TEST(copy_counts().from_host - before.from_host == 1);
  BOOST_TEST(copy_counts().to_host - before.to_host == 2);
}

BOOST_AUTO_TEST_SUITE_END()
