// For tests of Backend::cuda: they run where it is, on a GPU or emulated (`make cuda-test`), and are skipped elsewhere.
//
//   BOOST_AUTO_TEST_CASE(a_copy_comes_back, *on_cuda) { ... }
#pragma once

#include "tensor/device.h"
#include "tests/support/boost.h"

inline constexpr heed::Device kCuda{heed::Backend::cuda, 0};

inline boost::test_tools::assertion_result cuda_is_there(boost::unit_test::test_unit_id) {
  return heed::devices(heed::Backend::cuda) > 0;
}
inline const boost::unit_test::precondition on_cuda(cuda_is_there);
