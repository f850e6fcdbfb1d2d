// Runs the property suite: a test case for every property and variant, suite/<property>/<variant>. What failed comes
// with the line that repeats it. When all of them have run, build/suite.json says how each went.
#include <cmath>
#include <cstdlib>

#include "system/json.h"
#include "system/write_file.h"
#include "tensor/create.h"
#include "tests/oracle/suite.h"
#include "tests/support/compare.h"

using namespace heed;
namespace ut = boost::unit_test;

namespace {

// How a property went for a variant, over all of its specs
struct Cell {
  long specs = 0, checks = 0;
  bool passed = true;
  std::string does_not_apply = {};  // to none of them, and why not to the first
};
using Cells = std::map<std::string, std::map<std::string, Cell>>;  // by variant and property

Cells& cells() {
  static Cells all;
  return all;
}

std::string command(const Property& property, const Trial& trial) {
  return "HEED_CASE='" + trial.spec + "' build/tests --run_test='suite/" + property.name + "/" + trial.variant + "'";
}

Json json_of(const Cell& cell) {
  Json json = Json::object();
  if (cell.specs == 0) {
    json["does_not_apply"] = cell.does_not_apply;
    return json;
  }
  json["passed"] = cell.passed;
  json["specs"] = cell.specs;
  json["checks"] = cell.checks;
  return json;
}

Json errors_of(const Oracle& oracle) {
  Json list = Json::array();
  for (const PublicError& each : oracle.public_errors)
    list.push_back(Json::Object{{"where", each.where}, {"what", each.what}, {"found_by", each.found_by}});
  return list;
}

// Only a whole table: a run of some tests must not overwrite that of all.
void write_if_complete() {
  Json table = Json::object();
  size_t count = 0;
  for (const auto& [variant, properties] : cells())
    for (const auto& [property, cell] : properties) {
      const Oracle& oracle = all_oracles.find(variant);
      if (!oracle.example) table[variant]["properties"][property] = json_of(cell);
      if (!oracle.example) table[variant]["public_errors"] = errors_of(oracle);
      count++;
    }
  if (count != variant_names().size() * all_properties.all().size() || std::getenv("HEED_CASE")) return;
  write_file(result_file("suite.json"), table.dump(1) + "\n");
}

void hold(const Property& property, const std::string& variant) {
  Cell cell;
  for (const Trial& trial : trials_of(variant)) {
    const Verdict found = verdict(property, trial);
    if (cell.specs == 0 && cell.does_not_apply.empty()) cell.does_not_apply = found.does_not_apply;
    if (!found.does_not_apply.empty()) continue;
    cell.specs++, cell.checks += found.findings.checks;
    cell.passed = cell.passed && found.findings.complaints.empty();
    for (const std::string& complaint : found.findings.complaints) BOOST_ERROR(trial.spec << ": " << complaint);
    BOOST_TEST(found.findings.checks > 0, "nothing was checked for " << trial.spec);
    BOOST_TEST(found.findings.complaints.empty(), "again: " << command(property, trial));
  }
  BOOST_TEST((cell.specs > 0 || !cell.does_not_apply.empty()));
  cells()[variant][property.name] = cell;
  write_if_complete();
}

// Asked when all static objects are there, so that every property and variant is.
class EveryProperty : public ut::test_unit_generator {
 public:
  ut::test_unit* next() const override {
    if (done_) return nullptr;
    done_ = true;
    auto* all = new ut::test_suite("suite", __FILE__, __LINE__);  // Boost's tree owns it
    for (const Property* property : all_properties.all()) {
      auto* claim = new ut::test_suite(property->name, __FILE__, __LINE__);
      for (const std::string& variant : variant_names())
        claim->add(ut::make_test_case([=] { hold(*property, variant); }, variant, __FILE__, __LINE__));
      all->add(claim);
    }
    return all;
  }

 private:
  mutable bool done_ = false;
};

const ut::ut_detail::auto_test_unit_registrar every_property(
    boost::shared_ptr<ut::test_unit_generator>(new EveryProperty), ut::decorator::collector_t::instance());

}  // namespace

BOOST_AUTO_TEST_SUITE(suite_test)

