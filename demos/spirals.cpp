// Two spirals: trains a small network to tell two interleaved spirals apart and draws what it has learned. It is the
// shortest way through the whole engine: data, modules, autograd, AdamW, and a picture at the end.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>
#include <vector>

#include "autograd/ops/cross_entropy.h"
#include "autograd/ops/elementwise.h"
#include "nn/arena.h"
#include "nn/linear.h"
#include "show/chart.h"
#include "system/command_line.h"
#include "system/progress.h"
#include "system/text.h"
#include "system/write_file.h"
#include "tensor/create.h"
#include "tensor/machine.h"
#include "tensor/ops/reduce.h"
#include "tensor/random.h"
#include "tensor/views.h"
#include "train/adamw.h"

using namespace heed;

namespace {

struct Settings {
  long steps = 500;
  long width = 64;
  long points = 1000;
  double noise = 0.02;
  double rate = 0.01;
  long seed = 1;
  std::string activation = "gelu";
  std::string out = "runs/spirals/spirals.png";
  bool quick = false;
};

// ---- data and model

constexpr double kTurns = 2.5;  // of each spiral, which ends at distance 1 from the middle

struct Points {
  Tensor places;   // (N, 2)
  Tensor classes;  // (N,): 0 and 1 in turn
};

Points spirals(long count, double noise, uint32_t seed, const char* use) {
  const auto along = uniform({count}, {.seed = seed, .site = site_hash(use, 0)}).to_vector<float>();
  const auto shake = normal({count, 2}, {.seed = seed, .site = site_hash(use, 1)}, 0, noise).to_vector<float>();
  std::vector<float> places;
  std::vector<int64_t> classes;
  for (long i = 0; i < count; i++) {
    const double radius = 0.08 + 0.92 * std::sqrt(along[i]);  // sqrt: as dense outside as inside
    const double angle = 2 * std::numbers::pi * kTurns * radius + std::numbers::pi * double(i % 2);
    places.push_back(float(radius * std::cos(angle)) + shake[2 * i]);
    places.push_back(float(radius * std::sin(angle)) + shake[2 * i + 1]);
    classes.push_back(i % 2);
  }
  return {from_vector(places, {count, 2}), from_vector(classes, {count})};
}

class Mlp : public Module {
 public:
  Mlp(long width, bool gelu)
      : first_(child<Linear>("first", 2, width)),
        second_(child<Linear>("second", width, width)),
        out_(child<Linear>("out", width, 2)),
        gelu_(gelu) {}

  // (N, 2) -> (N, 2): places to one logit per class
  Variable forward(const Variable& x, Context& ctx) {
    const Variable h = bend(first_.forward(x * kScale, ctx));
    return out_.forward(bend(second_.forward(h, ctx)), ctx);
  }

 private:
  static constexpr double kScale = 5;  // a spiral bends often: larger numbers let the first layer follow it sooner
  Variable bend(const Variable& x) const { return gelu_ ? gelu(x) : tanh(x); }

