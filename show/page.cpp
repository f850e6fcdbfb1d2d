#include "show/page.h"

#include <algorithm>

#include "system/text.h"
#include "system/utf8.h"

namespace heed {
namespace {

constexpr const char* kStyle = R"(
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--background); max-width: 940px;
       margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.6rem; margin-bottom: 0 }
h2 { font-size: 1.1rem; margin-top: 2.2rem }
p { max-width: 46rem }
p.sub { margin-top: .2rem; opacity: .75 }
a { color: var(--blue) }
svg, img { max-width: 100%; height: auto; font-family: inherit }
pre { background: var(--panel); padding: .8rem 1rem; overflow-x: auto; white-space: pre-wrap; word-break: break-word;
      font-size: .85rem; line-height: 1.4; border-radius: 6px }
table { border-collapse: collapse; font-size: .9rem; display: block; overflow-x: auto }
td, th { padding: .15rem 1.2rem .15rem 0; vertical-align: top; text-align: left }
td:first-child, th { opacity: .7; font-weight: inherit }
details { margin: .4rem 0 }
summary, button { cursor: pointer }
button { font: inherit; color: inherit; padding: .15rem .7rem; margin-right: .3rem; border: 1px solid var(--border);
         background: var(--card); border-radius: 5px }
button.on { background: var(--blue); color: var(--background); border-color: var(--blue) }
figure { margin: 0 }
figcaption { font-size: .8rem; opacity: .75 }
canvas { border: 1px solid var(--border); image-rendering: pixelated; cursor: crosshair }
.chosen canvas, .text .chosen { outline: 2px solid var(--orange) }
.figures, .row { display: flex; flex-wrap: wrap; gap: 12px }
.figures { gap: 2.2rem; margin: 1.2rem 0 }
.figures b { display: block; font-size: 1.5rem }
.text { font: 19px/1.7 ui-monospace, monospace; white-space: pre-wrap; word-break: break-all; background: var(--card);
        border: 1px solid var(--border); border-radius: 6px; padding: .8rem 1rem; margin: 1rem 0; min-height: 3rem }
.text span { cursor: pointer; border-radius: 3px }
.filters { display: flex; flex-wrap: wrap; gap: 8px; margin: 1.4rem 0 1rem; max-width: none }
.filters button { margin: 0; font-size: .9rem }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(148px, 1fr)); gap: 14px }
.cards a { display: block; color: inherit; text-decoration: none; background: var(--card); padding: 10px;
           border: 1px solid var(--border); border-radius: 8px; overflow-wrap: anywhere }
.cards a:hover { border-color: var(--blue) }
.cards a[hidden] { display: none }
.cards svg { display: block; width: 100% }
.cards b { display: block; margin-top: .5rem; line-height: 1.25 }
.cards code { display: block; font-size: .75rem; line-height: 1.3 }
.cards span { display: block; font-size: .8rem; line-height: 1.35; opacity: .75; margin-top: .2rem }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.3rem; margin: 1rem 0; font-size: .85rem }
.legend i { display: inline-block; width: .8em; height: .8em; margin-right: .5em }
)";

constexpr const char* kFilters = R"(
const buttons = [...document.querySelectorAll('.filters button')];
for (const button of buttons) button.onclick = () => {
  button.classList.toggle('on');
  const wanted = buttons.filter(b => b.classList.contains('on')).map(b => '|' + b.textContent + '|');
  for (const card of document.querySelectorAll('.cards a'))
    card.hidden = !wanted.every(tag => card.dataset.tags.includes(tag));
};
)";

std::string variables(Colour palette::Tone::*shade) {
  std::string list = ":root {";
  for (const palette::Tone& tone : palette::tones()) list += format(" --%s: %s;", tone.name, hex(tone.*shade).c_str());
  return list + " }";
}

// color-scheme: scroll bars and players follow as well.
std::string style() {
  return ":root { color-scheme: light dark }\n" + variables(&palette::Tone::light) +
         "\n@media (prefers-color-scheme: dark) { " + variables(&palette::Tone::dark) + " }" + kStyle;
}

std::string one_line(const std::string& text) { return xml_text(readable(text)); }

std::string lines_of(const std::string& bytes) {  // xml_text turns new lines into blanks
  const std::string text = readable(bytes);
  std::string html;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    html += xml_text(text.substr(begin, end - begin)) + (end < text.size() ? "\n" : "");
    begin = end + 1;
  }
  return html;
}

std::string attribute(const std::string& text) {
  std::string html = "'";
  for (const char c : one_line(text)) html += c == '\'' ? "&#39;" : std::string(1, c);
  return html + "'";
}

std::string row_of(const std::vector<std::string>& cells, const std::string& cell) {
  std::string html = "<tr>";
  for (const std::string& text : cells) html += "<" + cell + ">" + one_line(text) + "</" + cell + ">";
  return html + "</tr>\n";
}

// "</script>" in a text must not end the script, nor "<!--<script>" keep it from ending. In JSON < stands in texts
// only.
std::string script_safe(const std::string& json) {
  std::string safe;
  for (const char c : json) safe += c == '<' ? "\\u003c" : std::string(1, c);
  return safe;
}

}  // namespace

