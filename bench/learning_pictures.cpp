// `build/bench learning-pictures`: how well a picture model (models/igpt.h) knows pictures of 14 x 14 pixels in 16
// colours after the same time of training, ours and PyTorch's (bench/peer_igpt.py): `--seconds` each, with three seeds
// (bench/learning.h), in nats per pixel. `--data` is that of `igpt train`; by default Fashion-MNIST where it is
// installed. The peer reads the same tokens, from a file that is written for it.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "bench/kernels.h"
#include "bench/learning.h"
#include "system/write_file.h"
#include "tasks/image/image_task.h"

namespace heed::bench {
namespace {

constexpr double kRate = 2e-3;    // the peak
constexpr long kPictures = 1000;  // of the validation, each time

ImageSettings sizes() {
  ImageSettings s = image_preset("small");
  s.size = 14, s.colours = 16, s.layers = 4, s.width = 128, s.heads = 4, s.batch = 16;
  s.rate = kRate, s.valid_pictures = kPictures;
  return s;
}

// The tokens of all pictures for training, then those of the validation, a byte each. Goes with the object.
class TokenFile {
 public:
  TokenFile(const ImageData& data, const PixelPalette& palette, long valid)
      : path_((std::filesystem::temp_directory_path() / ("heed-pictures-" + std::to_string(getpid()))).string()) {
    std::string tokens;
    const auto add = [&](const Images& images, long count) {
      for (long i = 0; i < count; i++)
        for (const uint16_t id : palette.ids(images.picture(i))) tokens.push_back(char(id));
    };
    add(data.train, data.train.count());
    add(data.valid, valid);
    write_file(path_, tokens);
    setenv("HEED_BENCH_DATA", path_.c_str(), 1);
  }
  ~TokenFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TokenFile(const TokenFile&) = delete;
  TokenFile& operator=(const TokenFile&) = delete;

 private:
  std::string path_;
};

std::vector<Case> cases() { return learning_cases("nats per pixel after the same time, 14 x 14, 4/128/4, B 16"); }

int run_learning_pictures(const Benchmark& benchmark, const Settings& settings) {
  const ImageSettings s = sizes();
  const ImageData data = ImageData::open(settings.data.empty() ? usual_images() : settings.data, image_options(s));
  const PixelPalette palette = palette_for(s, data);
  const long train = data.train.count(), valid = std::min(kPictures, data.valid.count());
  const TokenFile tokens(data, palette, valid);
  return run_lesson(benchmark, settings,
                    {.name = "pictures",
                     .unit = "nats per pixel",
                     .about = data.summary(),
                     .glance = kPictures,
                     .ours =
                         [&](long seed) {
                           return std::make_unique<TaskLearner>(std::make_unique<ImageTask>(s, data, palette), seed);
                         },
                     .request =
                         [&](long seed) {
                           return request("learning_pictures", {s.layers, s.width, s.heads, s.size * s.size,
                                                                palette.size(), s.batch, seed, train, valid});
                         }});
}

const RegisteredBenchmark learning_pictures{{"learning-pictures",
                                             "Nats per pixel after the same time of training, against PyTorch.", cases,
                                             run_learning_pictures}};

}  // namespace
}  // namespace heed::bench
