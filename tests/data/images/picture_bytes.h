// Files of pictures for tests: idx, CIFAR-10 and a JPEG.
#pragma once

#include <string>
#include <vector>

inline std::string idx_number(long n) { return {char(n >> 24), char(n >> 16), char(n >> 8), char(n)}; }

// The pixels of picture i are i, i + 1, i + 2, ... (mod 256).
inline std::string idx_pictures(long count, long rows, long columns) {
  std::string file = std::string("\0\0\x08\x03", 4) + idx_number(count) + idx_number(rows) + idx_number(columns);
  for (long i = 0; i < count; i++)
    for (long p = 0; p < rows * columns; p++) file += char(i + p);
  return file;
}

inline std::string idx_labels(const std::vector<int>& labels) {
  std::string file = std::string("\0\0\x08\x01", 4) + idx_number(long(labels.size()));
  for (const int label : labels) file += char(label);
  return file;
}

// Red is 10 i, green 2, blue 3.
inline std::string cifar_records(long count) {
  std::string file;
  for (long i = 0; i < count; i++)
    file += char(i % 10) + std::string(1024, char(10 * i)) + std::string(1024, 2) + std::string(1024, 3);
  return file;
}

// 8 x 8 pixels of red 200, green 80, blue 40 (nearly: JPEG rounds).
inline std::string jpeg() {
  const std::string hex =
      "ffd8ffe000104a46494600010100000100010000ffdb0084001b12141714111b1716171e1c1b2028422b28252528513a3d304260556564"
      "5f555d5b6a7899816a7190735b5d85b586909ea3abadab6780bcc9baa6c799a8aba4011c1e1e2823284e2b2b4ea46e5d6ea4a4a4a4a4a4"
      "a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4ffc0001108000800080301"
      "2200021101031101ffc401a20000010501010101010100000000000000000102030405060708090a0b1000020103030204030505040400"
      "00017d01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435"
      "363738393a434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a92939495969798999aa2"
      "a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa"
      "0100030101010101010101010000000000000102030405060708090a0b1100020102040403040705040400010277000102031104052131"
      "061241510761711322328108144291a1b1c109233352f0156272d10a162434e125f11718191a262728292a35363738393a434445464748"
      "494a535455565758595a636465666768696a737475767778797a82838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3"
      "b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9faffda000c0301000211031100"
      "3f008a8a28ae43d23fffd9";
  std::string file;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) file += char(std::stoi(hex.substr(i, 2), nullptr, 16));
  return file;
}

// The same with a Huffman table of 255 codes of 8 bits and one of 9, and data that begins with that one: stb_image 2.27
// has no room for the last code in its short table, looks for it among longer ones, and asserts.
inline std::string contradicting_jpeg() {
  const std::string good = jpeg();
  const size_t scan = good.find("\xff\xda"), data = scan + 14;
  std::string table("\xff\xc4\x01\x13\0\0\0\0\0\0\0\0\xff\1\0\0\0\0\0\0\0", 21);
  for (int value = 0; value < 256; value++) table += char(value % 12);
  return good.substr(0, scan) + table + good.substr(scan, data - scan) + std::string("\xff\0\0\0\0\0\xff\xd9", 8);
}