BOOST_AUTO_TEST_CASE(every_variant_has_an_oracle_and_every_oracle_a_variant) {
  for (const std::string& name : variant_names()) BOOST_CHECK_NO_THROW(specs_of(name));
  BOOST_TEST(all_oracles.names() == variant_names(), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_is_told_of_public_code_is_found_by_a_property_that_applies) {
  for (const Oracle* oracle : all_oracles.all())
    for (const PublicError& error : oracle->public_errors) {
      BOOST_TEST((!error.where.empty() && !error.what.empty()), oracle->name);
      const Property* property = all_properties.find_or_null(error.found_by);
      BOOST_REQUIRE_MESSAGE(property, oracle->name << ": there is no property " << error.found_by);
      const Trial trial(oracle->name, *oracle);
      BOOST_TEST((!property->does_not_apply || property->does_not_apply(trial).empty()),
                 oracle->name << " is not tried on " << error.found_by);
    }
}

// Full attention of one sample in loops, as one would write it on paper: what the oracles' plain ops are held to.
BOOST_AUTO_TEST_CASE(the_dense_computation_is_the_definition) {
  const long T = 6, C = 10, H = 4, Hk = 2, D = 3, Dv = 5;  // kOracleSizes
  const Trial trial("full", all_oracles.find("full"));
  const auto mixer = trial.mixer();
  const auto numbers = [&](const char* path) { return parameter_of(*mixer, path).to_vector<double>(); };
  const auto w = numbers("in.weight"), b = numbers("in.bias"), wo = numbers("out.weight"), bo = numbers("out.bias");
  const auto x = trial.x(1, T).to_vector<double>();
  const auto projected = [&](long t, long row) {
    double total = b[size_t(row)];
    for (long c = 0; c < C; c++) total += w[size_t(row * C + c)] * x[size_t(t * C + c)];
    return total;
  };
  std::vector<double> y;
  for (long i = 0; i < T; i++) {
    std::vector<double> o(size_t(H * Dv), 0);
    for (long h = 0; h < H; h++) {
      double total = 0;
      std::vector<double> p;
      for (long j = 0; j <= i; j++) {
        double score = 0;
        for (long c = 0; c < D; c++) score += projected(i, h * D + c) * projected(j, H * D + h / (H / Hk) * D + c);
        p.push_back(std::exp(score / std::sqrt(double(D)))), total += p.back();
      }
      for (long j = 0; j <= i; j++)
        for (long c = 0; c < Dv; c++)
          o[size_t(h * Dv + c)] += p[size_t(j)] / total * projected(j, (H + Hk) * D + h / (H / Hk) * Dv + c);
    }
    for (long c = 0; c < C; c++) {
      y.push_back(bo[size_t(c)]);
      for (size_t e = 0; e < o.size(); e++) y.back() += wo[size_t(c) * o.size() + e] * o[e];
    }
  }
  const OracleCase c = trial.oracle_case(*mixer, causal_mask(), f64);
  check_close(dense_attention(*trial.oracle, c, trial.x(1, T)).out.value(), from_vector(y, {1, T, C}), 1e-12);
}

BOOST_AUTO_TEST_CASE(a_failure_comes_with_the_line_that_repeats_it) {
  const Property claim{.name = "all_is_well", .check = [](const Trial&, Findings&) {}};
  const Trial trial("window:left=3", all_oracles.find("window"));
  BOOST_TEST(command(claim, trial) == "HEED_CASE='window:left=3' build/tests --run_test='suite/all_is_well/window'");
}

BOOST_AUTO_TEST_CASE(complaints_say_where_and_an_exception_is_one) {
  const Trial trial("full", all_oracles.find("full"));
  const auto check = [](const Trial&, Findings& found) {
    const auto at = found.at("T ", 3);
    found.check(1 < 2, "never");
    found.check(2 < 1, "two is ", 2);
    throw std::runtime_error("no more");
  };
  const Verdict got = verdict({.name = "some", .check = check}, trial);
  BOOST_TEST(got.findings.checks == 2);
  BOOST_TEST(got.findings.complaints == (std::vector<std::string>{"T 3: two is 2", "threw no more"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
