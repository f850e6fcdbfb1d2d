// `attention show`: which keys each query of a variant sees, as a picture.
#include <cstdio>

#include "demos/attention/attention.h"
#include "show/attention_picture.h"
#include "system/command_line.h"
#include "system/error.h"
#include "system/write_file.h"
#include "tensor/random.h"
#include "tensor/views.h"

using namespace heed;

namespace {

std::string subtitle(const Drawn& drawn, bool weights, const Variant& variant) {
  return variant.summary + (drawn.causal ? ", causal" : "") + (weights ? "; random parameters and tokens" : "") +
         "; time " + variant.time.text() + ", memory " + variant.memory.text();
}

}  // namespace

Grid grid_for(const std::string& spec, long length) {
  Grid grid;
  if (spec.find("grid=") != std::string::npos) return grid;
  for (long rows = 1; rows * rows <= length; rows++)
    if (length % rows == 0) grid.rows = rows, grid.columns = length / rows;
  return grid;
}

Tensor drawn_weights(const Drawn& d) {
  const NoGrad no_grad;
  const auto mixer = make_mixer(d.spec, {.C = 32 * d.heads,
                                         .heads = d.heads,
                                         .max_length = d.length,
                                         .layer = d.layer,
                                         .layers = d.layers,
                                         .grid = grid_for(d.spec, d.length)});
  HEED_CHECK(!d.causal || mixer->can().causal, "show", d.spec, " has no causal form; leave --causal away");
  mixer->initialise(uint32_t(d.seed));
  mixer->cast_parameters(f64);
  Context ctx;
  ctx.seed = uint32_t(d.seed);
  const Tensor x =
      normal({1, d.length, 32 * d.heads}, {.seed = uint32_t(d.seed), .site = site_hash("show")}, 0, 1, f64);
  const MixIn in{.mask = {.causal = d.causal}};
  return select(mixer->weights(mixer->widen(x, in, ctx), in, ctx), 0, 0);
}

std::string file_name(const std::string& spec) {
  std::string name = spec;
  for (char& c : name)
    if (c == ':' || c == '=' || c == ',' || c == '/') c = '-';
  return name;
}

int show_command(int argc, char** argv) {
  Drawn drawn;
  std::string out;
  bool weights = false;
  CommandLine line("attention show", "Draws which keys each query of an attention variant sees.");
  line.word("SPEC", drawn.spec, "a variant and its options, such as window:left=8,right=8", {});
  line.option("--out", out, "the picture, a PNG file (runs/attention/SPEC.png)");
  line.option("--length", drawn.length, "tokens", 1, 1024);
  line.flag("--causal", drawn.causal, "no query sees a later key");
  line.option("--heads", drawn.heads, "heads of the mixer", 1, 64);
  line.flag("--weights", weights, "how large the weights of a mixer with random parameters are on random tokens");
  line.seed(drawn.seed, "another seed, other parameters and tokens");
  if (!line.parse(argc, argv)) return line.exit_code();
  HEED_CHECK(!drawn.spec.empty(), "show", "which variant? `attention list` has them all; try `attention show window`");
  const Variant& variant = find_variant(drawn.spec);
  const std::string title = drawn.spec;
  if (out.empty()) out = "runs/attention/" + file_name(title) + ".png";
  check_writable(out);
  drawn.spec = VariantOptions(title, variant.name, variant.options()).spec();
  const AttentionLook look{
      .title = title, .subtitle = subtitle(drawn, weights, variant), .footnote = drawn.spec, .strength = weights};
  draw_attention(drawn_weights(drawn), look).write_png(out);
  std::printf("%s\nthe picture is %s\n", drawn.spec.c_str(), out.c_str());
  return 0;
}
