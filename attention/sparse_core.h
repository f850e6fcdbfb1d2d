// SparseCore: softmax attention over what is near and over columns. A sequence is written in rows of l tokens; a head
// sees its own row or a window (the first pattern), some columns of all rows (the second), or both. `sparse` is nothing
// else; that file says which columns, and why.
//
// Who sees whom is one thing, how it is computed another. Strided columns: whole rows are only seen differently in
// memory (column_views.h); otherwise tokens in the order of their residues p mod l (seeing/residues.h), in which each
// column is a dense block. Fixed columns: their keys side by side
// (seeing/summaries.h), in one call with the own rows. A single query, as in decoding, has its own row as a range, and
// its columns cut from a table. Parts are merged; no pair is in two of them.
#pragma once

#include "attention/seeing/summaries.h"
#include "attention/softmax_core.h"

namespace heed {

struct Residues;

// The stride l is the block of `parts`; its heads 0 .. own - 1 have the first pattern, those from `from` on the second.
struct SparseRule {
  bool fixed = true;     // the second pattern: the same columns for all; otherwise strided, the query's own column
  SummaryPattern parts;  // strided: its columns and groups mean nothing
  long window = 0;       // strided's first pattern: keys on either side of the query

  bool has_first() const { return parts.own > 0; }
  bool has_second() const { return parts.from < parts.heads; }
  bool alike() const { return parts.own % parts.heads == 0; }  // have all heads the same?
  bool merged() const { return has_first() && has_second() && alike(); }
  bool sees(long h, long position, long key) const;
  std::string text() const;  // for keys of plans
};

class SparseCore : public SoftmaxCore {
 public:
  SparseCore(const MixerOptions& mixer, const SparseRule& rule, const BiasMaker& bias);

  Variable attend(const Heads& heads, const Mask& mask, Context& ctx) override;
  Capabilities can() const override;
  long reach() const override;

 protected:
  Visible seen(const Heads& heads, const Mask& mask, Context& ctx) override;

 private:
  struct Call;  // of attend
  Visible by_heads(const Call& call, const char* what, const KeysOfHead& keys) const;
  Visible near(const Call& call) const;
  Visible far(const Call& call) const;
  Visible last_row(const Call& call) const;
  Visible rows_before(const Call& call) const;
  Visible summaries(const Call& call) const;
  Visible columns(const Call& call, const std::shared_ptr<const Residues>& residues) const;
  std::shared_ptr<const Residues> residues(const Call& call) const;
  long apart() const;
  SoftmaxOutputs in_order(const SoftmaxOutputs& y, const Call& call, const Residues& residues) const;

  SparseRule rule_;
  ColumnLists lists_;
  std::string text_;
};

}  // namespace heed
