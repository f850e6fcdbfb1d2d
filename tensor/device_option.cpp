// --device, an option of every program: where to compute. It is a property of the machine, never a setting of a run: a
// run that began on one device may go on at another.
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

const RegisteredCommonOption option{{"--device", declare, [] { chosen = device_from(wanted); }}};

}  // namespace

Device chosen_device() { return chosen; }

}  // namespace heed
