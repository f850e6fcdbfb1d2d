#include "tensor/cpu/products/blas.h"

#include <cstdlib>
#include <string>

#include "tensor/ops/matmul.h"
#include "tests/support/compare.h"

using namespace heed;

extern "C" {
[[gnu::weak]] int openblas_get_num_threads(void);
[[gnu::weak]] int openblas_get_parallel(void);
}

namespace {

constexpr const char* kVariable = "OPENBLAS_CORETYPE";

// A test switches kernels and sets the variable as it likes: both are put back.
struct PutBack {
  const char* value = std::getenv(kVariable);
  const std::string variable = value ? value : "", kernels = blas_kernels();
  const bool was_set = value != nullptr;
  PutBack() { unsetenv(kVariable); }
  ~PutBack() {
    choose_blas_kernels(kernels);
    if (was_set) setenv(kVariable, variable.c_str(), 1);
  }
};

bool can_choose() { return blas_kernel_names().size() > 1; }  // an OpenBLAS built for one CPU cannot

// A product by plain loops, for the judge; `Mistake` is made at one place.
enum class Mistake { none, one_element, reads_c, writes_too_much, ignores_transpose };

template <class E, Mistake mistake>
void loops(const MatrixView<E>& c, const MatrixView<const E>& a, const MatrixView<const E>& given_b) {
  MatrixView<const E> b = given_b;
  if (mistake == Mistake::ignores_transpose) b.row = std::max(b.row, b.column), b.column = 1;
  for (long i = 0; i < c.rows; i++)
    for (long j = 0; j < c.columns; j++) {
      E sum = mistake == Mistake::reads_c ? 0 * c(i, j) : E(0);
      for (long p = 0; p < a.columns; p++) sum += a(i, p) * b(p, j);
      c(i, j) = sum;
    }
  if (mistake == Mistake::one_element && c.rows > 20) c(20, 3) += 1;
  if (mistake == Mistake::writes_too_much) c(0, c.columns) = 0;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(blas_test)

// ---- OpenBLAS's kernels

BOOST_AUTO_TEST_CASE(openblas_uses_what_this_cpu_has) {
  if (std::getenv(kVariable)) return;  // the user's word
  const int rank = blas_kernel_rank(blas_kernels());
  if (can_choose() && rank >= 0) BOOST_TEST(rank == cpu_kernel_rank(), blas_description());
  BOOST_TEST(cpu_runs_kernels(blas_kernels()));
}

BOOST_AUTO_TEST_CASE(a_wrong_choice_is_repaired) {
  if (!can_choose()) return;
  PutBack at_end;
  for (const char* wrong : {"Prescott", "Nehalem"}) {
    if (!choose_blas_kernels(wrong) || cpu_kernel_rank() == 0) continue;
    BOOST_TEST(blas_kernels() == wrong);
    BOOST_TEST(multiplies_rightly<float>(gemm));
    BOOST_TEST(repair_blas_kernels());
    BOOST_TEST(blas_kernel_rank(blas_kernels()) == cpu_kernel_rank(), blas_description());
    BOOST_TEST(std::getenv(kVariable) == nullptr);
    BOOST_TEST(!repair_blas_kernels());  // nothing left to do
    if (openblas_get_num_threads && openblas_get_parallel() == 1) BOOST_TEST(openblas_get_num_threads() == 1);
  }
}

BOOST_AUTO_TEST_CASE(products_are_right_with_all_kernels) {
  PutBack at_end;
  for (const std::string& name : blas_kernel_names()) {
    BOOST_TEST(choose_blas_kernels(name));
    BOOST_TEST(blas_kernels() == name);
    BOOST_TEST(multiplies_rightly<float>(gemm), name);
    BOOST_TEST(multiplies_rightly<double>(gemm), name);
    for (Shape s : {Shape{1, 300, 1}, {65, 129, 257}, {600, 7, 33}, {3, 1000, 5}}) {
      const Tensor a = noise({s[0], s[1]}, 1, f32), b = noise({s[1], s[2]}, 2, f32);
      check_close(matmul(a, b), matmul_reference(a, b), 1e-4);  // f32 sums of 1000 terms of about one
    }
  }
}

BOOST_AUTO_TEST_CASE(the_users_choice_of_kernels_is_respected) {
  if (!can_choose()) return;
  PutBack at_end;
  BOOST_TEST(choose_blas_kernels("Prescott"));
  setenv(kVariable, "Prescott", 1);
  BOOST_TEST(!repair_blas_kernels());
  BOOST_TEST(blas_kernels() == "Prescott");
  BOOST_TEST(std::getenv(kVariable) == std::string("Prescott"));
  unsetenv(kVariable);
}

BOOST_AUTO_TEST_CASE(the_description_says_who_chose) {
  if (!can_choose()) return;
  PutBack at_end;
  const std::string name = blas_kernels(), plain = blas_description();
  const bool prescott = plain.find("Prescott") != std::string::npos;  // it runs, or was OpenBLAS's own choice
  const std::string other = prescott ? "Nehalem" : "Prescott";
  BOOST_TEST(choose_blas_kernels(other));
  const size_t found = blas_description().find(", " + other + " kernels (chosen by heed; OpenBLAS had chosen ");
  BOOST_TEST(found != std::string::npos, blas_description());
  BOOST_TEST(choose_blas_kernels(name));
  BOOST_TEST(blas_description() == plain);
  BOOST_TEST(plain.rfind("OpenBLAS ", 0) == 0u, plain);
  setenv(kVariable, name.c_str(), 1);
  if (plain.find("(chosen by heed") == std::string::npos)
    BOOST_TEST(blas_description() == plain + " (OPENBLAS_CORETYPE)");
  unsetenv(kVariable);
}

BOOST_AUTO_TEST_CASE(kernels_that_cannot_run_are_refused) {
  PutBack at_end;
  const std::string before = blas_kernels();
  for (const char* name : {"", "Pentium", "Katmai", "Sapphirerapids", "Cooperlake", "SkylakeX"}) {
    if (cpu_kernel_rank() == 3 && blas_kernel_rank(name) == 3) continue;
    BOOST_TEST(!choose_blas_kernels(name), name);
    BOOST_TEST(blas_kernels() == before);
  }
  for (const std::string& name : blas_kernel_names()) BOOST_TEST(blas_kernel_rank(name) <= cpu_kernel_rank());
  BOOST_TEST(blas_kernels() == before);
}

BOOST_AUTO_TEST_CASE(ranks_follow_the_width_of_the_vectors) {
  BOOST_TEST(blas_kernel_rank("Prescott") == 0);
  BOOST_TEST(blas_kernel_rank("Sandybridge") == 1);
  BOOST_TEST(blas_kernel_rank("Haswell") == 2);
  BOOST_TEST(blas_kernel_rank("Zen") == 2);
  BOOST_TEST(blas_kernel_rank("SkylakeX") == 3);
  BOOST_TEST(blas_kernel_rank("SapphireRapids") == 3);
  BOOST_TEST(blas_kernel_rank("neoversen1") == -1);
  BOOST_TEST(cpu_runs_kernels("neoversen1"));  // unknown: OpenBLAS knows better
}

// ---- is the BLAS right?

BOOST_AUTO_TEST_CASE(the_blas_here_is_right) {
  BOOST_TEST(multiplies_rightly<float>(gemm));
  BOOST_TEST(multiplies_rightly<double>(gemm));
  check_blas("matmul");
}

BOOST_AUTO_TEST_CASE(a_product_with_a_mistake_is_noticed) {
  BOOST_TEST((multiplies_rightly<float>(loops<float, Mistake::none>)));
  BOOST_TEST((multiplies_rightly<double>(loops<double, Mistake::none>)));
  BOOST_TEST(!(multiplies_rightly<float>(loops<float, Mistake::one_element>)));
  BOOST_TEST(!(multiplies_rightly<double>(loops<double, Mistake::one_element>)));
  BOOST_TEST(!(multiplies_rightly<float>(loops<float, Mistake::reads_c>)));
  BOOST_TEST(!(multiplies_rightly<float>(loops<float, Mistake::writes_too_much>)));
  BOOST_TEST(!(multiplies_rightly<double>(loops<double, Mistake::ignores_transpose>)));
}

BOOST_AUTO_TEST_SUITE_END()
