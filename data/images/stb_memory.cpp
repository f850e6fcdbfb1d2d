#include "data/images/stb_memory.h"

#include <algorithm>
#include <cstdlib>

#include "system/error.h"

namespace heed {
namespace {

thread_local StbMemory* current = nullptr;

}  // namespace

StbMemory::StbMemory(size_t most) : most_(most) {
  HEED_CHECK(!current, "picture", "a picture is read while another one is; a thread reads one at a time");
  current = this;
}

StbMemory::~StbMemory() {
  for (void* block : blocks_) std::free(block);
  current = nullptr;
}

// Zeros: a file can have tables read that it never defined.
void* StbMemory::allocate(size_t size) {
  if (size > current->most_) return nullptr;
  current->blocks_.push_back(nullptr);  // room for it first: this may throw
  void* block = std::calloc(1, size);
  if (block)
    current->blocks_.back() = block;
  else
    current->blocks_.pop_back();
  return block;
}

void* StbMemory::reallocate(void* block, size_t size) {
  if (!block) return allocate(size);
  if (size > current->most_) return nullptr;
  void* moved = std::realloc(block, size);
  if (moved) std::replace(current->blocks_.begin(), current->blocks_.end(), block, moved);
  return moved;
}

void StbMemory::release(void* block) {
  std::erase(current->blocks_, block);
  std::free(block);
}

}  // namespace heed
