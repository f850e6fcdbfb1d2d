// --device, an option of every program: where to compute. It is a property of the machine, never a setting of a run: a
// run that began on one device may go on at another.
#include <iostream>

#include "system/command_line.h"
#include "tensor/device.h"

namespace heed {
namespace {

std::string wanted;
Device chosen = cpu;

void declare(CommandLine& line) {
  wanted = "cpu";
  line.option("--device", wanted, "where to compute: cpu, cuda, cuda:1, or auto: a GPU if there is one");
}

// An emulated device must not be taken for a GPU: every program says so first.
void choose() {
  chosen = device_from(wanted);
  if (chosen != cpu && description(chosen) == "emulated")
    std::cerr << chosen << " is emulated: its kernels run on the cpu, slowly, to be tested" << std::endl;
}

const RegisteredCommonOption option{{"--device", declare, choose}};

}  // namespace

Device chosen_device() { return chosen; }

}  // namespace heed
