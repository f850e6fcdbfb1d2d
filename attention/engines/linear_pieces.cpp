#include "attention/engines/linear_pieces.h"

#include <algorithm>
#include <functional>
#include <sstream>

#include "nn/mixing/mask_once.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/views.h"

namespace heed {
namespace {

using kernels::kLinearPiece;
using kernels::LinearPiece;

// One sample's list under way.
class Cutter {
 public:
  Cutter(std::vector<LinearPiece>& list, const LinearTokens& tokens, long key_end)
      : list_(list), t_(tokens), key_end_(key_end) {}

  // The positions begin .. end of one segment, causal: a position has a key, a query or both, and the cuts are where
  // that changes and then every 64.
  void causal(long begin, long end, bool fresh) {
    const long first_query = t_.S - t_.T;
    for (long at = begin, next; at < end; at = next, fresh = false) {
      next = std::min(end, at + kLinearPiece);
      for (long cut : {0L, first_query, key_end_})
        if (at < cut) next = std::min(next, cut);
      const bool key = at >= 0 && at < key_end_, query = at >= first_query;
      add(at, key ? next - at : 0, at - first_query, query ? next - at : 0, fresh, next - at);
    }
  }

  // All keys, then all queries.
  void both_ways(long key, long key_end, long query, long query_end, bool fresh) {
    for (; key < key_end; key += kLinearPiece, fresh = false) {
      const long n = std::min(kLinearPiece, key_end - key);
      add(key, n, 0, 0, fresh, n);
    }
    for (; query < query_end; query += kLinearPiece, fresh = false) {
      const long n = std::min(kLinearPiece, query_end - query);
      add(0, 0, query, n, fresh, n);
    }
  }

  // The positions begin .. end of one segment.
  void segment(long begin, long end, bool fresh) {
    const long ahead = t_.S - t_.T;
    if (t_.causal) return causal(begin, end, fresh);
    both_ways(begin, std::min(end, key_end_), std::max(begin - ahead, 0L), end - ahead, fresh);
  }

 private:
  void add(long key, long keys, long query, long queries, bool fresh, long tokens) {
    list_.push_back({int32_t(key), int32_t(keys), int32_t(query), int32_t(queries), fresh, before_});
    before_ += tokens;
  }

  std::vector<LinearPiece>& list_;
  const LinearTokens& t_;
  const long key_end_;  // no keys from here on
  long before_ = 0;
};

// Throws if a segment of sample b comes back after it ended.
void check_runs(const Tensor& segments, long b) {
  const std::vector<int64_t> ids = select(segments, 0, b).to_vector<int64_t>();
  std::vector<std::pair<int64_t, long>> runs;  // their id and where they begin
  for (size_t i = 0; i < ids.size(); i++)
    if (i == 0 || ids[i] != ids[i - 1]) runs.push_back({ids[i], long(i)});
  std::sort(runs.begin(), runs.end());
  for (size_t r = 1; r < runs.size(); r++)
    HEED_CHECK(runs[r].first != runs[r - 1].first, "linear_attention", "segment ", runs[r].first, " of sample ", b,
               " begins at position ", runs[r - 1].second, " and again at ", runs[r].second,
               "; a segment is one run of tokens. Give the second one another number");
}

// The segments of sample b. All of them are checked, but only if one begins here: a token that goes on costs the same
// however long the text before is.
void cut_segments(Cutter& cutter, const LinearTokens& t, long b) {
  const long known = std::min(1L, t.before);  // the token before the first one
  const std::vector<int64_t> all =
      slice(select(t.segments, 0, b), 0, t.before - known, t.before + t.S).to_vector<int64_t>();
  if (std::adjacent_find(all.begin(), all.end(), std::not_equal_to<>()) != all.end()) check_runs(t.segments, b);
  const int64_t* ids = all.data() + known;
  for (long begin = 0, end; begin < t.S; begin = end) {
    for (end = begin + 1; end < t.S && ids[end] == ids[begin];) end++;
    cutter.segment(begin, end, begin + known > 0 && ids[begin] != ids[begin - 1]);
  }
}

}  // namespace

void LinearPieces::move_to(Device device) {
  const bool watched = cpu_kernels_are_watched.load(std::memory_order_relaxed);  // who watches knows tensors only
  if ((device == cpu && !watched) || (begin.empty() && pieces.size() <= 1)) return;
  const auto* first = reinterpret_cast<const uint8_t*>(pieces.data());
  const std::vector<uint8_t> all(first, first + pieces.size() * sizeof(kernels::LinearPiece));
  bytes = to(from_vector(all, {long(all.size())}), device);
  if (!begin.empty()) begins = to(from_vector(begin, {long(begin.size())}), device);
}

void LinearPieces::tell(kernels::LinearProblem& p) const {
  p.shared = long(pieces.size());
  p.begin = nullptr, p.pieces = nullptr;
  if (bytes.defined()) {
    p.pieces = reinterpret_cast<const kernels::LinearPiece*>(bytes.data<uint8_t>());
    p.begin = data_or_null<int64_t>(begins);
  } else if (begin.empty() && pieces.size() <= 1) {
    if (!pieces.empty()) p.only = pieces[0];
  } else {
    p.pieces = pieces.data();
    p.begin = begin.empty() ? nullptr : begin.data();
  }
}

LinearPieces linear_pieces(const LinearTokens& t) {
  LinearPieces list;
  const bool alike = !t.lengths.defined() && !t.segments.defined();
  const std::vector<int64_t> lengths = t.lengths.defined() ? t.lengths.to_vector<int64_t>() : std::vector<int64_t>();
  for (long b = 0; b < (alike ? 1 : t.B); b++) {
    const long key_end = alike || lengths.empty() ? t.S : std::clamp(long(lengths[size_t(b)]) - t.before, 0L, t.S);
    if (!alike) list.begin.push_back(int64_t(list.pieces.size()));
    Cutter cutter(list.pieces, t, key_end);
    if (t.segments.defined())
      cut_segments(cutter, t, b);
    else if (t.causal)
      cutter.causal(std::min(0L, t.S - t.T), t.S, false);
    else
      cutter.both_ways(0, key_end, 0, t.T, false);
  }
  if (!alike) list.begin.push_back(int64_t(list.pieces.size()));
  return list;
}

std::shared_ptr<const LinearPieces> linear_pieces_on(Device device, const LinearTokens& t, Context* ctx) {
  const std::function<LinearPieces()> make = [&] {
    LinearPieces pieces = linear_pieces(t);
    pieces.move_to(device);
    return pieces;
  };
  const Mask of{.lengths = t.lengths, .segments = t.segments};
  if (!ctx || (t.T <= 1 && !of.of_batch()))  // decoding: one piece for all, which goes by value
    return std::make_shared<const LinearPieces>(make());
  std::ostringstream key;
  key << "linear " << t.B << " " << t.T << " " << t.S << " " << t.causal << " " << t.before << " " << device;
  return made_once<LinearPieces>(*ctx, key.str(), of, make);
}

}  // namespace heed
