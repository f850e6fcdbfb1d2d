#include "train/run_page.h"

#include <cctype>
#include <filesystem>
#include <functional>
#include <map>

#include "show/page.h"
#include "system/text.h"
#include "system/write_file.h"
#include "train/overfitting.h"

namespace heed {
namespace {

constexpr size_t kPoints = 600;  // of a curve
constexpr double kReload = 15;   // seconds

// The last value of a name in the metrics, in this format; a dash if there is none.
std::string last_text(const std::vector<Json>& lines, const std::string& name, const char* pattern) {
  const auto line = last_line_of(lines, name);
  return line ? format(pattern, line->at(name).number()) : "-";
}

std::string valid_label(const std::vector<Json>& lines, const Score& score) {
  const auto line = last_line_of(lines, score.valid());
  return score.unit + ", validation" + (line ? " (step " + line->at("step").dump() + ")" : "");
}

void add_figures(Page& page, const std::vector<Json>& lines, const Score& score) {
  page.figures({{last_text(lines, score.valid(), "%.3f"), valid_label(lines, score)},
                {last_text(lines, score.train(), "%.3f"), score.unit + ", training (recent steps)"},
                {last_text(lines, "step", "%.0f"), "steps"},
                {last_text(lines, "tokens_per_s", "%.0f"), "tokens per second"}});
}

// The newest first. A sound is played and a picture shown; a sound's bytes as text would say nothing.
void add_samples(Page& page, const RunFolder& run) {
  std::map<long, std::function<void()>, std::greater<>> list;
  for (const auto& [step, name] : run.pictures())
    list[step] = [&page, step = step, name = name] { page.image(name, "drawn after step " + std::to_string(step)); };
  const bool pictures = !list.empty();
  for (const auto& [step, name] : run.sounds()) list.try_emplace(step, [&page, name = name] { page.audio(name); });
  const bool sound = !pictures && !list.empty();
  for (const auto& [step, text] : run.samples()) list.try_emplace(step, [&page, text = text] { page.pre(text); });
  if (!list.empty()) page.section(pictures ? "What it draws" : sound ? "What it plays" : "What it writes");
  for (const auto& [step, show] : list)
    page.fold("after step " + std::to_string(step), step == list.begin()->first, show);
}

void add_links(Page& page, const RunFolder& run, const std::vector<RunPage::Link>& links) {
  std::error_code none;
  for (const auto& [title, file, text] : links) {
    if (!std::filesystem::exists(run.file(file), none)) continue;
    page.section(title);
    file.ends_with(".png") ? page.image(file, text) : page.link(file, text);
  }
}

std::string capitalised(std::string text) {
  if (!text.empty()) text[0] = char(std::toupper(uint8_t(text[0])));
  return text;
}

Chart loss_chart(const RunFolder& run, const std::vector<Json>& metrics, const Score& score) {
  Chart chart{.title = capitalised(score.unit), .subtitle = run.path(), .x_label = "step"};
  chart.series.push_back({"each step", thinned(curve_of(metrics, "step", score.name), kPoints), true});
  chart.series.push_back({"training", thinned(curve_of(metrics, "step", score.train()), kPoints)});
  chart.series.push_back({"validation", thinned(curve_of(metrics, "step", score.valid()), kPoints)});
  return chart;
}

// What was learned with: rate, norm of the gradients, speed.
void add_charts(Page& page, const std::vector<Json>& metrics) {
  struct Curve {
    const char *name, *title;
    bool logarithmic;
  };
  page.side_by_side([&] {
    for (const Curve& of :
         {Curve{"rate", "Learning rate", false}, Curve{"gradient_norm", "Norm of the gradients", true},
          Curve{"tokens_per_s", "Tokens per second", false}}) {
      const std::vector<Point> points = thinned(curve_of(metrics, "step", of.name), kPoints / 2);
      if (points.size() < 2) continue;
      page.svg(chart_svg({.title = of.title,
                          .x_label = "step",
                          .series = {{"", points}},
                          .width = 305,
                          .height = 240,
                          .logarithmic = of.logarithmic,
                          .whole = true}));
    }
  });
}

}  // namespace

void add_settings(Page& page, const Json& config) {
  Page::Rows rows;
  for (const auto& [name, value] : config.members())
    rows.push_back({name, value.is_text() ? value.text() : value.dump()});
  page.section("Settings");
  page.table(rows);
}

void write_page(const RunFolder& run, const RunPage& texts) {
  const std::vector<Json> metrics = run.metrics();
  const Chart chart = loss_chart(run, metrics, texts.score);
  const std::string svg = chart_svg(chart);
  write_file(run.file("loss.svg"), svg);
  draw_chart(chart).write_png(run.file("loss.png"));
  Page page(run.path(), texts.about + (texts.running ? "; the run goes on, and this page follows it" : ""));
  if (texts.running) page.reload_every(kReload);
  add_figures(page, metrics, texts.score);
  for (const std::string& note : texts.notes) page.paragraph(note);
  if (const auto found = overfitting(metrics, texts.score)) page.paragraph(capitalised(found->text(texts.score)) + ".");
  page.svg(svg);
  add_charts(page, metrics);
  add_samples(page, run);
  if (texts.more) texts.more(page);
  add_links(page, run, texts.links);
  if (!texts.commands.empty()) {
    page.section("Going on");
    page.commands(texts.commands);
  }
  add_settings(page, run.config());
  write_file(run.file("index.html"), page.html());
}

Chart comparison(const std::vector<RunFolder>& runs, const std::string& x, const Score& score) {
  Chart chart{.title = "Validation, " + score.unit, .x_label = x == "step" ? "step" : "seconds of training"};
  for (const RunFolder& run : runs) chart.series.push_back({run.path(), thinned(run.curve(x, score.valid()), kPoints)});
  return chart;
}

}  // namespace heed
