// What tells attention where a token stands: queries and keys that are turned (rotary positions), or a bias
// that grows with the distance (ALiBi).
#pragma once

#include <vector>

#include "engine/core/matrix.h"

namespace headlight {

enum class PositionKind { None, Rotary, Alibi };
// Halves: numbers i and i + dims/2 of a head are a pair (Llama, GPT-NeoX). Neighbours: 2i and 2i + 1 (the
// paper, GPT-J).
enum class RotaryPairs { Halves, Neighbours };

// How pairs between those that stay and those that are stretched are blended: by how often they turn within
// the positions, as Llama 3.1 does, or by their number, as YaRN does (Peng et al. 2023, arXiv 2309.00071),
// from and to whole numbers or not.
enum class RotaryBlend { Turns, WholePairs, Pairs };

// Positions beyond those that a model was first trained on: pairs that turn less often than `low` times
// within the positions are stretched by the factor, those that turn more often than `high` times stay, and in
// between they are blended.
struct RotaryScaling {
  double factor = 1;  // above 0; 1: none
  double low = 1, high = 4;
  Index positions = 8192;
  RotaryBlend blend = RotaryBlend::Turns;
  double magnitude = 1;  // above 0; cosines and sines are multiplied by it
  // All pairs are stretched: positions count a factor less.
  static RotaryScaling linear(double factor);
  bool operator==(const RotaryScaling&) const = default;
};

struct Position {
  PositionKind kind = PositionKind::None;
  // Rotary: pair i of the token at position p is turned by the angle p theta^(-2i/dims) (Su et al. 2021,
  // arXiv 2104.09864).
  double theta = 10000;
  Index dims = 0;  // how many numbers of a head are turned; even; 0: all
  RotaryPairs pairs = RotaryPairs::Halves;
  RotaryScaling scaling;
  Index start = 0, key_start = 0;  // the positions of the first query and the first key
  // Alibi: the bias is -slope |distance| (Press et al. 2021, arXiv 2108.12409). One slope of each head; none:
  // those of the paper.
  std::vector<double> slopes;
  bool operator==(const Position&) const = default;
};

// The numbers that are turned together with number `column` of a head: the pair, and which it is.
struct RotaryPair {
  Index first = 0, second = 0;  // columns; first turns into first cos - second sin
  Index number = 0;             // i
};
// dims: how many are turned. Precondition: 0 <= column < dims.
RotaryPair rotary_pair(RotaryPairs pairs, Index dims, Index column);
// Where pairs are blended by their number, the share that stays falls from 1 at the pair `first`, which turns
// `high` times, to 0 at `last`, which turns `low` times. Both are pairs' numbers, whole or not.
struct RotaryRamp {
  double first = 0, last = 0;
};
RotaryRamp rotary_ramp(const Position& position, Index dims);
// The angle of pair `number` at a position, in radians.
double rotary_angle(const Position& position, Index dims, Index number, Index at);

// 2^(-8i/n) for i = 1 to n where n is a power of two; else those of the next lower power, then every second
// one of the next higher.
std::vector<double> alibi_slopes(Index heads);

}  // namespace headlight
