// A mixer with all that a training must keep: a State, a buffer that every step moves, and a metric.
//
//   s_t = s_(t-1) / 2 + x_t,   y_t = W (s_t - m),   m: a running mean of x
#pragma once

#include "nn/mixing/registry.h"

struct WithEcho {  // while one lives, there is an attention "echo"
  WithEcho();
  heed::RegisteredVariant echo;
};
