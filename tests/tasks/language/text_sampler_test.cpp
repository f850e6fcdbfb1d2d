// Texts that a language model writes.
#include "tasks/language/text_sampler.h"

#include "models/gpt.h"
#include "tests/support/on_threads.h"
#include "tests/support/tiny_lm.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(text_sampler_test)

namespace {

std::unique_ptr<Gpt> tiny_model() {
  auto model = std::make_unique<Gpt>(model_options(tiny_lm()));
  model->initialise(3);
  return model;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_same_seed_gives_the_same_text) {
  const auto model = tiny_model();
  const auto text = [&](uint32_t seed, int threads) {
    std::string result;
    on_threads(threads,
               [&] { result = sampled_text(*model, *byte_vocabulary(), "abc", {.length = 50, .seed = seed}); });
    return result;
  };
  BOOST_TEST(text(1, 1) == text(1, 2));
  BOOST_TEST(text(1, 1) != text(2, 1));
  BOOST_TEST(text(1, 1).size() == 50u);
  BOOST_TEST(sampled_text(*model, *byte_vocabulary(), "abc", {.length = 0}) == "");
}

BOOST_AUTO_TEST_CASE(an_empty_prompt_is_a_new_line) {
  const auto model = tiny_model();
  BOOST_TEST(sampled_text(*model, *byte_vocabulary(), "", {.length = 9}) ==
             sampled_text(*model, *byte_vocabulary(), "\n", {.length = 9}));
}

BOOST_AUTO_TEST_CASE(bytes_are_tokens_without_a_sign) {
  const auto model = tiny_model();
  const std::string prompt = "\xff\x80z";
  const Ids ids = sampled(*model, {{255, 128, 'z'}}, {.length = 40})[0];
  const std::string text(ids.begin(), ids.end());
  BOOST_TEST(sampled_text(*model, *byte_vocabulary(), prompt, {.length = 40}) == text);
}

BOOST_AUTO_TEST_CASE(each_row_goes_on_with_its_own_prompt) {
  const auto model = tiny_model();
  std::vector<std::string> texts(2);
  sample_texts(*model, *byte_vocabulary(), {"a prompt", "b"}, {.length = 30}, [&](long row, std::string_view bytes) {
    texts[size_t(row)] += bytes;
    return true;
  });
  BOOST_TEST(texts[0] == sampled_text(*model, *byte_vocabulary(), "a prompt", {.length = 30}));
  BOOST_TEST(texts[1] == sampled_text(*model, *byte_vocabulary(), "b", {.length = 30, .first_row = 1}));
}

BOOST_AUTO_TEST_CASE(it_stops_when_nobody_listens) {
  const auto model = tiny_model();
  int calls = 0;
  sample_texts(*model, *byte_vocabulary(), {"a"}, {.length = 50}, [&](long, std::string_view) { return ++calls < 7; });
  BOOST_TEST(calls == 7);
}

BOOST_AUTO_TEST_SUITE_END()
