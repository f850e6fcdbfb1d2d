// What a variant can and refuses, in words.
#include "demos/attention/attention.h"
#include "system/text.h"

using namespace heed;

Capabilities capabilities(const std::string& spec) {
  return make_mixer(spec, {.C = 32, .heads = 2, .max_length = 64, .grid = grid_for(spec, 64)})->can();
}

const std::vector<Column>& overview_columns() {
  static const std::vector<Column> columns = {
      {"causal", &Capabilities::causal},   {"lengths", &Capabilities::padding}, {"segments", &Capabilities::segments},
      {"windows", &Capabilities::windows}, {"ranges", &Capabilities::ranges},   {"pairs", &Capabilities::pairs},
      {"cross", &Capabilities::cross},     {"decode", &Capabilities::decode},   {"exact", &Capabilities::exact}};
  return columns;
}

std::string remarks(const Capabilities& can) {
  std::vector<std::string> words;
  if (can.causal && !can.strictly_causal) words.push_back("choices may be made from later tokens");
  if (can.padding && !can.length_free) words.push_back("a padded batch may differ from each sample alone");
  if (can.decode && !can.any_cut) words.push_back("chunks through a state may differ from the whole");
  if (!can.rotary) words.push_back("takes no rotary positions");
  if (!can.drops) words.push_back("ignores dropout: it has no weights to drop");
  for (const Capability& each : all_capabilities())
    if (each.need && can.*each.has) words.push_back(each.says);
  return joined(words, "; ");
}

std::string refusals(const Capabilities& can) {
  std::vector<std::string> words;
  for (const Column& column : overview_columns())
    if (!(can.*column.has) && column.has != &Capabilities::exact) words.push_back(column.title);
  if (words.empty()) return "";
  return joined(words, ", ") + (can.because.empty() ? "" : ": " + can.because);
}
