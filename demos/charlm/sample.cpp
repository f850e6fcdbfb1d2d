// charlm sample: the model writes, or plays if it has learned a sound.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string_view>

#include "data/wav.h"
#include "demos/charlm/charlm.h"
#include "system/error.h"
#include "system/write_file.h"
#include "tasks/language/text_sampler.h"

using namespace heed;

namespace {

struct Settings {
  ModelChoice model;
  std::string prompt, out;
  SampleOptions sample;
  long seed = 1;
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
  line.option("--out", s.out, "write it to this file; NAME.wav plays what a model of sound made");
  line.json(s.json);
}

std::string learned_by(const LmSettings& of) {
  if (!of.data.empty()) return of.data;
  return of.sample_rate > 0 ? "a sound" : "a text";
}

// Before anything is written: can it be?
void check_out(const std::string& path, const LmSettings& of) {
  HEED_CHECK(!path.empty() || of.sample_rate == 0 || !isatty(STDOUT_FILENO), "sample", "this model has learned ",
             learned_by(of), ", and a terminal plays no sound; write one with --out NAME.wav");
  if (path.empty()) return;
  HEED_CHECK(!path.ends_with(".wav") || of.sample_rate > 0, "sample", path,
             " is to be a sound, and this model has learned ", learned_by(of),
             ", which is none; train one on a WAV file, or choose another name");
  check_writable(path);
}

void write_out(const std::string& path, const std::string& text, const LmSettings& of) {
  if (path.empty()) return;
  path.ends_with(".wav") ? write_wav(path, text, of.sample_rate) : write_file(path, text);
}

// False if stdout does not take it; run() says so at the end.
bool show_now(std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

}  // namespace

int sample_command(int argc, char** argv) {
  Settings s;
  CommandLine line("charlm sample", "Lets a trained model write.");
  add_options(line, s);
  if (!line.parse(argc, argv)) return line.exit_code();
  s.sample.seed = uint32_t(s.seed);
  const LoadedModel loaded = s.model.load();
  check_out(s.out, loaded.settings);
  if (loaded.settings.sample_rate > 0 && s.prompt.empty()) s.prompt = usual_prompt(loaded.settings);
  const bool show = s.out.empty() && !s.json;
  std::string text = s.prompt;
  if (show && !show_now(text)) return 1;
  const auto begin = std::chrono::steady_clock::now();
  sample_texts(*loaded.model, *loaded.vocabulary, {s.prompt}, s.sample, [&](long, std::string_view bytes) {
    if (show && !show_now(bytes)) return false;
    text += bytes;
    return true;
  });
  const auto written = long(text.size() - s.prompt.size());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const double speed = seconds > 0 ? double(written) / seconds : 0;
  if (show && !show_now("\n")) return 1;
  write_out(s.out, text, loaded.settings);
  if (s.json) {
    const Json result =
        Json::Object{{"checkpoint", loaded.path}, {"step", loaded.step}, {"text", text}, {"bytes_per_s", speed}};
    std::printf("%s\n", result.dump().c_str());
  } else {
    std::fprintf(stderr, "%ld bytes from step %ld, %.0f bytes per second%s\n", written, loaded.step, speed,
                 s.out.empty() ? "" : (", written to " + s.out).c_str());
  }
  return 0;
}
