// Zoo: every attention variant learns the same for the same time, one after the other, and the table says how far each
// has come: in what it is judged by, in steps, in time and memory a step. Faster steps and better steps are told
// together here, as they are for whoever trains.
//
// A zoo takes a while, so every row is written when it is there, and a zoo that was stopped goes on behind the rows
// that its file has.
#pragma once

#include "bench/learning.h"

namespace heed::bench {

struct Animal {
  std::string name;                                    // as shown: a spec, and what belongs to it
  std::function<std::unique_ptr<TaskLearner>()> make;  // throws a sentence if it cannot be
};

struct Zoo {
  std::string unit;   // "bits per byte"; less is better
  std::string about;  // of data and model: rows of another text or model do not belong into one table
  std::string usual;  // the animal with which all are compared
  std::vector<Animal> animals = {};
};

// Can a model that writes, or draws pictures of this grid, have such an attention? It must be causal and decode.
bool can_write(const std::string& spec, const Grid& grid = {});
std::vector<std::string> writing_specs();  // the shown ones of all registered variants that can

std::vector<Case> zoo_cases(const std::string& group, const std::vector<std::string>& names);
// Those that are asked for, each for settings.seconds; the rows are in settings.json, or runs/bench/BENCHMARK.json.
int run_zoo(const Benchmark& benchmark, const Settings& settings, const Zoo& zoo);

}  // namespace heed::bench
