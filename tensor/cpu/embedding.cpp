#include "tensor/embedding.h"

#include "tensor/cpu/columns.h"

namespace heed {
namespace {

// table (V, C), ids (n), y (n, C)
template <class T> void embedding_cpu(T* y, const T* table, const int64_t* ids, long n, long C) {
  parallel_for(n, rows_grain(C), [&](long begin, long end) {
    for (long i = begin; i < end; i++) std::copy_n(table + ids[i] * C, C, y + i * C);
  });
}

// Cut by columns: each task walks all ids in order, so that equal ids are always added in the same order. Wide pieces
// read dy in long runs; narrow tables are cut finer, so that there is work for several threads.
template <class T> void embedding_backward_cpu(T* dtable, const T* dy, const int64_t* ids, long n, long C) {
  const long columns = std::clamp(C / 64 * 16, 16L, 64L);
  parallel_for(C, columns, [=](long begin, long end) {
    for (long i = 0; i < n; i++) add_row(dtable + ids[i] * C + begin, dy + i * C + begin, end - begin);
  });
}

const Registered forward_f32{kernels::embedding<float>, Backend::cpu, embedding_cpu<float>};
const Registered forward_f64{kernels::embedding<double>, Backend::cpu, embedding_cpu<double>};
const Registered backward_f32{kernels::embedding_backward<float>, Backend::cpu, embedding_backward_cpu<float>};
const Registered backward_f64{kernels::embedding_backward<double>, Backend::cpu, embedding_backward_cpu<double>};

}  // namespace
}  // namespace heed
