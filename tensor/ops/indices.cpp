#include "tensor/ops/indices.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "system/parallel.h"
#include "tensor/copy.h"
#include "tensor/create.h"

namespace heed {
namespace {

using kernels::IndexBounds;
using kernels::IndexFault;

// Is every index inside? The sign of (index - least) | (limit - 1 - index) tells for each of them; their or is vector
// code.
template <class E> bool all_inside(const E* index, long n, const IndexBounds& bounds) {
  std::atomic<bool> inside = true;
  parallel_for(n, 65536, [&](long begin, long end) {
    const uint64_t least = uint64_t(bounds.least), last = uint64_t(bounds.limit) - 1;
    uint64_t signs = 0;
    for (long i = begin; i < end; i++) {
      const uint64_t at = uint64_t(int64_t(index[i]));
      signs |= (at - least) | (last - at);
    }
    if (signs >> 63) inside.store(false, std::memory_order_relaxed);
  });
  return inside;
}

// ---- indices that were made on a device

// What kernels have noted and nobody has read. A device has a record from the first check on until it is finished.
struct Pending {
  std::mutex mutex;
  std::map<std::pair<Backend, int>, Tensor> faults;  // i64 (5), an IndexFault
  std::vector<const char*> ops;                      // by their numbers, from 1 on
};

Pending& pending() {
  static auto* all = new Pending;  // never destroyed: tensors may be static
  return *all;
}

struct Noting {
  Tensor fault;
  long op;
};

Noting noting_for(const char* op, Device device) {
  Pending& all = pending();
  const std::pair<Backend, int> key{device.backend, device.index};
  std::unique_lock lock(all.mutex);
  if (!all.faults.contains(key)) {
    lock.unlock();  // a profiled fill finishes the device, which looks at the faults
    const Tensor none = zeros({sizeof(IndexFault) / sizeof(int64_t)}, i64, device);
    lock.lock();
    all.faults.try_emplace(key, none);
  }
  const Tensor fault = all.faults.at(key);
  const auto known = std::find(all.ops.begin(), all.ops.end(), op);
  const long number = known - all.ops.begin() + 1;
  if (known == all.ops.end()) all.ops.push_back(op);
  return {fault, number};
}

void check_faults(Device device) {
  Pending& all = pending();
  std::unique_lock lock(all.mutex);
  const auto found = all.faults.find({device.backend, device.index});
  if (found == all.faults.end()) return;
  const Tensor fault = found->second;
  const std::vector<const char*> ops = all.ops;
  all.faults.erase(found);
  lock.unlock();
  const std::vector<int64_t> at = fault.to_vector<int64_t>();
  if (at[0] == 0) return;
  const char* op = ops[size_t(at[0] - 1)];
  fail(op, "index ", at[1], " at element ", at[2], " of the indices, which were made on ", device,
       ", is out of range; the rule is ", at[3], " <= index < ", at[4], ". It was found when the device was finished");
}

const bool told_at_finish = (check_at_finish(check_faults), true);

template <class E> Tensor bounded(const char* op, const Tensor& index, const IndexBounds& bounds) {
  const Noting noting = noting_for(op, index.device());
  const Tensor safe = Tensor::empty(index.shape(), index.dtype(), index.device());
  kernels::bounded_indices<E>(index.device())(safe.mutable_data<E>(), noting.fault.mutable_data<int64_t>(),
                                              index.data<E>(), index.numel(), bounds, noting.op);
  return safe;
}

// ---- both

Tensor noted(const Tensor& index, const IndexBounds& bounds) {
  if (index.storage()->bytes() == size_t(index.numel() * size_of(index.dtype())))  // all of it was looked at
    index.storage()->note_within(bounds.least, bounds.limit);
  return index;
}

// index: row-major. `explain` throws with what is wrong.
template <class E, class Explain>
Tensor checked(const char* op, const Tensor& index, const IndexBounds& bounds, Device device, Explain&& explain) {
  const bool known = index.storage()->known_within(bounds.least, bounds.limit);
  HEED_CHECK(index.device() == cpu || bounds.least < bounds.limit || index.numel() == 0, op, index.numel(),
             " indices were given and there is nothing to choose from; the rule is ", bounds.least, " <= index < ",
             bounds.limit);
  if (index.device() != cpu) return known ? index : noted(bounded<E>(op, index, bounds), bounds);
  if (!known && !all_inside(index.data<E>(), index.numel(), bounds)) explain(index.data<E>());
  noted(index, bounds);
  return index.device() == device ? index : noted(to(index, device), bounds);
}

void check_place(const char* op, const Tensor& indices, Device device, const char* all) {
  HEED_CHECK(indices.device() == device || indices.device() == cpu, op, "x is on ", device, " and the ", all,
             " are on ", indices.device(), "; they must be there, too, or on the cpu. Move them with to(x, device)");
}

}  // namespace

Tensor checked_indices(const char* op, const Tensor& indices, long limit, Device device, const IndexNames& names) {
  check_defined(op, indices);
  HEED_CHECK(is_integer(indices.dtype()), op, "the ", names.all, " are ", indices.dtype(),
             "; they must be integers (i64, i32 or u8). Cast first: cast(x, i64)");
  check_place(op, indices, device, names.all);
  const Tensor plain = contiguous(cast(indices, i64));
  return checked<int64_t>(op, plain, {0, limit}, device, [&](const int64_t* index) {
    for (long e = 0; e < plain.numel(); e++)
      HEED_CHECK(index[e] >= 0 && index[e] < limit, op, names.one, " ", index[e], " at ", position_of(e, plain.shape()),
                 " of the ", names.all, ", which are ", plain.shape(),
                 ", is out of range; the rule is 0 <= ", names.one, " < ", limit);
  });
}

Tensor checked_rows(const char* op, const Tensor& given, long rows, Device device) {
  HEED_CHECK(given.device() == device || given.device() == cpu, op, "x is on ", device, " and the index is on ",
             given.device(), "; it must be there, too, or on the cpu. Move it with to(x, device)");
  const Tensor plain = contiguous(given);
  return checked<int32_t>(op, plain, {-1, rows}, device, [&](const int32_t* index) {
    for (long e = 0; e < plain.numel(); e++)
      HEED_CHECK(index[e] >= -1 && index[e] < rows, op, "index ", index[e], " at ", position_of(e, plain.shape()),
                 " of the index, which is ", plain.shape(), ", is out of range; the rule is -1 (nobody) <= index < ",
                 rows);
  });
}

}  // namespace heed
