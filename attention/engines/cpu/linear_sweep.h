// Walking over the pieces of linear attention with running sums, forwards or backwards, on all threads.
//
// A task is a head of keys with all the queries that use it. Where there are too few of them the list of pieces is cut
// into stripes, by the shape only: first every stripe adds up its own keys, then what is before each one is summed up
// in order, and then all stripes do their work at the same time. The sums are taken twice, a third more work.
//
// A Sweep does the work of a piece:
//
//   static constexpr bool kReverse          from the last piece to the first
//   long sums(), scratch()                  how many elements it carries along and needs beside
//   void begin(b, hk, sums)                 fills in what is before the first piece
//   void visit(at, sums, scratch, results)  a piece; if results are not wanted it only adds to the sums
//   void expect(at, results)                the piece that will be visited next: memory may be fetched
//   void end(b, hk, sums)                   gets what is behind the last piece
#pragma once

#include <algorithm>
#include <utility>

#include "attention/engines/linear_kernels.h"
#include "system/ceil_div.h"
#include "tensor/cpu/walk.h"

namespace heed {

using kernels::LinearPiece;
using kernels::LinearProblem;

// A piece of a head of keys of a sample.
struct PieceAt {
  long b, hk;
  const LinearPiece& piece;
};

inline long stripes_of(const LinearProblem& p) {
  constexpr long kTasks = 8, kEnough = 4, kLeast = 16 * kernels::kLinearPiece;
  const long heads = std::max(1L, p.sizes.B * p.sizes.Hk);
  return heads >= kEnough ? 1 : std::clamp((p.sizes.S + p.sizes.T) / 2 / kLeast, 1L, kTasks / heads);
}

// Threads never have more tasks under way than this: each has its own scratch.
inline long slots_of(const LinearProblem& p) {
  constexpr long kMost = 32;
  return std::clamp(p.sizes.B * p.sizes.Hk * stripes_of(p), 1L, kMost);
}

// A place in memory for parts of whole cache lines
template <class E> class Carver {
 public:
  explicit Carver(E* begin) : at_(begin) {}
  static long rounded(long numel) { return ceil_div(numel, kLine) * kLine; }
  E* take(long numel) { return std::exchange(at_, at_ + rounded(numel)); }

 private:
  static constexpr long kLine = 64 / sizeof(E);
  E* at_;
};

template <class E, class Sweep> class SweepRun {
 public:
  SweepRun(const Sweep& sweep, const LinearProblem& problem, E* workspace)
      : sweep_(sweep), p_(problem), stripes_(stripes_of(p_)), parts_(workspace) {
    slots_ = parts_ + (stripes_ > 1 ? p_.sizes.B * p_.sizes.Hk * stripes_ * sums() : 0);
  }

  static long numel(const Sweep& sweep, const LinearProblem& p) {  // of the workspace
    const long stripes = stripes_of(p), sums = Carver<E>::rounded(sweep.sums());
    return (stripes > 1 ? p.sizes.B * p.sizes.Hk * stripes * sums : 0) +
           slots_of(p) * (sums + Carver<E>::rounded(sweep.scratch()));
  }

  void run() const {
    const long heads = p_.sizes.B * p_.sizes.Hk;
    if (stripes_ > 1) {
      on_slots(heads * stripes_, [&](long task, E* own) { walk(task, part(task), own + sums(), false); });
      on_slots(heads, [&](long head, E* own) { put_before(head, own); });
    }
    on_slots(heads * stripes_, [&](long task, E* own) { finish(task, own); });
  }

 private:
  long sums() const { return Carver<E>::rounded(sweep_.sums()); }
  E* part(long task) const { return parts_ + task * sums(); }

  // f(task, a slot of the workspace) for all tasks. Which slot has no influence on the result.
  template <class F> void on_slots(long tasks, F&& f) const {
    const long slots = slots_of(p_), numel = sums() + Carver<E>::rounded(sweep_.scratch());
    parallel_for(slots, 1, [&](long begin, long end) {
      for (long slot = begin; slot < end; slot++)
        for (long task = slot; task < tasks; task += slots) f(task, slots_ + slot * numel);
    });
  }

  // The pieces of stripe s, in their order: those that begin in its share of the tokens
  LinearProblem::List stripe(long b, long s) const {
    const LinearProblem::List all = p_.of(b);
    if (all.count == 0) return all;
    const LinearPiece& last = all.data[all.count - 1];
    const long tokens = last.before + std::max(last.keys, last.queries);
    const auto border = [&](long number) {
      return std::lower_bound(all.data, all.data + all.count, tokens * number / stripes_,
                              [](const LinearPiece& piece, long before) { return piece.before < before; });
    };
    const LinearPiece *begin = border(s), *end = s + 1 == stripes_ ? all.data + all.count : border(s + 1);
    return {begin, end - begin};
  }
  LinearProblem::List stripe_of(long task) const { return stripe(task / stripes_ / p_.sizes.Hk, task % stripes_); }

  // One stripe; without results the sums begin with zeros.
  void walk(long task, E* sums, E* scratch, bool results) const {
    const long head = task / stripes_, b = head / p_.sizes.Hk, hk = head % p_.sizes.Hk;
    const LinearProblem::List list = stripe_of(task);
    const auto clear = [&] { std::fill_n(sums, sweep_.sums(), E(0)); };
    if (!results) clear();
    for (long i = 0; i < list.count; i++) {
      const LinearPiece& piece = list.data[Sweep::kReverse ? list.count - 1 - i : i];
      if (i + 1 < list.count) sweep_.expect(PieceAt{b, hk, Sweep::kReverse ? (&piece)[-1] : (&piece)[1]}, results);
      if (!Sweep::kReverse && piece.fresh) clear();
      sweep_.visit(PieceAt{b, hk, piece}, sums, scratch, results);
      if (Sweep::kReverse && piece.fresh) clear();
    }
  }

  // The parts of a head, from what each stripe adds to what is before it; running: what is before the next one
  void put_before(long head, E* running) const {
    sweep_.begin(head / p_.sizes.Hk, head % p_.sizes.Hk, running);
    for (long i = 0; i < stripes_; i++) {
      const long task = head * stripes_ + (Sweep::kReverse ? stripes_ - 1 - i : i);
      const LinearProblem::List list = stripe_of(task);
      const bool anew = std::any_of(list.data, list.data + list.count, [](const LinearPiece& x) { return x.fresh; });
      E* own = part(task);
      for (long e = 0; e < sweep_.sums(); e++) {
        const E added = own[e];
        own[e] = running[e];
        running[e] = (anew ? E(0) : running[e]) + added;
      }
    }
  }

  void finish(long task, E* own) const {
    const long head = task / stripes_, b = head / p_.sizes.Hk, hk = head % p_.sizes.Hk;
    E* sums_here = stripes_ > 1 ? part(task) : own;
    if (stripes_ == 1) sweep_.begin(b, hk, own);
    walk(task, sums_here, own + sums(), true);
    if (task % stripes_ == (Sweep::kReverse ? 0 : stripes_ - 1)) sweep_.end(b, hk, sums_here);
  }

  const Sweep& sweep_;
  const LinearProblem& p_;
  const long stripes_;
  E *parts_, *slots_;
};

}  // namespace heed
