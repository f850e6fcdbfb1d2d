#include "show/graph_picture_layout.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace heed {
namespace {

constexpr double kBetweenLayers = 50, kBetweenBoxes = 20, kPort = 18;  // pixels; kPort: between lines at a box
constexpr double kWaypoint = 8;                                        // the width of a line on its way
constexpr int kSortSweeps = 24, kPlaceSweeps = 60;

struct Item {  // a box, or the waypoint of a long line
  int box = -1, layer = 0, rank = 0;
  bool joined = false;              // by a line
  double size = kWaypoint, at = 0;  // across; `at` is its middle
};

struct Hop {  // a line's way from one layer to the next
  int from, to, line;
  double weight;                      // of being straight
  double from_port = 0, to_port = 0;  // where it touches, from the item's middle
};

struct Wish {
  double at, weight;
};
using Wishes = std::vector<Wish>;

struct Group {                                  // neighbours in a layer that stand as close as they may
  Wishes wishes;                                // for the place of the layer's first item
  std::vector<std::pair<int, double>> members;  // items, and their distances from the layer's first

  // The weighted median, the middle of it if it is an interval: unlike the mean, it makes most lines quite straight.
  double at() const {
    Wishes sorted = wishes;
    std::sort(sorted.begin(), sorted.end(), [](const Wish& a, const Wish& b) { return a.at < b.at; });
    double half = 0, below = 0;
    for (const Wish& wish : sorted) half += wish.weight / 2;
    size_t i = 0;
    while (i + 1 < sorted.size() && (below += sorted[i].weight) < half) i++;
    return below == half && i + 1 < sorted.size() ? (sorted[i].at + sorted[i + 1].at) / 2 : sorted[i].at;
  }

  void join(const Group& other) {
    wishes.insert(wishes.end(), other.wishes.begin(), other.wishes.end());
    members.insert(members.end(), other.members.begin(), other.members.end());
  }
};

class Planner {
 public:
  explicit Planner(Layout& layout) : layout_(layout) {
    find_layers();
    split_lines();
    sort_layers();
    spread_ports();
    place();
    answer();
  }

 private:
  // The longest path from a source; a source itself stands right before its first user.
  void find_layers() {
    items_.resize(layout_.boxes.size());
    std::vector<int> first(items_.size(), std::numeric_limits<int>::max());
    std::vector<bool> source(items_.size(), true);
    for (const LayoutLine& line : layout_.lines) {
      items_[line.to].layer = std::max(items_[line.to].layer, items_[line.from].layer + 1);
      source[line.to] = false;
    }
    for (const LayoutLine& line : layout_.lines) first[line.from] = std::min(first[line.from], items_[line.to].layer);
    for (size_t i = 0; i < items_.size(); i++) {
      if (source[i] && first[i] < std::numeric_limits<int>::max()) items_[i].layer = first[i] - 1;
      items_[i].box = int(i);
      items_[i].size = layout_.boxes[i].across;
      put(int(i));
    }
  }

  void put(int item) {
    const size_t layer = size_t(items_[item].layer);
    if (layers_.size() <= layer) layers_.resize(layer + 1), hops_.resize(layer + 1);
    items_[item].rank = int(layers_[layer].size());
    layers_[layer].push_back(item);
  }

  void split_lines() {
    std::vector<bool> source(layout_.boxes.size(), true);
    for (const LayoutLine& line : layout_.lines) source[line.to] = false;
    for (size_t i = 0; i < layout_.lines.size(); i++) {
      int here = layout_.lines[i].from, last = layout_.lines[i].to;
      while (items_[here].layer < items_[last].layer) {
        const int layer = items_[here].layer;
        int next = last;
        if (layer + 1 < items_[last].layer) {
          next = int(items_.size());
          items_.push_back({.layer = layer + 1});
          put(next);
        }
        const bool on_the_way = items_[here].box < 0 || items_[next].box < 0;
        hops_[layer].push_back({here, next, int(i), on_the_way ? 6. : source[here] ? 1. : 4.});
        items_[here].joined = items_[next].joined = true;
        here = next;
      }
    }
  }

  int crossings() const {
    int count = 0;
    for (const auto& hops : hops_)
      for (size_t i = 0; i < hops.size(); i++)
        for (size_t j = 0; j < i; j++) {
          const long from = items_[hops[i].from].rank - items_[hops[j].from].rank;
          const long to = items_[hops[i].to].rank - items_[hops[j].to].rank;
          count += from * to < 0;
        }
    return count;
  }

  // Barycenter sweeps there and back; the best order that came by is taken.
  void sort_layers() {
    auto best = layers_;
    int fewest = crossings();
    for (int sweep = 0; sweep < kSortSweeps && fewest > 0; sweep++) {
      const bool forwards = sweep % 2 == 0;
      const int n = int(layers_.size());
      for (int i = 0; i < n; i++) sort_layer(forwards ? i : n - 1 - i, forwards);
      if (const int count = crossings(); count < fewest) fewest = count, best = layers_;
    }
    layers_ = best;
    for (const auto& layer : layers_) rank(layer);
  }

  void rank(const std::vector<int>& layer) {
    for (size_t i = 0; i < layer.size(); i++) items_[layer[i]].rank = int(i);
  }

