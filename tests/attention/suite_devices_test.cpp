// Properties of the property suite: a variant computes the same bits wherever its numbers lie, and neither touches them
// outside of kernels nor hands a kernel what lies on the host (tests/support/guarded_device.h). On cuda, a GPU or the
// emulated one (`make cuda-test`), the same numbers: its kernels add up in an order of their own.
#include <optional>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tests/oracle/suite.h"
#include "tests/support/compare.h"
#include "tests/support/guarded_device.h"

using namespace heed;

namespace {

// A device, and how near its numbers must come to those of the cpu
struct There {
  Device device;
  DType dtype;
  double tolerance;  // 0: the same bits
};
constexpr There kGuarded{GuardedDevice::device, f32, 0};
// In f64, where no choice (a bucket, a cluster) hangs on how a sum is rounded.
constexpr There kOnCuda{{Backend::cuda, 0}, f64, 1e-9};

// A mixer and the same one on such a device
struct Twins {
  const Trial& trial;
  Findings& found;
  There place;
  std::optional<GuardedDevice> guarded = {};
  MixerOptions sizes = [this] {
    MixerOptions own = trial.sizes;
    own.dropout = 0.25;
    return own;
  }();
  std::unique_ptr<Mixer> here = trial.mixer(place.dtype, sizes), there = trial.mixer(place.dtype, sizes);

  Twins(const Trial& of, Findings& findings, const There& at) : trial(of), found(findings), place(at) {
    if (place.device == GuardedDevice::device) guarded.emplace();
    there->move_to(place.device);
  }

  Tensor x(long T, uint32_t seed = 1) const { return trial.x(2, T, place.dtype, seed); }
  Tensor moved(const Tensor& x) const { return to(x, place.device); }
  void same(const std::string& what, const Tensor& got, const Tensor& want) {
    found.check(got.device() == place.device, what, " is on the cpu");
    if (place.tolerance > 0)
      found.close(what, to(got, cpu), want, place.tolerance);
    else
      found.same(what, to(got, cpu), want);
  }
  void gradients(const Mask& mask, bool train, long T) {
    Context ctx, other;
    ctx.train = other.train = train;
    const Tensor x = this->x(T), dy = this->x(T, 9);
    const Results want = results(*here, x, mask, ctx, dy);
    const Results got = results(*there, moved(x), mask, other, moved(dy));
    same("y", got.y, want.y);
    same("dx", got.dx, want.dx);
    found.check(got.gradients.size() == want.gradients.size(), got.gradients.size(), " gradients and not ",
                want.gradients.size());
    for (const auto& [path, gradient] : want.gradients)
      if (got.gradients.contains(path)) same(path, got.gradients.at(path), gradient);
  }
  void finished() {
    finish(place.device);  // throws what kernels have noted
    if (!guarded) return;
    found.check(guarded->host_pointers().empty(),
                "kernels were given pointers to the host: ", guarded->host_pointers());
  }
};

Mask padded(long T) { return length_mask(tensor({double(T), double(T - 5)}, i64)); }

Mask in_segments(long T) {
  std::vector<int64_t> segments;
  for (long b = 0; b < 2; b++)
    for (long t = 0; t < T; t++) segments.push_back(t * (b + 2) / T);
  return segment_mask(from_vector(segments, {2, T}));
}

void train(Twins& twins, const std::vector<long>& lengths) {
  const Capabilities& can = twins.trial.can;
  for (long T : lengths) {
    const auto at = twins.found.at("T ", T);
    const Mask base = causal_if(can.causal);
    twins.gradients(base, true, T);
    if (can.padding && T > 5) twins.gradients(base & padded(T), false, T);
    if (can.segments && T > 5) twins.gradients(base & in_segments(T), false, T);
  }
  twins.finished();
}

std::string no_cuda(const Trial&) { return devices(Backend::cuda) > 0 ? "" : "there is no GPU, nor is one emulated"; }

const RegisteredProperty trains{
    {.name = "the_same_bits_on_any_device", .check = [](const Trial& trial, Findings& found) {
       Twins twins(trial, found, kGuarded);
       train(twins, trial.many ? std::vector<long>{1, 9, 130} : std::vector<long>{70});
     }}};

const RegisteredProperty trains_on_cuda{
    {.name = "the_same_numbers_on_cuda", .does_not_apply = no_cuda, .check = [](const Trial& trial, Findings& found) {
       Twins twins(trial, found, kOnCuda);
       train(twins, trial.many ? std::vector<long>{1, 9, 70} : std::vector<long>{33});
     }}};

// Token by token, and behind what was read at once. A token brings nothing from the host but itself.
void decode(Twins& twins) {
  const NoGrad no_grad;
  Context ctx, other;
  const auto here = twins.here->start(2, 40), there = twins.there->start(2, 40);
  const Tensor x = twins.x(30);
  for (long begin = 0, end = 20; begin < 30; begin = end, end++) {
    const Tensor part = rows(x, begin, end), moved = twins.moved(part);
    const Variable want = run(*twins.here, part, {.mask = causal_mask(), .state = here.get()}, ctx);
    const CopyCounts before = copy_counts();
    const Variable got = run(*twins.there, moved, {.mask = causal_mask(), .state = there.get()}, other);
    const long copies = copy_counts().from_host + copy_counts().to_host - before.from_host - before.to_host;
    if (begin > 20 && !twins.trial.oracle->example)
      twins.found.check(copies == 0, "a single token made ", copies, " copies between host and device");
    twins.same("y", got.value(), want.value());
  }
}

std::string cannot_decode(const Trial& trial) { return trial.can.decode ? "" : "it cannot decode"; }

const RegisteredProperty states{{.name = "decoding_gives_the_same_bits_on_any_device",
                                 .does_not_apply = cannot_decode,
                                 .check = [](const Trial& trial, Findings& found) {
                                   Twins twins(trial, found, kGuarded);
                                   decode(twins);
                                   twins.finished();
                                 }}};

const RegisteredProperty states_on_cuda{
    {.name = "decoding_gives_the_same_numbers_on_cuda",
     .does_not_apply =
         [](const Trial& trial) { return cannot_decode(trial).empty() ? no_cuda(trial) : cannot_decode(trial); },
     .check =
         [](const Trial& trial, Findings& found) {
           Twins twins(trial, found, kOnCuda);
           decode(twins);
           twins.finished();
         }}};

}  // namespace
