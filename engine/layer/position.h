// Position encodings: rotary positions, which rotate queries and keys, and ALiBi, a bias by distance.
#pragma once

#include <vector>

#include "engine/core/matrix.h"

namespace headlight {

enum class PositionKind { None, Rotary, Alibi };
// Pairs of a head's numbers. Halves: i and i + dims/2 (Llama, GPT-NeoX). Neighbours: 2i and 2i + 1 (the
// paper, GPT-J).
enum class RotaryPairs { Halves, Neighbours };

// How pairs between the unscaled and the scaled ones are blended: by the number of turns within the
// positions, as in Llama 3.1 (Turns), or by the index of the pair, as in YaRN (Peng et al. 2023, arXiv
// 2309.00071), with the ends of the ramp rounded to whole pairs or not (WholePairs, Pairs).
enum class RotaryBlend { Turns, WholePairs, Pairs };

// Scaling for more positions than a model was first trained on: the frequency of pairs that turn less than
// `low` times within `positions` is divided by `factor`, pairs that turn more than `high` times are
// unchanged, and pairs in between are blended.
struct RotaryScaling {
  double factor = 1;  // above 0; 1: none
  double low = 1, high = 4;
  Index positions = 8192;
  RotaryBlend blend = RotaryBlend::Turns;
  double magnitude = 1;  // above 0; multiplies cosines and sines
  // By pair, above 0: divide its frequency as well (Ding et al. 2024, arXiv 2402.13753); empty: none.
  std::vector<double> factors = {};
  // Scales all pairs: equivalent to dividing positions by the factor.
  static RotaryScaling linear(double factor);
  bool operator==(const RotaryScaling&) const = default;
};

struct Position {
  PositionKind kind = PositionKind::None;
  // Rotary: pair i of the token at position p is rotated by the angle p theta^(-2i/dims) (Su et al. 2021,
  // arXiv 2104.09864).
  double theta = 10000;
  Index dims = 0;  // how many numbers of a head are rotated; even; 0: all
  RotaryPairs pairs = RotaryPairs::Halves;
  RotaryScaling scaling;
  Index start = 0, key_start = 0;  // positions of the first query and the first key
  // Alibi: bias -slope |distance| (Press et al. 2021, arXiv 2108.12409). One per head; empty: alibi_slopes().
  std::vector<double> slopes;
  bool operator==(const Position&) const = default;
};

// The pair of numbers that contains `column` of a head.
struct RotaryPair {
  Index first = 0, second = 0;  // columns; first becomes first cos - second sin
  Index number = 0;             // i
};
// dims: how many numbers are rotated. Precondition: 0 <= column < dims.
RotaryPair rotary_pair(RotaryPairs pairs, Index dims, Index column);
// The ramp for blending by index: the unscaled share falls from 1 at pair `first`, which turns `high` times,
// to 0 at pair `last`, which turns `low` times. Indices of pairs, possibly fractional.
struct RotaryRamp {
  double first = 0, last = 0;
};
RotaryRamp rotary_ramp(const Position& position, Index dims);
// The angle of pair `number` at position `at`, in radians.
double rotary_angle(const Position& position, Index dims, Index number, Index at);

// The paper's slopes: 2^(-8i/n) for i = 1 to n if n is a power of two; else those of the next lower power,
// then every second one of the next higher.
std::vector<double> alibi_slopes(Index heads);

}  // namespace headlight
