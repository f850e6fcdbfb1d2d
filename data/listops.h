// ListOps (Nangia and Bowman 2018; Tay et al. 2021): nested operations on digits, whose value is the label. Who tells
// it has to find what belongs together over long distances. Generated here: nothing is downloaded.
//
//   [MAX 4 3 [MIN 2 3 ] 1 0 [MED 1 5 8 9 2 ] ]      is 5
//
// A tree is drawn from its root at depth 1: below depth 10 with probability 1/4 an operator with 2..10 arguments, which
// are drawn in the same way one level deeper, otherwise a digit; at depth 10 always a digit. MIN, MAX, MED (the median,
// rounded down) and SM (the sum modulo 10) are equally likely. Its length counts one for each digit, operator and
// closing bracket. Trees of a length that is not wanted are drawn again, and so are those that were drawn before.
//
// As bytes every token is one: the digits, n MIN, x MAX, d MED, s SM, and ].
#pragma once

#include <cstdint>
#include <string>

#include "data/labelled_text.h"

namespace heed {

struct ListOpsOptions {
  long examples = 20000;
  long longest = 512;  // tokens: shortest < length < longest
  long shortest = -1;  // -1: a quarter of the longest (the benchmark has 500 and 2000)
  uint32_t seed = 1;
};

LabelledText listops(const ListOpsOptions& options);  // the same on every machine; throws if too few are possible
// "listops", "listops:examples=20000,longest=512,shortest=128,seed=1"; what is not said has its default.
ListOpsOptions listops_options(const std::string& spec, const ListOpsOptions& standard = {});

int listops_value(const std::string& bytes);          // 0..9; throws for what is no expression
std::string listops_words(const std::string& bytes);  // "[MAX 4 3 ]", for people
std::string listops_bytes(const std::string& words);  // and back

}  // namespace heed
