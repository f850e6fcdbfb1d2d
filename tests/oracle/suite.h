// What the tests over all variants share: the list of variants and specs, and mixers to try.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/oracle/oracle.h"

// Every registered variant: a data set, so that a new variant has its tests by existing.
std::vector<std::string> variant_names();

// The bare name and what its oracle adds. Fails the test, naming the file to write, if there is no oracle.
std::vector<std::string> specs_of(const std::string& variant);

// Heads of keys serve two heads of queries each, and queries and values differ in width.
inline const heed::MixerOptions kOracleSizes{.C = 10, .heads = 4, .key_heads = 2, .head_width = 3, .value_width = 5};

// A mixer with weights of about 1 / sqrt(C), so that scores matter, and biases that are not zero.
std::unique_ptr<heed::Mixer> mixer_of(const std::string& spec, heed::DType dtype = heed::f64,
                                      const heed::MixerOptions& sizes = kOracleSizes);

heed::Mask causal_if(bool causal);

// Where a test does not apply to a mixer: a check that says why, so that no case passes without having checked
// anything.
void does_not_apply(const std::string& why);
