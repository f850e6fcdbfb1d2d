// f: feed-forward, on every token alone.
#include "nn/feed_forward.h"

#include "models/sublayer.h"

namespace heed {
namespace {

struct FeedForwardSublayer : Sublayer {
  explicit FeedForwardSublayer(const SublayerOptions& o)
      : feed_forward(wrapped_from([&] {
          const long C = o.stack.C, given = o.stack.hidden;
          return std::make_unique<FeedForward>(C, given ? given : FeedForward::usual_hidden(C, o.stack.activation),
                                               FeedForward::Options{.activation = o.stack.activation,
                                                                    .bias = o.stack.bias,
                                                                    .chunks = o.stack.feed_forward_chunks,
                                                                    .in = o.in,
                                                                    .out = o.out});
        })) {}

  Variable forward(const Variable& h, const StackIn&, State*, Context& ctx) override {
    return feed_forward.forward(h, ctx);
  }

  FeedForward& feed_forward;
};

const RegisteredSublayer registered{
    {.name = "f", .what = "feed-forward", .sees = Sees::token, .make = make_sublayer<FeedForwardSublayer>}};

}  // namespace
}  // namespace heed
