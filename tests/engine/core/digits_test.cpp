#include "engine/core/digits.h"

#include <cstdio>
#include <limits>

#include "tests/support/catch.h"

using namespace headlight;

TEST_CASE("digits: significant ones are those of printf's %g") {
  for (const double value : {0.0, 1.0, -2.5, 1.0 / 3, 2.0 / 3, 1.1111, 999.6, 1234567.0, 1e-5, -1e300, 50.0})
    for (const int digits : {3, 6}) {
      char expected[48];
      std::snprintf(expected, sizeof expected, "%.*g", digits, value);
      CHECK(significant_digits(value, digits) == expected);
    }
  CHECK(significant_digits(std::numeric_limits<double>::infinity(), 3) == "inf");
}
