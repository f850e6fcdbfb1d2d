// charlm as a user meets it: every command, from a text to a model that writes.
#include "tests/demos/charlm.h"

#include <algorithm>
#include <filesystem>
#include <regex>

#include "data/wav.h"
#include "models/orderings.h"
#include "system/text.h"
#include "system/write_file.h"
#include "tests/support/folder.h"
#include "tests/support/terminal.h"
#include "tests/support/tiny_lm.h"
#include "train/run_folder.h"

using namespace heed;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(charlm_test)

namespace {

std::vector<Json> json_lines(const std::string& text) {
  std::vector<Json> lines;
  BOOST_TEST(text.ends_with('\n'));
  for (size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    lines.push_back(Json::parse(text.substr(begin, end - begin), "a line of stdout"));
  return lines;
}

uint32_t number_at(const std::string& bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; i++) value |= uint32_t(uint8_t(bytes[at + i])) << (8 * i);
  return value;
}

}  // namespace

BOOST_AUTO_TEST_CASE(training_fills_the_run_folder_and_ends_with_one_line) {
  const Trained t;
  BOOST_TEST(contains(t.ran.out, "million parameters, 12 steps of 2 x 16 bytes\nneeds about "));
  const std::string named = "the page is " + t.run + "/index.html\n";  // at the start and at the end
  BOOST_TEST(contains(t.ran.out, named));
  BOOST_TEST(t.ran.out.find(named) < t.ran.out.rfind(named));
  const std::regex form(
      R"(final step=12 train_bpc=\d+\.\d{4} valid_bpc=\d+\.\d{4} tokens_per_s=[1-9]\d* peak_bytes=[1-9]\d*)");
  BOOST_TEST(std::regex_match(last_line(t.ran.out), form), last_line(t.ran.out));
  for (const char* name : {"config.json", "metrics.jsonl", "loss.svg", "loss.png", "index.html",
                           "samples/step-000012.txt", "checkpoints/step-000006.safetensors"})
    BOOST_TEST(fs::exists(fs::path(t.run) / name), name);
  const std::string page = read_file(t.run + "/index.html");
  BOOST_TEST(contains(page, "a character language model by heed, learning " + t.data));
  BOOST_TEST(contains(page, "build/charlm eval --run " + t.run + " --split test\n"));
  BOOST_TEST(RunFolder(t.run).curve("step", "bpc").size() == 12u);
  BOOST_TEST(RunFolder(t.run).curve("step", "valid_bpc").size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_quiet_run_has_no_line_of_progress) {
  const Trained told;
  const std::regex form(
      R"(12/12   100%   train_bpc \d\.\d{3}   valid_bpc \d\.\d{3} \(step 12\)   \d+ tok/s   peak (\d+) MB   loss )");
  std::smatch found;
  BOOST_TEST(std::regex_search(told.ran.err, found, form), told.ran.err);
  // the same memory as "needs about" and as the last line: what tensors took at most
  const double peak = std::stod(found[1]);
  BOOST_TEST(std::abs(peak - std::stod(told.ran.out.substr(told.ran.out.find("needs about ") + 12))) <= 1);
  BOOST_TEST(std::abs(peak - std::stod(last_line(told.ran.out).substr(last_line(told.ran.out).rfind('=') + 1)) / 1e6) <=
             1);
  const Trained quiet({"--quiet"});
  BOOST_TEST(quiet.ran.err == "");
  BOOST_TEST(last_line(quiet.ran.out).starts_with("final step=12 "));
}

BOOST_AUTO_TEST_CASE(minutes_become_steps) {
  const Place at;
  const Ran ran = at({"train", "--data", at.data, "--run", at.run, "--layers", "1", "--width", "16", "--heads", "2",
                      "--context", "16", "--batch", "2", "--minutes", "1e-9"});
  BOOST_TEST(ran.code == 0);
  BOOST_TEST(contains(ran.out, "final step=1 "), ran.out);  // at least one
  BOOST_TEST(RunFolder(at.run).config().at("steps").integer() == 1);
  // nobody named a preset: the time did
  BOOST_TEST(contains(ran.out, "\npreset tiny: in 0.0 s small would take about "), ran.out);
  BOOST_TEST(RunFolder(at.run).config().at("preset").text() == "tiny");
  const std::string other = at.folder / "other";
  const Ran named = at({"train", "--data", at.data, "--run", other, "--layers", "1", "--width", "16", "--heads", "2",
                        "--context", "16", "--batch", "2", "--minutes", "1e-9", "--preset", "small"});
  BOOST_TEST(!contains(named.out, "\npreset "), named.out);
  BOOST_TEST(RunFolder(other).config().at("preset").text() == "small");
}

BOOST_AUTO_TEST_CASE(little_text_and_overfitting_are_told_on_screen_and_page) {
  const Place at;
  write_file(at.data, tiny_text().substr(0, 900) + std::string(100, 'Q'));
  const Ran ran = at.train({"--steps", "200", "--checkpoint-every", "20", "--lr", "0.01"});
  BOOST_TEST(ran.code == 0, ran.err);
  const std::string page = read_file(at.run + "/index.html");
  for (const std::string part :
       {"here are only 900 bytes to learn, and 50 to validate: ", "verfitting: the validation was best at "}) {
    BOOST_TEST(contains(ran.out, part), ran.out);
    BOOST_TEST(contains(page, part));
  }
  BOOST_TEST(contains(ran.err, "(step 200; overfits, best at "), ran.err);
}

BOOST_AUTO_TEST_CASE(only_adamw_decays_by_itself) {
  const Trained adam({"--optimiser", "adam"}), given({"--optimiser", "adam", "--weight-decay", "0.2"});
  BOOST_TEST(RunFolder(adam.run).config().at("weight_decay").number() == 0);
  BOOST_TEST(RunFolder(given.run).config().at("weight_decay").number() == 0.2);
}

BOOST_AUTO_TEST_CASE(eval_prints_bits_per_byte) {
  const Trained t;
  const Ran ran = t({"eval", "--run", t.run});
  BOOST_TEST(ran.code == 0);
  BOOST_TEST(std::regex_match(last_line(ran.out), std::regex(R"(bpc=\d\.\d{4})")), ran.out);
  BOOST_TEST(contains(t.ran.out, "valid_" + last_line(ran.out)));  // what training said
  BOOST_TEST(contains(t({"eval", "--run", t.run, "--split", "test", "--stride", "4"}).out, "sliding windows of 16\n"));
  const Json json = json_lines(t({"eval", "--run", t.run, "--json", "--bytes", "50"}).out).at(0);
  BOOST_TEST(json.at("bytes").integer() == 49);
  BOOST_TEST(json.at("step").integer() == 12);
  const Ran file = t({"eval", "--run", t.run + "/checkpoints/step-000006.safetensors"});
  BOOST_TEST(contains(file.out, "step 6 on "));
  BOOST_TEST(contains(t({"eval", "--run", t.run, "--best"}).out, "bpc="));
}

BOOST_AUTO_TEST_CASE(eval_of_another_text_reads_all_of_it) {
  const Trained t;
  write_file(t.folder / "b.txt", tiny_text() + "and more");
  const auto size = long(tiny_text().size()) + 8;
  const auto bytes = [&](const Words& more) {
    Words words = {"eval", "--run", t.run, "--threads", "1", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return json_lines(t(words).out).at(0).at("bytes").integer();
  };
  BOOST_TEST(bytes({"--data", t.folder / "b.txt"}) == size - 1);
  BOOST_TEST(bytes({"--data", t.folder / "b.txt", "--split", "valid"}) < size / 10);
  BOOST_TEST(bytes({"--split", "all"}) == size - 9);
  BOOST_TEST(bytes({}) < size / 10);
  BOOST_TEST(contains(t({"eval", "--run", t.run, "--data", t.data}).out, " bytes of all, disjoint windows of 16\n"));
}

BOOST_AUTO_TEST_CASE(sample_writes_the_prompt_and_as_many_bytes) {
  const Trained t;
  const Ran ran = t({"sample", "--run", t.run, "--prompt", "The ", "--length", "60"});
  BOOST_TEST(ran.code == 0);
  BOOST_TEST(ran.out.starts_with("The "));
  BOOST_TEST(ran.out.size() == 4u + 60 + 1);
  BOOST_TEST(ran.err.starts_with("60 bytes from step 12, "));
  const Ran again = t({"sample", "--run", t.run, "--prompt", "The ", "--length", "60", "--threads", "1"});
  BOOST_TEST(again.out == ran.out);
  BOOST_TEST(t({"sample", "--run", t.run, "--prompt", "The ", "--length", "60", "--seed", "2"}).out != ran.out);
  t({"sample", "--run", t.run, "--prompt", "The ", "--length", "60", "--out", t.folder / "new/b.txt"});
  BOOST_TEST(read_file(t.folder / "new/b.txt") + "\n" == ran.out);
  const Json json =
      json_lines(t({"sample", "--run", t.run, "--length", "5", "--temperature", "0", "--json"}).out).at(0);
  BOOST_TEST(json.at("step").integer() == 12);
}

BOOST_AUTO_TEST_CASE(at_a_terminal_the_model_goes_on_with_what_is_typed) {
  const Trained t;
  const Terminal terminal;
  Charlm child(t.folder.path.string(), {"sample", "--run", t.run, "--length", "20", "--temperature", "0"},
               terminal.path, "charlm", "", terminal.path);
  terminal.type("The \n\n\x04");  // a beginning, an empty line, Ctrl-D
  BOOST_TEST(child.wait().code == 0);
  const std::string shown = terminal.shown();
  const std::string once =
      t({"sample", "--run", t.run, "--length", "20", "--temperature", "0", "--prompt", "The "}).out;
  const std::string twice =
      t({"sample", "--run", t.run, "--length", "40", "--temperature", "0", "--prompt", "The "}).out;
  BOOST_TEST(contains(shown, "Type how a text begins, and the model goes on"), shown);
  BOOST_TEST(contains(shown, "> " + once + "\n> "), shown);
  BOOST_TEST(contains(shown, "> " + twice.substr(once.size() - 1) + "\n> "), shown);
}

BOOST_AUTO_TEST_CASE(at_a_terminal_lines_break_between_words) {
  const Place at;
  const Terminal terminal;
  Charlm train(at.folder.path.string(), tiny_train("a.txt", "run"), terminal.path, "charlm", at.folder.path.string());
  BOOST_TEST(train.wait().code == 0);
  const std::string shown = terminal.shown();
  BOOST_TEST(contains(shown, "; knowing only\n  frequencies: "), shown);
  for (const std::string& line : split(shown, '\n'))
    if (!line.starts_with("final ")) BOOST_TEST(line.size() <= 80u, line);  // which is for programs, too
  const Terminal second;
  BOOST_TEST(Charlm(at.folder.path.string(), {"look", "--help"}, second.path).wait().code == 0);
  for (const std::string& line : split(second.shown(), '\n')) BOOST_TEST(line.size() <= 80u, line);
}

BOOST_AUTO_TEST_CASE(several_texts_are_written_at_once_and_numbered) {
  const Trained t;
  const auto sample = [&](const Words& more) {
    Words words = {"sample", "--run", t.run, "--prompt", "The ", "--length", "30", "--top-k", "9"};
    words.insert(words.end(), more.begin(), more.end());
    return t(words);
  };
  const Ran ran = sample({"--count", "3"});
  BOOST_TEST(ran.code == 0, ran.err);
  BOOST_TEST(ran.err.starts_with("90 bytes in 3 texts from step 12, "));
  const Json json = json_lines(sample({"--count", "20", "--json"}).out).at(0);  // more than are written together
  const std::vector<Json>& texts = json.at("texts").items();
  BOOST_TEST(texts.size() == 20u);
  BOOST_TEST(ran.out == "--- 1 of 3\n" + texts[0].text() + "\n--- 2 of 3\n" + texts[1].text() + "\n--- 3 of 3\n" +
                            texts[2].text() + "\n");
  BOOST_TEST(sample({}).out == texts[0].text() + "\n");
  for (size_t i = 1; i < texts.size(); i++) BOOST_TEST((texts[i].text() != texts[i - 1].text()));
  const Ran files = sample({"--count", "2", "--out", t.folder / "new/b.x.txt"});
  BOOST_TEST(files.err.ends_with(", written to " + (t.folder / "new/b.x-1.txt") + " ... " +
                                 (t.folder / "new/b.x-2.txt") + "\n"));
  for (const size_t i : {0u, 1u})
    BOOST_TEST(read_file(t.folder / ("new/b.x-" + std::to_string(i + 1) + ".txt")) == texts[i].text());
  BOOST_TEST(!fs::exists(t.folder / "new/b.x.txt"));
}

BOOST_AUTO_TEST_CASE(a_model_of_sound_makes_a_file_that_plays) {
  const Folder folder;
  std::string samples;
  for (int i = 0; i < 3000; i++) samples += char(128 + 100 * ((i / 20) % 2 ? 1 : -1));
  write_wav(folder / "a.wav", samples, 8000);
  const std::string run = folder / "run", out = folder / "b.wav";
  BOOST_TEST(charlm(folder.path.string(), tiny_train(folder / "a.wav", run)).code == 0);
  BOOST_TEST(fs::exists(run + "/samples/step-000012.wav"));
  BOOST_TEST(contains(read_file(run + "/index.html"), "a model of sound by heed, learning "));
  const Ran ran = charlm(folder.path.string(), {"sample", "--run", run, "--length", "300", "--out", out});
  BOOST_TEST(ran.code == 0, ran.err);
  BOOST_TEST(ran.out == "");
  const std::string file = read_file(out);
  const Wav wav = parse_wav(file, out);
  BOOST_TEST(wav.sample_rate == 8000);
  BOOST_TEST(wav.samples.size() == 301u);  // silence, and what it made
  BOOST_TEST(file.substr(0, 4) + file.substr(8, 8) == "RIFFWAVEfmt ");
  BOOST_TEST(number_at(file, 4) == file.size() - 8);
  BOOST_TEST(file.size() % 2 == 0u);
  BOOST_TEST(number_at(file, file.find("data") + 4) == 301u);
  const Words two = {"sample", "--run", run, "--length", "300", "--count", "2"};
  const Ran stream = charlm(folder.path.string(), two);
  BOOST_TEST(stream.code == 1);
  BOOST_TEST(contains(stream.err, "a.wav, and 2 sounds are no stream; write them with --out NAME.wav\n"));
  Words files = two;
  files.insert(files.end(), {"--out", out});
  BOOST_TEST(charlm(folder.path.string(), files).code == 0);
  BOOST_TEST(read_file(folder / "b-1.wav") == file);
  BOOST_TEST(parse_wav(read_file(folder / "b-2.wav"), out).samples.size() == 301u);
}

BOOST_AUTO_TEST_CASE(an_ordering_with_a_name_takes_the_layers_and_is_stored_by_its_letters) {
  for (const std::string name : {"sandwich:1", "unbalanced:2"}) {
    const Trained t({"--layers", "3", "--ordering", name});
    BOOST_TEST(t.ran.code == 0, t.ran.err);
    const std::string letters = expanded_ordering(name, 3);
    BOOST_TEST(RunFolder(t.run).config().at("ordering").text() == letters);
    BOOST_TEST(RunFolder(t.run).config().at("layers").integer() == 3);
    for (const Words& same : {Words{}, Words{"--ordering", name}, Words{"--ordering", letters}}) {
      Words words = {"train", "--run", t.run, "--resume"};
      words.insert(words.end(), same.begin(), same.end());
      const Ran again = t(words);
      BOOST_TEST(again.code == 0, again.err);
    }
  }
}

BOOST_AUTO_TEST_CASE(look_draws_every_layer) {
  const Trained t({"--layers", "2"});
  const Ran ran = t({"look", "--run", t.run, "--text", "</script> \"\xc3\xa4"});
  BOOST_TEST(ran.code == 0, ran.err);
  BOOST_TEST(contains(ran.out, "2 layers drawn: " + t.run + "/look/layer-01.png"));
  BOOST_TEST(read_file(t.run + "/look/layer-02.png").starts_with("\x89PNG"));
  const std::string page = read_file(t.run + "/look/index.html");
  BOOST_TEST(contains(page, "src='layer-02.png'"));
  BOOST_TEST(page.find("</script>") == page.rfind("</script>"));  // the text does not end the script
  BOOST_TEST(contains(read_file(t.run + "/index.html"), "href='look/index.html'"));
  const Ran elsewhere = t({"look", "--run", newest_checkpoint(t.run), "--text", "abc", "--out", t.folder / "maps"});
  BOOST_TEST(elsewhere.code == 0, elsewhere.err);
  BOOST_TEST(fs::exists(t.folder / "maps/layer-01.png"));
}

BOOST_AUTO_TEST_CASE(compare_puts_runs_into_one_chart) {
  const Trained t;
  const std::string other = t.folder / "other";
  BOOST_TEST(t(tiny_train(t.data, other, {"--seed", "2"})).code == 0);
  for (const char* axis : {"step", "seconds"}) {
    const Ran ran = t({"compare", t.run, other, "--out", t.folder / axis, "--axis", axis});
    BOOST_TEST(ran.code == 0, ran.err);
    BOOST_TEST(contains(ran.out, other + " "));
    BOOST_TEST(contains(read_file(t.folder / (std::string(axis) + ".svg")), t.run + "</text>"));
    BOOST_TEST(fs::exists(t.folder / (std::string(axis) + ".png")));
    BOOST_TEST(contains(read_file(t.folder / (std::string(axis) + ".html")), "<tr><td>  " + other + "</td><td>"));
  }
}

BOOST_AUTO_TEST_CASE(compare_tells_what_differs_and_groups_seeds) {
  const Trained t;
  const auto train = [&](const std::string& name, const Words& more) {
    BOOST_REQUIRE(t(tiny_train(t.data, t.folder / name, more)).code == 0);
  };
  train("other", {"--seed", "2"});
  train("wide", {"--width", "32", "--lr", "0.01"});
  Charlm unborn(t.folder.path.string(),
                tiny_train(t.data, t.folder / "new", {"--steps", "1000000", "--checkpoint-every", "1000000"}));
  unborn.wait_until([&] { return !RunFolder(t.folder / "new").metrics().empty(); });
  const Ran ran =
      t({"compare", t.run, t.folder / "new", t.folder / "other", t.folder / "wide", "--out", t.folder / "c"});
  BOOST_TEST(ran.code == 0, ran.err);
  const std::regex form(
      "run +last bpc +best bpc +step +training +tokens/s +memory +weights +what differs\n"
      ".*/wide +\\d.* 12 .* 0\\.02 M +width=32 steps=12 rate=0.01 checkpoint_every=6\n"
      "2 seeds +\\d\\.\\d{4} sd \\d\\.\\d{4} +.*width=16 steps=12 rate=0.002 checkpoint_every=6\n"
      "  .*seed [12]\n  .*seed [12]\n"
      ".*/new +- +- .*steps=1000000.*\n.*/new has no validation yet\nthe chart is .*\n");
  BOOST_TEST(std::regex_match(ran.out, form), ran.out);
  const Ran runs = t({"runs", t.folder.path.string()});
  BOOST_TEST(runs.code == 0, runs.err);
  BOOST_TEST(std::regex_search(runs.out, std::regex("/new +running, step \\d+ of 1000000 +- +0.01 M  .*a.txt\n")),
             runs.out);
  BOOST_TEST(std::regex_search(runs.out, std::regex("/other +done +\\d\\.\\d{4} ")), runs.out);
}

BOOST_AUTO_TEST_CASE(info_tells_settings_and_checkpoints) {
  const Trained t;
  const Ran ran = t({"info", "--run", t.run});
  BOOST_TEST(ran.code == 0);
  BOOST_TEST(contains(ran.out, " parameters\nstep 12 of 12, validation "));
  BOOST_TEST(contains(ran.out, " s of training\n"));
  BOOST_TEST(contains(ran.out, "  width                16\n"));
  BOOST_TEST(contains(ran.out, "step-000012.safetensors   valid "));
  fs::resize_file(t.run + "/checkpoints/step-000012.safetensors", 1000);
  const Ran damaged = t({"info", "--run", t.run});
  BOOST_TEST(damaged.code == 0);
  BOOST_TEST(contains(damaged.out, "step-000012.safetensors   cannot be read: safetensors: "));
  const Json json = json_lines(t({"info", "--run", t.run, "--json"}).out).at(0);
  BOOST_TEST(json.at("settings").at("context").integer() == 16);
  BOOST_TEST(json.at("checkpoints").items().at(0).at("best").truth());
  BOOST_TEST(contains(json.at("checkpoints").items().at(1).at("damaged").text(), "is cut off"));
}

BOOST_AUTO_TEST_CASE(with_json_stdout_has_only_json) {
  const Trained t({"--json"});
  const auto lines = json_lines(t.ran.out);
  BOOST_TEST(lines.size() == 12u + 2 + 1);
  BOOST_TEST(lines.back().at("event").text() == "final");
  BOOST_TEST(lines.back().at("step").integer() == 12);
  BOOST_TEST(!lines.back().at("stopped").truth());
  fs::resize_file(newest_checkpoint(t.run), 1000);
  const Ran resumed = t({"train", "--run", t.run, "--resume", "--json", "--checkpoint-every", "6"});
  BOOST_TEST(resumed.code == 0);
  BOOST_TEST(json_lines(resumed.out).size() == 6u + 1 + 1);
  BOOST_TEST(contains(resumed.err, "the checkpoint of step 12 is left out: "));
}

BOOST_AUTO_TEST_CASE(every_command_has_a_help) {
  const Folder folder;
  for (const char* command : {"train", "sample", "eval", "look", "info", "runs", "compare", "orderings", "fetch"}) {
    const Ran ran = charlm(folder.path.string(), {command, "--help"});
    BOOST_TEST(ran.code == 0);
    BOOST_TEST(contains(ran.out, std::string("charlm ") + command + " "));
    BOOST_TEST(ran.err == "");
  }
}

BOOST_AUTO_TEST_CASE(a_model_with_learned_positions_is_converted_to_a_longer_context) {
  const Trained t({"--positions", "learned"});
  const std::string longer = t.folder / "longer";
  const Ran ran = t({"train", "--from", t.run, "--context", "40", "--run", longer, "--steps", "3", "--attention",
                     "longformer:window=15,globals=1,causal_global=yes"});
  BOOST_TEST(ran.code == 0, ran.err);
  BOOST_TEST(
      contains(ran.out, t.run + " becomes a model of longformer:window=15,globals=1,causal_global=yes for 40 bytes\n"),
      ran.out);
  const std::regex form(R"(conversion: (\d\.\d{4}) bits per byte of the validation before, with windows of 16; )"
                        R"(after it (\d\.\d{4}) with the same windows, and \d\.\d{4} with windows of 40\n)");
  std::smatch found;
  BOOST_TEST_REQUIRE(std::regex_search(ran.out, found, form), ran.out);
  BOOST_TEST(found[1].str() == found[2].str());
  BOOST_TEST(contains(t.ran.out, "valid_bpc=" + found[1].str()));  // what training ended with
  BOOST_TEST(contains(ran.out, "global projections are copies of the others: stack.layer_0.core.global.weight"));
  BOOST_TEST(RunFolder(longer).config().at("width").integer() == RunFolder(t.run).config().at("width").integer());
  BOOST_TEST(contains(read_file(longer + "/index.html"), "conversion: "));
  const Ran chosen = t({"train", "--from", t.run, "--context", "40", "--run", t.folder / "chosen", "--steps", "1"});
  BOOST_TEST(RunFolder(t.folder / "chosen").config().at("attention").text() == "longformer:window=15", chosen.err);
  BOOST_TEST(t({"sample", "--run", longer, "--length", "60"}).code == 0);
}

BOOST_AUTO_TEST_SUITE_END()
