// The page of a run: its figures, its samples, and what the program adds to it.
#include "train/run_page.h"

#include "system/write_file.h"
#include "tests/support/error_of.h"
#include "tests/support/folder.h"

using namespace heed;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(run_page_test)

namespace {

Json line(long step, const char* name, double value) {
  Json json = Json::object();
  json["step"] = step, json[name] = value;
  return json;
}

struct Run {
  Folder folder;
  RunFolder run{folder.path.string()};

  Run() {
    Json settings = Json::object();
    settings["layers"] = 2, settings["data"] = "a <text>";
    run.write_config(settings);
  }
  std::string page(const RunPage& texts = {}) const {
    write_page(run, texts);
    return read_file(run.file("index.html"));
  }
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_CASE(the_page_shows_whatever_a_model_writes) {
  const Run r;
  const RunFolder& run = r.run;
  run.log(line(1, "train_bpc", 7.5));
  run.write_sample(1, "a <b> & \xff \xc3\xa4 \xc3\n\x01 end");
  const std::string page = r.page();
  BOOST_TEST(page.find("a &lt;b&gt; &amp; \u00b7 \u00e4 \u00b7\n\u00b7 end") != std::string::npos);
  BOOST_TEST(page.find("<b>7.500</b>bits per byte, training (recent steps)") != std::string::npos);
  BOOST_TEST(page.find("<b>-</b>bits per byte, validation") != std::string::npos);
  BOOST_TEST(page.find("<audio") == std::string::npos);
  BOOST_TEST(fs::exists(run.file("loss.svg")));
  BOOST_TEST(fs::exists(run.file("loss.png")));
}

BOOST_AUTO_TEST_CASE(the_page_says_what_the_program_says_and_no_more) {
  const Run r;
  const std::string page = r.page({.about = "a model of <all>", .commands = {"do this", "do that --with \"it\""}});
  BOOST_TEST(contains(page, "<p class='sub'>a model of &lt;all&gt;</p>"));
  BOOST_TEST(contains(page, "<h2>Going on</h2>\n<pre>do this\ndo that --with \"it\"</pre>"));
  BOOST_TEST(!contains(r.page(), "Going on"));
  BOOST_TEST(!contains(r.page(), "charlm"));
}

BOOST_AUTO_TEST_CASE(a_link_appears_with_its_file) {
  const Run r;
  const RunPage texts{.links = {{"Attention", "look/index.html", "all maps"}}};
  BOOST_TEST(!contains(r.page(texts), "Attention"));
  write_file(r.run.file("look/index.html"), "");
  BOOST_TEST(contains(r.page(texts), "<h2>Attention</h2>\n<p><a href='look/index.html'>all maps</a></p>"));
}

BOOST_AUTO_TEST_CASE(a_picture_is_shown_in_place_of_a_link) {
  const Run r;
  write_file(r.run.file("gallery.png"), "");
  BOOST_TEST(contains(r.page({.links = {{"Gallery", "gallery.png", "what it drew"}}}),
                      "<h2>Gallery</h2>\n<p><img src='gallery.png' alt='what it drew'></p>"));
}

BOOST_AUTO_TEST_CASE(samples_may_be_pictures) {
  const Run r;
  write_file(r.run.picture_path(7), "");
  BOOST_TEST(contains(r.page(), "<h2>What it draws</h2>"));
  BOOST_TEST(contains(r.page(), "<img src='samples/step-000007.png' alt='drawn after step 7'>"));
}

BOOST_AUTO_TEST_CASE(another_score_has_its_own_names) {
  const Run r;
  r.run.log(line(1, "valid_accuracy", 0.25));
  r.run.log(line(2, "train_accuracy", 0.5));
  const std::string page = r.page({.score = {"accuracy", "share that is right"}});
  BOOST_TEST(contains(page, "<b>0.250</b>share that is right, validation (step 1)<"));
  BOOST_TEST(contains(page, "<b>0.500</b>share that is right, training"));
  BOOST_TEST(contains(page, ">Share that is right</text>"));
  const Chart chart = comparison({r.run}, "step", {"accuracy", "share that is right"});
  BOOST_TEST(chart.title == "Validation, share that is right");
  BOOST_TEST(chart.series.at(0).points.at(0).y == 0.25);
}

BOOST_AUTO_TEST_CASE(rate_norm_and_speed_have_charts) {
  const Run r;
  BOOST_TEST(!contains(r.page(), "Learning rate"));
  for (const long step : {1, 2})
    r.run.log(Json::Object{{"step", step}, {"rate", 0.1 * double(step)}, {"gradient_norm", 2}, {"tokens_per_s", 100}});
  for (const char* title : {">Learning rate<", ">Norm of the gradients<", ">Tokens per second<"})
    BOOST_TEST(contains(r.page(), title), title);
}

BOOST_AUTO_TEST_CASE(the_page_of_a_run_that_goes_on_reloads_itself) {
  const Run r;
  BOOST_TEST(!contains(r.page({.about = "a model"}), "location.reload()"));
  const std::string page = r.page({.about = "a model", .running = true});
  BOOST_TEST(contains(page, "location.reload()"));
  BOOST_TEST(contains(page, "<p class='sub'>a model; the run goes on, and this page follows it</p>"));
}

BOOST_AUTO_TEST_CASE(settings_stand_in_a_table) {
  const std::string page = Run().page();
  BOOST_TEST(contains(page, "<tr><td>layers</td><td>2</td></tr>\n<tr><td>data</td><td>a &lt;text&gt;</td></tr>"));
}

BOOST_AUTO_TEST_SUITE_END()
