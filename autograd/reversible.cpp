#include "autograd/reversible.h"

#include <utility>

#include "autograd/graph.h"
#include "autograd/ops/elementwise.h"
#include "tensor/create.h"

namespace heed {
namespace {

void check(const std::vector<Branch>& branches, const Halves& x) {
  HEED_CHECK(branches.size() % 2 == 0, "reversible", "there are ", branches.size(),
             " branches; they come in pairs, F and G of each block");
  check_same_kind("reversible", x.x1.value(), x.x2.value());
  HEED_CHECK(x.x1.shape() == x.x2.shape(), "reversible", "x1 is ", x.x1.shape(), " and x2 is ", x.x2.shape(),
             "; they must be equal");
}

Variable branch_of(const Branch& f, const Variable& x) {
  Variable y = f(x);
  HEED_CHECK(y.shape() == x.shape(), "reversible", "a branch made ", y.shape(), " of ", x.shape(),
             "; it must keep the shape");
  HEED_CHECK(y.dtype() == x.dtype(), "reversible", "a branch made ", y.dtype(), " of ", x.dtype(),
             "; it must keep the type");
  return y;
}

// One branch, seen from the half that it changes: (a, b) -> (b, a + f(b)). Two of them are a block.
Halves step(const Branch& f, const Halves& x) { return {x.x2, x.x1 + branch_of(f, x.x2)}; }

struct Chain {
  std::vector<Branch> branches;
  std::vector<Rewind> rewinds;
  std::vector<Saved> leaves;  // what the branches must find unchanged
};

struct Pair {
  Tensor x1, x2;
};

// y = (b, a + f(b)) -> (a, b), and the gradients dy -> (da, db): da = dy2, db = dy1 + J_f(b)^T dy2. The leaves of f get
// their gradients on the way, from a graph that holds this one branch.
void step_back(const Branch& f, const Rewind& rewind, Pair& y, Pair& dy) {
  const Variable b = Variable::leaf(y.x1);
  Variable fb;
  {
    const Recording on(true);
    const std::shared_ptr<void> present = rewind ? rewind() : nullptr;
    fb = branch_of(f, b);
  }
  y = {y.x2 - fb.value(), y.x1};
  if (fb.requires_grad()) fb.backward(dy.x2);  // a constant or a detached branch has nothing to learn
  dy = {dy.x2, b.grad().defined() ? dy.x1 + b.grad() : dy.x1};
}

Grads walk_down(const Chain& chain, Pair y, Pair dy) {
  for (const Saved& leaf : chain.leaves) leaf.get();  // throws if one of them changed
  for (size_t i = chain.branches.size(); i-- > 0;) step_back(chain.branches[i], chain.rewinds[i], y, dy);
  return {dy.x1, dy.x2};
}

}  // namespace

Halves reversible_reference(const std::vector<Branch>& branches, const Halves& x) {
  check(branches, x);
  Halves y = x;
  for (const Branch& f : branches) y = step(f, y);
  return y;
}

Halves reversible(const std::vector<Branch>& branches, const Halves& x, const std::function<Rewind()>& mark) {
  if (!grad_enabled()) return reversible_reference(branches, x);
  check(branches, x);
  auto chain = std::make_shared<Chain>();
  chain->branches = branches;
  Halves y{detach(x.x1), detach(x.x2)};
  {
    const NoGrad forget;
    const NotingLeaves noting(&chain->leaves);
    for (const Branch& f : branches) {
      chain->rewinds.push_back(mark ? mark() : nullptr);
      y = step(f, y);
    }
  }
  // Leaves inside of the branches may want gradients even if x does not, so the node is always made.
  const auto node = new_node("reversible", {y.x1.value(), y.x2.value()}, {x.x1, x.x2});
  node->backward = [chain, y1 = Saved(y.x1), y2 = Saved(y.x2)](const std::vector<Tensor>& dys) {
    const auto arrived = [](const Tensor& dy, const Tensor& y) { return dy.defined() ? dy : zeros_like(y); };
    return walk_down(*chain, {y1, y2}, {arrived(dys[0], y1), arrived(dys[1], y2)});
  };
  return {GraphAccess::make(y.x1.value(), node, 0), GraphAccess::make(y.x2.value(), node, 1)};
}

}  // namespace heed
