#include "nn/mixing/mixer.h"

namespace heed {
namespace {

std::string why(const Capabilities& can) { return can.because.empty() ? "" : ": " + can.because; }

}  // namespace

void check_tokens(const char* op, const Tokens& tokens, long B, long T) {
  const auto fits = [&](const Tensor& x) {
    return x.dims() == 2 && (x.size(0) == 1 || x.size(0) == B) && x.size(1) == T;
  };
  HEED_CHECK(!tokens.positions.defined() || (tokens.positions.dtype() == i64 && fits(tokens.positions)), op,
             "the positions are ", tokens.positions.shape(), " ", tokens.positions.dtype(), " and (B, T) is ",
             Shape{B, T}, "; they must be i64 of shape (B, T), or (1, T) for all samples");
  HEED_CHECK(!tokens.global.defined() || (tokens.global.dtype() == boolean && fits(tokens.global)), op,
             "the marks of global tokens are ", tokens.global.shape(), " ", tokens.global.dtype(), " and (B, T) is ",
             Shape{B, T}, "; they must be boolean of shape (B, T), or (1, T) for all samples");
}

void Mixer::introduce(const std::string& name, long max_length) {
  name_ = name;
  max_length_ = max_length;
}

void Mixer::check(const Variable& x, const MixIn& in) const {
  const char* op = name_.c_str();
  const Capabilities can = this->can();
  for (const MaskPart& part : mask_parts())
    HEED_CHECK(can.*part.honoured || !part.given(in.mask), op, "the mask ", part.text,
               ", which this attention does not honour", why(can), ". Leave it out, or use full");
  HEED_CHECK(can.cross || !in.source, op,
             "a source was given; it mixes the tokens of one sequence and takes no keys from another", why(can),
             ". Use full");
  HEED_CHECK(can.decode || !in.state, op, "a state was given; it keeps none", why(can));
  const long tokens = in.source ? in.source->size(1) : x.size(1) + (in.state ? in.state->length() : 0);
  HEED_CHECK(!can.needs_max_length || max_length_ < 0 || tokens <= max_length_, op, tokens,
             " tokens were given; it was made for at most ", max_length_, " (max_length)");
  if (!in.tokens || can.widens) return;  // a mixer that adds nodes knows which of them are tokens
  HEED_CHECK(can.globals || !in.tokens->global.defined(), op, "tokens are marked as global; it has no global tokens",
             why(can), ". Use an attention that has");
  HEED_CHECK(!in.state || !in.tokens->positions.defined(), op,
             "positions and a state were given; with a state a token's position is its number. Leave one of them out");
  check_tokens(op, *in.tokens, x.size(0), x.size(1));
}

Variable Mixer::forward(const Variable& x, const MixIn& in, Context& ctx) {
  HEED_CHECK(x.dims() == 3, name_.c_str(), "x is ", x.shape(), "; it must be (B, T, C)");
  check(x, in);
  return mix(x, in, ctx);
}

Tensor Mixer::weights(const Variable& x, const MixIn& in, Context& ctx) {
  HEED_CHECK(!in.state, name_.c_str(), "a state was given; weights are shown for a whole sequence");
  check(x, in);
  return dense_weights(x, in, ctx);
}

std::unique_ptr<State> Mixer::start(long, long) {
  fail(name_.c_str(), "it keeps no state: token-by-token decoding is not defined for it", why(can()),
       "; use it in an encoder");
}

Variable Mixer::widen(const Variable& x, const MixIn&, Context&) { return x; }
Variable Mixer::narrow(const Variable& y, long, const MixIn&, Context&) { return y; }

Tensor Mixer::dense_weights(const Variable&, const MixIn&, Context&) {
  fail(name_.c_str(), "it has no dense map of weights to show");
}

std::vector<Look> Mixer::looks(const Variable& x, const MixIn& in, Context& ctx) {
  return {{"weights", weights(x, in, ctx)}};
}

}  // namespace heed
