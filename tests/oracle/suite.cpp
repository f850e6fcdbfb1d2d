#include "tests/oracle/suite.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "tensor/copy.h"
#include "tensor/ops/elementwise.h"
#include "tensor/views.h"
#include "tests/support/compare.h"

using namespace heed;

std::vector<std::string> variant_names() { return all_variants.names(); }

std::vector<std::string> specs_of(const std::string& variant) {
  const Oracle* oracle = all_oracles.find_or_null(variant);
  std::string stem = variant;
  std::replace(stem.begin(), stem.end(), '-', '_');
  HEED_CHECK(oracle != nullptr, "suite", "the variant ", variant, " has no oracle: write tests/oracle/", stem, ".cpp");
  std::vector<std::string> specs = {variant};
  specs.insert(specs.end(), oracle->specs.begin(), oracle->specs.end());
  return specs;
}

std::vector<Trial> trials_of(const std::string& variant) {
  const char* only = std::getenv("HEED_CASE");
  std::vector<Trial> trials;
  int number = 0;
  for (const std::string& spec : specs_of(variant)) {
    const bool many = number++ < 3;
    if (only && spec != only) continue;
    trials.emplace_back(spec, all_oracles.find(variant));
    trials.back().many = many;
  }
  return trials;
}

Trial::Trial(const std::string& spec, const Oracle& oracle, const MakeMixer& make)
    : variant(oracle.name),
      spec(spec),
      oracle(&oracle),
      options(options_of(spec)),
      sizes(complete(oracle.sizes)),
      make(make),
      can(make(spec, sizes)->can()) {}

std::unique_ptr<Mixer> Trial::mixer(DType dtype, const MixerOptions& sizes) const {
  auto mixer = make(spec, sizes);
  mixer->cast_parameters(dtype);
  uint32_t seed = 100;
  for (Parameter* p : mixer->parameters()) p->value.set_value(cast(noise(p->value.shape(), seed++) * 0.4, dtype));
  return mixer;
}

std::unique_ptr<Mixer> mixer_of(const std::string& spec, DType dtype, const MixerOptions& sizes) {
  return Trial(spec, all_oracles.find(find_variant(spec).name)).mixer(dtype, sizes);
}

Tensor Trial::x(long B, long T, DType dtype, uint32_t seed) const { return noise({B, T, sizes.C}, seed, dtype); }

std::vector<bool> Trial::causal_or_not() const {
  return can.causal ? std::vector<bool>{false, true} : std::vector<bool>{false};
}

Sees Trial::sees() const {
  const std::shared_ptr<Mixer> mixer = this->mixer();  // kept: the predicate may ask it what it has drawn
  return [mixer, sees = oracle->sees(oracle_case(*mixer, {}, f64))](const OraclePair& pair) { return sees(pair); };
}

void Findings::complain(const std::string& what) {
  constexpr size_t kMost = 8;  // of one property and spec
  if (complaints.size() > kMost) return;
  std::string all;
  for (const std::string& place : places_) all += place + ": ";
  complaints.push_back(complaints.size() == kMost ? "and more" : all + what);
}

void Findings::close(const std::string& what, const Tensor& got, const Tensor& want, double tolerance) {
  if (!check(got.shape() == want.shape(), what, " is ", got.shape(), " and should be ", want.shape())) return;
  const auto g = got.to_vector<double>(), w = want.to_vector<double>();
  for (size_t e = 0; e < g.size(); e++)
    if (!(std::abs(g[e] - w[e]) <= tolerance * std::max(1.0, std::abs(w[e])))) {
      complain(what + ": element " + std::to_string(e) + " is " + std::to_string(g[e]) + " and should be " +
               std::to_string(w[e]));
      return;
    }
}

void Findings::same(const std::string& what, const Tensor& got, const Tensor& want) {
  check(same_bits(got, want), what, ": the bits differ");
}

void Findings::refuses(const std::string& what, FunctionRef<void()> f, const std::string& sentence) {
  try {
    f();
    check(false, what, ": it was not refused");
  } catch (const Error& error) {
    check(std::string(error.what()).find(sentence) != std::string::npos, what, ": it was refused with \"", error.what(),
          "\"; expected \"", sentence, "\"");
  }
}

Verdict verdict(const Property& property, const Trial& trial) {
  Verdict verdict;
  if (property.does_not_apply) verdict.does_not_apply = property.does_not_apply(trial);
  if (!verdict.does_not_apply.empty()) return verdict;
  try {
    property.check(trial, verdict.findings);
  } catch (const std::exception& error) {
    verdict.findings.complain(std::string("threw ") + error.what());
  }
  return verdict;
}

std::string result_file(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

Variable run(Mixer& mixer, const Variable& x, const MixIn& in, Context& ctx) {
  return mixer.narrow(mixer.forward(mixer.widen(x, in, ctx), in, ctx), x.size(1), in, ctx);
}

Results results(Mixer& mixer, const Tensor& x, const MixIn& in, Context& ctx, const Tensor& dy) {
  const Variable leaf = Variable::leaf(x);
  mixer.zero_grad();
  const Variable y = run(mixer, leaf, in, ctx);
  y.backward(dy.defined() ? dy : noise(y.shape(), 9, x.dtype()));
  Results all{y.value(), leaf.grad()};
  for (Parameter* p : mixer.parameters())
    if (p->value.grad().defined()) all.gradients.emplace(p->path, clone(p->value.grad()));
  return all;
}

Results results_of(const Trial& trial, const OracleCase& c, const Tensor& x, const Tensor& dy) {
  const Variable leaf = Variable::leaf(cast(x, c.dtype));
  const Variable y = dense_attention(*trial.oracle, c, leaf).out;
  y.backward(cast(dy.defined() ? dy : noise(y.shape(), 9, x.dtype()), c.dtype));
  Results all{y.value(), leaf.grad()};
  for (const auto& [path, value] : c.parameters)
    if (value.grad().defined()) all.gradients.emplace(path, value.grad());
  return all;
}

Mask causal_if(bool causal) { return causal ? causal_mask() : Mask(); }
Tensor rows(const Tensor& y, long begin, long end) { return contiguous(slice(y, 1, begin, end)); }
Tensor sample(const Tensor& y, long b) { return contiguous(slice(y, 0, b, b + 1)); }
