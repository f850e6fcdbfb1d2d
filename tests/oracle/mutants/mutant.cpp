#include "tests/oracle/mutants/mutant.h"

using namespace heed;

WrongCore::WrongCore(const MixerOptions& mixer, const Fault& fault) : PatternCore(mixer, fault.pattern), fault_(fault) {
  if (fault.idle_parameter) parameter("idle", {3}, init::ones());
}

Variable WrongCore::attend(const Heads& heads, const Mask& mask, Context& ctx) {
  return fault_.attend ? fault_.attend(*this, heads, mask, ctx) : honest(heads, mask, ctx);
}

Tensor WrongCore::weights(const Heads& heads, const Mask& mask, Context& ctx) {
  return PatternCore::weights(heads, fault_.weights_ignore_the_mask ? Mask() : mask, ctx);
}

MakeMixer wrong_core(const WrongCore::Fault& fault) {
  return [=](const std::string& spec, const MixerOptions& sizes) {
    auto mixer = multi_head<WrongCore>(complete(sizes), fault);
    mixer->introduce(find_variant(spec).name, sizes.max_length);
    return mixer;
  };
}

WrongMixer::WrongMixer(const MixerOptions& options, const Mix& mix, const Start& start)
    : MultiHead(options, [&] { return std::make_unique<PatternCore>(options, PatternOptions()); }),
      mix_(mix),
      start_(start) {}

Variable WrongMixer::mix(const Variable& x, const MixIn& in, Context& ctx) {
  return mix_ ? mix_(*this, x, in, ctx) : honest(x, in, ctx);
}

std::unique_ptr<State> WrongMixer::start(long batch, long max_length) {
  return start_ ? start_(*this, batch, max_length) : MultiHead::start(batch, max_length);
}

MakeMixer wrong_mixer(const WrongMixer::Mix& mix, const WrongMixer::Start& start) {
  return [=](const std::string& spec, const MixerOptions& sizes) {
    auto mixer = std::make_unique<WrongMixer>(complete(sizes), mix, start);
    mixer->introduce(find_variant(spec).name, sizes.max_length);
    return mixer;
  };
}
