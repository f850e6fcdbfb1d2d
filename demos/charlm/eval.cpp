// charlm eval: how many bits per byte a model needs for a text.
#include <cmath>
#include <cstdio>

#include "demos/charlm/charlm.h"
#include "system/error.h"
#include "system/progress.h"
#include "tasks/language/bits_per_byte.h"
#include "tasks/language/leak_probe.h"
#include "train/run_load.h"

using namespace heed;

namespace {

const ByteSplit& part_of(const ByteData& data, const std::string& name) {
  return name == "train" ? data.train : name == "valid" ? data.valid : name == "test" ? data.test : data.all;
}

struct Measured {
  Evaluation result;
  EvaluationOptions options;
  std::string split;
  long probed;  // places
};

void print_json(const LoadedModel& loaded, const Measured& m) {
  const Json object =
      Json::Object{{"bpc", m.result.bpc},        {"bytes", m.result.bytes},      {"split", m.split},
                   {"step", loaded.step},        {"context", m.options.context}, {"stride", m.options.stride},
                   {"stream", m.options.stream}, {"probed", m.probed},           {"checkpoint", loaded.path}};
  std::printf("%s\n", object.dump().c_str());
}

void print_text(const LoadedModel& loaded, const Measured& m) {
  const EvaluationOptions& o = m.options;
  const char* how = o.stream ? "one stream, in" : o.stride == o.context ? "disjoint" : "sliding";
  std::printf("step %ld on %ld bytes of %s, %s windows of %ld\n", loaded.step, m.result.bytes, m.split.c_str(), how,
              o.context);
  std::printf("it does not look ahead: with another text behind %ld places, not a bit changes before them\n", m.probed);
  std::printf("bpc=%.4f\n", m.result.bpc);
}

}  // namespace

int eval_command(int argc, char** argv) {
  ModelChoice choice;
  std::string data_path, split_name = "valid";
  EvaluationOptions options{.batch = 8, .context = 0};
  long bytes = 0;
  bool json = false;
  CommandLine line(
      "charlm eval",
      "Measures how many bits per byte a model needs for a text. The valid_bpc of `charlm train` is less\n"
      "exact: it looks at the first --valid-bytes of the valid part only. Before it measures, it makes sure that\n"
      "the model does not look ahead.");
  choice.add_options(line);
  line.option("--data", data_path, "another text than the run's: all of it, unless --split says otherwise");
  line.option("--split", split_name, "which part of the text", {"train", "valid", "test", "all"});
  line.option("--context", options.context, "of the windows; 0: the model's", 0L);
  line.option("--stride", options.stride, "of sliding windows: more past for every token, slower; 0: disjoint", 0L);
  line.option("--batch", options.batch, "windows at a time", 1L);
  line.option("--bytes", bytes, "only so many from the start; 0: all", 0L);
  line.json(json);
  if (!line.parse(argc, argv)) return line.exit_code();
  if (line.given("--data") && !line.given("--split")) split_name = "all";
  const LoadedModel loaded = choice.load();
  if (data_path.empty()) data_path = loaded.settings.data;
  HEED_CHECK(!data_path.empty(), "eval", loaded.path,
             " is not in the folder of its run, whose config.json says what it has learned; give a text with --data");
  if (!line.given("--data")) check_data(data_path, choice.run);
  const ByteData data = open_data(data_path);
  const ByteSplit& part = part_of(data, split_name);
  const TokenSplit split(bytes ? part.first(bytes) : part, loaded.vocabulary);
  if (options.context == 0) options.context = loaded.model->context();
  options.stream = loaded.settings.streams && options.stride == 0;
  if (options.stride == 0) options.stride = options.context;
  const long probed = probe_leaks(*loaded.model, split, options.context);
  Progress progress("window", TokenWindows(split, options.batch, options.context, options.stride).windows());
  options.progress = [&](long done, long) { progress.show(done, ""); };
  const Evaluation result = bits_per_byte(*loaded.model, split, options);
  progress.finish("");
  HEED_CHECK(
      std::isfinite(result.bpc), "eval", "the model of ", loaded.path, " says ", result.bpc,
      " bits per byte: its numbers are too large. Take an older checkpoint, or one that was trained with a lower rate");
  json ? print_json(loaded, {result, options, split_name, probed})
       : print_text(loaded, {result, options, split_name, probed});
  return 0;
}
