// cuBLAS, or for g++ what the emulator has of it. Only matmul.cu needs it.
#pragma once

#ifdef __CUDACC__
#include <cublas_v2.h>
#else
#include "cuda/emulator/blas.h"
#endif
