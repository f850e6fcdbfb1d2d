// Finding where a NaN or an infinity comes from. While a CheckFinite lives, every recorded op of this thread, and every
// backward, looks at what it made, and the first NaN or infinity throws NotFinite with the op's name:
//
//   const CheckFinite checking;
//   model.forward(x, ctx);      // log: it made nan: the first of 3 is at [0, 17] of (2, 64) f32
//
// Minus infinity passes forwards: a masked score, or the L of an attention that sees nothing. What it spoils later is
// found there. In a gradient it is as wrong as the others. bf16, f16 and integers are not looked at: they count as
// finite.
// Every result is read once more, which costs a training step some percent.
#pragma once

#include <string>

#include "system/error.h"
#include "tensor/tensor.h"

namespace heed {

class NotFinite : public Error {
  using Error::Error;
};

class CheckFinite {
 public:
  CheckFinite();
  ~CheckFinite();
  CheckFinite(const CheckFinite&) = delete;
  CheckFinite& operator=(const CheckFinite&) = delete;

 private:
  bool before_;
};
bool checks_finite();

bool all_finite(const Tensor& x);  // of bf16, f16 and integers always true

// Throws NotFinite if there is a NaN or an infinity. `what` begins the sentence: "it made".
enum class MinusInfinity { passes, counts };
void check_finite(const char* op, const char* what, const Tensor& x, MinusInfinity minus);

}  // namespace heed
