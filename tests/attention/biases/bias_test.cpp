// Biases as a family. What each of them adds is compared with its formula by the property suite (tests/oracle).
#include "attention/biases/bias.h"

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tests/oracle/suite.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

// Nobody looks back farther than one token, by the bias alone.
struct NearOnly : Bias {
  void add(SoftmaxInputs& in, const Heads& heads, const Mask&) const override {
    const long H = heads.q.size(1), T = heads.q.size(2), S = heads.k.size(2);
    std::vector<double> values;
    for (long h = 0; h < H; h++)
      for (long d = 1 - T; d < S; d++) values.push_back(d <= 1 ? 0 : -INFINITY);
    in.by_distance = cast(from_vector(values, {H, T + S - 1}), heads.q.dtype());
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(bias_test)

BOOST_AUTO_TEST_CASE(every_bias_names_its_source_and_makes_every_pattern_a_mixer) {
  for (const BiasKind* kind : all_biases.all()) BOOST_TEST_CONTEXT(kind->name) {
      BOOST_TEST(!kind->source.empty());
      for (const char* variant : {"full", "window", "local"})
        BOOST_CHECK_NO_THROW(make_mixer(std::string(variant) + ":bias=" + kind->name, {.C = 8, .heads = 2}));
    }
}

BOOST_AUTO_TEST_CASE(a_new_bias_is_a_choice_of_all_patterns_and_its_options_are_theirs) {
  {
    const RegisteredBias near{{.name = "near",
                               .source = "this test",
                               .options = {{.name = "nearness", .help = "how near", .standard = "1"}},
                               .make = [](const VariantOptions& options, const MixerOptions&, const ParameterMaker&) {
                                 BOOST_TEST(options.number("nearness") == 3);
                                 return std::make_unique<NearOnly>();
                               }}};
    const auto biased = mixer_of("full:bias=near,nearness=3"), window = mixer_of("window:left=1,right=0");
    Context ctx;
    const Tensor x = noise({2, 70, 10}, 1);
    const MixIn in{.mask = causal_mask()};
    check_close(biased->forward(x, in, ctx).value(), window->forward(x, in, ctx).value(), 1e-12);
  }
  BOOST_TEST(error_of([] { make_mixer("full:bias=near", {.C = 8}); }) ==
             "full: there is no bias 'near'; there are none, alibi, shaw, t5");
}

BOOST_AUTO_TEST_CASE(learned_tables_are_the_cores_parameter_called_bias_without_weight_decay) {
  for (const char* spec : {"full:bias=t5", "full:bias=shaw"}) {
    const auto mixer = mixer_of(spec);
    bool found = false;
    for (const Parameter* p : mixer->parameters())
      if (p->path == "core.bias") {
        found = true;
        BOOST_TEST(!p->decay);
      }
    BOOST_TEST(found, spec);
  }
}

BOOST_AUTO_TEST_SUITE_END()
