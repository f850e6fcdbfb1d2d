// Breaks bytes in random ways, the same for the same number.
#pragma once

#include <cstdint>
#include <string>

class Mutator {
 public:
  explicit Mutator(uint32_t number) : number_(number) {}

  std::string mutated(std::string bytes);  // after 1 to 6 edits
  uint32_t below(size_t n);                // a draw; of nothing 0

 private:
  void edit(std::string& bytes);
  uint32_t number_, draws_ = 0;
};
