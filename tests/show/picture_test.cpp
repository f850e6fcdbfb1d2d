// Pictures: what is drawn, the PNG file, and what happens when a file cannot be written.
#include "show/picture.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "system/write_file.h"
#include "tests/support/error_of.h"
#include "tests/support/folder.h"

#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#include <stb_image.h>

using namespace heed;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(picture_test)

namespace {

constexpr Colour kBlack = rgb(0), kWhite = rgb(0xffffff);

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// How many pixels' worth of black there is on white.
double ink(const Picture& picture) {
  double sum = 0;
  for (long y = 0; y < picture.height(); y++)
    for (long x = 0; x < picture.width(); x++) sum += 1 - picture.at(x, y).red / 255.0;
  return sum;
}

std::string pixels(const Picture& picture) {
  std::string all;
  for (long y = 0; y < picture.height(); y++)
    for (long x = 0; x < picture.width(); x++) all += char(picture.at(x, y).red);
  return all;
}

constexpr double kEdge = 0.02;  // anti-aliasing estimates the covered part of edge pixels: 2% of the area

}  // namespace

BOOST_AUTO_TEST_CASE(a_circle_covers_its_area) {
  for (double radius : {3.3, 8.0, 20.5}) {
    Picture picture(64, 64, kWhite);
    picture.circle({31.7, 32.2}, radius, kBlack);
    BOOST_TEST(ink(picture) == M_PI * radius * radius, boost::test_tools::tolerance(kEdge));
  }
}

BOOST_AUTO_TEST_CASE(a_line_covers_its_length_times_its_width_and_two_round_ends) {
  for (double angle : {0.0, 0.3, 1.1, 2.5}) {
    Picture picture(100, 100, kWhite);
    picture.line({50, 50}, {50 + 40 * std::cos(angle), 50 + 40 * std::sin(angle)}, {6, kBlack});
    BOOST_TEST(ink(picture) == 40 * 6 + M_PI * 9, boost::test_tools::tolerance(kEdge));
  }
}

BOOST_AUTO_TEST_CASE(a_rectangle_covers_its_area_exactly_also_between_pixels) {
  Picture picture(20, 20, kWhite);
  picture.rectangle({2.5, 3, 4, 2}, kBlack);
  BOOST_TEST((picture.at(4, 3) == kBlack));
  BOOST_TEST((picture.at(2, 3) == picture.at(6, 4)));
  BOOST_TEST(ink(picture) == 8, boost::test_tools::tolerance(0.005));  // colours have 255 steps
}

BOOST_AUTO_TEST_CASE(round_corners_take_away_the_squares_around_their_circles) {
  Picture picture(60, 60, kWhite);
  picture.rectangle({5.5, 6, 40, 30, 8}, kBlack);
  BOOST_TEST(ink(picture) == 40 * 30 - (4 - M_PI) * 64, boost::test_tools::tolerance(kEdge));
  picture.fill(kWhite);
  picture.rectangle({5, 5, 20, 20, 100}, kBlack);  // no corner is larger than half of its box
  BOOST_TEST(ink(picture) == M_PI * 100, boost::test_tools::tolerance(kEdge));
}

BOOST_AUTO_TEST_CASE(a_frame_lies_inside_of_its_box) {
  Picture picture(60, 60, kWhite);
  picture.frame({10, 10, 30, 20}, {2, kBlack});
  BOOST_TEST(ink(picture) == 2 * 2 * 30 + 2 * 2 * 16, boost::test_tools::tolerance(kEdge));
  BOOST_TEST((picture.at(10, 20) == kBlack));
  BOOST_TEST((picture.at(9, 20) == kWhite));
  BOOST_TEST((picture.at(12, 20) == kWhite));
}

BOOST_AUTO_TEST_CASE(a_convex_polygon_covers_its_area_whichever_way_around_it_is_given) {
  Curve corners = {{10, 10}, {50, 20}, {20, 50}};
  for (int way = 0; way < 2; way++) {
    Picture picture(60, 60, kWhite);
    picture.polygon(corners, kBlack);
    BOOST_TEST(ink(picture) == 750, boost::test_tools::tolerance(kEdge));
    std::reverse(corners.begin(), corners.end());
  }
}

