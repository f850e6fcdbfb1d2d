// Biases as a family. What each of them adds is compared with its formula by the property suite (tests/oracle).
#include "attention/biases/bias.h"

#include "attention/pattern_core.h"
#include "autograd/ops/concatenate.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/ops/concatenate.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/gather.h"
#include "tensor/ops/sort.h"
#include "tensor/views.h"
#include "tests/oracle/suite.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

// Nobody looks back farther than one token, by the bias alone.
struct NearOnly : Bias {
  void add(SoftmaxInputs& in, const Mask&, Context&) const override {
    const long H = in.q.size(1);
    const Distances all = distances_of(in);
    std::vector<double> values;
    for (long h = 0; h < H; h++)
      for (long d = all.first; d <= all.last; d++) values.push_back(d <= 1 ? 0 : -INFINITY);
    in.by_distance = cast(from_vector(values, {H, all.count()}), in.q.dtype());
  }
};

// Calls f(core, {q, k, v}) for full attention with every bias; 40 tokens, two heads.
template <class F> void for_each_core(F&& f) {
  for (const BiasKind* kind : all_biases.all()) BOOST_TEST_CONTEXT(kind->name) {
      const VariantOptions options("full:bias=" + kind->name, "full", bias_options());
      PatternCore core({.C = 8, .heads = 2, .head_width = 4, .value_width = 4}, {.bias = bias_of(options)});
      core.cast_parameters(f64);
      for (Parameter* p : core.parameters()) p->value.set_value(noise(p->value.shape(), 5, f64));
      f(core, {noise({2, 2, 40, 4}, 1, f64), noise({2, 2, 40, 4}, 2, f64), noise({2, 2, 40, 4}, 3, f64)});
    }
}

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

BOOST_AUTO_TEST_CASE(a_bias_goes_by_the_positions_of_the_tokens) {
  const long n = 40;
  const Tensor order = argsort(noise({n}, 9)), more = reshape(arange(n + 7), {1, n + 7});
  const Tensor shifted = slice(more, 1, 7, n + 7), end = slice(more, 1, n + 4, n + 7);
  for_each_core([&](PatternCore& core, const std::vector<Variable>& x) {
    Context ctx;
    const auto attend = [&](const Heads& heads) { return core.attend(heads, {}, ctx).value(); };
    const Tensor want = attend({x[0], x[1], x[2]});
    std::vector<Variable> moved;
    for (const Variable& part : x) moved.push_back(index_select(part.value(), 2, order));
    const Tensor places = reshape(order, {1, n});  // tokens in another order keep their positions
    const Heads heads{moved[0], moved[1], moved[2], 0, &places, &places};
    check_close(attend(heads), index_select(want, 2, order), 1e-12);
    const Variable last = slice(x[0].value(), 2, n - 3, n);
    check_close(attend({last, x[1], x[2], 0, &end, &shifted}), slice(want, 2, n - 3, n), 1e-12);
  });
}

BOOST_AUTO_TEST_CASE(tokens_may_stand_at_one_place_and_causality_goes_on_by_the_mask) {
  const long n = 40;
  const Tensor usual = reshape(arange(n), {1, n}), twice = concatenate({usual, usual}, 1);
  for_each_core([&](PatternCore& core, const std::vector<Variable>& x) {
    Context ctx;
    const Variable k = concatenate({x[1], x[1]}, 2), v = concatenate({x[2], x[2]}, 2);
    check_close(core.attend({x[0], k, v, 0, &usual, &twice}, {}, ctx).value(),
                core.attend({x[0], x[1], x[2]}, {}, ctx).value(), 1e-12);
    check_close(core.attend({x[0], x[1], x[2], 0, &usual, &usual}, causal_mask(), ctx).value(),
                core.attend({x[0], x[1], x[2]}, causal_mask(), ctx).value(), 1e-12);
  });
}

BOOST_AUTO_TEST_CASE(a_table_of_distances_is_made_again_only_when_they_double) {
  Context ctx;
  long made = 0;
  const auto make = [&](const Distances& d) {
    made++;
    std::vector<int64_t> values;
    for (long each = d.first; each <= d.last; each++) values.push_back(each);
    return from_vector(values, {1, d.count()});
  };
  for (long S = 1; S <= 1000; S++) {
    const Tensor table = distance_table(ctx, "test", {0, S - 1}, cpu, make);
    BOOST_TEST(table.shape() == (Shape{1, S}));
    BOOST_TEST(table.at({0, S - 1}) == double(S - 1));
  }
  BOOST_TEST(made == 11);  // for 1, 2, 4, .. 1024
  const Distances other{-700, 3};
  BOOST_TEST(distance_table(ctx, "test", other, cpu, make).at({0, 0}) == -700);
  BOOST_TEST(made == 11);
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
