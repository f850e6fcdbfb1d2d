// Tests of the tester: kernels that are broken on purpose, one mistake each, and what the emulator says of them. It is
// linked into this program, so that no library of cuda has to be there.
#include <sys/wait.h>
#include <unistd.h>

#include <numeric>
#include <vector>

#include "cuda/reduce.cuh"
#include "tests/support/boost.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

struct Stream {
  cudaStream_t stream = nullptr;
  Stream() { cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking); }
};
const Stream queue;

template <class E> struct OnDevice {
  E* data = nullptr;
  size_t count;
  explicit OnDevice(const std::vector<E>& from) : count(from.size()) {
    cudaMalloc(reinterpret_cast<void**>(&data), count * sizeof(E));
    cudaMemcpyAsync(data, from.data(), count * sizeof(E), cudaMemcpyHostToDevice, queue.stream);
  }
  ~OnDevice() { cudaFree(data); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  std::vector<E> read() const {
    std::vector<E> values(count);
    cudaMemcpyAsync(values.data(), data, count * sizeof(E), cudaMemcpyDeviceToHost, queue.stream);
    cudaStreamSynchronize(queue.stream);
    return values;
  }
};

std::vector<float> counted(int n) {
  std::vector<float> x(size_t(n), 0.f);
  std::iota(x.begin(), x.end(), 1.f);
  return x;
}

template <class... Params, class... Args>
void launch(void (*kernel)(Params...), long blocks, int threads, const Args&... args) {
  emulator::launch("broken", blocks, threads, queue.stream, kernel, Params(args)...);
}

// What is told when somebody waits; empty: nothing went wrong
std::string finished() {
  const cudaError_t code = cudaStreamSynchronize(queue.stream);
  return code == cudaSuccess ? "" : cudaGetErrorString(code);
}

const std::vector<std::string> kSchedules = {"forward", "reverse", "random:1", "random:2", "random:3"};
struct EverySchedule {
  ~EverySchedule() { emulator::set_schedule("forward"); }
};

// ---- sums of a block, with and without their barriers

template <bool first, bool second> __device__ float block_sum(float x) {
  HEED_SHARED(float, part, 32);
  x = cuda::over_warp(x, cuda::Plus());
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
  if (first) __syncthreads();
  x = cuda::over_warp(threadIdx.x % 32 < blockDim.x / 32 ? part[threadIdx.x % 32] : 0.f, cuda::Plus());
  if (second) __syncthreads();
  return x;
}
// Twice in a row: the second one writes where the first one may still be read
template <bool first, bool second> __global__ void two_sums_kernel(float* y, const float* x) {
  const float value = x[blockIdx.x * blockDim.x + threadIdx.x];
  const float sum = block_sum<first, second>(value), squares = block_sum<first, second>(value * value);
  y[2 * (blockIdx.x * blockDim.x + threadIdx.x)] = sum;
  y[2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1] = squares;
}

// In how many schedules of the list is the result what it should be?
template <bool first, bool second> int right_schedules() {
  const EverySchedule back;
  int right = 0;
  for (const std::string& schedule : kSchedules) {
    emulator::set_schedule(schedule.c_str());
    const OnDevice<float> x(counted(256)), y(std::vector<float>(512));
    launch(two_sums_kernel<first, second>, 2, 128, y.data, x.data);
    BOOST_TEST(finished() == "");
    std::vector<float> expected;
    for (int b = 0; b < 2; b++) {
      float sum = 0, squares = 0;
      for (int i = 1; i <= 128; i++) sum += float(128 * b + i), squares += float(128 * b + i) * float(128 * b + i);
      for (int i = 0; i < 128; i++) expected.push_back(sum), expected.push_back(squares);
    }
    right += y.read() == expected;
  }
  return right;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cuda_emulator_test)

BOOST_AUTO_TEST_CASE(a_kernel_without_mistakes_is_right_in_every_schedule) {
  BOOST_TEST((right_schedules<true, true>()) == int(kSchedules.size()));
}

BOOST_AUTO_TEST_CASE(a_missing_barrier_behind_a_write_is_found) { BOOST_TEST((right_schedules<false, true>()) == 0); }

BOOST_AUTO_TEST_CASE(a_missing_barrier_before_the_next_write_is_found_by_a_schedule) {
  BOOST_TEST((right_schedules<true, false>()) < int(kSchedules.size()));
}

namespace {
__global__ void half_waits_kernel() {
  if (threadIdx.x < 32) __syncthreads();
}
__global__ void waits_apart_kernel() {
  if (threadIdx.x < 32)
    __syncthreads();
  else
    __syncthreads();
}
}  // namespace

BOOST_AUTO_TEST_CASE(a_barrier_that_some_threads_do_not_reach_is_told_with_its_line) {
  launch(half_waits_kernel, 3, 64);
  const std::string told = finished();
  BOOST_TEST(told.find("broken, block 0: a barrier that not all threads reach: tests/cuda/emulator_test.cpp:") == 0);
}

BOOST_AUTO_TEST_CASE(threads_that_wait_at_different_barriers_are_told_with_both_lines) {
  launch(waits_apart_kernel, 1, 64);
  const std::string told = finished();
  BOOST_TEST(told.find("broken, block 0: threads wait at different barriers: tests/cuda/emulator_test.cpp:") == 0);
  BOOST_TEST(told.find(" and tests/cuda/emulator_test.cpp:") != std::string::npos);
  launch(half_waits_kernel, 0 + 1, 32);  // and the emulator goes on: here all threads wait
  BOOST_TEST(finished() == "");
}

namespace {
__global__ void write_kernel(float* y, long at) {
  if (threadIdx.x == 7) y[at] = 1;
}
struct Sized {
  int n;
  const float* x;
};
__global__ void sized_kernel(Sized) {}
__global__ void read_kernel(float* y, const float* x, long at) {
  if (threadIdx.x == 0) y[0] = x[at];
}
}  // namespace

#ifndef __SANITIZE_ADDRESS__  // which ends the program at once: see the tests behind these
BOOST_AUTO_TEST_CASE(what_is_written_behind_a_block_is_told) {
  const OnDevice<float> y(std::vector<float>(10));
  launch(write_kernel, 1, 32, y.data, 9L);
  BOOST_TEST(finished() == "");
  launch(write_kernel, 1, 32, y.data, 10L);
  BOOST_TEST(finished() == "a kernel has written behind the end of a block of 40 bytes");
  BOOST_TEST(finished() == "");
}

BOOST_AUTO_TEST_CASE(what_is_read_behind_a_block_is_NaN) {
  const OnDevice<float> x(std::vector<float>(10)), y(std::vector<float>(1));
  launch(read_kernel, 1, 32, y.data, x.data, 10L);
  BOOST_TEST(std::isnan(y.read()[0]));
}

BOOST_AUTO_TEST_CASE(an_address_that_is_nowhere_is_told_with_the_thread) {
  const OnDevice<float> y(std::vector<float>(10));
  launch(write_kernel, 1, 32, static_cast<float*>(nullptr), 64L);
  const std::string told = finished();
  BOOST_TEST(told == "broken, block 0: touches address 0x100, which is not the device's, by thread 7");
  launch(write_kernel, 1, 32, y.data, 3L);
  BOOST_TEST(finished() == "");
  BOOST_TEST(y.read()[3] == 1);
}
#endif

namespace {
// Does a process of its own come to a bad end?
template <class F> bool ends_badly(const F& f) {
  const pid_t child = fork();
  if (child == 0) {
    if (!freopen("/dev/null", "w", stderr)) _exit(2);
    signal(SIGSEGV, SIG_DFL);
    f();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
}  // namespace

BOOST_AUTO_TEST_CASE(the_host_cannot_touch_memory_of_the_device) {
  const OnDevice<float> x(counted(4));
  BOOST_TEST(x.read()[3] == 4);
  BOOST_TEST(ends_badly([&] { _exit(*static_cast<volatile float*>(x.data) > 5 ? 0 : 0); }));
  BOOST_TEST(!ends_badly([&] { x.read(); }));
}

#ifdef __SANITIZE_ADDRESS__
BOOST_AUTO_TEST_CASE(the_sanitizer_sees_one_element_behind_a_block) {
  const OnDevice<float> x(std::vector<float>(10)), y(std::vector<float>(1));
  BOOST_TEST(!ends_badly([&] { launch(read_kernel, 1, 32, y.data, x.data, 9L), finished(); }));
  BOOST_TEST(ends_badly([&] { launch(read_kernel, 1, 32, y.data, x.data, 10L), finished(); }));
  BOOST_TEST(ends_badly([&] { launch(write_kernel, 1, 32, x.data, 10L), finished(); }));
}
#endif

BOOST_AUTO_TEST_CASE(a_pointer_to_the_host_among_the_arguments_is_told) {
  const OnDevice<float> y(std::vector<float>(10));
  const std::vector<float> here(10);
  launch(read_kernel, 1, 32, y.data, here.data(), 0L);
  BOOST_TEST(cudaGetErrorString(cudaGetLastError()) == "broken: word 0 of an argument is an address of the host");
  launch(sized_kernel, 1, 32, Sized{3, here.data()});
  BOOST_TEST(cudaGetErrorString(cudaGetLastError()) == "broken: word 1 of an argument is an address of the host");
  finished();
}

BOOST_AUTO_TEST_CASE(a_copy_to_the_host_has_come_only_when_somebody_has_waited) {
  const OnDevice<float> x(counted(4));
  std::vector<float> here(4, -1.f);
  cudaMemcpyAsync(here.data(), x.data, 16, cudaMemcpyDeviceToHost, queue.stream);
  BOOST_TEST(here[3] == -1.f);  // what a missing wait would have read
  BOOST_TEST(finished() == "");
  BOOST_TEST(here[3] == 4.f);
}

BOOST_AUTO_TEST_CASE(a_copy_from_the_host_has_taken_its_bytes_on_return) {
  std::vector<float> here = counted(4);
  const OnDevice<float> x(here);
  here.assign(4, 0.f);
  BOOST_TEST(x.read() == counted(4), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(copies_that_go_elsewhere_than_they_say_are_refused) {
  const OnDevice<float> x(counted(4));
  std::vector<float> here(4);
  BOOST_TEST(cudaMemcpyAsync(here.data(), x.data, 16, cudaMemcpyHostToDevice, queue.stream) == cudaErrorInvalidValue);
  BOOST_TEST(finished().find("cudaMemcpyAsync") == 0);
  BOOST_TEST(cudaFree(here.data()) == cudaErrorInvalidValue);
  BOOST_TEST(finished() == "cudaFree of an address that is no block");
}

namespace {
__global__ void much_shared_kernel(float* y) {
  HEED_SHARED(float, much, 13000);
  if (threadIdx.x == 0) y[0] = much[0];
}
__global__ void shared_begins_kernel(float* y) {
  HEED_SHARED(float, fresh, 4);
  if (threadIdx.x == 0) y[blockIdx.x] = fresh[3], fresh[3] = 5;
}
__global__ void shuffle_kernel(int* y) {
  const int lane = int(threadIdx.x);
  y[lane] = __shfl_xor_sync(~0u, lane, 5);
  y[32 + lane] = __shfl_sync(~0u, lane, 3);
  y[64 + lane] = __shfl_up_sync(~0u, lane, 2);
  y[96 + lane] = __shfl_down_sync(~0u, lane, 2);
}
}  // namespace

BOOST_AUTO_TEST_CASE(grids_and_shared_memory_that_a_gpu_would_refuse_are_refused) {
  const OnDevice<float> y(std::vector<float>(10));
  launch(write_kernel, 1, 48, y.data, 0L);
  BOOST_TEST(finished() == "broken: a grid of 1 blocks of 48 threads");
  launch(write_kernel, 1, 2048, y.data, 0L);
  BOOST_TEST(finished() == "broken: a grid of 1 blocks of 2048 threads");
  launch(much_shared_kernel, 1, 32, y.data);
  BOOST_TEST(finished() == "broken, block 0: 52000 bytes of shared memory; the rule is at most 49152");
}

BOOST_AUTO_TEST_CASE(shared_memory_is_NaN_in_every_block_until_it_is_written) {
  const OnDevice<float> y(std::vector<float>(3));
  launch(shared_begins_kernel, 3, 32, y.data);
  for (const float value : y.read()) BOOST_TEST(std::isnan(value));
}

BOOST_AUTO_TEST_CASE(shuffles_give_what_cuda_says) {
  const OnDevice<int> y(std::vector<int>(128));
  launch(shuffle_kernel, 1, 32, y.data);
  const std::vector<int> got = y.read();
  for (int lane = 0; lane < 32; lane++) {
    BOOST_TEST(got[size_t(lane)] == (lane ^ 5));
    BOOST_TEST(got[size_t(32 + lane)] == 3);
    BOOST_TEST(got[size_t(64 + lane)] == (lane < 2 ? lane : lane - 2));
    BOOST_TEST(got[size_t(96 + lane)] == (lane > 29 ? lane : lane + 2));
  }
}

BOOST_AUTO_TEST_CASE(a_schedule_that_is_none_is_refused) {
  const std::string told = error_of([] { emulator::set_schedule("backwards"); });
  BOOST_TEST(told ==
             "emulator: the schedule is 'backwards'; the rule is forward, reverse or random:SEED, such as random:7");
}

BOOST_AUTO_TEST_SUITE_END()
