// What axial promises beyond the property suite: pictures and numbers of pairs, rows and columns are each other's
// transpose, two layers reach everything, whole rows through a state, and grids that do not fit.
#include <algorithm>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/ops/matmul.h"
#include "tensor/ops/reduce.h"
#include "tensor/profile.h"
#include "tensor/views.h"
#include "tests/oracle/suite.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

constexpr long C = 12;
const MixerOptions kMixer{.C = C, .heads = 2};

std::unique_ptr<Mixer> made(const std::string& spec, const MixerOptions& options = kMixer) {
  auto mixer = make_mixer(spec, options);
  mixer->cast_parameters(f64);
  uint32_t seed = 1;
  for (Parameter* p : mixer->parameters()) p->value.set_value(noise(p->value.shape(), seed++));
  return mixer;
}

Tensor weights(const std::string& spec, bool causal, long n, const MixerOptions& options = kMixer) {
  Context ctx;
  const Tensor all = made(spec, options)->weights(noise({1, n, C}, 1), {.mask = causal_if(causal)}, ctx);
  return contiguous(select(select(all, 0, 0), 0, 0));
}

std::string picture(const std::string& spec, bool causal, long n) {
  std::string text;
  const std::vector<double> seen = weights(spec, causal, n).to_vector<double>();
  for (long i = 0; i < n * n; i++) text.append(seen[size_t(i)] > 0 ? "#" : ".").append(i % n == n - 1 ? "\n" : "");
  return text;
}

long pairs(const std::string& spec, bool causal, long n) {
  const std::string text = picture(spec, causal, n);
  return std::count(text.begin(), text.end(), '#');
}

std::string refusal(const std::string& spec, const MixerOptions& options = kMixer) {
  return error_of([&] { make_mixer(spec, options); });
}

Tensor y_of(Mixer& mixer, const Tensor& x, const Mask& mask) {
  Context ctx;
  return mixer.forward(x, {.mask = mask}, ctx).value();
}

