// A second device whose memory the host cannot touch. It is Backend::custom, its kernels are the CPU's own, and its
// memory is locked (PROT_NONE) while neither a kernel nor a copy runs: whoever reads or writes a tensor's numbers
// outside of them gets a memory fault, in any build. And it looks at what kernels are given: a pointer to the host
// among the arguments, which would work here and on no GPU, is noted.
//
//   GuardedDevice guarded;
//   model.move_to(guarded.device);
//   ... computes the same bits as on the cpu
//   BOOST_TEST(guarded.host_pointers() == "");
//
// There is one at a time; it empties Backend::custom when it goes.
#pragma once

#include <string>
#include <typeinfo>

#include "tensor/device.h"

// Is it an argument of sizes and numbers only, with bytes that nobody sets and that may look like an address?
bool has_no_pointers(const std::type_info& type);

class GuardedDevice {
 public:
  GuardedDevice();
  ~GuardedDevice();
  GuardedDevice(const GuardedDevice&) = delete;
  GuardedDevice& operator=(const GuardedDevice&) = delete;

  static constexpr heed::Device device{heed::Backend::custom, 0};

  std::string host_pointers() const;  // "merge: word 3 of argument 2", one per line; empty: there were none
  long launches() const;              // calls of kernels
};
