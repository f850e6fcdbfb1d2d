#include "system/progress.h"

#include <iostream>
#include <sstream>

#include "tests/support/captured.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(progress_test)

BOOST_AUTO_TEST_CASE(durations_are_told_as_people_tell_them) {
  BOOST_TEST(duration_text(0.42) == "0.4 s");
  BOOST_TEST(duration_text(9.97) == "10 s");
  BOOST_TEST(duration_text(59.6) == "1 min 00 s");
  BOOST_TEST(duration_text(200) == "3 min 20 s");
  BOOST_TEST(duration_text(7500) == "2 h 05 min");
  BOOST_TEST(duration_text(-1) == "?");
  BOOST_TEST(duration_text(1e300) == "?");
}

BOOST_AUTO_TEST_CASE(a_quick_job_shows_one_line_of_progress_in_a_file) {
  std::ostringstream out;
  {
    Progress progress("step", 50, out);
    for (long step = 1; step <= 50; step++) progress.show(step, "loss 1");
    progress.finish("loss 0.5");
  }
  const std::string text = out.str();
  BOOST_TEST(text.starts_with("step 50/50   100%   loss 0.5   "));
  BOOST_TEST(text.find('\n') == text.size() - 1);
}

BOOST_AUTO_TEST_CASE(on_a_narrow_terminal_progress_keeps_its_ends) {
  const std::string head = "step 1200/2000    60%", text = "loss 1.234   bpc 1.780   9999 tok/s   53 MB",
                    tail = "12 s left";
  const auto line = [&](size_t width) { return fitted_line(head, text, tail, width); };
  BOOST_TEST(line(100) == head + "   " + text + "   " + tail);
  BOOST_TEST(line(72) == "step 1200/2000 60% loss 1.234 bpc 1.780 9999 tok/s 53 MB 12 s left");
  BOOST_TEST(line(60) == "step 1200/2000 60% loss 1.234 bpc 1.780 9999 tok/s 12 s left");
  BOOST_TEST(line(40) == "step 1200/2000 60% loss 1.234 12 s left");
  BOOST_TEST(line(30) == "step 1200/2000 60% 12 s left");
  BOOST_TEST(line(10) == "step 1200/");
  BOOST_TEST(fitted_line("step 1/2", "", "", 80) == "step 1/2");
}

BOOST_AUTO_TEST_CASE(a_line_is_printed_with_its_newline) {
  const Captured out(std::cout);
  print_line("100% done");
  BOOST_TEST(out.text.str() == "100% done\n");
}

BOOST_AUTO_TEST_SUITE_END()
