// A Core that draws its pattern at random: a query sees itself, and every fourth of the other keys.
//
//   query i of head h sees key j   iff   i = j   or   draw(path, h, i, j) = 0,   a draw is one of 0, 1, 2, 3
//
// The pattern belongs to the model: it hangs on the path of the core alone, not on the seed of a run or of a step, so
// that training, evaluation and a model that is loaded later see the same. A draw is a pure function of its counter
// (tensor/random.h): no pair hangs on how many others there are. In the tests only, as an example.
#include "attention/multi_head.h"
#include "attention/seeing/visible.h"
#include "attention/softmax_core.h"
#include "tensor/random.h"
#include "tests/oracle/oracle.h"

using namespace heed;

namespace {

bool drawn(uint32_t site, long h, long i, long j) {
  return i == j || philox({site, uint32_t(h), uint32_t(i), uint32_t(j)}, 0)[0] % 4 == 0;
}

class RandomPairsCore : public SoftmaxCore {
 public:
  explicit RandomPairsCore(const MixerOptions& mixer) : SoftmaxCore(mixer, nullptr) {}

  Capabilities can() const override {
    Capabilities can = every_mask();
    can.rotary = can.random = true;
    can.because = "its pattern is one of positions in one sequence";
    return can;
  }

 protected:
  Visible seen(const Heads& heads, const Mask& mask, Context& ctx) override {
    const long B = heads.q.size(0), H = heads.q.size(1), T = heads.q.size(2), S = heads.k.size(2);
    const auto pattern =
        ctx.plan<Tensor>(path() + " " + std::to_string(T) + " " + std::to_string(S), [&] { return table(H, T, S); });
    return visible_pairs("random-pairs", mask & allow_mask(*pattern), {}, {B, H, T, S});
  }

 private:
  Tensor table(long H, long T, long S) const {  // boolean (H, T, S)
    Tensor all = Tensor::empty({H, T, S}, boolean);
    bool* at = all.mutable_data<bool>();
    const uint32_t site = site_hash(path());
    for (long h = 0; h < H; h++)
      for (long i = S - T; i < S; i++)
        for (long j = 0; j < S; j++) *at++ = drawn(site, h, i, j);
    return all;
  }
};

const RegisteredVariant variant{
    {.name = "random-pairs",
     .summary = "a query sees every fourth key, drawn once for all",
     .formula = "o_i over j drawn for i: softmax attention",
     .time = {Growth::square},
     .memory = {Growth::square},
     .source = "this test, 2026",
     .year = 2026,
     .when = "as an example of a pattern that is drawn",
     .when_not = "anywhere: single pairs save no tile of the engine",
     .make = [](const VariantOptions&, const MixerOptions& mixer) { return multi_head<RandomPairsCore>(mixer); }}};

Sees sees(const OracleCase&) {
  const uint32_t site = site_hash("core");
  return [=](const OraclePair& pair) { return drawn(site, pair.h, pair.i, pair.j); };
}

const RegisteredOracle oracle{{.name = "random-pairs", .sees = sees, .example = true}};

}  // namespace
