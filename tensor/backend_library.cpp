#include "tensor/backend_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

#include "system/version.h"
#include "tensor/copy.h"

namespace heed {
namespace {

// Beside the library, or the program, that this function is in
std::string path_of(const char* name) {
  Dl_info here{};
  dladdr(reinterpret_cast<const void*>(&load_backend), &here);
  return (std::filesystem::path(here.dli_fname ? here.dli_fname : ".").parent_path() / name).string();
}

std::string load_cuda() {
  const char* given = std::getenv("HEED_CUDA");
  const std::string wanted = given ? given : "";
  if (!wanted.empty() && wanted != "emulated")
    return "HEED_CUDA is '" + wanted + "'; the rule is emulated, or nothing for a GPU";
  const std::string path = path_of(wanted.empty() ? "libheed_cuda.so" : "libheed_cuda_emulated.so");
  std::error_code none;
  if (!std::filesystem::exists(path, none))
    return wanted.empty() ? "this heed was built without cuda" : "this heed was built without the emulator of cuda";
  return start_library(path, kStartCuda);
}

}  // namespace

std::string start_library(const std::string& path, const char* start_function) {
  const std::string name = std::filesystem::path(path).filename().string();
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // for good: tensors may outlive everything
  if (!library) return name + " cannot be loaded: " + dlerror();
  auto* start = reinterpret_cast<StartBackend*>(dlsym(library, start_function));
  if (!start) return name + " has no function " + start_function + "; it is not one of heed's, or an old one";
  const char* reason = start(&kernels::strided_copy, version());
  return reason ? reason : "";
}

const std::string& load_backend(Backend backend) {
  static const std::string none;
  if (backend != Backend::cuda) return none;
  static const std::string cuda = load_cuda();
  return cuda;
}

}  // namespace heed
