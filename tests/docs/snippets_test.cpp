// The code that the docs show. Every ```cpp block of a Markdown file must stand in one of the project's sources, line
// by line (indentation apart), so that no example can rot.
#include <filesystem>
#include <sstream>

#include "autograd/gradcheck.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/views.h"
#include "autograd/recompute.h"
#include "nn/linear.h"
#include "tensor/allocator.h"
#include "tensor/create.h"
#include "tensor/random.h"
#include "tests/support/compare.h"
#include "tests/support/folder.h"

using namespace heed;

namespace snippets {

// y = x^3: dx = 3 x^2 dy
Variable cube(const Variable& x) {
  Tensor y = x.value() * x.value() * x.value();
  return record("cube", y, {x}, [x = Saved(x)](const Tensor& dy) { return dy * x * x * 3.0; });
}

class Mlp : public Module {
 public:
  explicit Mlp(long width) : hidden(child<Linear>("hidden", 2, width)), out(child<Linear>("out", width, 2)) {}
  Variable forward(const Variable& x, Context& ctx) { return out.forward(tanh(hidden.forward(x, ctx)), ctx); }

 private:
  Linear &hidden, &out;
};

}  // namespace snippets

namespace {

// The text without indentation and empty lines, so that a snippet is found at any depth.
std::string flat(const std::string& text) {
  std::istringstream lines(text);
  std::string line, out;
  while (std::getline(lines, line)) {
    size_t first = line.find_first_not_of(" \t");
    if (first != std::string::npos) out += line.substr(first) + "\n";
  }
  return out;
}

std::vector<std::string> code_blocks(const std::string& markdown) {
  std::vector<std::string> blocks;
  const std::string open = "```cpp\n", close = "```";
  for (size_t at = 0; (at = markdown.find(open, at)) != std::string::npos;) {
    size_t begin = at + open.size(), end = markdown.find(close, begin);
    blocks.push_back(markdown.substr(begin, end - begin));
    at = end;
  }
  return blocks;
}

bool is_ours(const std::filesystem::path& path) {
  for (const auto& part : path)
    if (part == "build" || part == "runs" || part == ".git") return false;
  return true;
}

std::vector<std::filesystem::path> files(std::initializer_list<const char*> extensions) {
  std::vector<std::filesystem::path> found;
  for (auto it = std::filesystem::recursive_directory_iterator("."); it != std::filesystem::end(it); ++it) {
    if (!is_ours(it->path())) {
      it.disable_recursion_pending();
      continue;
    }
    for (const char* extension : extensions)
      if (it->path().extension() == extension) found.push_back(it->path());
  }
  return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_snippet_of_the_docs_stands_in_a_compiled_source) {
  BOOST_REQUIRE_MESSAGE(std::filesystem::exists("README.md"), "run the tests from the project's folder");
  std::string sources;
  for (const auto& path : files({".cpp", ".h"})) sources += flat(read_file(path));
  int count = 0;
  for (const auto& path : files({".md"}))
    for (const std::string& block : code_blocks(read_file(path))) {
      count++;
      BOOST_CHECK_MESSAGE(sources.find(flat(block)) != std::string::npos,
                          path << ": this snippet stands in no source file:\n"
                               << block);
    }
  BOOST_TEST(count >= 5);
}

BOOST_AUTO_TEST_CASE(the_custom_op_of_the_readme_has_the_right_gradient) {
  using snippets::cube;
  gradcheck([](auto& x) { return cube(x[0]); }, {randn({3, 5}, 1, f64)});
}

BOOST_AUTO_TEST_CASE(the_module_of_the_readme_has_four_parameters) {
  snippets::Mlp model(64);
  BOOST_TEST(model.parameters().size() == 4);
}

BOOST_AUTO_TEST_CASE(the_tour_through_tensor_and_autograd_holds) {
  {
    Tensor x = tensor({1, 2, 3, 4, 5, 6}, {2, 3});
    Tensor t = transpose(x);       // (3, 2), the same six numbers
    Tensor row = select(x, 0, 1);  // (3,), the second row
    fill(row, 0);                  // seen by x and by t
    BOOST_TEST(t.strides() == (Strides{1, 3}));
    BOOST_TEST(x.at({1, 2}) == 0);
    BOOST_TEST(t.at({2, 1}) == 0);
    BOOST_TEST(x.str() == "Tensor([[1, 2, 3],\n        [0, 0, 0]], (2, 3), f32)");
  }
  {
    Tensor x = tensor({1, 2, 3, 4, 5, 6}, {2, 3});
    Tensor centred = x - mean(x, {0}, true);  // (2, 3) - (1, 3)
    Tensor p = softmax(x * 2.0);
    Tensor gram = matmul(x, transpose(x));  // (2, 3) x (3, 2), nothing is copied
    BOOST_TEST(centred.at({0, 0}) == -1.5);
    BOOST_TEST(gram.at({0, 1}) == 32);
    check_close(sum(p, {-1}), ones({2}), 1e-6);
  }
  {
    Variable x = tensor({1, 2}, {1, 2});                        // a constant: data
    Variable w = Variable::leaf(tensor({0.5, -0.25}, {2, 1}));  // a leaf: a parameter
    Variable y = tanh(matmul(x, w));
    Variable loss = mean((y - 1.0) * (y - 1.0));
    loss.backward();
    check_close(w.grad(), tensor({-2, -4}, {2, 1}), 1e-6);
  }
  {
    Variable x = Variable::leaf(randn({64, 64}, 1));
    auto block = [](const std::vector<Variable>& in) { return tanh(tanh(tanh(in[0]))); };
    Variable y = recompute(block, {x}, nullptr);  // keeps x only; the three results are computed again in backward
    sum(y).backward();
    BOOST_TEST(x.grad().defined());
  }
  {
    reset_peak();
    Tensor x = zeros({1024, 1024});
    MemoryStats memory = memory_stats();  // live, peak and reserved bytes
    BOOST_TEST(memory.live >= 4194304u);
  }
}
