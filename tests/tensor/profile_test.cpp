// Profiles: which rows a small program gives, what counts as bytes and work, and who is asked to print them.
#include "tensor/profile.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <thread>

#include "autograd/ops/elementwise.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "autograd/recompute.h"
#include "system/command_line.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/convolution.h"
#include "tensor/ops/sort.h"
#include "tensor/random.h"
#include "tensor/views.h"
#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(profile_test)

namespace {

// The row of an op, or one with 0 calls.
ProfileRow row_of(const Profile& profile, const std::string& op, const std::string& within = "") {
  for (const ProfileRow& row : profile.rows())
    if (row.op == op && row.within == within) return row;
  return {};
}

template <class F> ProfileRow row_of(const std::string& op, F&& work) {
  const Profile profile;
  work();
  return row_of(profile, op);
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Runs a program whose body is given behind its command line; returns what it wrote to stderr.
std::string stderr_of(std::vector<const char*> arguments, void (*work)()) {
  std::ostringstream text;
  std::streambuf* before = std::cerr.rdbuf(text.rdbuf());
  arguments.insert(arguments.begin(), "little");
  auto body = [&](int argc, char** argv) {
    CommandLine line("little", "Does little.");
    if (!line.parse(argc, argv)) return line.exit_code();
    work();
    return 0;
  };
  run("little", body, int(arguments.size()), const_cast<char**>(arguments.data()));
  std::cerr.rdbuf(before);
  return text.str();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_product_tells_its_calls_bytes_and_work) {
  const Tensor a = randn({5, 7}, 1), b = randn({7, 3}, 2), many = randn({4, 7, 3}, 3);
  const Profile profile;
  matmul(a, b);
  matmul(a, transpose(transpose(b)));
  matmul(a, many);
  const ProfileRow row = row_of(profile, "matmul");
  BOOST_TEST(row.calls == 3);
  BOOST_TEST(row.flops == 2 * (5 * 7 * 3) * (2 + 4));
  BOOST_TEST(row.bytes == 4 * (2 * (5 * 7 + 7 * 3 + 5 * 3) + (5 * 7 + 4 * 7 * 3 + 4 * 5 * 3)));
  BOOST_TEST(row.seconds > 0);
  BOOST_TEST(profile.rows().size() == 1u);
}

BOOST_AUTO_TEST_CASE(bytes_are_those_of_elements_that_exist) {
  const Tensor a = randn({6, 4}, 1), b = randn({6, 4}, 2), bias = randn({4}, 3);
  BOOST_TEST(row_of("add", [&] { add(a, b); }).bytes == 4 * (24 + 24 + 24));
  BOOST_TEST(row_of("add", [&] { add(a, bias); }).bytes == 4 * (24 + 24 + 4));
  BOOST_TEST(row_of("add", [&] { add(a, expand(bias, {6, 4})); }).bytes == 4 * (24 + 24 + 4));
  BOOST_TEST(row_of("add", [&] { add(a, a); }).bytes == 4 * (24 + 24));  // read once
  BOOST_TEST(row_of("add", [&] { add(slice(a, 0, 1, 3), slice(b, 0, 1, 3)); }).bytes == 4 * 3 * 8);
  BOOST_TEST(row_of("copy", [&] { cast(a, f64); }).bytes == 24 * (4 + 8));
  BOOST_TEST(row_of("fill", [&] { zeros({5}, i64); }).bytes == 5 * 8);
  BOOST_TEST(row_of("add_into", [&] { add_into(a, bias); }).bytes == 4 * (24 + 4));
}

BOOST_AUTO_TEST_CASE(a_convolution_tells_its_work) {
  const Tensor x = randn({2, 10, 4}, 1);
  const Profile profile;
  conv1d(x, randn({4, 1, 3}, 2), {}, {.groups = 4});
  BOOST_TEST(row_of(profile, "conv1d").flops == 2.0 * 2 * 8 * 4 * 3);
  conv1d(x, randn({6, 4, 3}, 3), {}, {});  // a product of windows and weights
  BOOST_TEST(row_of(profile, "matmul").flops == 2.0 * 2 * 8 * 6 * 4 * 3);
}

BOOST_AUTO_TEST_CASE(an_op_without_a_count_of_its_work_has_none) {
  const ProfileRow row = row_of("sort", [] { sort(randn({9}, 1)); });
  BOOST_TEST(row.calls == 1);
  BOOST_TEST(row.flops == 0);
}

BOOST_AUTO_TEST_CASE(asking_for_the_size_of_a_workspace_is_no_call) {
  BOOST_TEST(row_of("sum", [] { sum(ones({3, 5})); }).calls == 1);
}

BOOST_AUTO_TEST_CASE(backward_is_told_apart_by_the_op_it_belongs_to) {
  const Variable x = Variable::leaf(randn({5, 7}, 1)), w = Variable::leaf(randn({3, 7}, 2));
  const Profile profile;
  const Variable y = tanh(linear(x, w, {}));
  BOOST_TEST(row_of(profile, "matmul").calls == 1);
  sum(y).backward();
  BOOST_TEST(row_of(profile, "matmul").calls == 1);
  BOOST_TEST(row_of(profile, "matmul", "backward of linear").calls == 2);
  BOOST_TEST(row_of(profile, "matmul", "backward of linear").flops == 2 * 2 * (5 * 7 * 3));
  BOOST_TEST(row_of(profile, "tanh").calls == 1);
  BOOST_TEST(row_of(profile, "tanh", "backward of tanh").calls == 1);
  matmul(x.value(), transpose(w.value()));
  BOOST_TEST(row_of(profile, "matmul").calls == 2);  // backward is over
}

BOOST_AUTO_TEST_CASE(what_a_recomputed_block_computes_again_is_seen_as_such) {
  const Variable x = Variable::leaf(randn({5}, 1));
  const Profile profile;
  sum(recompute([](const std::vector<Variable>& in) { return exp(in[0]); }, {x}, nullptr)).backward();
  BOOST_TEST(row_of(profile, "exp").calls == 1);
  BOOST_TEST(row_of(profile, "exp", "backward of recompute").calls == 1);
}

BOOST_AUTO_TEST_CASE(a_backward_that_throws_leaves_no_trace) {
  const Variable x = Variable::leaf(randn({5}, 1));
  const Profile profile;
  const Variable y = record("exp", x.value(), {x}, [](const Tensor&) -> Grads { fail("exp", "it throws"); });
  BOOST_TEST(error_of([&] { sum(y).backward(); }) == "exp: it throws");
  exp(x.value());
  BOOST_TEST(row_of(profile, "exp").calls == 1);
}

BOOST_AUTO_TEST_CASE(without_a_profile_nothing_is_noted) {
  const Tensor x = randn({5}, 1);
  BOOST_TEST(!profile::on());
  exp(x);
  Profile profile;
  BOOST_TEST(profile::on());
  BOOST_TEST(profile.rows().empty());
  tanh(x);
  profile.stop();
  BOOST_TEST(!profile::on());
  exp(x);
  tanh(x);
  const double seconds = profile.seconds();
  BOOST_TEST(profile.rows().size() == 1u);
  BOOST_TEST(row_of(profile, "tanh").calls == 1);
  BOOST_TEST(profile.seconds() == seconds);
}

BOOST_AUTO_TEST_CASE(each_of_two_profiles_counts_from_its_own_beginning) {
  const Tensor x = randn({5}, 1);
  const Profile whole;
  exp(x);
  {
    const Profile part;
    exp(x);
    tanh(x);
    BOOST_TEST(row_of(part, "exp").calls == 1);
    BOOST_TEST(part.rows().size() == 2u);
  }
  exp(x);
  BOOST_TEST(row_of(whole, "exp").calls == 3);
  BOOST_TEST(row_of(whole, "tanh").calls == 1);
}

BOOST_AUTO_TEST_CASE(time_inside_of_a_kernel_that_another_calls_is_counted_once) {
  const Profile profile;
  {
    const profile::Timed outer("outer", 1);
    const profile::Timed inner("inner", 2);
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(2)) continue;
  }
  const ProfileRow outer = row_of(profile, "outer"), inner = row_of(profile, "inner");
  BOOST_TEST(inner.seconds >= 0.002);
  BOOST_TEST(outer.seconds + inner.seconds <= profile.seconds());
  BOOST_TEST((outer.flops == 1 && inner.flops == 2));
}

BOOST_AUTO_TEST_CASE(several_threads_add_up) {
  const Profile profile;
  const auto work = [] {
    const Tensor x = randn({8}, 1);
    for (int i = 0; i < 200; i++) add(x, x);
  };
  std::thread one(work), two(work);
  one.join();
  two.join();
  BOOST_TEST(row_of(profile, "add").calls == 400);
  BOOST_TEST(row_of(profile, "add").bytes == 400 * 64);
}

BOOST_AUTO_TEST_CASE(the_text_lists_the_ops_by_time_and_what_is_left) {
  Profile profile;
  const Tensor a = randn({100, 100}, 1);
  matmul(a, a);
  const Variable x = Variable::leaf(a);
  sum(tanh(x)).backward();
  profile.stop();
  const std::string text = profile.text();
  for (const char* part :
       {"op  ", "calls", "ms", "share", "GB/s", "GFLOP/s\n", "\nmatmul  ", "\nnormal  ", "\ntanh, backward of tanh  ",
        "\noutside of kernels  ", "\ntotal  ", "100.0%\n", "\npeak memory of tensors: "})
    BOOST_TEST(contains(text, part), "'" << part << "' is not in\n" << text);
  BOOST_TEST(!contains(text, " \n"));
  const std::vector<ProfileRow> rows = profile.rows();
  for (size_t i = 1; i < rows.size(); i++) BOOST_TEST(rows[i - 1].seconds >= rows[i].seconds);
}

BOOST_AUTO_TEST_CASE(every_program_prints_the_table_when_asked) {
  const auto work = [] { exp(ones({3})); };
  BOOST_TEST(stderr_of({}, work) == "");
  BOOST_TEST(contains(stderr_of({"--profile"}, work), "\nexp  "));
  BOOST_TEST(!profile::on());
  BOOST_TEST(stderr_of({}, work) == "");
  const std::string text = stderr_of({"--profile"}, [] { fail("exp", exp(ones({3})).shape(), " and out"); });
  BOOST_TEST(text.starts_with("little: exp: (3,) and out\nop "));
  BOOST_TEST(contains(text, "\nexp  "));
}

BOOST_AUTO_TEST_CASE(the_option_is_in_the_help_and_taken) {
  CommandLine line("little", "Does little.");
  bool flag = false;
  BOOST_TEST(error_of([&] { line.flag("--profile", flag, "mine"); }) ==
             "CommandLine: there is already an option --profile");
  std::ostringstream text;
  std::streambuf* before = std::cout.rdbuf(text.rdbuf());
  const char* arguments[] = {"little", "--help"};
  line.parse(2, arguments);
  std::cout.rdbuf(before);
  BOOST_TEST(contains(text.str(), "--profile"));
  BOOST_TEST(contains(text.str(), "how long each op took"));
}

BOOST_AUTO_TEST_CASE(any_program_prints_the_table_when_the_environment_asks) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const auto output = [&](const std::string& variable) {
    FILE* pipe = popen((variable + " '" + self + "' --run_test=profile_test/asking* 2>&1").c_str(), "r");
    std::string text;
    for (int c; (c = std::fgetc(pipe)) != EOF;) text += char(c);
    pclose(pipe);
    return text;
  };
  BOOST_TEST(contains(output("HEED_PROFILE=1"), "\nsum  "));
  BOOST_TEST(contains(output("HEED_PROFILE=0"), "1 passed"));
  BOOST_TEST(!contains(output("HEED_PROFILE=0"), "outside of kernels"));
}

BOOST_AUTO_TEST_SUITE_END()
