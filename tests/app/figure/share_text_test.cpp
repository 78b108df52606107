// Shares of attention and probabilities as per cent.
#include "app/figure/plan/share_text.h"

#include <limits>

#include "tests/support/catch.h"

using namespace headlight;

TEST_CASE("shares: whole per cent, with one decimal near both ends") {
  CHECK(share_text(0.58) == "58 %");
  CHECK(share_text(0.584) == "58 %");
  CHECK(share_text(0.9107) == "91 %");
  CHECK(share_text(0.01) == "1 %");
  CHECK(share_text(0.99) == "99 %");
  CHECK(share_text(0.004) == "0.4 %");
  CHECK(share_text(0.997) == "99.7 %");
}

TEST_CASE("shares: a part is never written as none or as all") {
  CHECK(share_text(0) == "0 %");
  CHECK(share_text(1) == "100 %");
  CHECK(share_text(1e-9) == "< 0.1 %");
  CHECK(share_text(0.00049) == "< 0.1 %");
  CHECK(share_text(0.0005) == "0.1 %");
  CHECK(share_text(0.9996) == "> 99.9 %");
  CHECK(share_text(1 - 1e-12) == "> 99.9 %");
  for (double share = 1e-7; share < 1; share *= 1.01) {
    CHECK(share_digits(share) != "0");
    CHECK(share_digits(1 - share) != "100");
  }
}

TEST_CASE("shares: more decimals, and what is no share of a whole") {
  CHECK(share_text(0.5524, 1) == "55.2 %");
  CHECK(share_text(0.00001, 1) == "< 0.1 %");
  CHECK(share_text(0.00012, 2) == "0.01 %");
  CHECK(share_digits(0.1385, 1) == "13.9");
  CHECK(share_text(2.5) == "250 %");
  CHECK(share_text(-0.25) == "\u221225 %");
  CHECK(share_text(-0.0001) == "> \u22120.1 %");
  CHECK(share_text(std::numeric_limits<double>::quiet_NaN()) == "NaN");
  CHECK(share_text(std::numeric_limits<double>::infinity()) == "\u221E");
}
