// idx files, as MNIST and Fashion-MNIST have them: a short header and unsigned bytes, mostly packed with gzip.
//
//   00 00 08 03   count   rows   columns   pixels ...        numbers have 4 bytes, the highest first
//   00 00 08 01   count   labels ...
//
// Pictures are handed over one by one as they are read. A header that lies costs no more than one picture
// of at most 4096 x 4096 pixels; a file that ends too early or goes on behind its end is an error. A small packed file
// can hold very many pictures: who takes them must have a limit (ImageOptions::most_bytes).
#pragma once

#include <string>
#include <vector>

#include "data/images/image.h"
#include "system/function_ref.h"

namespace heed {

inline constexpr long kMaxIdxSide = 4096;

// label: what the label file says, or -1 if there is none
using TakeImage = FunctionRef<void(const Image& image, long label)>;

void read_idx_images(const std::string& path, const std::vector<long>& labels, TakeImage take);
std::vector<long> read_idx_labels(const std::string& path);  // 0 .. 255 each

// The file of labels beside one of pictures: its name with labels-idx1 for images-idx3, packed or not; "" if there is
// none.
std::string idx_labels_beside(const std::string& path);

}  // namespace heed
