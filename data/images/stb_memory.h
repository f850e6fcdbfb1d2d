// The memory of stb_image while it reads one picture. A file can lie about how much it unpacks to: a block above `most`
// bytes is refused, which stb_image reports as a failure. And it cannot clean up when one of its assertions throws:
// what is still there is freed when this goes.
//
//   StbMemory memory(most);
//   stbi_load_from_memory(...)      // allocates by StbMemory::allocate of this thread
//
// There is one at a time in a thread.
#pragma once

#include <cstddef>
#include <vector>

namespace heed {

class StbMemory {
 public:
  explicit StbMemory(size_t most);
  ~StbMemory();
  StbMemory(const StbMemory&) = delete;
  StbMemory& operator=(const StbMemory&) = delete;

  size_t live() const { return blocks_.size(); }  // blocks that are not freed yet

  // As calloc, realloc and free; null for more than `most` bytes.
  static void* allocate(size_t size);
  static void* reallocate(void* block, size_t size);
  static void release(void* block);

 private:
  size_t most_;
  std::vector<void*> blocks_ = {};  // a few
};

}  // namespace heed
