// Tables as text: TSV and CSV, line by line, for readers that know what the columns mean (labelled_text.h).
//
//   for (const DelimitedRow& row : read_delimited("labelled_text", "a.csv")) row.fields[0]
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed {

struct DelimitedRow {
  std::vector<std::string> fields;
  long line = 0;  // where it begins in the file, from 1
};

// CSV as RFC 4180 has it: fields between commas, "quoted ones may hold commas, line ends and ""quotes""". TSV: fields
// between tabs, in which quotes mean nothing. Lines end with \n or \r\n; empty ones are left out. Throws for a quote
// that is not closed, or text behind a closed one: op, `from` and the line.
std::vector<DelimitedRow> parse_csv(std::string_view text, const char* op, const std::string& from);
std::vector<DelimitedRow> parse_tsv(std::string_view text);
std::vector<DelimitedRow> read_delimited(const char* op, const std::string& path);  // NAME.csv is CSV, all else is TSV

}  // namespace heed
