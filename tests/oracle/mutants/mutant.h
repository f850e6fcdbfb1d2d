// Mutants: mixers that are wrong on purpose, each in one way that real code has been wrong in. They are how the
// property suite is tested itself: every one must be caught by the property that is there for it
// (suite_mutants_test.cpp).
#pragma once

#include "attention/multi_head.h"
#include "attention/pattern_core.h"
#include "tests/oracle/suite.h"

struct Mutant {
  std::string name;           // what it does wrong
  std::string caught_by;      // the property
  std::string spec = "full";  // what it claims to be
  MakeMixer make;
  bool needs_cuda = false;  // is tried only where cuda is, a GPU or the emulated one
};
inline constinit heed::Registry<Mutant> all_mutants{"suite", "mutant"};
using RegisteredMutant = heed::Registration<all_mutants>;

// ---- wrong cores, between honest projections

// Softmax attention over a pattern, with a fault put in; all that is left out is honest.
class WrongCore : public heed::PatternCore {
 public:
  using Attend = std::function<heed::Variable(WrongCore& core, heed::Heads heads, heed::Mask mask, heed::Context& ctx)>;
  struct Fault {
    Attend attend = nullptr;
    heed::PatternOptions pattern = {};
    bool honest_reach = true;
    long reach = -1;
    bool weights_ignore_the_mask = false;
    bool idle_parameter = false;
  };
  WrongCore(const heed::MixerOptions& mixer, const Fault& fault);

  heed::Variable honest(const heed::Heads& heads, const heed::Mask& mask, heed::Context& ctx) {
    return PatternCore::attend(heads, mask, ctx);
  }
  heed::Variable attend(const heed::Heads& heads, const heed::Mask& mask, heed::Context& ctx) override;
  heed::Tensor weights(const heed::Heads& heads, const heed::Mask& mask, heed::Context& ctx) override;
  long reach() const override { return fault_.honest_reach ? PatternCore::reach() : fault_.reach; }

 private:
  Fault fault_;
};
MakeMixer wrong_core(const WrongCore::Fault& fault);
inline MakeMixer wrong_attend(const WrongCore::Attend& attend) { return wrong_core({.attend = attend}); }

// ---- wrong mixers, around an honest core

class WrongMixer : public heed::MultiHead {
 public:
  using Mix = std::function<heed::Variable(WrongMixer& mixer, const heed::Variable& x, heed::MixIn in, heed::Context&)>;
  using Start = std::function<std::unique_ptr<heed::State>(WrongMixer& mixer, long batch, long max_length)>;
  WrongMixer(const heed::MixerOptions& options, const Mix& mix, const Start& start);

  heed::Variable honest(const heed::Variable& x, const heed::MixIn& in, heed::Context& ctx) {
    return MultiHead::mix(x, in, ctx);
  }
  std::unique_ptr<heed::State> start(long batch, long max_length) override;
  std::vector<heed::Tensor> memory = {};  // for faults that remember

 protected:
  heed::Variable mix(const heed::Variable& x, const heed::MixIn& in, heed::Context& ctx) override;

 private:
  Mix mix_;
  Start start_;
};
MakeMixer wrong_mixer(const WrongMixer::Mix& mix, const WrongMixer::Start& start = nullptr);
