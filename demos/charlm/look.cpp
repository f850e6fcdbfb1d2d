// The attention maps of a model on the user's text: a picture for every layer, and a page on which the mouse shows what
// each byte looks at.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "demos/charlm/charlm.h"
#include "show/attention_picture.h"
#include "system/error.h"
#include "system/text.h"
#include "system/write_file.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/views.h"
#include "train/run_page.h"

using namespace heed;

namespace {

constexpr long kMostBytes = 256;

constexpr const char* kPage = R"(<!doctype html>
<html lang='en'><head><meta charset='utf-8'><title>attention</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; color: #27313c; background: #fdfcf9; max-width: 940px; margin: 2rem auto; padding: 0 1rem }
#text { font: 19px/1.7 ui-monospace, monospace; white-space: pre-wrap; word-break: break-all; background: #fff; border: 1px solid #e4dfd3;
        border-radius: 6px; padding: .8rem 1rem; margin: 1rem 0; min-height: 3rem }
#text span { cursor: pointer; border-radius: 3px } #text span.me { outline: 2px solid #c4600f }
#heads { display: flex; flex-wrap: wrap; gap: 12px } figure { margin: 0 } canvas { border: 1px solid #e4dfd3; image-rendering: pixelated; background: #fff; cursor: crosshair }
figcaption { font-size: .8rem; opacity: .75 } .chosen canvas { outline: 2px solid #c4600f }
button { font: inherit; padding: .15rem .7rem; margin-right: .3rem; border: 1px solid #c9c3b4; background: #fff; border-radius: 5px; cursor: pointer }
button.on { background: #1c5688; color: #fff; border-color: #1c5688 } p { max-width: 46rem }
</style></head><body>
<h1>What each byte looks at</h1>
<p>Point at a byte: those before it are shaded by how strongly the chosen head looks at them. Below, every head of the layer as
a map: a row is a byte that looks, a column one that is looked at; click one to choose it.</p>
<div id='layers'></div><div id='text'></div><div id='heads'></div>
<script>
const text = @TEXT@, maps = @MAPS@, T = text.length;
let layer = 0, head = 0, at = T - 1;
const bytes = maps.map(l => l.map(h => Uint8Array.from(atob(h), c => c.charCodeAt(0))));
const el = id => document.getElementById(id);
function shade() {
  [...el('text').children].forEach((s, j) => {
    const w = j <= at ? bytes[layer][head][at * T + j] / 255 : 0;
    s.style.background = `rgba(28, 86, 136, ${Math.sqrt(w)})`; s.style.color = w > .3 ? '#fff' : ''; s.className = j == at ? 'me' : '';
  });
}
function heads() {
  el('heads').replaceChildren(...bytes[layer].map((map, h) => {
    const f = document.createElement('figure'), c = document.createElement('canvas'), t = document.createElement('figcaption');
    c.width = c.height = T; c.style.width = c.style.height = '220px'; t.textContent = `head ${h + 1}`;
    const g = c.getContext('2d'), d = g.createImageData(T, T);
    for (let k = 0; k < T * T; k++) { const w = Math.sqrt(map[k] / 255); d.data.set([255 - 227 * w, 255 - 169 * w, 255 - 119 * w, 255], 4 * k); }
    g.putImageData(d, 0, 0);
    c.onmousemove = e => { at = Math.min(T - 1, Math.floor(e.offsetY / 220 * T)); head = h; shade(); };
    c.onclick = () => { head = h; draw(); };
    f.className = h == head ? 'chosen' : ''; f.append(c, t); return f;
  }));
}
function draw() {
  el('layers').replaceChildren(...bytes.map((_, l) => {
    const b = document.createElement('button'); b.textContent = `layer ${l + 1}`; b.className = l == layer ? 'on' : '';
    b.onclick = () => { layer = l; head = Math.min(head, bytes[l].length - 1); draw(); }; return b;
  }));
  heads(); shade();
}
el('text').append(...[...text].map((c, i) => {
  const s = document.createElement('span'); s.textContent = c == '\n' ? '\u21b5\n' : c; s.onmouseenter = () => { at = i; shade(); }; return s;
}));
draw();
</script></body></html>
)";

std::string base64(const std::vector<uint8_t>& bytes) {
  static const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t three = 0;
    for (size_t k = 0; k < 3; k++) three = three << 8 | (i + k < bytes.size() ? bytes[i + k] : 0);
    for (size_t k = 0; k < 4; k++) text += i + k <= bytes.size() ? digits[three >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

// Weights (H, T, T) as one base64 text for every head, a byte per pair.
Json encoded(const Tensor& weights) {
  Json heads = Json::array();
  for (long h = 0; h < weights.size(0); h++) {
    std::vector<uint8_t> bytes;
    for (float w : contiguous(select(weights, 0, h)).to_vector<float>())
      bytes.push_back(uint8_t(std::lround(255 * std::clamp(w, 0.f, 1.f))));
    heads.push_back(base64(bytes));
  }
  return heads;
}

// One character for every byte: what is not printable ASCII is a dot.
std::string one_character_each(const std::string& text) {
  std::string shown = text;
  for (char& c : shown)
    if ((uint8_t(c) < 32 && c != '\n') || uint8_t(c) > 126) c = '.';
  return shown;
}

void replace(std::string& page, const std::string& mark, const std::string& by) {
  page.replace(page.find(mark), mark.size(), by);
}

std::string script_safe(const std::string& json) {  // "</script>" in the text must not end the script
  std::string safe;
  for (const char c : json) {
    if (c == '/' && safe.ends_with('<')) safe += '\\';
    safe += c;
  }
  return safe;
}

}  // namespace

int look_command(int argc, char** argv) {
  ModelChoice choice;
  std::string text = "The quick brown fox jumps over the lazy dog. The quick brown fox", out;
  CommandLine line("charlm look", "Draws what every head of every layer looks at, on a text of yours.");
  choice.add_options(line);
  line.option("--text", text, "the text");
  line.option("--out", out, "the folder for the pictures; RUN/look if nothing is said");
  if (!line.parse(argc, argv)) return line.exit_code();
  const LoadedModel loaded = choice.load();
  const long most = std::min(kMostBytes, loaded.settings.context);
  HEED_CHECK(!text.empty(), "look", "the text is empty; give one with --text");
  HEED_CHECK(long(text.size()) <= most, "look", "the text has ", text.size(), " bytes; at most ", most,
             " can be drawn with this model");
  const bool folder = std::filesystem::is_directory(choice.run);
  if (out.empty()) out = folder ? RunFolder(choice.run).file("look") : "runs/look";
  std::vector<int64_t> ids;
  for (const char c : text) ids.push_back(uint8_t(c));
  Context ctx;
  const auto maps = loaded.model->attention_maps(from_vector(ids, {1, long(ids.size())}), ctx);
  Json all = Json::array();
  for (size_t i = 0; i < maps.size(); i++) {
    const Tensor one = select(maps[i], 0, 0);
    all.push_back(encoded(one));
    draw_attention(one,
                   {.title = "layer " + std::to_string(i + 1), .subtitle = one_character_each(text), .strength = true})
        .write_png(out + "/" + format("layer-%02zu.png", i + 1));
  }
  std::string page = kPage;
  replace(page, "@TEXT@", script_safe(Json(one_character_each(text)).dump()));
  replace(page, "@MAPS@", all.dump());
  write_file(out + "/index.html", page);
  if (folder) write_page(RunFolder(choice.run));
  std::printf("%zu layers drawn: %s/layer-01.png ...\nthe page is %s/index.html\n", maps.size(), out.c_str(),
              out.c_str());
  return 0;
}
