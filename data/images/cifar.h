// CIFAR-10 in its binary layout: records of a label byte (0..9) and 32 x 32 pixels, first all red, then all green, then
// all blue.
#pragma once

#include <string>
#include <vector>

#include "data/images/idx.h"

namespace heed {

void read_cifar(const std::string& path, TakeImage take);  // throws unless the file is whole records with such labels
const std::vector<std::string>& cifar_labels();            // airplane, automobile, ...

}  // namespace heed
