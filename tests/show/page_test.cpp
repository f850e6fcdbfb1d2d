// Pages: what each part becomes, and that no text breaks them.
#include "show/page.h"

#include "show/palette.h"
#include "tests/show/xml.h"
#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(page_test)

namespace {

// What stands between <body> and </body>, below the title.
std::string body(const Page& page) {
  const std::string html = page.html(), first = "</h1>\n";
  const size_t begin = html.find(first) + first.size();
  return html.substr(begin, html.find("</body>") - begin);
}

template <class Add> std::string added(const Add& add) {
  Page page("it");
  add(page);
  return body(page);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_page_has_its_title_and_a_line_below_it) {
  const std::string html = Page("a <b>", "c & d").html();
  BOOST_TEST(html.starts_with("<!doctype html>\n<html lang='en'>"));
  BOOST_TEST(count(html, "<title>a &lt;b&gt;</title>") == 1);
  BOOST_TEST(count(html, "<h1>a &lt;b&gt;</h1>\n<p class='sub'>c &amp; d</p>") == 1);
  BOOST_TEST(count(Page("a").html(), "class='sub'") == 0);
  BOOST_TEST(count(html, "<script>") == 0);
}

BOOST_AUTO_TEST_CASE(the_style_sheet_has_the_palette_for_light_and_for_dark_screens) {
  const std::string html = Page("it").html();
  for (const palette::Tone& tone : palette::tones()) {
    BOOST_TEST(count(html, std::string("--") + tone.name + ": " + hex(tone.light)) >= 1, tone.name);
    BOOST_TEST(count(html, std::string("--") + tone.name + ": " + hex(tone.dark)) >= 1, tone.name);
  }
  const std::string rules = html.substr(html.find("body {"));  // below, colours have names
  BOOST_TEST(count(rules, "#") == 0);
  BOOST_TEST(count(html, "http") == 0);  // nothing comes from the network
}

BOOST_AUTO_TEST_CASE(parts_stand_in_the_order_of_the_calls) {
  BOOST_TEST(added([](Page& page) {
               page.section("One");
               page.paragraph("text < text");
               page.commands({"make", "make test"});
               page.figures({{"1.5", "bits"}, {"7", "steps"}});
               page.table({{"a", "1"}, {"b", "2"}}, {"name", "value"});
               page.link("a.html", "more");
             }) ==
             "<h2>One</h2>\n<p>text &lt; text</p>\n<pre>make\nmake test</pre>\n"
             "<div class='figures'>\n<div><b>1.5</b>bits</div>\n<div><b>7</b>steps</div>\n</div>\n"
             "<table>\n<tr><th>name</th><th>value</th></tr>\n<tr><td>a</td><td>1</td></tr>\n"
             "<tr><td>b</td><td>2</td></tr>\n</table>\n<p><a href='a.html'>more</a></p>\n");
}

BOOST_AUTO_TEST_CASE(images_and_sounds_name_their_files) {
  BOOST_TEST(added([](Page& page) {
               page.image("a's.png", "it's <a>");
               page.audio("b.wav");
             }) == "<p><img src='a&#39;s.png' alt='it&#39;s &lt;a&gt;'></p>\n<audio controls src='b.wav'></audio>");
}

BOOST_AUTO_TEST_CASE(cards_are_links_and_buttons_filter_them_by_tags_that_tell_them_apart) {
  const std::string html = added([](Page& page) {
    page.cards({{.title = "a", .note = "one", .link = "a.html", .svg = "<svg/>", .tags = {"old", "small"}},
                {.title = "b", .detail = "n=2", .note = "two", .link = "b.html", .tags = {"old"}}});
  });
  BOOST_TEST(html.starts_with("<p class='filters'><button>small</button> </p>\n<div class='cards'>\n"
                              "<a href='a.html' data-tags='|old|small|'><svg/><b>a</b><span>one</span></a>\n"
                              "<a href='b.html' data-tags='|old|'><b>b</b><code>n=2</code><span>two</span></a>\n"
                              "</div>\n"),
             html);
  BOOST_TEST(count(html, "card.hidden = ") == 1);
}

BOOST_AUTO_TEST_CASE(a_legend_follows_the_tones_of_the_palette) {
  BOOST_TEST(added([](Page& page) {
               page.legend({{palette::kSeen, "sees"}, {rgb(0x123456), "other"}});
             }) ==
             "<div class='legend'>\n<div><i style='background:var(--seen)'></i>sees</div>\n"
             "<div><i style='background:#123456'></i>other</div>\n</div>\n");
}

BOOST_AUTO_TEST_CASE(a_fold_holds_what_is_added_inside) {
  BOOST_TEST(added([](Page& page) {
               page.fold("closed", false, [&] { page.pre("a"); });
               page.fold("open", true, [&] { page.audio("b.wav"); });
             }) ==
             "<details><summary>closed</summary><pre>a</pre></details>\n"
             "<details open><summary>open</summary><audio controls src='b.wav'></audio></details>\n");
}

BOOST_AUTO_TEST_CASE(a_script_gets_its_data_and_no_text_ends_it) {
  Json data = Json::object();
  data["text"] = "</script> <!--<script> @MAPS@";
  const std::string html = added([&](Page& page) {
    page.element("text", "row");
    page.script("show(data);\n", data);
  });
  BOOST_TEST(html ==
             "<div id='text' class='row'></div>\n"
             "<script>\n{\nconst data = {\"text\":\"\\u003c/script> \\u003c!--\\u003cscript> "
             "@MAPS@\"};\nshow(data);\n}\n</script>\n");
}

BOOST_AUTO_TEST_CASE(pre_keeps_every_character_of_utf_8) {
  const auto shown = [](const std::string& bytes) {
    const std::string html = added([&](Page& page) { page.pre(bytes); });
    return html.substr(5, html.size() - 11);  // without <pre> and </pre>
  };
  for (const char* good :
       {"\U0001f600 \u20ac \u00e4", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf", "\xe0\xa0\x80"})
    BOOST_TEST(shown(good) == good);
  const std::string dot = "\u00b7", four = dot + dot + dot + dot;
  // too long a form, beyond the last character, a first byte of none, cut off, a surrogate
  for (const char* bad : {"\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80"}) BOOST_TEST(shown(bad) == four);
  BOOST_TEST(shown("\xf0\x9f\x98") == dot + dot + dot);
  BOOST_TEST(shown("\xf0\x9f\x98z") == dot + dot + dot + "z");
  BOOST_TEST(shown("\xed\xa0\x80") == dot + dot + dot);
  BOOST_TEST(shown("a <b>\n & c\n") == "a &lt;b&gt;\n &amp; c\n");
}

BOOST_AUTO_TEST_SUITE_END()
