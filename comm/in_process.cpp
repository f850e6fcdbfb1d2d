// Ranks within one process, each a thread: they meet, read what the others have put down, and meet again before anyone
// takes his own away. No copies travel, so this is also the plain reference for those that use a network.
#include <condition_variable>
#include <mutex>

#include "comm/communicator.h"
#include "system/error.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/views.h"

namespace heed {
namespace {

// A place where all ranks meet, again and again.
class Meeting {
 public:
  explicit Meeting(int size) : given(size_t(size)), size_(size) {}

  // Returns when all have called it; throws if one has left for good, since he will never come.
  void wait() {
    std::unique_lock lock(mutex_);
    const long meeting = number_;
    if (++here_ == size_) {
      here_ = 0, number_++;
      changed_.notify_all();
      return;
    }
    changed_.wait(lock, [&] { return number_ != meeting || left_; });
    HEED_CHECK(number_ != meeting, "communicator", "another rank has ended; the exchange cannot take place");
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    left_ = true;
    changed_.notify_all();
  }

  std::vector<Tensor> given;  // what each rank has put down

 private:
  const int size_;
  int here_ = 0;
  long number_ = 0;
  bool left_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
};

class RankInProcess : public Communicator {
 public:
  RankInProcess(int rank, int size, std::shared_ptr<Meeting> meeting)
      : rank_(rank), size_(size), meeting_(std::move(meeting)) {}
  ~RankInProcess() override { meeting_->leave(); }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void barrier() override { meeting_->wait(); }

 protected:
  void allreduce_checked(const Tensor& x) override {
    const Tensor sum = exchanged(x, [&] {
      Tensor all = clone(meeting_->given[0]);
      for (int r = 1; r < size_; r++) all = all + meeting_->given[size_t(r)];
      return all;
    });
    copy_into(x, sum);
  }
  void broadcast_checked(const Tensor& x, int root) override {
    copy_into(x, exchanged(x, [&] { return clone(meeting_->given[size_t(root)]); }));
  }
  Tensor all_to_all_checked(const Tensor& x) override {
    return exchanged(x, [&] {
      Tensor mine = zeros_like(x);
      const long rows = x.size(0) / size_;
      for (int r = 0; r < size_; r++)
        copy_into(slice(mine, 0, r * rows, (r + 1) * rows),
                  slice(meeting_->given[size_t(r)], 0, rank_ * rows, (rank_ + 1) * rows));
      return mine;
    });
  }

 private:
  // What `read` makes of what all ranks have put down. All have, before it is called, and nobody takes his own away
  // before all have read it, also if it does not fit.
  template <class Read> Tensor exchanged(const Tensor& x, Read&& read) {
    meeting_->given[size_t(rank_)] = x;
    meeting_->wait();
    bool fits = true;
    for (const Tensor& other : meeting_->given) fits = fits && other.shape() == x.shape() && other.dtype() == x.dtype();
    const Tensor result = fits ? read() : Tensor();
    const Tensor other = meeting_->given[size_t((rank_ + 1) % size_)];
    meeting_->wait();
    HEED_CHECK(fits, "communicator", "x is ", x.shape(), " ", x.dtype(), " on rank ", rank_, " and ", other.shape(),
               " ", other.dtype(), " on rank ", (rank_ + 1) % size_, "; it must be the same on all");
    return result;
  }

  int rank_, size_;
  std::shared_ptr<Meeting> meeting_;
};

}  // namespace

std::vector<std::unique_ptr<Communicator>> ranks_in_process(int size) {
  HEED_CHECK(size >= 1, "communicator", size, " ranks were asked for; there must be at least 1");
  const auto meeting = std::make_shared<Meeting>(size);
  std::vector<std::unique_ptr<Communicator>> ranks;
  for (int rank = 0; rank < size; rank++) ranks.push_back(std::make_unique<RankInProcess>(rank, size, meeting));
  return ranks;
}

}  // namespace heed
