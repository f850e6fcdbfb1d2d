// Writing files so that a reader never meets half of one.
#pragma once

#include <string>
#include <string_view>

namespace heed {

// The file is there whole or, after an error or a kill, as it was before: the bytes go to a temporary file beside it,
// reach the disk, and take its name at last. Creates the folders above it. Errors name the file and the reason.
void write_file(const std::string& path, std::string_view bytes);

// The same piece by piece, for files that are too large for one string:
//
//   FileWriter file("runs/a.bin");
//   for (...) file.write(piece);
//   file.finish();  // only now is there a runs/a.bin
class FileWriter {
 public:
  explicit FileWriter(const std::string& path);
  ~FileWriter();  // without finish: the temporary file is removed, and what was there before stays
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void write(std::string_view bytes);
  void finish();  // when it returns, the file and its name are on the disk

 private:
  [[noreturn]] void give_up(int reason);  // removes the temporary file and throws

  std::string path_, temporary_;
  int file_;  // a descriptor; -1 once it is closed
};

// Adds to the end of a file, which need not be there yet. After an error or a kill the end may be half of `bytes`.
void append_to_file(const std::string& path, std::string_view bytes);

// Removes the temporary files in this folder whose writers were killed, and returns how many there were. In a folder
// that is not heed's alone only those of files whose names begin with `prefix`.
int remove_stale_temporaries(const std::string& folder, const std::string& prefix = "");

// PATH.tmp-PROCESS-NUMBER beside the given file, for another program to fill. It is there, empty, as long as this
// object lives, and its lock tells others so: remove_stale_temporaries leaves it alone. Creates the folders above it.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& path);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int file_;  // a descriptor
};

// Throws what write_file would: to be called before hours of work whose result goes there. Creates the folders too.
void check_writable(const std::string& path);

}  // namespace heed