Page::Page(const std::string& title, const std::string& subtitle) : title_(one_line(title)) {
  body_ = "<h1>" + title_ + "</h1>\n";
  if (!subtitle.empty()) body_ += "<p class='sub'>" + one_line(subtitle) + "</p>\n";
}

void Page::section(const std::string& title) { body_ += "<h2>" + one_line(title) + "</h2>\n"; }

void Page::paragraph(const std::string& text) { body_ += "<p>" + one_line(text) + "</p>\n"; }

void Page::pre(const std::string& bytes) { body_ += "<pre>" + lines_of(bytes) + "</pre>"; }

void Page::commands(const std::vector<std::string>& lines) {
  pre(joined(lines, "\n"));
  body_ += "\n";
}

void Page::figures(const std::vector<Figure>& figures) {
  body_ += "<div class='figures'>\n";
  for (const Figure& f : figures) body_ += "<div><b>" + one_line(f.value) + "</b>" + one_line(f.what) + "</div>\n";
  body_ += "</div>\n";
}

void Page::table(const Rows& rows, const std::vector<std::string>& head) {
  body_ += "<table>\n" + (head.empty() ? "" : row_of(head, "th"));
  for (const auto& row : rows) body_ += row_of(row, "td");
  body_ += "</table>\n";
}

void Page::svg(const std::string& svg) { body_ += svg; }

void Page::image(const std::string& file, const std::string& what) {
  body_ += "<p><img src=" + attribute(file) + " alt=" + attribute(what) + "></p>\n";
}

void Page::audio(const std::string& file) { body_ += "<audio controls src=" + attribute(file) + "></audio>"; }

void Page::link(const std::string& file, const std::string& text) {
  body_ += "<p><a href=" + attribute(file) + ">" + one_line(text) + "</a></p>\n";
}

void Page::cards(const std::vector<Card>& cards) {
  std::vector<std::string> tags;  // in the order in which they come first
  for (const Card& card : cards)
    for (const std::string& tag : card.tags)
      if (std::find(tags.begin(), tags.end(), tag) == tags.end()) tags.push_back(tag);
  const auto has = [](const Card& card, const std::string& tag) {
    return std::find(card.tags.begin(), card.tags.end(), tag) != card.tags.end();
  };
  std::erase_if(tags, [&](const std::string& tag) {
    return std::all_of(cards.begin(), cards.end(), [&](const Card& card) { return has(card, tag); });
  });
  body_ += "<p class='filters'>";
  for (const std::string& tag : tags) body_ += "<button>" + one_line(tag) + "</button> ";
  body_ += "</p>\n<div class='cards'>\n";
  for (const Card& card : cards)
    body_ += "<a href=" + attribute(card.link) + " data-tags=" + attribute("|" + joined(card.tags, "|") + "|") + ">" +
             card.svg + "<b>" + one_line(card.title) + "</b>" +
             (card.detail.empty() ? "" : "<code>" + one_line(card.detail) + "</code>") + "<span>" +
             one_line(card.note) + "</span></a>\n";
  body_ += "</div>\n";
  script(kFilters, Json());
}

// By the name of the tone, so that it changes on dark screens as the picture does.
void Page::legend(const std::vector<Legend>& legend) {
  body_ += "<div class='legend'>\n";
  for (const Legend& each : legend) {
    std::string colour = hex(each.colour);
    for (const palette::Tone& tone : palette::tones())
      if (tone.light == each.colour) colour = std::string("var(--") + tone.name + ")";
    body_ += "<div><i style='background:" + colour + "'></i>" + one_line(each.meaning) + "</div>\n";
  }
  body_ += "</div>\n";
}

void Page::side_by_side(const std::function<void()>& inside) {
  body_ += "<div class='row'>\n";
  inside();
  body_ += "</div>\n";
}

void Page::fold(const std::string& title, bool open, const std::function<void()>& inside) {
  body_ += std::string("<details") + (open ? " open" : "") + "><summary>" + one_line(title) + "</summary>";
  inside();
  body_ += "</details>\n";
}

void Page::element(const std::string& id, const std::string& type) {
  body_ += "<div id=" + attribute(id) + (type.empty() ? "" : " class=" + attribute(type)) + "></div>\n";
}

void Page::script(const std::string& code, const Json& data) {
  script_ += "{\nconst data = " + script_safe(data.dump()) + ";\n" + code + "}\n";
}

// Not while a sound is played: it would break off.
void Page::reload_every(double seconds) {
  script(R"(
setInterval(() => {
  if ([...document.querySelectorAll('audio')].every(sound => sound.paused)) location.reload();
}, 1000 * data);
)",
         seconds);
}

std::string Page::html() const {
  return "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>\n<title>" + title_ +
         "</title>\n<meta name='viewport' content='width=device-width'>\n<style>\n" + style() +
         "</style></head><body>\n" + body_ + (script_.empty() ? "" : "<script>\n" + script_ + "</script>\n") +
         "</body></html>\n";
}

}  // namespace heed
