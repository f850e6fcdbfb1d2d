// The atlas: a page for every variant, with what the registry says of it, what the property suite found
// (build/suite.json) and what `build/bench variants` measured (runs/bench/variants.json); an index of them; and a
// poster of all masks. Nothing is typed by hand: a variant is in it by being registered.
#pragma once

#include <string>
#include <vector>

#include "nn/mixing/registry.h"
#include "show/attention_map.h"
#include "show/page.h"
#include "system/json.h"

struct AtlasKind {
  std::string spec;   // as the variant wants to be shown
  std::string drawn;  // the same for 64 tokens: numbers of 16 and more are divided by 16
  heed::AttentionMap map = {};
};

struct AtlasEntry {
  const heed::Variant* variant;
  heed::Capabilities can;
  std::vector<AtlasKind> kinds;
  heed::Json suite = {};         // null: the suite did not run
  heed::Json::Array bench = {};  // rows of the benchmark, one a spec

  std::string file() const { return variant->name + ".html"; }
};

std::vector<AtlasKind> kinds_of(const heed::Variant& variant);
std::string small_spec(const std::string& spec);
std::string kind_svg(const AtlasKind& kind, double side);  // the map alone, and nothing around it
void add_legend(heed::Page& page);                         // what its colours mean

// The file that registers a variant: what it begins with, as a lecture, and its code, without includes. Empty if the
// sources are not here.
struct VariantSource {
  std::string path = {};
  std::vector<std::string> lecture = {};  // paragraphs; those with lines that begin with blanks are formulas
  std::string code = {};
};
VariantSource source_of(const std::string& variant, const std::string& folder = "attention/variants");

// "from 1,290 tokens on", "at every length", "not up to 16,384 tokens"; "" without a measurement
std::string faster_text(const heed::Json& bench_row);

void add_measurements(heed::Page& page, const AtlasEntry& entry);  // charts and a table
heed::Page card_page(const AtlasEntry& entry);
heed::Page index_page(const std::vector<AtlasEntry>& entries);

heed::Point poster_size(const std::vector<AtlasEntry>& entries);
void draw_poster(heed::Canvas& canvas, const std::vector<AtlasEntry>& entries);
