#include "show/attention_page.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "show/characters.h"
#include "system/error.h"
#include "system/text.h"
#include "tensor/copy.h"
#include "tensor/views.h"

namespace heed {
namespace {

// Weights are bytes, T x T of them for every head. Their square root is drawn: small ones would not be seen.
constexpr const char* kScript = R"(
const text = data.text, T = text.length;
const layers = data.layers.map(l => l.map(h => Uint8Array.from(atob(h), c => c.charCodeAt(0))));
const byId = id => document.getElementById(id);
let layer = 0, head = 0, at = T - 1;

const tone = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).match(/\w\w/g)
  .map(digits => parseInt(digits, 16));
function colour(weight) {
  const from = tone('card'), to = tone('blue'), t = Math.sqrt(weight / 255);
  return from.map((c, i) => Math.round(c + (to[i] - c) * t));
}

function shadeText() {
  [...byId('text').children].forEach((span, j) => {
    const weight = j <= at ? layers[layer][head][at * T + j] : 0;
    span.style.background = weight ? `rgb(${colour(weight)})` : '';
    span.style.color = weight > 60 ? 'var(--background)' : '';
    span.className = j == at ? 'chosen' : '';
  });
}

// Returns which row of the map the mouse is in.
function drawMap(canvas, map) {
  const side = 220, context = canvas.getContext('2d'), image = context.createImageData(T, T);
  const colours = [...Array(256).keys()].map(weight => [...colour(weight), 255]);
  map.forEach((weight, k) => image.data.set(colours[weight], 4 * k));
  context.putImageData(image, 0, 0);
  canvas.style.width = canvas.style.height = side + 'px';
  return e => Math.min(T - 1, Math.max(0, Math.floor(e.offsetY / side * T)));
}

function drawHeads() {
  byId('heads').replaceChildren(...layers[layer].map((map, h) => {
    const figure = document.createElement('figure'), canvas = document.createElement('canvas');
    const caption = document.createElement('figcaption');
    canvas.width = canvas.height = T;
    const row = drawMap(canvas, map);
    canvas.onmousemove = e => { at = row(e); head = h; shadeText(); };
    canvas.onclick = () => { head = h; draw(); };
    caption.textContent = `head ${h + 1}`;
    figure.className = h == head ? 'chosen' : '';
    figure.append(canvas, caption);
    return figure;
  }));
}

function draw() {
  byId('layers').replaceChildren(...layers.map((heads, l) => {
    const button = document.createElement('button');
    button.textContent = `layer ${l + 1}`;
    button.className = l == layer ? 'on' : '';
    button.onclick = () => { layer = l; head = Math.min(head, heads.length - 1); draw(); };
    return button;
  }));
  drawHeads();
  shadeText();
}

byId('text').append(...text.map((token, i) => {
  const span = document.createElement('span');
  span.textContent = token.replaceAll('\n', '\u21b5\n');
  span.onmouseenter = () => { at = i; shadeText(); };
  return span;
}));
matchMedia('(prefers-color-scheme: dark)').onchange = draw;
draw();
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
    for (const double w : cast(select(weights, 0, h), f64).to_vector<double>())
      bytes.push_back(uint8_t(std::lround(255 * std::clamp(w, 0.0, 1.0))));
    heads.push_back(base64(bytes));
  }
  return heads;
}

}  // namespace

std::string one_character_each(const std::string& text) {
  std::string shown;
  for (size_t i = 0; i < text.size();) {
    const size_t size = std::max<size_t>(1, utf8_character(std::string_view(text).substr(i)));
    shown += size > 1 || (uint8_t(text[i]) < 32 && text[i] != '\n') || uint8_t(text[i]) > 126 ? '.' : text[i];
    i += size;
  }
  return shown;
}

Page attention_page(const std::vector<std::string>& tokens, const std::string& of_tokens,
                    const std::vector<Tensor>& layers) {
  const long T = long(tokens.size());
  Json data = Json::object();
  data["text"] = Json::array(), data["layers"] = Json::array();
  const Characters characters = characters_of(tokens);
  const bool together = characters.texts.size() < tokens.size();
  for (const std::string& text : characters.texts) data["text"].push_back(text);
  for (const Tensor& weights : layers) {
    HEED_CHECK(weights.dims() == 3 && weights.size(1) == T && weights.size(2) == T, "attention_page",
               "the weights are ", weights.shape(), "; for a text of ", T, " ", of_tokens, "s they must be (H, ", T,
               ", ", T, ")");
    data["layers"].push_back(encoded(grouped(weights, characters)));
  }
  const std::string unit = together ? "character" : of_tokens;
  Page page("What each " + unit + " looks at");
  page.paragraph("Point at a " + unit +
                 ": those before it are shaded by how strongly the chosen head looks at them. Below, every head of the "
                 "layer as a map: a row is a " +
                 unit + " that looks, a column one that is looked at; click one to choose it.");
  if (together)
    page.paragraph("The model reads " + of_tokens +
                   "s. Those of one character stand together: it looks with its last " + of_tokens +
                   ", and what is looked at in it is added up.");
  page.element("layers");
  page.element("text", "text");
  page.element("heads", "row");
  page.script(kScript, data);
  return page;
}

}  // namespace heed
