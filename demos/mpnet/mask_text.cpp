// The three objectives on a text, in words and in rows of zeros and ones.
#include "demos/mpnet/mpnet.h"
#include "system/text.h"

using namespace heed;

namespace {

using Kind = Column::Kind;

// What a column holds: a word, or [M] at the place of one that is not known.
std::string held(const Column& column, const MaskExample& example) {
  return column.kind == Kind::copy ? "[M]" : example.words[size_t(column.position)];
}

// P(word | what its column sees, from left to right)
std::string likelihood(const Columns& columns, long read, const MaskExample& example) {
  const Column& own = columns.all[size_t(read)];
  std::vector<std::string> seen(example.words.size());
  for (long j = own.first; j <= own.last; j++) {
    const Column& key = columns.all[size_t(j)];
    seen[size_t(key.position)] = held(key, example);
  }
  std::erase(seen, "");
  return "log P(" + example.words[size_t(own.position)] + " | " + joined(seen, " ") + ")";
}

std::string equation(const Columns& columns, const MaskExample& example) {
  std::vector<std::string> terms;
  for (const long read : columns.read) terms.push_back(likelihood(columns, read, example));
  return joined(terms, " + ");
}

std::string letter(Kind kind) { return std::string(1, "KUTQ"[int(kind)]); }

std::string row_of(const Columns& columns, const Column& row) {
  std::string text;
  for (long j = 0; j < long(columns.all.size()); j++)
    if (columns.all[size_t(j)].kind != Kind::query) text += j >= row.first && j <= row.last ? " 1" : " .";
  return text;
}

std::string head_of(const Columns& columns) {
  std::string text;
  for (const Column& column : columns.all)
    if (column.kind != Kind::query) text += " " + letter(column.kind);
  return text;
}

std::string stream(const Columns& columns, const MaskExample& example, bool queries) {
  std::string text;
  for (const Column& row : columns.all)
    if ((row.kind == Kind::query) == queries)
      text += row_of(columns, row) + "   " + letter(row.kind) + "  " + example.words[size_t(row.position)] + "\n";
  return text;
}

}  // namespace

std::string mask_text(const MaskExample& example) {
  std::string text = "what is predicted from what:\n", maps;
  for (const std::string& name : masking_names()) {
    const Columns columns = columns_of(masking_of(name), example.order);
    text += format("  %-6s", name.c_str()) + equation(columns, example) + "\n";
    maps += "\n" + name + "\n" + head_of(columns) + "   content stream\n" + stream(columns, example, false);
    const std::string queries = stream(columns, example, true);
    if (!queries.empty()) maps += std::string(head_of(columns).size(), ' ') + "   query stream\n" + queries;
  }
  return text +
         "\nwho sees whom: a row for each, 1 where it sees a column. U: not predicted, T: predicted, K: [M] at the "
         "place\nof T, Q: a query, which nobody sees. Every row is one range.\n" +
         maps + "\n";
}
