// The table of ops in tensor/README.md is made from the headers (which ops there are, which have a gradient) and from
// the kernel slots (which types and devices). HEED_UPDATE=1 writes it anew.
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "tensor/kernel.h"
#include "tensor/ops/compare.h"
#include "tensor/ops/elementwise_table.h"
#include "tests/support/folder.h"
#include "tests/support/generated_part.h"

using namespace heed;

namespace {

const GeneratedPart kTable{"tensor/README.md", "<!-- ops: made by HEED_UPDATE=1 make test T=op_table_test -->\n",
                           "<!-- end of ops -->\n", "op_table_test"};

const std::set<std::string> kTableOps = {
#define HEED_NAME(name, ...) #name,
    HEED_UNARY_TABLE(HEED_NAME) HEED_BINARY_TABLE(HEED_NAME)};
const std::set<std::string> kCompareOps = {HEED_COMPARE_TABLE(HEED_NAME) HEED_LOGICAL_TABLE(HEED_NAME)};
#undef HEED_NAME

// Functions declared in a folder's headers that return one of these types: name -> header.
std::map<std::string, std::string> declared(const char* folder, const std::string& types) {
  const std::regex door("(?:^|\\n)(?:" + types + ") ([a-z_0-9]+)\\(");
  std::map<std::string, std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".h" || entry.path().parent_path().filename() == "cpu") continue;
    const std::string text = read_file(entry.path());
    for (std::sregex_iterator it(text.begin(), text.end(), door), end; it != end; ++it)
      found.emplace((*it)[1], entry.path().filename().string());
  }
  return found;
}

// Not ops: gradients, references, an op's result with what its gradient needs, and what doors share.
bool is_helper(const std::string& name) {
  for (const char* part : {"_backward", "_reference", "_with_"})
    if (name.find(part) != std::string::npos) return true;
  return std::set<std::string>{"checked_indices", "checked_rows", "apart", "chunk_sizes"}.contains(name);
}

// "f32 f64", "all", or "-" for an op that is made of other ops.
std::string types_of(const std::string& op) {
  std::set<DType> types;
  for (const KernelEntry& entry : kernel_entries())
    if (entry.op == op && entry.computes) types.insert(entry.dtype);
  if (types.contains(kEveryType)) return "all";
  std::string text;
  for (DType type : types) text += (text.empty() ? "" : " ") + std::string(name(type));
  return text.empty() ? "-" : text;
}

// The cpu's kernels are registered; those of cuda may not be loaded, but one stem is one story: cuda/softmax.cu.
std::string devices_of(const std::string& op, const std::string& header) {
  bool on_cpu = false;
  for (const KernelEntry& entry : kernel_entries()) on_cpu |= entry.op == op && entry.backend == Backend::cpu;
  if (!on_cpu) return "-";
  const std::string stem = header == "elementwise_table.h" ? "elementwise" : header.substr(0, header.size() - 2);
  return std::filesystem::exists("cuda/" + stem + ".cu") ? "cpu cuda" : "cpu";
}

std::string table() {
  auto ops = declared("tensor", "Tensor|[A-Z][A-Za-z]*Result|UniqueCounts|std::vector<Tensor>");
  auto gradients = declared("autograd", "Variable|[A-Z][A-Za-z]*|std::vector<Variable>");
  for (const auto& op : kTableOps) ops[op] = "elementwise_table.h", gradients[op] = "";
  for (const auto& op : kCompareOps) ops[op] = "compare.h";
  std::string text = "| op | gradient | types | devices | header |\n|---|---|---|---|---|\n";
  for (const auto& [op, header] : ops) {
    if (is_helper(op)) continue;
    text += "| " + op + " | " + (gradients.contains(op) ? "yes" : "-") + " | " + types_of(op) + " | " +
            devices_of(op, header) + " | " + header + " |\n";
  }
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(op_table_test)

BOOST_AUTO_TEST_CASE(the_table_of_ops_in_the_readme_is_true) { check_generated(kTable, table()); }

BOOST_AUTO_TEST_CASE(the_table_knows_ops_of_every_kind) {
  const std::string text = table();
  for (const char* row :
       {"| softmax | yes | f32 f64 | cpu cuda | softmax.h |", "| matmul | yes | f32 f64 | cpu cuda | matmul.h |",
        "| tanh | yes | f32 f64 | cpu cuda | elementwise_table.h |", "| transpose | yes | - | - | views.h |",
        "| qr | - | f32 f64 | cpu | decompose.h |", "| argmax | - |"})
    BOOST_CHECK_MESSAGE(text.find(row) != std::string::npos, row << " is missing");
}

BOOST_AUTO_TEST_SUITE_END()
