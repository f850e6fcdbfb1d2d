// Properties of the property suite: a variant computes the same bits wherever its numbers lie, and neither touches them
// outside of kernels nor hands a kernel what lies on the host (tests/support/guarded_device.h).
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tests/oracle/suite.h"
#include "tests/support/compare.h"
#include "tests/support/guarded_device.h"

using namespace heed;

namespace {

constexpr Device kThere = GuardedDevice::device;

// A mixer and the same one on the guarded device
struct Twins {
  const Trial& trial;
  Findings& found;
  GuardedDevice guarded = {};
  MixerOptions sizes = [this] {
    MixerOptions own = trial.sizes;
    own.dropout = 0.25;
    return own;
  }();
  std::unique_ptr<Mixer> here = trial.mixer(f32, sizes), there = trial.mixer(f32, sizes);

  Twins(const Trial& of, Findings& findings) : trial(of), found(findings) { there->move_to(kThere); }

  void same(const std::string& what, const Tensor& got, const Tensor& want) {
    found.check(got.device() == kThere, what, " is on the cpu");
    found.same(what, to(got, cpu), want);
  }
  void gradients(const Mask& mask, bool train, long T) {
    Context ctx, other;
    ctx.train = other.train = train;
    const Tensor x = trial.x(2, T, f32), dy = trial.x(2, T, f32, 9);
    const Results want = results(*here, x, mask, ctx, dy);
    const Results got = results(*there, to(x, kThere), mask, other, to(dy, kThere));
    same("y", got.y, want.y);
    same("dx", got.dx, want.dx);
    found.check(got.gradients.size() == want.gradients.size(), got.gradients.size(), " gradients and not ",
                want.gradients.size());
    for (const auto& [path, gradient] : want.gradients)
      if (got.gradients.contains(path)) same(path, got.gradients.at(path), gradient);
  }
  void finished() {
    finish(kThere);  // throws what kernels have noted
    found.check(guarded.host_pointers().empty(), "kernels were given pointers to the host: ", guarded.host_pointers());
  }
};

Mask padded(long T) { return length_mask(tensor({double(T), double(T - 5)}, i64)); }

Mask in_segments(long T) {
  std::vector<int64_t> segments;
  for (long b = 0; b < 2; b++)
    for (long t = 0; t < T; t++) segments.push_back(t * (b + 2) / T);
  return segment_mask(from_vector(segments, {2, T}));
}

const RegisteredProperty devices{
    {.name = "the_same_bits_on_any_device", .check = [](const Trial& trial, Findings& found) {
       Twins twins(trial, found);
       for (long T : trial.many ? std::vector<long>{1, 9, 130} : std::vector<long>{70}) {
         const auto at = found.at("T ", T);
         const Mask base = causal_if(trial.can.causal);
         twins.gradients(base, true, T);
         if (trial.can.padding && T > 5) twins.gradients(base & padded(T), false, T);
         if (trial.can.segments && T > 5) twins.gradients(base & in_segments(T), false, T);
       }
       twins.finished();
     }}};

// Token by token, and behind what was read at once. A token brings nothing from the host but itself.
void decode(Twins& twins) {
  const NoGrad no_grad;
  Context ctx, other;
  const auto here = twins.here->start(2, 40), there = twins.there->start(2, 40);
  const Tensor x = twins.trial.x(2, 30, f32);
  for (long begin = 0, end = 20; begin < 30; begin = end, end++) {
    const Tensor part = rows(x, begin, end), moved = to(part, kThere);
    const Variable want = run(*twins.here, part, {.mask = causal_mask(), .state = here.get()}, ctx);
    const CopyCounts before = copy_counts();
    const Variable got = run(*twins.there, moved, {.mask = causal_mask(), .state = there.get()}, other);
    const long copies = copy_counts().from_host + copy_counts().to_host - before.from_host - before.to_host;
    if (begin > 20 && !twins.trial.oracle->example)
      twins.found.check(copies == 0, "a single token made ", copies, " copies between host and device");
    twins.same("y", got.value(), want.value());
  }
}

const RegisteredProperty states{
    {.name = "decoding_gives_the_same_bits_on_any_device",
     .does_not_apply = [](const Trial& trial) { return std::string(trial.can.decode ? "" : "it cannot decode"); },
     .check =
         [](const Trial& trial, Findings& found) {
           Twins twins(trial, found);
           decode(twins);
           twins.finished();
         }}};

}  // namespace