BOOST_AUTO_TEST_CASE(a_dashed_line_has_gaps_also_across_its_joints) {
  Picture whole(100, 20, kWhite), joined(100, 20, kWhite);
  whole.line({10, 10}, {80, 10}, {1, kBlack, 1, true});
  joined.curve({{10, 10}, {12, 10}, {33, 10}, {80, 10}}, {1, kBlack, 1, true});
  BOOST_TEST(ink(whole) == 10 * 5, boost::test_tools::tolerance(0.1));  // dashes of 4 pixels with their round ends
  BOOST_TEST(std::abs(ink(joined) - ink(whole)) < 1);
  whole.line({-1e30, 5}, {1e30, 5}, {1, kBlack, 1, true});  // it must end
}

BOOST_AUTO_TEST_CASE(text_that_reads_upwards_is_the_same_text_turned) {
  Picture flat(60, 60, kWhite), upright(60, 60, kWhite);
  flat.text({30, 30}, "heed", {.size = 10, .colour = kBlack, .align = Align::centre});
  upright.text({30, 30}, "heed", {.size = 10, .colour = kBlack, .align = Align::centre, .upwards = true});
  bool same = true;
  for (long y = 0; y < 60; y++)
    for (long x = 0; x < 60; x++) same &= flat.at(x, y) == upright.at(y, 59 - x);
  BOOST_TEST(same);
}

BOOST_AUTO_TEST_CASE(joints_of_a_transparent_curve_are_painted_once) {
  Picture picture(60, 20, kWhite);
  picture.curve({{10, 10}, {30, 10}, {50, 10}}, {6, kBlack, 0.5});
  BOOST_TEST((picture.at(30, 10) == picture.at(20, 10)));
}

BOOST_AUTO_TEST_CASE(what_lies_outside_is_left_away) {
  Picture picture(10, 10, kWhite);
  picture.pixel(-1, 0, kBlack);
  picture.pixel(0, 10, kBlack);
  picture.circle({-50, 5}, 20, kBlack);
  picture.line({-1e30, -5}, {1e30, -5}, {3, kBlack});
  picture.rectangle({20, 20, 1e12, 1e12}, kBlack);
  picture.text({0, 900}, "far below", {.colour = kBlack});
  BOOST_TEST(ink(picture) == 0);
  picture.rectangle({-1e12, -1e12, 2e12, 2e12}, kBlack);
  BOOST_TEST(ink(picture) == 100);
}

BOOST_AUTO_TEST_CASE(numbers_that_are_not_finite_draw_nothing) {
  Picture picture(10, 10, kWhite);
  for (double bad : {double(NAN), double(INFINITY), -double(INFINITY)}) {
    picture.circle({bad, 5}, 2, kBlack);
    picture.line({bad, bad}, {5, bad}, {2, kBlack});
    picture.rectangle({bad, 2, 3, 3}, kBlack);
    picture.frame({bad, 2, 3, 3, 1}, {2, kBlack});
    picture.rectangle({bad, 2, 3, 3, 1}, kBlack);
    picture.polygon({{1, 1}, {5, bad}, {1, 5}}, kBlack);
    picture.line({bad, bad}, {5, bad}, {2, kBlack, 1, true});
    picture.text({bad, 5}, "text", {.colour = kBlack});
  }
  picture.circle({5, 5}, NAN, kBlack);
  picture.blend(5, 5, kBlack, NAN);
  BOOST_TEST(ink(picture) == 0);
}

BOOST_AUTO_TEST_CASE(every_character_has_a_look_of_its_own) {
  std::set<std::string> looks;
  for (char c = ' '; c <= '~'; c++) {
    Picture picture(40, 50, kWhite);
    picture.text({10, 35}, std::string(1, c), {.size = 20, .colour = kBlack});
    BOOST_TEST((c == ' ' || ink(picture) > 5), "character " << c);
    looks.insert(pixels(picture));
  }
  BOOST_TEST(looks.size() == 95u);
}

BOOST_AUTO_TEST_CASE(text_stays_inside_the_width_it_says) {
  const std::string text = "Jumps over 42 dogs";
  const double width = Picture::text_width(text, 20), pen = 3;
  for (Align align : {Align::left, Align::centre, Align::right}) {
    Picture picture(600, 60, kWhite);
    picture.text({300, 40}, text, {.size = 20, .colour = kBlack, .align = align});
    const double left = 300 - width * (align == Align::left ? 0 : align == Align::centre ? 0.5 : 1);
    Picture inside = picture;
    inside.rectangle({left - pen, 0, width + 2 * pen, 60}, kWhite);
    BOOST_TEST(ink(picture) > 500);
    BOOST_TEST(ink(inside) == 0);
  }
  BOOST_TEST(Picture::text_width("", 20) == 0);
}

