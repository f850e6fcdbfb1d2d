// Page: an HTML page in the colours of the palette, for light and dark screens. It needs neither a server nor the
// network: style, charts and scripts are inside of the text; only images, sounds and links name files beside it.
//
//   Page page("runs/mine", "a language model");
//   page.figures({{"1.23", "bits per byte"}});
//   page.svg(chart_svg(chart));
//   page.section("Settings");
//   page.table({{"layers", "4"}, {"width", "256"}});
//   write_file("runs/mine/index.html", page.html());
//
// All texts may hold any characters; they are escaped. Parts stand on the page in the order of the calls.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "show/palette.h"
#include "system/json.h"

namespace heed {

class Page {
 public:
  explicit Page(const std::string& title, const std::string& subtitle = "");

  void section(const std::string& title);  // a heading
  void paragraph(const std::string& text);
  void pre(const std::string& bytes);  // text in lines, as a model wrote it; bytes that are no UTF-8 become dots
  void commands(const std::vector<std::string>& lines);  // to type into a shell

  struct Figure {
    std::string value, what;  // {"1.23", "bits per byte"}
  };
  void figures(const std::vector<Figure>& figures);  // large, side by side

  using Rows = std::vector<std::vector<std::string>>;
  void table(const Rows& rows, const std::vector<std::string>& head = {});  // the first column names the rows

  void svg(const std::string& svg);                              // as chart_svg gives it
  void image(const std::string& file, const std::string& what);  // paths from the page's own folder
  void audio(const std::string& file);                           // with buttons to play it
  void link(const std::string& file, const std::string& text);

  // Small cards with a picture each, as many in a row as there is room for. Buttons above them, one for each tag that
  // some cards have and others do not, leave those that have all that are pressed.
  struct Card {
    std::string title = {}, detail = {}, note = {};  // below the picture; detail: monospaced
    std::string link = {};                           // to a page beside this one
    std::string svg = {};                            // the picture
    std::vector<std::string> tags = {};              // "causal"
  };
  void cards(const std::vector<Card>& cards);

  struct Legend {
    Colour colour;
    std::string meaning;
  };
  void legend(const std::vector<Legend>& legend);  // a square and its meaning each

  void side_by_side(const std::function<void()>& inside);  // what `inside` adds, as far as there is room
  // A line that opens and closes what `inside` adds.
  void fold(const std::string& title, bool open, const std::function<void()>& inside);

  // An empty element for the script, which finds it by its id. Classes of the style sheet: "row" puts what is inside
  // side by side, "text" is a card of large monospaced text.
  void element(const std::string& id, const std::string& type = "");
  // Runs when the page is there; `data` is a constant of that name for it.
  void script(const std::string& code, const Json& data);

  void reload_every(double seconds);  // for what is still being written; it stays where the reader has scrolled to

  std::string html() const;

 private:
  std::string title_, body_, script_;
};

}  // namespace heed
