// Overfitting: told when the validation gets worse while training gets better, and not for noise.
#include "train/overfitting.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(overfitting_test)

namespace {

// A validation every 10 steps, behind the mean of training then.
std::vector<Json> metrics(const std::vector<double>& train, const std::vector<double>& valid) {
  std::vector<Json> lines;
  for (size_t i = 0; i < train.size(); i++) {
    const long step = 10 * long(i + 1);
    lines.push_back(Json::Object{{"step", step}, {"train_bpc", train[i]}});
    lines.push_back(Json::Object{{"step", step}, {"valid_bpc", valid[i]}});
  }
  return lines;
}

const std::vector<double> kFalling = {4, 3, 2, 1.5, 1}, kRising = {1, 1.5, 2, 3, 4};

}  // namespace

BOOST_AUTO_TEST_CASE(validation_that_rises_while_training_falls_is_told) {
  const auto found = overfitting(metrics(kFalling, {4, 3, 3.1, 3.2, 3.5}), {});
  BOOST_REQUIRE(found.has_value());
  BOOST_TEST(found->best_step == 20);
  BOOST_TEST(found->step == 50);
  BOOST_TEST(found->text({}).starts_with(
      "overfitting: the validation was best at step 20 (3.000) and is 3.500 bits per byte at step 50, while training"));
}

BOOST_AUTO_TEST_CASE(what_is_no_overfitting_is_not_told) {
  BOOST_TEST(!overfitting({}, {}).has_value());
  BOOST_TEST(!overfitting(metrics(kFalling, kFalling), {}).has_value());
  BOOST_TEST(!overfitting(metrics(kFalling, {4, 3, 3, 2.9, 3.5}), {}).has_value());     // once
  BOOST_TEST(!overfitting(metrics(kFalling, {4, 3, 3.1, 3.2, 3.01}), {}).has_value());  // by less than a hundredth
  BOOST_TEST(!overfitting(metrics(kRising, kRising), {}).has_value());                  // it diverges
}

BOOST_AUTO_TEST_CASE(a_score_that_is_the_more_the_better_overfits_the_other_way) {
  const Score accuracy{"bpc", "", false};
  BOOST_TEST(overfitting(metrics(kRising, kFalling), accuracy).has_value());
  BOOST_TEST(!overfitting(metrics(kFalling, kRising), accuracy).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
