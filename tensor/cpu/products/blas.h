// The one place that talks to OpenBLAS. It is always used single-threaded (its own threads change the bits of the
// result with their number); products are cut into panels that run in our pool (matmul.cpp).
#pragma once

#include <string>
#include <vector>

#include "tensor/cpu/products/matrix.h"

namespace heed {

// While one lives, BLAS and LAPACK use one thread in this thread. OpenBLAS's own threads are set to one at start; its
// OpenMP build asks for the caller's setting at every call, so that one is told for the length of the call, and finds
// the host program's setting again afterwards.
class OneBlasThread {
 public:
  OneBlasThread();
  ~OneBlasThread();
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;

 private:
  int before_ = 0;
};

// c (m, n) = a (m, k) b (k, n). Rows of c are dense; of a and b the rows (column = 1) or the columns (row = 1) are.
void gemm(const MatrixView<float>& c, const MatrixView<const float>& a, const MatrixView<const float>& b);
void gemm(const MatrixView<double>& c, const MatrixView<const double>& a, const MatrixView<const double>& b);

// "OpenBLAS 0.3.21, Zen kernels": what runs, for the line that programs print at start. It goes on with
// " (chosen by heed; OpenBLAS had chosen Prescott)" or " (OPENBLAS_CORETYPE)" where that is so.
std::string blas_description();

// ---- is it right?

template <class E>
using Gemm = void (*)(const MatrixView<E>& c, const MatrixView<const E>& a, const MatrixView<const E>& b);

// Some small products with all transposes against plain loops, bit for bit: the numbers are whole and small.
template <class E> bool multiplies_rightly(Gemm<E> gemm);

// Throws unless the BLAS library found here multiplies rightly; the first call tries it. For doors, and for kernels
// before they go parallel: gemm asks as well, but an exception in a worker of the pool ends the process.
void check_blas(const char* op);

// Throws OutOfMemory unless OpenBLAS finds room for its work with so many threads as there are: without it, it would
// never come back. check_blas asks it, too. (blas_room.cpp)
void check_blas_room(const char* op);

// ---- which kernels? (blas_kernels.cpp)
//
// OpenBLAS carries kernels for many CPUs and chooses when it is loaded. Versions 0.3.20 to 0.3.24 take Prescott's, of
// 2004, on Intel CPUs they do not know by number (Raptor Lake and later): five times slower. heed lets it choose again.

// "Zen"; "" where the library does not tell.
std::string blas_kernels();

// Lets OpenBLAS choose again if its kernels do not use what this CPU has, or use what it has not; a user's
// OPENBLAS_CORETYPE is respected. True if others run now. Called once when heed is loaded, before any thread of ours.
bool repair_blas_kernels();

// For benchmarks and tests: switches to these kernels. False, and nothing changes, if OpenBLAS does not have them or
// this CPU cannot run them. No product may run at the same time, in no thread.
bool choose_blas_kernels(const std::string& name);

// For benchmarks and tests, too: all that choose_blas_kernels would accept, slowest first: "Prescott", "Nehalem", ...
// It finds out by switching, and ends with the kernels that were chosen before.
std::vector<std::string> blas_kernel_names();

// How wide the kernels of this name work, the widest that this CPU can run, and what this build was compiled for: 3
// AVX-512, 2 AVX2, 1 AVX, 0 older, -1 unknown.
int blas_kernel_rank(const std::string& name);
int cpu_kernel_rank();
int build_kernel_rank();

bool user_chose_kernels();  // by OPENBLAS_CORETYPE

// May this CPU run the kernels of this name? Yes for unknown ones.
bool cpu_runs_kernels(const std::string& name);

}  // namespace heed
