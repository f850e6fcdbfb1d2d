// One entry for each layer that is measured. A further package is an entry here and a function in peer_packages.py; its
// version comes into packages.txt by itself.
#include "bench/packages.h"

namespace heed::bench {

std::vector<PackageRow> package_rows() {
  const std::string linear = "linear-attention-transformer", local = "local-attention";
  const std::string features = "softmax of q and exp of k where ours has elu + 1; ours has a bias in all projections";
  return {
      {.title = "MultiheadAttention",
       .layer = "multihead_attention",
       .spec = "full",
       .causal = false,
       .bar = 1,
       .about = "nn.MultiheadAttention"},
      {.title = "MultiheadAttention causal",
       .layer = "multihead_attention",
       .spec = "full",
       .bar = 1,
       .about = "nn.MultiheadAttention"},
      {.title = linear,
       .package = linear,
       .layer = "linear_attention",
       .spec = "linear",
       .bar = 10,
       .about = "SelfAttention",
       .note = features},
      {.title = "linear-attention blindspot 64",
       .package = linear,
       .layer = "linear_attention_blind_64",
       .spec = "linear",
       .about = "SelfAttention with blindspot_size 64",
       .note = "a query does not see the 64 tokens of its own bucket; " + features},
      {.title = "linear-attention not causal",
       .package = linear,
       .layer = "linear_attention",
       .spec = "linear",
       .causal = false,
       .about = "SelfAttention",
       .note = "softmax of q over channels and of k over tokens; ours has elu + 1 and a denominator"},
      {.title = "local-attention blocks",
       .package = local,
       .layer = "local_attention_blocks",
       .spec = "local-neighbours:block=256,back=1,forward=0",
       .bias = false,
       .about = "LocalMHA, window_size 256, exact_windowsize False"},
      {.title = "local-attention window",
       .package = local,
       .layer = "local_attention_window",
       .spec = "window:left=256",
       .bias = false,
       .about = "LocalMHA, window_size 256"},
  };
}

}  // namespace heed::bench
