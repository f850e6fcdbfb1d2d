#include "train/run_page.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>

#include "system/text.h"
#include "system/write_file.h"

namespace heed {
namespace {

constexpr size_t kPoints = 600;  // of a curve

constexpr const char* kStyle = R"(
body { font: 16px/1.5 system-ui, sans-serif; color: #27313c; background: #fdfcf9; max-width: 940px; margin: 2rem auto;
       padding: 0 1rem }
h1 { font-size: 1.6rem; margin-bottom: 0 } h2 { font-size: 1.1rem; margin-top: 2.2rem }
p.sub { margin-top: .2rem; opacity: .75 }
svg, img { max-width: 100%; height: auto }
pre { background: #f2efe8; padding: .8rem 1rem; overflow-x: auto; white-space: pre-wrap; word-break: break-word;
      font-size: .85rem; line-height: 1.4; border-radius: 6px }
table { border-collapse: collapse; font-size: .9rem } td { padding: .15rem 1.2rem .15rem 0; vertical-align: top }
td:first-child { opacity: .7 } details { margin: .4rem 0 } summary { cursor: pointer }
.figures { display: flex; flex-wrap: wrap; gap: 2.2rem; margin: 1.2rem 0 } .figures b { display: block; font-size: 1.5rem }
)";

// The last value of a name in the metrics, in this format; a dash if there is none.
std::string last_text(const std::vector<Json>& lines, const std::string& name, const char* pattern) {
  for (auto line = lines.rbegin(); line != lines.rend(); ++line)
    if (const Json* value = line->find(name); value && value->is_number()) return format(pattern, value->number());
  return "-";
}

// The mean over the last steps: a single one tells little.
std::string training_text(const std::vector<Json>& lines) {
  constexpr long kLast = 50;
  double sum = 0;
  long count = 0;
  for (auto line = lines.rbegin(); line != lines.rend() && count < kLast; ++line)
    if (const Json* value = line->find("bpc"); value && value->is_number()) sum += value->number(), count++;
  return count ? format("%.3f", sum / double(count)) : "-";
}

std::string figures(const std::vector<Json>& lines) {
  const auto one = [](const std::string& figure, const char* what) {
    return "<div><b>" + figure + "</b>" + what + "</div>\n";
  };
  return "<div class='figures'>\n" + one(last_text(lines, "valid_bpc", "%.3f"), "bits per byte, validation") +
         one(training_text(lines), "bits per byte, training") + one(last_text(lines, "step", "%.0f"), "steps") +
         one(last_text(lines, "tokens_per_s", "%.0f"), "tokens per second") + "</div>\n";
}

// Bytes of the UTF-8 character that the text begins with; 0 if it begins with none, or with one that is not shown.
size_t character_size(std::string_view text) {
  const auto byte = [&](size_t k) { return k < text.size() ? uint8_t(text[k]) : uint8_t(0); };
  const uint8_t first = byte(0), second = byte(1);
  if (first < 0x80) return first >= 0x20 || first == '\n' || first == '\t' ? 1 : 0;
  if (first < 0xc2 || first > 0xf4) return 0;
  const size_t size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (size_t k = 1; k < size; k++)
    if ((byte(k) & 0xc0) != 0x80) return 0;
  const bool longer = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);    // than it need be
  const bool beyond = (first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90);  // no character
  return longer || beyond ? 0 : size;
}

// Bytes that are no text are shown as dots, so that the page is valid whatever a model writes.
std::string shown(const std::string& text) {
  std::string good;
  for (size_t i = 0; i < text.size();) {
    const size_t size = character_size(std::string_view(text).substr(i));
    good += size ? text.substr(i, size) : "\u00b7";
    i += size ? size : 1;
  }
  std::string escaped;  // xml_text is for labels: it turns new lines into blanks
  for (size_t begin = 0; begin <= good.size();) {
    const size_t end = std::min(good.find('\n', begin), good.size());
    escaped += xml_text(good.substr(begin, end - begin)) + (end < good.size() ? "\n" : "");
    begin = end + 1;
  }
  return escaped;
}

