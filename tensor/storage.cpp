#include "tensor/storage.h"

#include "tensor/allocator.h"

namespace heed {

Storage::Storage(size_t bytes, Device device) : data_(allocate(bytes, device)), bytes_(bytes), device_(device) {}
Storage::~Storage() { deallocate(data_, bytes_, device_); }

}  // namespace heed
