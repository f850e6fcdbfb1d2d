// Two small modules for tests: a pair of layers, and a model with a tied weight.
#pragma once

#include "autograd/ops/elementwise.h"
#include "nn/linear.h"

class Pair : public heed::Module {
 public:
  explicit Pair(bool reversed = false) {
    if (reversed) b = &child<heed::Linear>("b", 3, 3);
    a = &child<heed::Linear>("a", 3, 3);
    if (!reversed) b = &child<heed::Linear>("b", 3, 3);
  }
  heed::Variable forward(const heed::Variable& x, heed::Context& ctx) {
    return b->forward(heed::tanh(a->forward(x, ctx)), ctx);
  }
  heed::Linear *a = nullptr, *b = nullptr;
};

class Model : public heed::Module {
 public:
  Model()
      : first(child<Pair>("first")),
        head(child<heed::Linear>("head", 3, 2, heed::Linear::Options{.bias = false})),
        tied(head.weight) {}
  Pair& first;
  heed::Linear& head;
  heed::Variable& tied;  // the same Variable: one parameter
};
