// A guard in front of stb_image: a Huffman table of a JPEG file has at most 256 codes. stb_image 2.27 believes what a
// file says, up to 4080, and writes behind its own table.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace heed {

// How many bytes of a file stb_image may be given: those up to the end of its picture, in which every segment that it
// could take for a table was looked at. What phones append to a picture, such as a film, is not among them. Nothing if
// there is a table with more codes; all bytes of what is no JPEG.
std::optional<size_t> guarded_jpeg_bytes(std::string_view file);

}  // namespace heed
