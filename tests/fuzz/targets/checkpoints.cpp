// Checkpoints and their headers. The seeds have no checksum: with one, nearly every mutation would be refused by it.
#include <unistd.h>

#include <filesystem>

#include "models/gpt.h"
#include "system/write_file.h"
#include "tasks/language/lm_run_load.h"
#include "tests/fuzz/target.h"
#include "train/safetensors.h"

using namespace heed;

namespace {

// A file with these bytes, while it lives.
struct Written {
  std::string path = (std::filesystem::temp_directory_path() / ("heed-fuzz-" + std::to_string(::getpid()))).string();
  explicit Written(std::string_view bytes) { write_file(path, bytes); }
  ~Written() { ::unlink(path.c_str()); }
};

const RegisteredFuzzTarget header{{"safetensors", [](std::string_view bytes) {
                                     const SafetensorsHeader read = parse_safetensors_header(bytes, "it");
                                     for (const auto& tensor : read.tensors) must(tensor.end <= long(bytes.size()));
                                   }}};

const RegisteredFuzzTarget checkpoint{{"checkpoint", [](std::string_view bytes) {
                                         const Written file(bytes);
                                         must(load_run(file.path).model != nullptr);
                                       }}};

}  // namespace
