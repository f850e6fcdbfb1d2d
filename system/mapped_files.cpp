#include "system/mapped_files.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <mutex>

namespace heed {

// What the signal handler may look at: a list that only grows. An entry whose map is gone has no begin, and serves the
// next one.
struct Watched {
  std::atomic<uintptr_t> begin = 0, end = 0;
  std::atomic<bool> shrunk = false;
  const MappedFile* file = nullptr;  // not for the handler
  Watched* next = nullptr;
};

namespace {

std::atomic<Watched*> first = nullptr;
std::mutex changing;  // the list, and the signal's action
struct sigaction before = {};

// Zeros from the page of this address to the end of the map: mmap is a call of the system and takes no lock of ours.
bool put_zeros(Watched& of, uintptr_t address) {
  const uintptr_t page = address & ~uintptr_t(::sysconf(_SC_PAGESIZE) - 1), end = of.end;
  void* zeros =
      ::mmap(reinterpret_cast<void*>(page), end - page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  of.shrunk = true;
  return zeros != MAP_FAILED;
}

void on_bus_error(int, siginfo_t* about, void*) {
  const auto address = reinterpret_cast<uintptr_t>(about->si_addr);
  for (Watched* each = first; each; each = each->next)
    if (address >= each->begin && address < each->end && put_zeros(*each, address)) return;
  ::sigaction(SIGBUS, &before, nullptr);  // not ours: it happens again, and to whom it belongs
}

// With every map: the host may have taken the signal since the last one.
void watch_signal() {
  struct sigaction action = {}, now = {};
  if (::sigaction(SIGBUS, nullptr, &now) != 0) return;
  if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_bus_error) return;
  before = now;
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
}

Watched* watch(const MappedFile& file, const char* data, size_t size) {
  const std::lock_guard lock(changing);
  watch_signal();
  Watched* entry = first;
  while (entry && entry->file) entry = entry->next;
  if (!entry) {
    entry = new Watched;
    entry->next = first;
    first = entry;
  }
  entry->file = &file;
  entry->shrunk = false;
  entry->end = reinterpret_cast<uintptr_t>(data) + size;
  entry->begin = reinterpret_cast<uintptr_t>(data);
  return entry;
}

void forget(Watched* entry) {
  const std::lock_guard lock(changing);
  entry->end = 0;
  entry->begin = 0;
  entry->file = nullptr;
}

}  // namespace

MappedFile::MappedFile(int file, size_t size, const std::string& path) : size_(size), path_(path) {
  void* map = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (map == MAP_FAILED) return;
  data_ = static_cast<char*>(map);
  watched_ = watch(*this, data_, size);
}

MappedFile::~MappedFile() {
  if (!data_) return;
  forget(watched_);
  ::munmap(data_, size_);
}

bool MappedFile::shrunk() const { return watched_ && watched_->shrunk; }

void check_files() {
  const std::lock_guard lock(changing);
  for (const Watched* each = first; each; each = each->next)
    if (each->file && each->shrunk)
      fail<FileShrunk>(
          "read", each->file->path(),
          " became shorter while it was read: somebody wrote over it, and what "
          "was in it is gone. Replace files that are in use by renaming a new one (mv), not by writing into "
          "them (cp)");
}

}  // namespace heed
