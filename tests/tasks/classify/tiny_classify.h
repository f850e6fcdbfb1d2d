// A classifier and texts so small that a training step takes about a millisecond.
#pragma once

#include "tasks/classify/classify_task.h"

inline heed::ClassifySettings tiny_classify() {
  heed::ClassifySettings s;
  s.data = "texts";
  s.layers = 1, s.width = 16, s.heads = 2, s.context = 40;
  s.batch = 4, s.steps = 60, s.rate = 1e-2;
  return s;
}

// Cats meow and dogs bark, in texts of 5 to 34 bytes.
inline std::vector<heed::LabelledRow> tiny_rows(long count = 100) {
  std::vector<heed::LabelledRow> rows;
  for (long i = 0; i < count; i++)
    rows.push_back({i % 2 ? "cat" : "dog", (i % 2 ? "meow " : "woof ") + std::string(size_t(i * 7 % 30), '.'), i + 1});
  return rows;
}
