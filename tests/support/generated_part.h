// A part of a document that is made by a test, between two marks: the test fails where it is out of date, and with
// HEED_UPDATE=1 in the environment writes it anew.
#pragma once

#include <string>

// marks: whole lines, with their ends; `text` is what belongs between them; `test`: the suite to name in the complaint
struct GeneratedPart {
  std::string path, begin, end, test;
};
void check_generated(const GeneratedPart& part, const std::string& text);
