// Many works of ours beside one of the peer: it is long, so that all of them take turns with it together.
#pragma once

#include "bench/run.h"

namespace heed::bench {

struct BesideWork {
  std::string name;
  Action action;
  double bar = 0;    // the peer's time over ours; 0: nothing is demanded
  double bytes = 0;  // alive at most, beyond those before
};

struct BesideRow {
  std::string name;
  Quartiles ours = {}, ratio = {};
  double bar = 0, bytes = 0;
};

struct Beside {
  double seconds = 0, bytes = 0;  // the peer's
  std::string problem = {};       // why it could not
  std::vector<BesideRow> rows = {};
};

Beside beside_peer(Worker& peer, const std::string& request, const std::vector<BesideWork>& works, double seconds);

inline constexpr double kMostOfPeerBytes = 0.12;  // demanded of rows that have a bar

std::string table(const Beside& beside);
std::string markdown(const Beside& beside);
Json::Array json_of(const Beside& beside);

}  // namespace heed::bench
