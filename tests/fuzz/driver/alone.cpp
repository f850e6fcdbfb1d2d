// Without libFuzzer: feeds the seeds of a target and mutations of them for some seconds. What was fed last is in the
// file that is named last, if something is found.
//
//   fuzzer TARGET SECONDS SEEDS LAST
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/fuzz/mutator.h"
#include "tests/fuzz/target.h"

namespace {

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return std::fputs("fuzzer TARGET SECONDS SEEDS LAST\n", stderr), 2;
  const FuzzTarget& target = fuzz_targets.find(argv[1]);
  std::vector<std::string> inputs = files_in(argv[3]);
  if (inputs.empty()) return std::fprintf(stderr, "there is no seed in %s\n", argv[3]), 2;
  const size_t seeds = inputs.size();
  const auto begin = std::chrono::steady_clock::now();
  uint32_t fed = 0, accepted = 0;
  for (; std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < std::atof(argv[2]); fed++) {
    const std::string input =
        fed < seeds ? inputs[fed] : Mutator(fed).mutated(inputs[Mutator(fed).below(inputs.size())]);
    std::ofstream(argv[4], std::ios::binary) << input;
    if (!is_accepted(target, input)) continue;
    accepted++;
    if (fed >= seeds && !input.empty() && inputs.size() < 1000)
      inputs.push_back(input);  // what is accepted leads further
  }
  std::remove(argv[4]);
  std::printf("%s: %u inputs, %u of them accepted, no finding\n", target.name.c_str(), fed, accepted);
}
