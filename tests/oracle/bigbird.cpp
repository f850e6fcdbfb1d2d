// bigbird: tokens are in blocks. A pair is seen if the query's or the key's block is global, if the two blocks are
// near, or if the key's is one of those that were drawn for the query's. What was drawn is read from the mixer, and
// audited: as many as asked for (or all that there are), each once, none of those that are seen anyway.
#include <algorithm>
#include <memory>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tests/oracle/position_bias.h"

using namespace heed;

namespace {

struct Blocks {
  long size, left, right, around, random;
  bool causal, full;

  explicit Blocks(const OracleCase& c)
      : size(c.options.number("block")),
        left(c.options.number("global_left")),
        right(c.options.number("global_right")),
        around((c.options.number("window") - 1) / 2),
        random(c.options.number("random")),
        causal(c.options.word("causal") == "yes"),
        full(c.sizes.max_length <= c.options.number("full_below")) {
    const bool itc = c.options.word("preset") == "itc";
    if (left < 0) left = itc ? 2 : 1;
    if (right < 0) right = itc || causal ? 0 : 1;
  }
  long count(long S) const { return (S + size - 1) / size; }
  bool global(long t, long S) const { return t < left || t >= count(S) - right; }
  bool known(long t, long other, long S) const { return global(other, S) || std::abs(t - other) <= around; }
};

using Drawn = std::vector<std::vector<std::vector<long>>>;  // by head and block

Drawn read(Mixer& mixer, long C, long S) {
  Context ctx;
  const DType dtype = mixer.parameters()[0]->value.dtype();
  for (const Look& look : mixer.looks(zeros({1, S, C}, dtype), {}, ctx)) {
    if (look.name != "random blocks") continue;
    const std::vector<int64_t> numbers = look.value.to_vector<int64_t>();
    const long H = look.value.size(0), T = look.value.size(1), r = look.value.size(2);
    Drawn all(static_cast<size_t>(H), std::vector<std::vector<long>>(static_cast<size_t>(T)));
    for (size_t e = 0; e < numbers.size(); e++)
      if (numbers[e] >= 0) all[e / size_t(T * r)][e / size_t(r) % size_t(T)].push_back(numbers[e]);
    return all;
  }
  fail("oracle", "bigbird shows no random blocks");
}

void audit(const Blocks& blocks, const Drawn& drawn, long S) {
  for (const auto& head : drawn)
    for (long t = 0; t < blocks.count(S); t++) {
      if (blocks.full || blocks.global(t, S)) continue;
      std::vector<long> own = head[size_t(t)];
      std::sort(own.begin(), own.end());
      const bool once = std::adjacent_find(own.begin(), own.end()) == own.end();
      long free = 0, wrong = 0;
      for (long other = 0; other < blocks.count(S); other++)
        free += !blocks.known(t, other, S) && (!blocks.causal || other < t);
      for (const long other : own)
        wrong += other >= blocks.count(S) || blocks.known(t, other, S) || (blocks.causal && other > t);
      HEED_CHECK(once && wrong == 0 && long(own.size()) == std::min(blocks.random, free), "oracle", "block ", t,
                 " of bigbird drew ", own.size(), " blocks, ", wrong, " that it must not, of ", free, " free ones");
    }
}

Sees sees(const OracleCase& c) {
  const auto known = std::make_shared<std::map<long, Drawn>>();  // by S
  return [=, blocks = Blocks(c), C = c.sizes.C, &mixer = c.mixer](const OraclePair& pair) {
    const long t = pair.i / blocks.size, other = pair.j / blocks.size;
    if (blocks.full || blocks.global(t, pair.S) || blocks.known(t, other, pair.S)) return true;
    if (!known->contains(pair.S)) {
      (*known)[pair.S] = read(mixer, C, pair.S);
      audit(blocks, known->at(pair.S), pair.S);
    }
    const std::vector<long>& own = known->at(pair.S)[size_t(pair.h)][size_t(t)];
    return std::find(own.begin(), own.end(), other) != own.end();
  };
}

const RegisteredOracle bigbird{
    {.name = "bigbird",
     .specs = {"bigbird:block=4,random=1", "bigbird:block=3,random=2,causal=yes", "bigbird:block=5,preset=itc",
               "bigbird:block=2,window=5,random=3,causal=yes,preset=itc,bias=t5",
               "bigbird:block=7,window=1,global_left=0,global_right=2,random=1,bias=alibi",
               "bigbird:block=1,random=0,global_left=1,global_right=0", "bigbird:block=4,full_below=1024"},
     .sees = sees,
     .bias = position_bias,
     .equal_full = {{"bigbird", "full", 8 * 64},
                    {"bigbird:block=4,random=1000", "full"},
                    {"bigbird:block=4,random=0,window=2001", "full"},
                    {"bigbird:block=4,full_below=2000,bias=t5", "full:bias=t5"}},
     .public_errors = {{"the paper's own code", "gives a block that is listed twice double the weight",
                        "values_are_those_of_the_dense_computation"},
                       {"the same code", "draws random blocks among the first 1,024 tokens only",
                        "a_token_changes_only_those_who_see_it"},
                       {"a model library", "draws other blocks in evaluation than in training",
                        "training_evaluation_and_a_mixer_made_again_give_the_same"},
                       {"a public benchmark", "seeds the draw so that a model that is loaded again sees other blocks",
                        "training_evaluation_and_a_mixer_made_again_give_the_same"}}}};

}  // namespace
