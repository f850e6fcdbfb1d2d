// Products: square ones, those of linear layers with their gradients, and batches of small ones.
#include "autograd/ops/matmul.h"
#include "bench/kernels.h"
#include "tensor/random.h"

namespace heed::bench {
namespace {

double product_flops(long m, long n, long k) { return 2.0 * double(m) * double(n) * double(k); }

// Forward and backward: three products, y, dx and dw.
Case linear_case(long rows, long width, long out, double bar) {
  return {
      .group = "products",
      .name = "linear " + times({rows, width}) + " -> " + times({out}) + ", f+b",
      .request = request("linear", {rows, width, out}),
      .amount = 3 * product_flops(rows, width, out),
      .bar = {.ratio = bar},
      .make = forward_backward({{rows, width}, {out, width}, {out}}, [](auto& v) { return linear(v[0], v[1], v[2]); })};
}

// (B, M, K) x (B, K, N), forward and backward: three products per matrix
Case batched(long batch, long m, long k, long n) {
  return {.group = "products",
          .name = "batched " + times({batch, m, k, n}) + ", f+b",
          .request = request("batched", {batch, m, k, n}),
          .amount = 3 * double(batch) * product_flops(m, n, k),
          .bar = {.ratio = 0.95},
          .make = forward_backward({{batch, m, k}, {batch, k, n}}, [](auto& v) { return matmul(v[0], v[1]); })};
}

}  // namespace

Case product_case(long m, long n, long k) {
  return {.group = "products",
          .name = "matmul " + (m == n && n == k ? times({m}) : times({m, n, k})),
          .request = request("matmul", {m, n, k}),
          .amount = product_flops(m, n, k),
          .make = [=]() -> Action {
            const Tensor a = randn({m, k}, 1), b = randn({k, n}, 2);
            return [=] { matmul(a, b); };
          }};
}

std::vector<Case> product_cases() {
  return {product_case(512, 512, 512),     product_case(1024, 1024, 1024), product_case(1023, 1031, 1021),
          product_case(2048, 2048, 2048),  product_case(4096, 4096, 4096), linear_case(4096, 256, 1024, 0.95),
          linear_case(4096, 1024, 256, 0), batched(32, 512, 64, 512)};
}

}  // namespace heed::bench
