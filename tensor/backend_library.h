// Backends in libraries of their own: libheed_cuda.so beside libheed.so. It is looked for when somebody asks for a GPU,
// so that heed itself needs no CUDA to be there. HEED_CUDA=emulated in the environment takes libheed_cuda_emulated.so.
//
// Such a library fills the slots (kernel.h) when it is loaded, which must not fail, and then its start function is
// called: it looks for devices and registers its driver, or says why not.
#pragma once

#include <string>

#include "tensor/device.h"

namespace heed {

// slot: the address of kernels::strided_copy. The library compares it with its own: if they differ it was linked so
// that it has slots of its own, which nobody would ever ask. version: of this heed, which must be the one it was built
// for. Returns null, or a sentence that tells why there is no device.
using StartBackend = const char*(const void* slot, const char* version);
inline constexpr const char* kStartCuda = "heed_start_cuda";

// Loads the library of a backend, once, if it has one. Returns "", or the reason why it is not available, such as
// "this heed was built without cuda".
const std::string& load_backend(Backend backend);

std::string start_library(const std::string& path, const char* start_function);  // the same for a file

}  // namespace heed
