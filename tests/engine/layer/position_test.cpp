// Rotary positions scaled beyond the training length.
#include "engine/layer/position.h"

#include <cmath>

#include "tests/support/catch.h"

using namespace headlight;

namespace {

Position rotary(const RotaryScaling& scaling) {
  Position position;
  position.kind = PositionKind::Rotary;
  position.scaling = scaling;
  return position;
}

bool near(double a, double b) {
  return std::abs(a - b) <= 1e-12 * std::abs(b);
}

}  // namespace

TEST_CASE("positions: linear scaling counts positions by the factor, whatever a pair's wavelength") {
  for (const double factor : {0.5, 1.0, 4.0, 32.0}) {
    const Position scaled = rotary(RotaryScaling::linear(factor)), plain = rotary({});
    for (Index pair = 0; pair < 32; ++pair)
      CHECK(near(rotary_angle(scaled, 64, pair, 12), rotary_angle(plain, 64, pair, 12) / factor));
  }
}

TEST_CASE(
    "positions: YaRN leaves pairs that turn often, stretches those that turn rarely, and blends by number") {
  constexpr Index kDims = 64;
  const Position scaled = rotary({4, 1, 32, 4096, RotaryBlend::WholePairs, 1}), plain = rotary({});
  // Pair i makes 4096 / (2 pi 10000^(i/32)) turns: 32 turns at i = 10.47, one turn at i = 22.51.
  const RotaryRamp ramp = rotary_ramp(scaled, kDims);
  CHECK(ramp.first == 10);
  CHECK(ramp.last == 23);
  for (Index pair = 0; pair < kDims / 2; ++pair) {
    INFO(pair);
    const double whole = rotary_angle(plain, kDims, pair, 1), angle = rotary_angle(scaled, kDims, pair, 1);
    if (pair <= 10) CHECK(near(angle, whole));
    if (pair >= 23) CHECK(near(angle, whole / 4));
    if (pair == 15) CHECK(near(angle, whole * (8.0 / 13) + whole / 4 * (5.0 / 13)));
  }
}