// The newest first. A sound is played; its bytes as text would say nothing.
std::string samples(const RunFolder& run) {
  std::map<long, std::string, std::greater<>> list;
  for (const auto& [step, name] : run.sounds()) list[step] = "<audio controls src='" + name + "'></audio>";
  const bool sound = !list.empty();
  for (const auto& [step, text] : run.samples()) list.try_emplace(step, "<pre>" + shown(text) + "</pre>");
  std::string html;
  for (const auto& [step, sample] : list)
    html += std::string("<details") + (html.empty() ? " open" : "") + "><summary>after step " + std::to_string(step) +
            "</summary>" + sample + "</details>\n";
  return html.empty() ? "" : (sound ? "<h2>What it plays</h2>\n" : "<h2>What it writes</h2>\n") + html;
}

std::string attention_maps(const RunFolder& run) {
  std::error_code none;
  if (!std::filesystem::exists(run.file("look/index.html"), none)) return "";
  return "<h2>Attention</h2>\n<p><a href='look/index.html'>The maps of every layer and head</a></p>\n";
}

std::string learned_text(const Json& config) {
  const Json* data = config.find("data");
  if (!data || !data->is_text()) return "";
  return xml_text(data->text() == "self" ? "heed's own source and docs" : data->text());
}

std::string settings_table(const Json& config) {
  std::string html = "<h2>Settings</h2>\n<table>\n";
  for (const auto& [name, value] : config.members())
    html += "<tr><td>" + xml_text(name) + "</td><td>" + xml_text(value.is_text() ? value.text() : value.dump()) +
            "</td></tr>\n";
  return html + "</table>\n";
}

std::string commands(const RunFolder& run, bool sound) {
  const std::string path = xml_text(run.path());
  return "<h2>Going on</h2>\n<pre>build/charlm train --run " + path + " --resume      # longer: --steps N\n" +
         "build/charlm sample --run " + path + (sound ? " --length 40000 --out sound.wav" : " --prompt \"The \"") +
         "\nbuild/charlm eval --run " + path + " --split test" +
         (sound ? "" : "\nbuild/charlm look --run " + path + " --text \"some text of yours\"") + "</pre>\n";
}

Chart loss_chart(const RunFolder& run, const std::vector<Json>& metrics) {
  Chart chart{.title = "Bits per byte", .subtitle = run.path(), .x_label = "step"};
  chart.series.push_back({"training", thinned(curve_of(metrics, "step", "bpc"), kPoints), true});
  chart.series.push_back({"validation", thinned(curve_of(metrics, "step", "valid_bpc"), kPoints)});
  return chart;
}

}  // namespace

void write_page(const RunFolder& run) {
  const std::vector<Json> metrics = run.metrics();
  const Chart chart = loss_chart(run, metrics);
  const std::string svg = chart_svg(chart);
  write_file(run.file("loss.svg"), svg);
  draw_chart(chart).write_png(run.file("loss.png"));
  const Json config = run.config();
  const std::string name = xml_text(run.path());
  write_file(run.file("index.html"), "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>\n<title>" + name +
                                         "</title>\n<meta name='viewport' content='width=device-width'>\n<style>" +
                                         kStyle + "</style></head><body>\n<h1>" + name +
                                         "</h1>\n<p class='sub'>a character language model by heed, learning " +
                                         learned_text(config) + "</p>\n" + figures(metrics) + svg + samples(run) +
                                         attention_maps(run) + commands(run, !run.sounds().empty()) +
                                         settings_table(config) + "</body></html>\n");
}

Chart comparison(const std::vector<RunFolder>& runs, const std::string& x) {
  Chart chart{.title = "Validation, bits per byte", .x_label = x == "step" ? "step" : "seconds of training"};
  for (const RunFolder& run : runs) chart.series.push_back({run.path(), thinned(run.curve(x, "valid_bpc"), kPoints)});
  return chart;
}

}  // namespace heed
