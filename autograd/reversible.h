// Reversible residual blocks: activations need not be kept, because every block's input follows from its output.
//
//   forward    y1 = x1 + F(x2)     y2 = x2 + G(y1)
//   inverse    x2 = y2 - G(y1)     x1 = y1 - F(x2)
//
// A chain of any depth keeps its last pair only; backward walks down, computes each F and G once more, and gets their
// gradients from a graph of one branch at a time. Memory O(1) in depth, time about one forward pass more. The inverse
// rounds, so gradients equal those of the plain chain to about 1e-6 per ten blocks in f32, not to the bit.
// (RevNet: Gomez et al., 2017; Reformer: Kitaev et al., 2020.)
#pragma once

#include <functional>
#include <vector>

#include "autograd/recompute.h"

namespace heed {

using Branch = std::function<Variable(const Variable& x)>;  // keeps the shape of x

// Branches F_1, G_1, F_2, G_2, ...: each must be a pure function of its input, of leaves and of what its rewind brings
// back; it may use no other Variable that takes a gradient. `mark` is called before each branch, as for recompute:
// [&] { return ctx.mark(); }; one that draws and decides nothing may pass nullptr.
struct Halves {
  Variable x1, x2;
};
Halves reversible(const std::vector<Branch>& branches, const Halves& x, const std::function<Rewind()>& mark);

// The same function recorded op by op: the definition.
Halves reversible_reference(const std::vector<Branch>& branches, const Halves& x);

}  // namespace heed
