// A guard in front of stb_image: a Huffman table of a JPEG file has at most 256 codes. stb_image 2.27 believes what a
// file says, up to 4080, and writes behind its own table.
#pragma once

#include <string_view>

namespace heed {

// Is there a table with more? Every segment that stb_image would take for one is looked at. False for what is no JPEG.
bool has_oversized_huffman_table(std::string_view file);

}  // namespace heed