  Linear &first_, &second_, &out_;
  bool gelu_;
};

// log(p1 / p0) for every place: the difference of the two logits.
std::vector<float> log_odds(Mlp& model, const Tensor& places) {
  const NoGrad no_grad;
  Context ctx;
  const Tensor logits = model.forward(places, ctx).value();
  return (select(logits, 1, 1) - select(logits, 1, 0)).to_vector<float>();
}

double accuracy(Mlp& model, const Points& points) {
  const auto odds = log_odds(model, points.places);
  const auto classes = points.classes.to_vector<int64_t>();
  long right = 0;
  for (size_t i = 0; i < odds.size(); i++) right += (odds[i] > 0) == (classes[i] == 1);
  return double(right) / double(odds.size());
}

struct Result {
  std::vector<double> losses;  // one per step
  double seconds;
  double accuracy;  // on held-out points
  long held_out;
};

Result train(Mlp& model, const Points& points, const Points& held_out, const Settings& s) {
  ParameterArena arena(model);
  AdamW optimiser(arena, {.weight_decay = 1e-3});
  Context ctx;
  ctx.train = true;
  ctx.seed = uint32_t(s.seed);
  Progress progress("step", s.steps);
  std::vector<double> losses;
  for (long step = 1; step <= s.steps; step++) {
    ctx.begin(uint32_t(step));
    arena.zero_gradients();
    const Variable loss = cross_entropy(model.forward(points.places, ctx), points.classes);
    loss.backward();
    const double done = double(step) / double(s.steps);
    optimiser.step(s.rate * (0.5 + 0.5 * std::cos(std::numbers::pi * done)));  // cosine: down to 0 at the end
    losses.push_back(loss.item());
    HEED_CHECK(std::isfinite(losses.back()), "train", "the loss is ", losses.back(), " at step ", step,
               "; try a lower --rate than ", s.rate);
    progress.show(step, "loss " + std::to_string(losses.back()));
  }
  progress.finish("loss " + std::to_string(losses.back()));
  return {losses, progress.seconds(), accuracy(model, held_out), held_out.places.size(0)};
}

// ---- the picture

using palette::diverging, palette::kSoft;
constexpr Colour kDots[] = {palette::kBlue, palette::kOrange};  // the two classes, as in diverging()
constexpr Box kMap{32, 92, 576, 576};
constexpr double kTint = 0.55;                       // how strong the colours of the map are, 0..1
constexpr double kView = 1.14;                       // the map shows -kView..kView in both directions
constexpr double kColumn = 652, kColumnWidth = 216;  // right of the map

Point on_map(double x, double y) {
  return {kMap.x + kMap.width * (x + kView) / (2 * kView), kMap.y + kMap.height * (kView - y) / (2 * kView)};
}

// log_odds in the middle of every pixel of the map, row by row.
std::vector<float> odds_of_pixels(Mlp& model) {
  constexpr long kRows = 16;  // at a time
  const long width = long(kMap.width), height = long(kMap.height);
  std::vector<float> all;
  for (long top = 0; top < height; top += kRows) {
    std::vector<float> places;
    for (long i = top * width; i < std::min(top + kRows, height) * width; i++) {
      places.push_back(float(kView * (2 * (double(i % width) + 0.5) / kMap.width - 1)));
      places.push_back(float(kView * (1 - 2 * (double(i / width) + 0.5) / kMap.height)));
    }
    const auto part = log_odds(model, from_vector(places, {long(places.size()) / 2, 2}));
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

// The colour of a pixel is the probability of its class. The boundary is where the odds are even: |odds| / |slope| is
// about the distance to it.
void draw_map(Picture& picture, Mlp& model) {
  const std::vector<float> odds = odds_of_pixels(model);
  const long width = long(kMap.width), height = long(kMap.height);
  const auto at = [&](long x, long y) {
    return double(odds[size_t(std::clamp(y, 0L, height - 1) * width + std::clamp(x, 0L, width - 1))]);
  };
  for (long y = 0; y < height; y++)
    for (long x = 0; x < width; x++) {
      const long px = long(kMap.x) + x, py = long(kMap.y) + y;
      picture.pixel(px, py, diverging(kTint * std::tanh(at(x, y) / 2)));  // tanh(z / 2) = p1 - p0
      const double slope = std::hypot(at(x + 1, y) - at(x - 1, y), at(x, y + 1) - at(x, y - 1)) / 2;
      picture.blend(px, py, palette::kInk, 0.85 * std::clamp(1.3 - std::abs(at(x, y)) / (slope + 1e-9), 0.0, 1.0));
    }
}

void draw_dot(Picture& picture, Point at, Colour colour) {
  picture.circle(at, 4.4, {palette::kBackground, 0.9});
  picture.circle(at, 3.2, colour);
}

void draw_points(Picture& picture, const Points& points) {
  const auto places = points.places.to_vector<float>();
  const auto classes = points.classes.to_vector<int64_t>();
  for (size_t i = 0; i < classes.size(); i++)
    draw_dot(picture, on_map(places[2 * i], places[2 * i + 1]), kDots[classes[i]]);
}

// What the colours mean, from y on.
void draw_legend(Picture& picture, double y) {
  const TextStyle style{.size = 9};
  const char* names[] = {"points of the first spiral", "points of the second spiral"};
  for (int i = 0; i < 2; i++, y += 24) {
    draw_dot(picture, {kColumn + 9, y}, kDots[i]);
    picture.text({kColumn + 28, y + 4.5}, names[i], style);
  }
  picture.line({kColumn, y}, {kColumn + 18, y}, {.width = 2});
  picture.text({kColumn + 28, y + 4.5}, "both equally likely", style);
  y += 24;
  for (int i = 0; i < int(kColumnWidth); i++)
    picture.rectangle({kColumn + i, y, 1, 12}, diverging(kTint * (2 * i / (kColumnWidth - 1) - 1)));
  picture.text({kColumn, y + 28}, "surely first", style);
  picture.text({kColumn + kColumnWidth, y + 28}, "surely second", {.size = 9, .align = Align::right});
}

std::string percent(double part) { return format("%.2f%%", 100 * part); }

Chart loss_chart(const std::vector<double>& losses) {
  Chart chart{.x_label = "step", .logarithmic = true};
  chart.series.resize(1);
  for (const double loss : losses) chart.series[0].points.push_back({double(chart.series[0].points.size() + 1), loss});
  return chart;
}

void draw(const Settings& s, Mlp& model, const Points& points, const Result& result) {
  Picture picture(900, 700);
  picture.text({kMap.x, 46}, "Two spirals, learned by heed", {.size = 19, .weight = 0.17});
  const std::string w = std::to_string(s.width);
  picture.text({kMap.x, 72},
               "2-" + w + "-" + w + "-2 neurons with " + s.activation + ", " + std::to_string(s.steps) +
                   " steps of AdamW on " + std::to_string(s.points) + " points",
               {.size = 9.5, .alpha = kSoft});
  draw_map(picture, model);
  draw_points(picture, points);
  draw_legend(picture, kMap.y + 8);
  picture.text({kColumn + 2, 322}, percent(result.accuracy), {.size = 34, .weight = 0.15});
  picture.text({kColumn, 346}, "of " + std::to_string(result.held_out) + " points it has not seen", {.size = 9});
  picture.text({kColumn, 429}, "training loss", {.size = 9});
  draw_curves(picture, {kColumn, 442, kColumnWidth, 226}, loss_chart(result.losses));
  picture.write_png(s.out);
}

// ---- the program

void add_options(CommandLine& line, Settings& s) {
  line.option("--steps", s.steps, "training steps", 1, 1'000'000);
  line.option("--width", s.width, "neurons in each of the two hidden layers", 1, 4096);
  line.option("--points", s.points, "points to learn from", 2, 100'000);
  line.option("--noise", s.noise, "how far the points stray from their spiral", 0.0, 1.0);
  line.option("--rate", s.rate, "learning rate at the start", 1e-6, 1.0);
  line.option("--activation", s.activation, "of the hidden layers", {"gelu", "tanh"});
  line.seed(s.seed, "another seed, other points and weights");
  line.option("--out", s.out, "the picture");
  line.flag("--quick", s.quick, "at most 200 steps");
}

int body(int argc, char** argv) {
  Settings s;
  CommandLine line("spirals", "Trains a small network to tell two spirals apart and draws what it learned.");
  add_options(line, s);
  if (!line.parse(argc, argv)) return line.exit_code();
  if (s.quick) s.steps = std::min(s.steps, 200L);
  check_writable(s.out);
  print_sentence(machine_description());

  const Points points = spirals(s.points, s.noise, uint32_t(s.seed), "spirals.train");
  const Points held_out = spirals(2000, s.noise, uint32_t(s.seed), "spirals.held_out");
  Mlp model(s.width, s.activation == "gelu");
  model.initialise(uint32_t(s.seed));
  print_line(format("%ld points, %ld parameters, %ld steps", s.points, model.parameter_count(), s.steps));
  const Result result = train(model, points, held_out, s);
  std::printf("trained in %s, final loss %.9g, %s of %ld held-out points are right\n",
              duration_text(result.seconds).c_str(), result.losses.back(), percent(result.accuracy).c_str(),
              result.held_out);
  draw(s, model, points, result);
  std::printf("the picture is %s\n", s.out.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return run("spirals", body, argc, argv); }
