#include "tensor/storage.h"

#include <utility>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/views.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(storage_test)

BOOST_AUTO_TEST_CASE(views_share_storage_and_keep_it_alive) {
  Tensor row;
  {
    Tensor x = tensor({1, 2, 3, 4, 5, 6}, {2, 3});
    row = select(x, 0, 1);
    BOOST_TEST(row.storage() == x.storage());
    BOOST_TEST(row.offset() == 3);
  }
  BOOST_TEST(row.to_vector<int>() == (std::vector<int>{4, 5, 6}));
}

BOOST_AUTO_TEST_CASE(every_write_counts_in_the_version_and_no_read_does) {
  Tensor x = zeros({2, 3}), view = transpose(x);
  uint64_t version = x.storage()->version();
  auto writes = [&](auto&& f) {
    f();
    return x.storage()->version() != std::exchange(version, x.storage()->version());
  };
  BOOST_TEST(writes([&] { x.mutable_data<float>(); }));
  BOOST_TEST(writes([&] { fill(view, 1); }));
  BOOST_TEST(writes([&] { copy_into(select(view, 0, 0), tensor({1, 2})); }));
  BOOST_TEST(!writes([&] { x.data<float>(); }));
  BOOST_TEST(!writes([&] { x.to_vector<double>(); }));
  BOOST_TEST(!writes([&] { clone(view); }));
  BOOST_TEST(!writes([&] { cast(view, f64); }));
  BOOST_TEST(!writes([&] { x.str(); }));
}

BOOST_AUTO_TEST_SUITE_END()
