// Orderings: the letters of a stack (models/stack.h), also by a name and the number of layers.
//
//   sfsf, ssff, ...   letters stay as they are
//   interleaved       (sf)^n for n layers: the usual transformer; so is an empty text
//   sandwich:k        s^k (sf)^(n-k) f^k: attention first, feed-forward last. As many letters of each kind, so the same
//                     parameters and the same cost, and sometimes a better model (Press, Smith and Levy, 2020)
//   random:seed       n s and n f, shuffled
//   unbalanced:seed   s and f at random, as many parameters as n layers have, but any number of each. Only matrices are
//                     counted: 4 C^2 of an attention and 8 C^2 of a feed-forward of the customary width, 12 n C^2 in
//                     all. Letters are drawn with even chances until the budget is reached; if it is passed, or if
//                     no s came up, the drawing begins again
//
// Draws are those of tensor/random.h: a seed gives the same letters on every machine.
#pragma once

#include <string>
#include <vector>

namespace heed {

// The letters of the text, for n = layers. Throws a sentence for an unknown name and for a number that cannot be;
// letters are not looked at.
std::string expanded_ordering(const std::string& text, long layers);

// The texts of a list with commas: "sandwich:1..3,ssff" is sandwich:1, sandwich:2, sandwich:3 and ssff. Throws a
// sentence for a place with nothing in it and for a range that is none; what each text means is not looked at.
std::vector<std::string> listed_orderings(const std::string& list);

// Throws a sentence unless a language model can have these letters: known ones, one of them at least mixes the tokens,
// and none wants a source.
void check_language_ordering(const char* op, const std::string& letters);

}  // namespace heed
