// charlm sample: the model writes one text or several, or plays if it has learned a sound; without a prompt at a
// terminal it goes on with what the user types (converse.cpp).
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "data/wav.h"
#include "demos/charlm/charlm.h"
#include "system/error.h"
#include "system/text.h"
#include "system/write_file.h"
#include "tasks/language/text_sampler.h"

using namespace heed;

namespace {

constexpr long kRowsAtOnce =
    16;  // texts that are written together: more of them take more memory, and little less time

struct Settings {
  ModelChoice model;
  std::string prompt, out;
  SampleOptions sample;
  long seed = 1, count = 1;
  bool json = false;
};

void add_options(CommandLine& line, Settings& s) {
  s.model.add_options(line);
  line.option("--prompt", s.prompt, "what the text begins with");
  line.option("--length", s.sample.length, "bytes to write", 0L, 1000000000L);
  line.option("--temperature", s.sample.temperature, "below 1 more careful, 0 always the likeliest", 0.0, 100.0);
  line.option("--top-k", s.sample.top_k, "draw from the k likeliest; 0: from all", 0L);
  line.option("--top-p", s.sample.top_p, "draw from the likeliest that have this much probability together", 1e-9, 1.0);
  line.seed(s.seed, "another seed, another text");
  line.option("--count", s.count, "texts to write; several go to NAME-1.txt, NAME-2.txt, ... of --out", 1L, 100000L);
  line.option("--out", s.out, "write it to this file; NAME.wav plays what a model of sound made");
  line.json(s.json);
}

std::string learned_by(const LmSettings& of) {
  if (!of.data.empty()) return of.data;
  return of.sample_rate > 0 ? "a sound" : "a text";
}

// new/b.txt -> new/b-1.txt, new/b-2.txt, ...; one text has the name that was given.
std::vector<std::string> paths_of(const Settings& s) {
  if (s.count == 1) return {s.out};
  const std::filesystem::path path = s.out;
  std::vector<std::string> paths;
  for (long i = 1; i <= s.count; i++)
    paths.push_back((path.parent_path() / path.stem()).string() + "-" + std::to_string(i) + path.extension().string());
  return paths;
}

// Before anything is written: can it be?
void check_out(const Settings& s, const LmSettings& of) {
  const bool sound = of.sample_rate > 0, shown = s.out.empty() && !s.json;
  HEED_CHECK(!s.out.empty() || !sound || !isatty(STDOUT_FILENO), "sample", "this model has learned ", learned_by(of),
             ", and a terminal plays no sound; write one with --out NAME.wav");
  HEED_CHECK(!shown || !sound || s.count == 1, "sample", "this model has learned ", learned_by(of), ", and ", s.count,
             " sounds are no stream; write them with --out NAME.wav");
  if (s.out.empty()) return;
  HEED_CHECK(!s.out.ends_with(".wav") || sound, "sample", s.out, " is to be a sound, and this model has learned ",
             learned_by(of), ", which is none; train one on a WAV file, or choose another name");
  for (const std::string& path : paths_of(s)) check_writable(path);
}

void write_out(const Settings& s, const std::vector<std::string>& texts, const LmSettings& of) {
  const std::vector<std::string> paths = paths_of(s);
  for (size_t i = 0; i < texts.size(); i++)
    s.out.ends_with(".wav") ? write_wav(paths[i], texts[i], of.sample_rate) : write_file(paths[i], texts[i]);
}

// False if stdout does not take it; run() says so at the end.
bool show_now(std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

// Lets the model write all texts, and returns them. On stdout, if they are shown, the first of those that are written
// together grows as it is written, and the others follow when they are whole. Stops when stdout takes no more.
class Writer {
 public:
  Writer(const Settings& s, const LoadedModel& loaded) : s_(s), loaded_(loaded), show_(s.out.empty() && !s.json) {}

  std::vector<std::string> texts() {
    for (long first = 0; first < s_.count && good_; first += kRowsAtOnce)
      write(first, std::min(kRowsAtOnce, s_.count - first));
    show("\n");
    return texts_;
  }
  bool good() const { return good_; }

 private:
  void show(std::string_view text) {
    if (show_ && good_) good_ = show_now(text);
  }
  void begin(long number) {
    if (number > 0) show("\n");
    if (s_.count > 1) show(format("--- %ld of %ld\n", number + 1, s_.count));
    show(texts_[size_t(number)]);
  }
  void write(long first, long rows) {
    SampleOptions options = s_.sample;
    options.first_row = first;
    options.stream = loaded_.settings.streams;
    texts_.resize(size_t(first + rows), s_.prompt);
    begin(first);
    const std::vector<std::string> prompts(size_t(rows), s_.prompt);
    sample_texts(*loaded_.model, *loaded_.vocabulary, prompts, options, [&](long row, std::string_view bytes) {
      texts_[size_t(first + row)] += bytes;
      if (row == 0) show(bytes);
      return good_;
    });
    for (long row = 1; row < rows; row++) begin(first + row);
  }

  const Settings& s_;
  const LoadedModel& loaded_;
  bool show_, good_ = true;
  std::vector<std::string> texts_;
};

Json result_of(const Settings& s, const LoadedModel& loaded, const std::vector<std::string>& texts, double speed) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back(text);
  return Json::Object{{"checkpoint", loaded.path},
                      {"step", loaded.step},
                      {s.count == 1 ? "text" : "texts", s.count == 1 ? Json(texts[0]) : list},
                      {"bytes_per_s", speed}};
}

std::string places_of(const Settings& s) {
  if (s.out.empty()) return "";
  const std::vector<std::string> paths = paths_of(s);
  return ", written to " + paths.front() + (s.count > 1 ? " ... " + paths.back() : "");
}

}  // namespace

int sample_command(int argc, char** argv) {
  Settings s;
  CommandLine line("charlm sample",
                   "Lets a trained model write. At a terminal, without --prompt, it goes on with what you type.");
  add_options(line, s);
  if (!line.parse(argc, argv)) return line.exit_code();
  s.sample.seed = uint32_t(s.seed);
  const LoadedModel loaded = s.model.load();
  check_out(s, loaded.settings);
  const bool at_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO), text = loaded.settings.sample_rate == 0;
  if (at_terminal && text && !line.given("--prompt") && !line.given("--count") && s.out.empty() && !s.json)
    return converse(loaded, s.sample);
  if (loaded.settings.sample_rate > 0 && s.prompt.empty()) s.prompt = usual_prompt(loaded.settings);
  const auto begin = std::chrono::steady_clock::now();
  Writer writer(s, loaded);
  const std::vector<std::string> texts = writer.texts();
  if (!writer.good()) return 1;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  long written = 0;
  for (const std::string& text : texts) written += long(text.size() - s.prompt.size());
  const double speed = seconds > 0 ? double(written) / seconds : 0;
  if (!s.out.empty()) write_out(s, texts, loaded.settings);
  if (s.json)
    std::printf("%s\n", result_of(s, loaded, texts, speed).dump().c_str());
  else
    std::fprintf(stderr, "%ld bytes%s from step %ld, %.0f bytes per second%s\n", written,
                 s.count > 1 ? format(" in %ld texts", s.count).c_str() : "", loaded.step, speed, places_of(s).c_str());
  return 0;
}
