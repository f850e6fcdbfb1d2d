// gradcheck finds what it is for, and the proof that no recorded op of the whole run is without one.
#include "autograd/gradcheck.h"

#include <filesystem>
#include <regex>
#include <set>

#include "autograd/graph.h"
#include "autograd/ops/elementwise.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tests/support/at_end.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/folder.h"
#include "tests/support/guarded_device.h"

using namespace heed;

namespace {

OpNames names;
const bool watching = (watch_ops(&names), true);

// The ops that a file of the engine records, by their names in the source: also those that no test runs at all.
std::set<std::string> recorded_in(const std::filesystem::path& file) {
  static const std::regex call("\\brecord(?:_many)?\\(\\s*\"([a-z_0-9]+)\"");
  const std::string text = read_file(file);
  std::set<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), call), end; it != end; ++it) found.insert((*it)[1]);
  return found;
}

// Folders of the engine: not what is hidden, built or only uses it.
bool is_engine(const std::filesystem::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  return entry.is_directory() && name[0] != '.' && !std::set<std::string>{"build", "tests", "bench"}.contains(name);
}

void every_recorded_op_has_a_gradcheck() {
  for (const std::string& op : names.recorded)
    BOOST_CHECK_MESSAGE(names.checked.contains(op), op << " has no gradcheck");
  BOOST_REQUIRE_MESSAGE(std::filesystem::exists("autograd/variable.cpp"), "run the tests from the project's folder");
  for (const auto& tree : std::filesystem::directory_iterator(".")) {
    if (!is_engine(tree)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(tree))
      if (entry.path().extension() == ".cpp")
        for (const std::string& op : recorded_in(entry.path()))
          BOOST_CHECK_MESSAGE(names.checked.contains(op), entry.path()
                                                              << " records " << op << ", which has no gradcheck");
  }
}
const AtEnd at_end("every_recorded_op_has_a_gradcheck", every_recorded_op_has_a_gradcheck);

}  // namespace

BOOST_AUTO_TEST_CASE(gradcheck_works_on_any_device) {
  const GuardedDevice guarded;
  gradcheck([](auto& x) { return tanh(x[0]) * x[1]; },
            {to(noise({2, 3}), guarded.device), to(noise({3}), guarded.device)});
  const auto wrong = [](auto& x) {
    return record("tanh", tanh(x[0].value()), {x[0]}, [](const Tensor& dy) { return dy * 2.0; });
  };
  BOOST_TEST(error_of([&] {
               gradcheck(wrong, {to(tensor({0, 1}, f64), guarded.device)});
             }).starts_with("gradcheck: against central differences: input 0, element (0,)"));
}

BOOST_AUTO_TEST_CASE(gradcheck_finds_a_wrong_gradient_and_says_where) {
  auto wrong = [](auto& x) {
    return record("tanh", tanh(x[0].value()), {x[0]}, [](const Tensor& dy) { return dy * 2.0; });
  };
  try {
    gradcheck(wrong, {tensor({0, 1}, f64)});
    BOOST_ERROR("not found");
  } catch (const Error& e) {
    BOOST_TEST(std::string(e.what()).starts_with(
                   "gradcheck: against central differences: input 0, element (0,): the gradient is "),
               e.what());
  }
}

BOOST_AUTO_TEST_CASE(gradcheck_finds_a_tensor_that_was_not_captured_as_saved) {
  auto careless = [](auto& x) {
    return record("exp", exp(x[0].value()), {x[0]}, [x = x[0].value()](const Tensor& dy) { return dy * exp(x); });
  };
  try {
    gradcheck(careless, {tensor({0.5, 1}, f64)});
    BOOST_ERROR("not found");
  } catch (const Error& e) {
    BOOST_TEST(std::string(e.what()).find("capture it as Saved") != std::string::npos, e.what());
  }
}
