// What reads a model's results at the end of an evaluation calls this: numbers alone do not tell that an index made on
// a device was out of range (tensor/device.h).
#pragma once

#include "nn/module.h"

namespace heed {

void finish_device_of(Module& model);  // waits, and throws what kernels of its device have noted

}  // namespace heed