// (1, rows columns, C) with rows and columns exchanged
Tensor transposed(const Tensor& x, long rows, long columns) {
  return reshape(contiguous(transpose(reshape(x, {rows, columns, C}), 0, 1)), x.shape());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(axial_test)

BOOST_AUTO_TEST_CASE(sixteen_tokens_see_what_is_drawn_here) {
  BOOST_TEST(picture("axial:axis=columns,grid=4", true, 16) ==
             "#...............\n.#..............\n..#.............\n...#............\n"
             "#...#...........\n.#...#..........\n..#...#.........\n...#...#........\n"
             "#...#...#.......\n.#...#...#......\n..#...#...#.....\n...#...#...#....\n"
             "#...#...#...#...\n.#...#...#...#..\n..#...#...#...#.\n...#...#...#...#\n");
  BOOST_TEST(picture("axial:axis=rows,grid=3", false, 8) ==
             "###.....\n###.....\n###.....\n...###..\n...###..\n...###..\n......##\n......##\n");
  BOOST_TEST(picture("axial:axis=merged,grid=3", false, 8) ==
             "####..#.\n###.#..#\n###..#..\n#..####.\n.#.###.#\n..####..\n#..#..##\n.#..#.##\n");
  BOOST_TEST(picture("axial:axis=merged,grid=3", true, 8) ==
             "#.......\n##......\n###.....\n#..#....\n.#.##...\n..####..\n#..#..#.\n.#..#.##\n");
}

BOOST_AUTO_TEST_CASE(the_number_of_pairs_is_that_of_the_closed_formula) {
  for (auto [R, W] : {std::pair{4L, 5L}, {1L, 7L}, {7L, 1L}, {8L, 8L}, {3L, 20L}}) {
    const long n = R * W;
    const std::string grid = ",grid=" + std::to_string(R) + "x" + std::to_string(W);
    BOOST_TEST_CONTEXT("grid " << grid) {
      BOOST_TEST(pairs("axial:axis=rows" + grid, false, n) == n * W);
      BOOST_TEST(pairs("axial:axis=rows" + grid, true, n) == n * (W + 1) / 2);
      BOOST_TEST(pairs("axial:axis=columns" + grid, false, n) == n * R);
      BOOST_TEST(pairs("axial:axis=columns" + grid, true, n) == n * (R + 1) / 2);
      BOOST_TEST(pairs("axial:axis=merged" + grid, false, n) == n * (R + W - 1));
      BOOST_TEST(pairs("axial:axis=merged" + grid, true, n) == n * (R + W) / 2);
    }
  }
}

BOOST_AUTO_TEST_CASE(columns_are_the_rows_of_the_transposed_grid) {
  for (bool causal : {false, true})
    for (const char* more : {"", ",bias=t5"}) {  // with a bias, and without: two ways through the engine
      const Mask mask = causal_if(causal);
      const Tensor x = noise({1, 20, C}, 3);
      const auto rows = made("axial:axis=rows,grid=5x4" + std::string(more)),
                 columns = made("axial:axis=columns,grid=4x5" + std::string(more));
      if (more[0] != 0) {  // the bias of a distance along the row is that of as many rows: here the table is flat
        for (Mixer* mixer : {rows.get(), columns.get()})
          for (Parameter* p : mixer->parameters())
            if (p->path.starts_with("core.")) p->value.set_value(ones(p->value.shape(), f64));
      }
      check_close(y_of(*columns, x, mask), transposed(y_of(*rows, transposed(x, 4, 5), mask), 5, 4), kExact);
    }
}

BOOST_AUTO_TEST_CASE(masked_columns_are_what_strides_of_a_row_see) {
  const Tensor x = noise({2, 45, C}, 3);
  const auto y = [&](const std::string& spec) { return y_of(*made(spec), x, causal_mask()); };
  check_close(y("axial:axis=columns,grid=7"), y("window:left=-1,right=0,dilation=7"), kExact);
  if (all_variants.find_or_null("sparse"))  // its second pattern
    check_close(y("axial:axis=columns,grid=7"), y("sparse:kind=strided,heads=second,stride=7"), kExact);
}

BOOST_AUTO_TEST_CASE(a_row_and_a_column_layer_connect_every_pair) {
  const Tensor rows = weights("axial:axis=rows,grid=6", false, 24),
               columns = weights("axial:axis=columns,grid=6", false, 24);
  BOOST_TEST(min(matmul(columns, rows)).item() > 0);
  BOOST_TEST(min(rows).item() == 0);
}

BOOST_AUTO_TEST_CASE(layers_alternate_on_the_models_grid) {
  for (long layer : {0, 1, 2, 3}) {
    MixerOptions options = kMixer;
    options.grid = {4, 6}, options.layer = layer, options.layers = 4;
    const std::string other = layer % 2 ? "axial:axis=columns,grid=6" : "axial:axis=rows,grid=6";
    BOOST_TEST(same_bits(weights("axial", false, 24, options), weights(other, false, 24)));
  }
}

BOOST_AUTO_TEST_CASE(whole_rows_are_computed_as_any_other_tokens_are) {
  const Tensor x = noise({2, 42, C}, 5);
  const Mask everything = allow_mask(ones({42, 42}, boolean));  // a mask that says nothing, for the general way
  for (const std::string axis : {"rows", "columns", "merged"})
    for (bool causal : {false, true}) {
      const auto mixer = made("axial:axis=" + axis + ",grid=7");
      Context ctx;
      const Results fast = results(*mixer, x, causal_if(causal), ctx),
                    general = results(*mixer, x, causal_if(causal) & everything, ctx);
      check_close(fast.y, general.y, kExact);
      check_close(fast.dx, general.dx, kExact);
    }
}

// Not causal: a row sees all of itself, and what is above it.
BOOST_AUTO_TEST_CASE(whole_rows_through_a_state_equal_the_whole) {
  const NoGrad no_grad;
  for (const char* spec : {"axial:axis=rows,grid=6x7", "axial:axis=columns,grid=6x7,causal=yes"}) {
    const auto mixer = made(spec);
    const Tensor x = noise({2, 42, C}, 7), whole = y_of(*mixer, x, {});
    const auto state = mixer->start(2, 42);
    Context ctx;
    for (auto [begin, end] : {std::pair{0L, 14L}, {14L, 21L}, {21L, 42L}})
      check_close(mixer->forward(rows(x, begin, end), {.state = state.get()}, ctx).value(), rows(whole, begin, end),
                  kExact);
  }
}

// Four times the pixels of a square are eight times the pairs: n sqrt(n), also with a state that takes in row by row.
BOOST_AUTO_TEST_CASE(row_by_row_the_work_is_n_sqrt_n) {
  const auto flops = [](long side) {
    const NoGrad no_grad;
    const auto mixer = make_mixer("axial:axis=columns,causal=yes,grid=" + std::to_string(side), kMixer);
    const auto state = mixer->start(1, side * side);
    Context ctx;
    Profile profile;
    for (long row = 0; row < side; row++) mixer->forward(noise({1, side, C}, 1, f32), {.state = state.get()}, ctx);
    profile.stop();
    double all = 0;
    for (const ProfileRow& row : profile.rows()) all += row.flops;
    return all;
  };
  const double growth = flops(64) / flops(32);
  BOOST_TEST(growth < 8 * 1.1);
  BOOST_TEST(growth > 3.9);  // the projections alone are 4 times
}

BOOST_AUTO_TEST_CASE(without_a_grid_it_says_what_to_give) {
  BOOST_TEST(refusal("axial") ==
             "axial: the tokens of this model are no image in rows, so that its grid is not known; give one, as in "
             "axial:grid=32x32, or the width of a row alone, as in axial:grid=64");
}

BOOST_AUTO_TEST_CASE(grids_that_cannot_be_are_refused) {
  MixerOptions image = kMixer;
  image.grid = {14, 14};
  BOOST_TEST(refusal("axial:grid=7x7", image) ==
             "axial: got grid=7x7, which is 49 places; the image has 14x14. Leave it away: the model tells its grid");
  image.grid = {.rows = 14, .columns = 14, .block_rows = 7, .block_columns = 2};
  BOOST_TEST(refusal("axial", image) ==
             "axial: the model reads its image in blocks of 7x2; rows and columns want it row by row: set the order "
             "raster");
  BOOST_TEST(refusal("axial:grid=2x3x4") ==
             "axial: got grid=2x3x4; it must be rows and columns, as in 32x32, or the width of a row, as in 64");
  BOOST_TEST(refusal("axial:grid=0x4") == "axial: got grid=0x4; rows and columns must be 1 or more");
  BOOST_TEST(refusal("axial:grid=4x0") == "axial: got grid=4x0; rows and columns must be 1 or more");
  BOOST_TEST(refusal("axial:grid=wide").starts_with("axial: got grid=wide; it must be a number"));
  BOOST_TEST(refusal("axial:axis=row,grid=4").find("rows, columns, alternate, merged") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(more_tokens_than_the_grid_has_are_refused_before_the_state_changes) {
  const std::string want =
      "axial: 21 tokens were given; the grid of 4x5 has room for 20. Give a larger grid, or the width of a row alone, "
      "as in grid=5";
  const auto mixer = made("axial:grid=4x5");
  BOOST_TEST(error_of([&] { y_of(*mixer, noise({1, 21, C}, 1), {}); }) == want);
  const auto state = mixer->start(1, 100);
  Context ctx;
  const auto step = [&](long T) {
    mixer->forward(noise({1, T, C}, 1), {.mask = causal_mask(), .state = state.get()}, ctx);
  };
  step(18);
  BOOST_TEST(error_of([&] { step(3); }) == want);
  BOOST_TEST(state->length() == 18);
  BOOST_CHECK_NO_THROW(step(2));
}

BOOST_AUTO_TEST_SUITE_END()
