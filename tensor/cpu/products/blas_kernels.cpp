// The choice of OpenBLAS's kernels. It is made when the library is loaded, before any code of ours; two functions that
// OpenBLAS exports for itself make it again: one forgets the table of kernels, the other chooses, and reads the
// environment for a name. In between the table is null, so no product may run meanwhile.
#include <cblas.h>
#include <dlfcn.h>
#include <strings.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "system/processor.h"
#include "tensor/cpu/products/blas.h"

// Weak: another BLAS, or an OpenBLAS built for one CPU, lacks them and still links and runs.
extern "C" {
[[gnu::weak]] char* openblas_get_config(void);
[[gnu::weak]] char* gotoblas_corename(void);
[[gnu::weak]] char* openblas_get_corename(void);
[[gnu::weak]] void gotoblas_dynamic_init(void);
[[gnu::weak]] void gotoblas_dynamic_quit(void);
}

namespace heed {
namespace {

constexpr const char* kVariable = "OPENBLAS_CORETYPE";

// What a set of kernels may use. Those with C files compiled by -march use all of that CPU; the older ones were tried
// on a CPU without: Opteron's end with SIGILL for want of 3DNow!, Bulldozer's to Excavator's for want of FMA4.
using namespace feature;
constexpr Features kAvx2 = avx | avx2 | fma3;
constexpr Features kAvx512 = kAvx2 | avx512f | avx512cd | avx512dq | avx512bw | avx512vl;
constexpr Features kCooperlake = kAvx512 | avx512vnni | avx512bf16;
constexpr Features kSapphireRapids = kCooperlake | avx512fp16 | avx512ifma | avx512vbmi | avx512vbmi2 | avx512bitalg |
                                     avx512vpopcntdq | amx_tile | amx_bf16;

struct Kernels {
  const char* name;
  Features needs;
  bool choosable;  // by choose_blas_kernels; the others can only have been OpenBLAS's own choice
};

constexpr Kernels kKernels[] = {
    {"Katmai", 0, false},
    {"Coppermine", 0, false},
    {"Northwood", 0, false},
    {"Banias", 0, false},
    {"Athlon", amd3dnow, false},
    {"Opteron", amd3dnow, false},
    {"Opteron_SSE3", sse3 | amd3dnow, false},
    {"Barcelona", sse3 | sse4a, false},
    {"Bobcat", sse3 | ssse3 | sse4a, false},
    {"Nano", sse3 | ssse3, false},
    {"Atom", sse3 | ssse3, false},
    {"Core2", sse3 | ssse3, false},
    {"Penryn", sse3 | ssse3 | sse4_1, false},
    {"Dunnington", sse3 | ssse3 | sse4_1, false},
    {"Prescott", sse3, true},
    {"Nehalem", sse3 | ssse3 | sse4_1 | sse4_2, true},
    {"Bulldozer", avx | fma4, false},
    {"Piledriver", avx | fma3 | fma4, false},
    {"Steamroller", avx | fma3 | fma4, false},
    {"Sandybridge", avx, true},
    {"Excavator", kAvx2 | fma4, false},
    {"Haswell", kAvx2, true},
    {"Zen", kAvx2, true},
    {"SkylakeX", kAvx512, true},
    {"Cooperlake", kCooperlake, true},
    {"Sapphirerapids", kSapphireRapids, true},
};

bool same(const std::string& a, const std::string& b) { return strcasecmp(a.c_str(), b.c_str()) == 0; }

const Kernels* find(const std::string& name) {
  for (const Kernels& k : kKernels)
    if (same(k.name, name)) return &k;
  return nullptr;
}

int rank_of(Features needs) { return needs & avx512f ? 3 : needs & avx2 ? 2 : needs & avx ? 1 : 0; }
bool runs_here(const Kernels& k) { return (k.needs & ~cpu_features()) == 0; }

std::string library_of(void* function) {
  Dl_info info;
  if (dladdr(function, &info) == 0 || !info.dli_fname) return "a BLAS";
  std::error_code ignored;
  return std::filesystem::weakly_canonical(info.dli_fname, ignored).filename();
}

// What OpenBLAS chose by itself: the first call is made when heed is loaded.
const std::string& first_choice() {
  static const std::string name = blas_kernels();
  return name;
}

// Lets OpenBLAS choose with this name in its environment, which is then as it was.
void choose_again(const std::string& name) {
  const char* value = std::getenv(kVariable);
  const std::string before = value ? value : "";
  setenv(kVariable, name.c_str(), 1);
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  if (value)
    setenv(kVariable, before.c_str(), 1);
  else
    unsetenv(kVariable);
}

}  // namespace

std::string blas_kernels() {
  if (gotoblas_corename) return gotoblas_corename();
  return openblas_get_corename ? openblas_get_corename() : "";
}

int blas_kernel_rank(const std::string& name) {
  const Kernels* kernels = find(name);
  return kernels ? rank_of(kernels->needs) : -1;
}

int cpu_kernel_rank() {
  int rank = -1;
  for (const Kernels& k : kKernels)
    if (k.choosable && runs_here(k)) rank = std::max(rank, rank_of(k.needs));
  return rank;
}

int build_kernel_rank() { return rank_of(build_features()); }

bool user_chose_kernels() {
  const char* name = std::getenv(kVariable);
  return name && *name;
}

bool cpu_runs_kernels(const std::string& name) {
  const Kernels* kernels = find(name);
  return !kernels || runs_here(*kernels);
}

bool choose_blas_kernels(const std::string& name) {
  const Kernels* kernels = find(name);
  if (!kernels || !runs_here(*kernels) || !(kernels->choosable || same(name, first_choice()))) return false;
  if (!gotoblas_corename || !gotoblas_dynamic_init || !gotoblas_dynamic_quit) return false;
  const std::string before = blas_kernels();
  if (same(before, name)) return true;
  choose_again(name);
  if (same(blas_kernels(), name)) return true;
  choose_again(before);  // a name that this OpenBLAS does not know makes it take others
  return false;
}

std::vector<std::string> blas_kernel_names() {
  const std::string before = blas_kernels();
  std::vector<std::string> names;
  for (const Kernels& k : kKernels)
    if (choose_blas_kernels(k.name)) names.push_back(k.name);
  if (!same(blas_kernels(), before)) choose_again(before);
  return names;
}

bool repair_blas_kernels() {
  const std::string before = first_choice().empty() ? "" : blas_kernels();
  const int rank = blas_kernel_rank(before), lowest = cpu_runs_kernels(before) ? rank + 1 : 0;
  if (rank < 0 || user_chose_kernels()) return false;
  const char* const best[] = {"Prescott", "Sandybridge", cpu_is_amd() ? "Zen" : "Haswell", "SkylakeX"};  // by rank
  for (int i = cpu_kernel_rank(); i >= lowest; i--)
    if (choose_blas_kernels(best[i])) return true;
  return false;
}

std::string blas_description() {
  if (!openblas_get_config) return library_of(reinterpret_cast<void*>(cblas_sgemm)) + ", which is not OpenBLAS";
  std::istringstream config(openblas_get_config());  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
  std::string word, version, name = blas_kernels(), note;
  config >> word >> version;
  if (!same(name, first_choice()))
    note = " (chosen by heed; OpenBLAS had chosen " + first_choice() + ")";
  else if (user_chose_kernels())
    note = std::string(" (") + kVariable + ")";
  return word + " " + version + (name.empty() ? "" : ", " + name + " kernels" + note);
}

}  // namespace heed
