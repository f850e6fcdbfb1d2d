#include "nn/arena.h"

#include "tensor/allocator.h"
#include "tensor/copy.h"
#include "tensor/create.h"

namespace heed {
namespace {

long aligned(long count) { return (count + 15) / 16 * 16; }  // 64 bytes of f32

}  // namespace

ParameterArena::ParameterArena(Module& model) {
  std::vector<Parameter*> order;
  long size = 0;
  for (bool decay : {true, false}) {
    for (Parameter* p : model.parameters()) {
      if (!p->value.requires_grad() || p->decay != decay) continue;
      check_not_packed("arena", *p);
      HEED_CHECK(p->value.dtype() == f32, "arena", "'", p->path, "' is ", p->value.dtype(),
                 "; the arena holds f32 parameters");
      entries_.push_back({p->path, p->value.shape(), size, decay});
      order.push_back(p);
      size += aligned(p->value.numel());
    }
    if (decay) decay_size_ = size;
  }
  const MemoryHint hint(
      "These are all weights, or their gradients, which a smaller batch does not change: use a smaller model");
  const Device device = order.empty() ? cpu : order[0]->value.value().device();
  weights_ = zeros({size}, f32, device);
  gradients_ = zeros({size}, f32, device);
  for (size_t i = 0; i < order.size(); i++) {
    Variable& x = order[i]->value;
    copy_into(part(weights_, entries_[i]), x.value());
    x.set_value(part(weights_, entries_[i]));
    x.set_grad(part(gradients_, entries_[i]));
    order[i]->packed = true;
  }
}

Tensor ParameterArena::part(const Tensor& flat, const Entry& entry) {
  return Tensor::view(flat, entry.shape, row_major(entry.shape), flat.offset() + entry.offset);
}

void ParameterArena::zero_gradients() { fill(gradients_, 0); }

}  // namespace heed
