// How far something has come on its way, for what moves.
#pragma once

namespace headlight {

// Of a share of the time, from 0 to 1, the share of the way: starts and ends slowly, without overshoot.
inline double eased(double share) {
  return share * share * (3 - 2 * share);
}

}  // namespace headlight
