// The benchmark harness: how turns are taken, how workers are spoken to, and what reports say. Nothing is timed here.
#include <algorithm>
#include <set>

#include "autograd/ops/elementwise.h"
#include "bench/gpt.h"
#include "bench/kernels.h"
#include "bench/machine.h"
#include "bench/report.h"
#include "bench/worker.h"
#include "tests/support/error_of.h"
#include "tests/support/folder.h"

using namespace heed;
using namespace heed::bench;

BOOST_AUTO_TEST_SUITE(bench_test)

namespace {

// A worker written in shell: it says what it is told to.
const char* const kObedient =
    "while read verb rest; do case $verb in probe) echo \"$GREETING\";; work) echo ok;; time) echo 0.25;; esac; done";

Worker shell(const std::string& script, const std::vector<std::string>& environment = {}) {
  return Worker("the peer", {"/bin/sh", "-c", script}, environment);
}

std::string ask(const std::string& script) {
  Worker worker = shell(script);
  return error_of([&] { worker.ask("probe"); });
}

Case linear_case() {
  return {.group = "products",
          .name = "linear 8 -> 4",
          .request = "linear 1 8 4",
          .amount = 2e9,
          .limit = Limit::peak,
          .bar = {.ratio = 1.5, .share = 0.6}};
}

Result linear_result() {
  Result r = result_of(linear_case(), {{0.01, 0.01, 0.01}, {0.02, 0.02, 0.01}});
  r.limit = 400;
  return r;
}

Report linear_report() {
  return {.benchmark = "kernels",
          .command = "build/bench kernels",
          .machine = "a \"fast\" CPU",
          .peer = "PyTorch 2.0, 2 threads",
          .peer_name = "PyTorch",
          .results = {linear_result()},
          .others = 0.02};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_CASE(quartiles_lie_between_sorted_values) {
  const Quartiles q = quartiles({4, 1, 3, 2});
  BOOST_TEST((q.low == 1.75 && q.middle == 2.5 && q.high == 3.25));
  BOOST_TEST(quartiles({7}).low == 7);
  BOOST_TEST(quartiles({}).middle == 0);
}

BOOST_AUTO_TEST_CASE(sides_take_turns_and_every_second_round_is_reversed) {
  std::string order;
  const auto side = [&](char name, double seconds) {
    return Side{[&order, name, seconds](long n) {
                  order += n > 1 ? name : ' ';
                  return seconds * double(n);
                },
                {}};
  };
  const auto turns = take_turns({side('a', 1e-3), side('b', 2e-3)}, 0);
  BOOST_TEST(turns.size() == 2u);
  BOOST_TEST((turns[0].size() == 9 && turns[1].size() == 9));
  for (const double t : turns[0]) BOOST_TEST(std::abs(t - 1e-3) < 1e-9);  // of one repetition
  for (const double t : turns[1]) BOOST_TEST(std::abs(t - 2e-3) < 1e-9);
  std::erase(order, ' ');  // the repetitions that nobody counts
  BOOST_TEST(order == "abbaabbaabbaabbaab");
}

BOOST_AUTO_TEST_CASE(the_ratio_is_the_median_of_pairs_and_not_of_the_sides) {
  const Result r = result_of(linear_case(), {{1, 2, 4}, {3, 2, 4}});
  BOOST_TEST(r.ratio.middle == 1);
  BOOST_TEST((r.ours.middle == 2 && r.peer.middle == 3 && r.best == 1));
  BOOST_TEST(!result_of(linear_case(), {{1, 2, 4}}).has_peer());
}

BOOST_AUTO_TEST_CASE(a_case_is_held_against_the_copy_that_moves_as_much) {
  Limits limits;
  Case copy{.group = "machine", .name = "copy", .amount = 8e6, .limit = Limit::copy};
  BOOST_TEST(limits.of(copy) == 0);
  limits.learn(result_of(copy, {{1e-3}, {0.5e-3}}));  // the peer's is the better one
  copy.amount = 128e6;
  limits.learn(result_of(copy, {{12.8e-3}}));
  limits.learn(result_of({.group = "machine", .name = "peak", .amount = 1e9}, {{0.02, 0.01, 0.05}}));
  for (const auto& [bytes, speed] :
       std::vector<std::pair<double, double>>{{1e5, 16}, {3e7, 16}, {4e7, 10}, {1e9, 10}}) {
    copy.amount = bytes;
    BOOST_TEST(std::abs(limits.of(copy) - speed) < 1e-9);
  }
  BOOST_TEST(std::abs(limits.of(linear_case()) - 100) < 1e-9);
}

BOOST_AUTO_TEST_CASE(products_and_reads_are_measured_only_where_a_case_is_held_against_them) {
  Case work{.group = "any", .name = "any", .amount = 1e9, .limit = Limit::copy};
  BOOST_TEST(further_machine_cases({work}).empty());
  for (const Limit limit : {Limit::product, Limit::read}) {
    work.limit = limit;
    const std::vector<Case> further = further_machine_cases({work});
    BOOST_REQUIRE(further.size() == 1u);
    BOOST_TEST((further[0].limit == limit));
    Limits limits;
    limits.learn(result_of(work, {{0.02, 0.01, 0.05}}));
    BOOST_TEST(std::abs(limits.of(work) - (limit == Limit::read ? 50 : 100)) < 1e-9);  // the median, or the fastest
    work.limit = Limit::peak;
    BOOST_TEST(limits.of(work) == 0);
  }
}

// What bench/peer_gpt.py tells for the same sizes: sum(p.numel() for p in Gpt(4, 256, 4, 512).parameters())
BOOST_AUTO_TEST_CASE(the_language_model_has_as_many_parameters_as_the_peers) {
  Gpt model(options_of({}));
  BOOST_TEST(model.parameter_count() == 3'356'160);
  BOOST_TEST(product_weights({}) == 4 * 12 * 65'536 + 65'536);
}

BOOST_AUTO_TEST_CASE(a_worker_answers_line_by_line) {
  Worker worker("the peer", {"/bin/sh", "-c", kObedient}, {"GREETING=hello there"});
  BOOST_TEST(worker.ask("probe") == "hello there");
  BOOST_TEST(worker.prepare("linear 1 2 3") == "");
  BOOST_TEST(worker.time(10) == 0.25);
  BOOST_TEST(worker.cpu_seconds() >= 0);
}

BOOST_AUTO_TEST_CASE(a_worker_may_decline) {
  Worker worker = shell("read line; echo no time for this; read line; echo perhaps; read line; echo soon");
  BOOST_TEST(worker.prepare("linear 1 2 3") == "time for this");
  BOOST_TEST(error_of([&] { worker.prepare("linear 1 2 3"); }) ==
             "the peer answered \"perhaps\" to \"work linear 1 2 3\"; ok or no was expected");
  BOOST_TEST(error_of([&] { worker.time(1); }) == "the peer answered \"soon\"; seconds were expected");
}

BOOST_AUTO_TEST_CASE(the_end_of_a_worker_is_a_sentence_with_its_last_words) {
  BOOST_TEST(ask("exit 3") == "the peer ended with exit code 3");
  BOOST_TEST(ask("echo Traceback >&2; echo no torch here >&2; exit 1") ==
             "the peer ended with exit code 1: no torch here");
  BOOST_TEST(ask("kill -9 $$") == "the peer was ended by a signal (Killed)");
  BOOST_TEST(error_of([] { Worker("the peer", {"/nowhere/python"}); }) ==
             "the peer cannot be started: /nowhere/python: No such file or directory");
  Worker gone = shell("exit 0");
  for (int i = 0; i < 2; i++) BOOST_TEST(contains(error_of([&] { gone.ask("probe"); }), "the peer"));  // no SIGPIPE
}

BOOST_AUTO_TEST_CASE(a_line_of_the_table_tells_both_speeds_the_ratio_the_share_and_the_bar) {
  const std::string line = table_line(linear_result());
  for (const char* part : {"linear 8 -> 4", "10.0 ms", "200 GFLOP/s", "100 GFLOP/s", "2.00x", "1.50 to 2.00x",
                           "50% of peak", "1.5x met, 60% SHORT"})
    BOOST_TEST(contains(line, part), part << " is not in " << line);
}

BOOST_AUTO_TEST_CASE(other_work_of_our_own_is_told_by_its_time) {
  Result r = linear_result();
  r.work.against = [] { return Action(); };
  BOOST_TEST(contains(table_line(r), "20.0 ms   2.00x"), table_line(r));  // where the speed of a peer would be
  Report report = linear_report();
  report.results = {r};
  BOOST_TEST(contains(json(report), "\"peer\": \"ourselves\""));
  BOOST_TEST(!contains(json(report), "peer_speed"));
}

BOOST_AUTO_TEST_CASE(work_without_an_amount_is_told_by_its_times) {
  Result r = linear_result();
  r.work.amount = 0;
  r.limit = 0;
  BOOST_TEST(table_line(r).starts_with("linear 8 -> 4                        10.0 ms "), table_line(r));
  BOOST_TEST(contains(table_line(r), " 20.0 ms   2.00x"), table_line(r));
  Report report = linear_report();
  report.results = {r};
  BOOST_TEST(contains(markdown(report), "| linear 8 -> 4 | 10.0 ms |  | 20.0 ms | **2.00x**"), markdown(report));
  BOOST_TEST(contains(svg(report), ">10.0 ms<"));
  report.results[0].note = "a|b";  // as a package may put it
  BOOST_TEST(contains(markdown(report), "(a/b) |\n"));
  for (const char* part : {"speed", "amount", "unit"}) BOOST_TEST(!contains(json(report), part), part);
}

BOOST_AUTO_TEST_CASE(a_bar_without_a_peer_stays_open) {
  Result alone = result_of(linear_case(), {{0.01}});
  alone.limit = 250;
  BOOST_TEST(verdict(alone) == "1.5x ?, 60% met");
  alone.work.bar = {};
  BOOST_TEST(verdict(alone) == "");
}

BOOST_AUTO_TEST_CASE(the_summary_counts_bars_and_names_disturbance) {
  Report report = linear_report();
  BOOST_TEST(summary(report) ==
             "2 of 2 bars measured: 1 met, 1 short\n"
             "between the quartiles of our turns lie 0% of the median; other programs kept 0.02 cores busy");
  report.others = 1.5;
  BOOST_TEST(summary(report).ends_with("1.50 cores busy: measure again when the machine is quiet"));
}

BOOST_AUTO_TEST_CASE(markdown_names_the_command_and_replaces_the_table_between_its_marks) {
  const std::string table = markdown(linear_report());
  BOOST_TEST(table.starts_with("Made by `build/bench kernels` on a \"fast\" CPU; peer: PyTorch 2.0, 2 threads.\n\n"));
  BOOST_TEST(contains(table,
                      "\n| linear 8 -> 4 | 10.0 ms | 200 GFLOP/s | 100 GFLOP/s | **2.00x** (1.50 to 2.00x) | "
                      "50% of peak | 1.5x met, 60% SHORT |\n"));
  BOOST_TEST(contains(table, "1 met, 1 short; between"));
  const std::string page = "before\n<!-- bench kernels -->\nold\n<!-- end bench kernels -->\nafter\n";
  BOOST_TEST(replaced_between(page, "bench kernels", "new\n") ==
             "before\n<!-- bench kernels -->\nnew\n<!-- end bench kernels -->\nafter\n");
  BOOST_TEST(replaced_between("anything", "bench kernels", "new\n") == "new\n");
}

BOOST_AUTO_TEST_CASE(json_has_all_figures_and_escapes_quotes) {
  const Json report = Json::parse(json(linear_report()), "the report");
  BOOST_TEST(report.at("machine").text() == "a \"fast\" CPU");
  BOOST_TEST(report.at("cores_taken_by_others").number() == 0.02);
  const Json& result = report.at("results").items().at(0);
  BOOST_TEST((result.at("seconds") == Json(Json::Array{0.01, 0.01, 0.01})));
  BOOST_TEST((result.at("ratio") == Json(Json::Array{1.5, 2.0, 2.0})));
  BOOST_TEST(result.at("share").number() == 0.5);
  BOOST_TEST(result.at("bar_ratio").number() == 1.5);
}

BOOST_AUTO_TEST_CASE(the_picture_shows_ratios_and_without_a_peer_shares) {
  Report report = linear_report();
  const std::string picture = svg(report);
  for (const char* part :
       {"linear 8 -&gt; 4", "heed against PyTorch", ">2.00x<", "stroke-width='2'", "fill='#2e7d55'", ">1/2x<"})
    BOOST_TEST(contains(picture, part), part << " is not in " << picture);
  report.peer = "";
  BOOST_TEST(contains(svg(report), ">50%<"));
  BOOST_TEST(contains(svg(report), "fill='#c4600f'"));  // orange: below the bar of 60%
}

BOOST_AUTO_TEST_CASE(every_case_has_a_name_of_its_own_and_the_peer_knows_its_request) {
  const std::string peer = read_file("bench/peer.py");
  for (const Benchmark* benchmark : all_benchmarks.all()) {
    std::set<std::string> requests;
    for (const Case& work : benchmark->cases()) {
      BOOST_TEST(requests.insert(work.group + work.name).second, work.name << " is there twice");
      const bool times_alone = benchmark->name == "packages" || benchmark->name == "decoding";
      BOOST_TEST((work.amount > 0 || times_alone), work.name);
      BOOST_TEST((work.make && !work.group.empty()), work.name);
      if (benchmark->name == "blas-kernels" || work.request.empty()) continue;  // the peers are ourselves
      const std::string verb = work.request.substr(0, work.request.find(' '));
      BOOST_TEST((contains(peer, "\ndef " + verb + "(") || contains(peer, "\nforward(\"" + verb + "\"")), verb);
    }
  }
}

BOOST_AUTO_TEST_CASE(gradients_are_new_every_time) {
  std::vector<Variable> seen;
  const auto make = forward_backward({{2, 3}}, [&](const std::vector<Variable>& leaves) {
    seen.push_back(leaves[0]);
    return neg(leaves[0]);
  });
  const Action action = make();
  action();
  action();
  BOOST_TEST(seen.size() == 3u);  // the first one told the shape of dy
  BOOST_TEST(seen[1].grad().to_vector<float>() == seen[2].grad().to_vector<float>(), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