BOOST_AUTO_TEST_CASE(a_character_outside_of_ascii_is_one_box) {
  BOOST_TEST(Picture::text_width("\xc3\xa9", 10) == Picture::text_width("\x01", 10));
  BOOST_TEST(Picture::text_width("\xf0\x9f\x98\x80", 10) == Picture::text_width("\x01", 10));
}

BOOST_AUTO_TEST_CASE(sizes_and_pixels_outside_are_errors) {
  BOOST_TEST(error_of([] { Picture(0, 5); }) == "Picture: the size is 0 x 5; each side must be 1 to 16384 pixels");
  const Picture picture(4, 3, kWhite);
  BOOST_TEST(error_of([&] { picture.at(4, 0); }) ==
             "Picture::at: pixel (4, 0) is outside of the picture, which is 4 x 3");
}

BOOST_AUTO_TEST_CASE(a_png_file_holds_the_same_pixels) {
  const Folder folder;
  Picture picture(31, 17, kWhite);
  picture.circle({15, 8}, 6, rgb(0xd95f02));
  picture.write_png(folder / "new/folders/a.png");
  int width = 0, height = 0, channels = 0;
  stbi_uc* bytes = stbi_load((folder / "new/folders/a.png").c_str(), &width, &height, &channels, 3);
  BOOST_REQUIRE(bytes != nullptr);
  BOOST_REQUIRE((width == 31 && height == 17 && channels == 3));
  bool same = true;
  for (long i = 0; i < 31 * 17; i++)
    same &= picture.at(i % 31, i / 31) == Colour{bytes[3 * i], bytes[3 * i + 1], bytes[3 * i + 2]};
  stbi_image_free(bytes);
  BOOST_TEST(same);
}

BOOST_AUTO_TEST_CASE(writing_replaces_the_file_and_leaves_nothing_else) {
  const Folder folder;
  write_file(folder / "a", "first");
  write_file(folder / "a", "second");
  BOOST_TEST(read_file(folder / "a") == "second");
  BOOST_TEST(folder.files() == 1);
}

BOOST_AUTO_TEST_CASE(write_errors_name_the_file_and_the_reason) {
  const Folder folder;
  write_file(folder / "file", "");
  fs::create_directory(folder / "folder");
  const std::string below = error_of([&] { Picture(2, 2).write_png(folder / "file/a.png"); });
  BOOST_TEST(below == "write_file: cannot write " + (folder / "file/a.png") +
                          ": Not a directory; a part of its path is a file, not a folder");
  const std::string over = error_of([&] { write_file(folder / "folder", "x"); });
  BOOST_TEST(over ==
             "write_file: cannot write " + (folder / "folder") + ": Is a directory; there is a folder of this name");
  BOOST_TEST(contains(error_of([] { write_file("", "x"); }), "the path is empty"));
  BOOST_TEST(error_of([&] { check_writable(folder / "folder"); }) == over);
  check_writable(folder / "file");
  BOOST_TEST(folder.files() == 2);  // no temporary file stays behind
}

BOOST_AUTO_TEST_CASE(a_folder_that_may_not_be_written_is_an_error) {
  const Folder folder;
  fs::permissions(folder.path, fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_exec);
  const bool root = ::geteuid() == 0;  // root may write everywhere, so somebody else tries
  constexpr uid_t kNobody = 65534;
  if (root) BOOST_REQUIRE(::seteuid(kNobody) == 0);
  const std::string text = error_of([&] { write_file(folder / "a", "x"); });
  if (root) BOOST_REQUIRE(::seteuid(0) == 0);
  fs::permissions(folder.path, fs::perms::owner_all);
  BOOST_TEST(text == "write_file: cannot write " + (folder / "a") +
                         ": Permission denied; choose a folder that you may write to");
}

BOOST_AUTO_TEST_CASE(a_write_that_fails_halfway_keeps_the_old_file) {
  const Folder folder;
  write_file(folder / "a", "the old text");
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);  // a file-size limit stands for a full disk
  const rlimit small{4096, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string text = error_of([&] { write_file(folder / "a", std::string(100'000, 'x')); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  BOOST_TEST(text == "write_file: cannot write " + (folder / "a") + ": File too large");
  BOOST_TEST(read_file(folder / "a") == "the old text");
  BOOST_TEST(folder.files() == 1);
}

BOOST_AUTO_TEST_SUITE_END()