  // By the mean rank of the neighbours in the layer before (or behind); who has none there keeps its rank.
  void sort_layer(int layer, bool forwards) {
    std::vector<double> sum(items_.size()), count(items_.size());
    for (const Hop& hop : hops_before(layer, forwards)) {
      const int own = forwards ? hop.to : hop.from, other = forwards ? hop.from : hop.to;
      sum[own] += items_[other].rank, count[own]++;
    }
    auto key = [&](int item) { return count[item] > 0 ? sum[item] / count[item] : items_[item].rank; };
    std::stable_sort(layers_[layer].begin(), layers_[layer].end(), [&](int a, int b) { return key(a) < key(b); });
    rank(layers_[layer]);
  }

  const std::vector<Hop>& hops_before(int layer, bool forwards) const {
    static const std::vector<Hop> none;
    return !forwards ? hops_[layer] : layer > 0 ? hops_[layer - 1] : none;
  }

  // Lines at the same side of a box touch it side by side, in the order of where they come from.
  void spread_ports() {
    for (auto& hops : hops_) {
      spread(hops, &Hop::from, &Hop::to, &Hop::from_port);
      spread(hops, &Hop::to, &Hop::from, &Hop::to_port);
    }
  }

  void spread(std::vector<Hop>& hops, int Hop::*own, int Hop::*other, double Hop::*port) {
    std::vector<Hop*> sorted;
    for (Hop& hop : hops) sorted.push_back(&hop);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](const Hop* a, const Hop* b) { return items_[a->*other].rank < items_[b->*other].rank; });
    std::vector<int> count(items_.size()), next(items_.size());
    for (const Hop* hop : sorted) count[hop->*own]++;
    for (Hop* hop : sorted) {
      Item& item = items_[hop->*own];
      item.size = std::max(item.size, item.box < 0 ? 0 : kPort * (count[hop->*own] + 0.5));
      hop->*port = kPort * (next[hop->*own]++ - 0.5 * (count[hop->*own] - 1));
    }
  }

  // Lines become straight: every item wants to be where its neighbours are, on one side and in the end on both.
  void place() {
    for (size_t i = 0; i < layers_.size(); i++) settle(int(i), false, false);
    for (int sweep = 0; sweep < kPlaceSweeps; sweep++) {
      const bool forwards = sweep % 2 == 0, both = sweep > kPlaceSweeps / 2;
      const int n = int(layers_.size());
      for (int i = 0; i < n; i++) settle(forwards ? i : n - 1 - i, forwards || both, !forwards || both);
    }
  }

  // Where the item's lines would be straight.
  Wishes wishes(int item, bool before, bool behind) const {
    Wishes list;
    const int layer = items_[item].layer;
    if (before && layer > 0)
      for (const Hop& hop : hops_[layer - 1])
        if (hop.to == item) list.push_back({items_[hop.from].at + hop.from_port - hop.to_port, hop.weight});
    if (behind)
      for (const Hop& hop : hops_[layer])
        if (hop.from == item) list.push_back({items_[hop.to].at + hop.to_port - hop.from_port, hop.weight});
    if (list.empty() && items_[item].joined && (before || behind)) list.push_back({items_[item].at, 1});
    return list;
  }

  // The places nearest to the wishes that keep the order and the distances (pool adjacent violators): items whose
  // wishes collide become a group and stand close.
  void settle(int layer, bool before, bool behind) {
    std::vector<Group> groups;
    double room = 0, last = 0;  // room: from the first item's middle to this one's if all stand close
    for (int item : layers_[layer]) {
      room += groups.empty() ? 0 : (last + items_[item].size) / 2 + kBetweenBoxes;
      last = items_[item].size;
      Group own{wishes(item, before, behind), {{item, room}}};
      for (Wish& wish : own.wishes) wish.at -= room;
      if (own.wishes.empty()) own.wishes = {{groups.empty() ? 0 : groups.back().at(), 1}};
      while (!groups.empty() && groups.back().at() > own.at()) {
        own.join(groups.back());
        groups.pop_back();
      }
      groups.push_back(std::move(own));
    }
    for (const Group& group : groups)
      for (const auto& [item, from_first] : group.members) items_[item].at = group.at() + from_first;
  }

  void answer() {
    double low = std::numeric_limits<double>::max(), high = std::numeric_limits<double>::lowest();
    for (const Item& item : items_)
      low = std::min(low, item.at - item.size / 2), high = std::max(high, item.at + item.size / 2);
    layout_.across = high - low;
    double along = 0;
    for (size_t i = 0; i < layers_.size(); i++) {
      double thick = 0;
      for (int item : layers_[i])
        if (items_[item].box >= 0) thick = std::max(thick, layout_.boxes[items_[item].box].along);
      for (int item : layers_[i])
        if (LayoutBox* box = items_[item].box >= 0 ? &layout_.boxes[items_[item].box] : nullptr)
          *box = {thick, items_[item].size, {along, items_[item].at - items_[item].size / 2 - low}};
      along += thick;
      for (const Hop& hop : hops_[i]) {
        LayoutLine& line = layout_.lines[hop.line];
        line.points.push_back({along, items_[hop.from].at + hop.from_port - low});
        line.points.push_back({along + kBetweenLayers, items_[hop.to].at + hop.to_port - low});
      }
      layout_.along = along;
      along += kBetweenLayers;
    }
  }

  Layout& layout_;
  std::vector<Item> items_;               // the boxes first
  std::vector<std::vector<int>> layers_;  // items from one end to the other
  std::vector<std::vector<Hop>> hops_;    // from layer i to layer i + 1
};

}  // namespace

Layout lay_out(std::vector<LayoutBox> boxes, std::vector<LayoutLine> lines) {
  Layout layout{std::move(boxes), std::move(lines)};
  Planner planner(layout);
  return layout;
}

}  // namespace heed
