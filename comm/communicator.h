// Communicator: what several processes that train one model say to each other. One interface; a single process is the
// first implementation, ranks within a process the second; MPI and NCCL follow behind the same doors. All work in
// place, on row-major f32 or f64 tensors of equal shape on every rank, and add in the order of the ranks, so that
// results have the same bits every time.
#pragma once

#include <memory>
#include <vector>

#include "tensor/tensor.h"

namespace heed {

class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;  // 0 .. size() - 1
  virtual int size() const = 0;

  void allreduce(const Tensor& x);            // x = the sum of all ranks' x
  void broadcast(const Tensor& x, int root);  // x = rank root's x
  // The first axis is cut into size() equal parts; part r goes to rank r, and the parts received are joined in the
  // order of the ranks: y[r] = what rank r had for me.
  Tensor all_to_all(const Tensor& x);
  virtual void barrier() = 0;  // returns when all ranks have called it

 protected:
  virtual void allreduce_checked(const Tensor& x) = 0;
  virtual void broadcast_checked(const Tensor& x, int root) = 0;
  virtual Tensor all_to_all_checked(const Tensor& x) = 0;
};

// One process, one rank: everything is there already.
std::unique_ptr<Communicator> single_process();

// Ranks within this process, each for a thread of its own: for tests, and to see what several ranks compute. An
// exchange waits for all of them, and throws if one was destroyed.
std::vector<std::unique_ptr<Communicator>> ranks_in_process(int size);

}  // namespace heed
