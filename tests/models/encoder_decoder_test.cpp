#include "models/encoder_decoder.h"

#include "autograd/ops/elementwise.h"
#include "tensor/create.h"
#include "tensor/views.h"
#include "tests/models/small_model.h"
#include "tests/support/compare.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(encoder_decoder_test)

BOOST_AUTO_TEST_CASE(a_decoder_with_a_state_equals_the_whole_and_honours_the_sources_lengths) {
  for (const char* positions : {"learned", "rotary"}) {
    EncoderDecoder model({.V = 11, .encoder = small("sf"), .decoder = small("scfscf"), .positions = positions});
    shake(model);
    Context ctx;
    NoGrad no_grad;
    const Tensor other = some_ids(2, 9), lengths = tensor({9, 4}, i64), ids = some_ids(2, 7);
    const Variable source = model.encode(other, lengths, ctx);
    const Tensor whole = model.decode(ids, source, lengths, ctx).value();
    StackState state = model.start(2, 7);
    for (long t = 0; t < 7; t++)
      check_close(model.decode(slice(ids, 1, t, t + 1), source, lengths, ctx, &state).value(),
                  slice(whole, 1, t, t + 1), kRounding);
    const Variable shorter = model.encode(slice(slice(other, 0, 1, 2), 1, 0, 4), {}, ctx);
    check_close(slice(whole, 0, 1, 2), model.decode(slice(ids, 0, 1, 2), shorter, {}, ctx).value(), kRounding);
  }
}

BOOST_AUTO_TEST_SUITE_END()
