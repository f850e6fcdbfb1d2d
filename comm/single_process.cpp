// One process alone: what others would send is what it has.
#include "comm/communicator.h"
#include "tensor/copy.h"

namespace heed {
namespace {

class SingleProcess : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void barrier() override {}

 protected:
  void allreduce_checked(const Tensor&) override {}       // the sum of one
  void broadcast_checked(const Tensor&, int) override {}  // to nobody else
  Tensor all_to_all_checked(const Tensor& x) override { return clone(x); }
};

}  // namespace

std::unique_ptr<Communicator> single_process() { return std::make_unique<SingleProcess>(); }

}  // namespace heed
