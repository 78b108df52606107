// Numbers in cells: accepted input and displayed text.
#include <cmath>
#include <limits>
#include <string>

#include "app/ui/widgets/number_cell.h"
#include "tests/support/catch.h"
#include "tests/ui/support/drawn_text.h"
#include "tests/ui/support/grid_fixture.h"

using namespace headlight;
using headlight_test::ContainsSubstring;

TEST_CASE("grid: numbers are read as typed, with blanks, a plus or a true minus") {
  CHECK(parse_number("0.43").value == 0.43f);
  CHECK(parse_number("  -2.5\t").value == -2.5f);
  CHECK(parse_number("+3").value == 3.0f);
  CHECK(parse_number("1e-3").value == 0.001f);
  CHECK(parse_number(".5").value == 0.5f);
  CHECK(parse_number("−0.0713").value == -0.0713f);
}

TEST_CASE("grid: what is no finite number is refused with a way to mend it") {
  CHECK_THAT(parse_number("1,5").message, ContainsSubstring("write 1.5 with a point"));
  CHECK_THAT(parse_number("1,5,6").message, ContainsSubstring("is not a number"));
  CHECK_THAT(parse_number("").message, ContainsSubstring("Escape"));
  CHECK_THAT(parse_number("1e39").message, ContainsSubstring("too large for float32"));
  CHECK_THAT(parse_number("1e-60").message, ContainsSubstring("too small for float32"));
  CHECK_THAT(parse_number("1e400").message, ContainsSubstring("too large for float32"));
  CHECK_THAT(parse_number("1e-400").message, ContainsSubstring("too small for float32"));
  for (const char* text : {"nan", "inf", "-inf", "NaN", "0x10", "--3", "+-3", "-", "1.2.3", "2 3", "abc"}) {
    INFO(text);
    CHECK_FALSE(parse_number(text).value.has_value());
    CHECK_FALSE(parse_number(text).message.empty());
  }
}

TEST_CASE("grid: arithmetic is worked out, with x for the old number and a leading = if one likes") {
  CHECK(parse_number_for(InputKind::Weight, "1/4").value == 0.25f);
  CHECK(parse_number_for(InputKind::Weight, " =2*x ", 3).value == 6.0f);
  CHECK(parse_number_for(InputKind::Weight, "−2^2").value == -4.0f);
  CHECK(parse_number_for(InputKind::Weight, "=0.1").value == 0.1f);
  CHECK(parse_number_for(InputKind::Mask, "1-x", 1).value == 0.0f);
  CHECK_FALSE(parse_number_for(InputKind::Mask, "1/2").value.has_value());
  CHECK_THAT(parse_number_for(InputKind::Weight, "1/0").message, ContainsSubstring("division by zero"));
  CHECK_THAT(parse_number_for(InputKind::Weight, "exp(100)").message, ContainsSubstring("too large"));
  CHECK_THAT(parse_number_for(InputKind::Weight, "nan").message, ContainsSubstring("finite"));
  CHECK_THAT(parse_number_for(InputKind::Weight, "1,5").message, ContainsSubstring("with a point"));
  CHECK_THAT(parse_number_for(InputKind::Weight, "").message, ContainsSubstring("Escape"));
  CHECK(parse_number_for(InputKind::Weight, "exp(-200)").value == 0.0f);
}

TEST_CASE("grid: a mask takes 0 and 1 only") {
  CHECK(parse_number_for(InputKind::Mask, "1").value == 1.0f);
  CHECK(parse_number_for(InputKind::Mask, "0").value == 0.0f);
  CHECK_FALSE(parse_number_for(InputKind::Mask, "0.5").value.has_value());
  CHECK(parse_number_for(InputKind::Weight, "0.5").value == 0.5f);
}

TEST_CASE("grid: cells show as many decimals as a number needs, at most four") {
  CHECK(cell_text(0.43f) == "0.43");
  CHECK(cell_text(0.29611194f) == "0.2961");
  CHECK(cell_text(0.53004f) == "0.5300");
  CHECK(cell_text(-0.19664f) == "−0.1966");
  CHECK(cell_text(1.0f) == "1");
  CHECK(cell_text(0.0f) == "0");
  CHECK(cell_text(-0.0f) == "0");
  CHECK(cell_text(-1.2e8f) == "−1.2e8");
  CHECK(cell_text(3e-5f) == "3e-5");
  CHECK(cell_text(std::numeric_limits<float>::quiet_NaN()) == "NaN");
  CHECK(cell_text(-std::numeric_limits<float>::infinity()) == "−inf");
  CHECK(cell_text(std::numeric_limits<float>::max()) == "3.4e38");
}

TEST_CASE("grid: the editor's text reads back as the same float") {
  for (float value : {0.43f, 0.1f, -0.29611194f, 1e-30f, 16777217.0f, std::numeric_limits<float>::min()}) {
    INFO(value);
    CHECK(parse_number(exact_number_text(value)).value == value);
  }
  CHECK(exact_number_text(0.43f) == "0.43");
}

TEST_CASE("grid: the width of a matrix has room for its widest number in front of and behind the point") {
  Matrix matrix(2, 2);
  matrix << 0.5f, -12.25f, 3.0f, 0.0f;
  CHECK(number_width(matrix).before == 3);  // −12
  CHECK(number_width(matrix).after == 3);   // .25
  matrix(1, 1) = 1e-7f;
  CHECK(number_width(matrix).total() >= 4);  // 1e-7
  matrix(1, 1) = 0.29611194f;
  CHECK(number_width(matrix).after == 5);
  matrix << 0.1234f, 0.5f, 1.23e-30f, 0.25f;  // 1.23e-30 adds nothing before the point
  CHECK(number_width(matrix).total() == 8);   // 1.23e-30
  CHECK(number_width(Matrix::Zero(3, 3)).total() == 1);
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  CHECK(number_width(Matrix::Constant(2, 2, kNaN)).total() == 3);
  matrix << kNaN, 1234.5f, 2, kNaN;
  CHECK(number_width(matrix).before == 4);
  CHECK(number_width(matrix).after == 2);
}

TEST_CASE("grid: what is no number stands within its cell, as numbers do") {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  headlight::Session session;
  session.layer.tokens = {"a", "b", "c"};
  session.layer.attention.projection = Projection::Weights;
  session.layer.attention.d_out = 3;
  session.layer.given_weights = {1, 1, {Matrix::Constant(3, 3, 0.25f)}};
  session.layer.given_weights.matrices[0] << 0.1234f, kNaN, 0.5f, kNaN, kNaN, 0.29611194f, 0.75f, kNaN,
      0.125f;
  MatrixGridState state;
  MatrixGridOptions options = headlight_test::EmbeddingGrid::grid_options();
  options.input.kind = InputKind::GivenWeights;
  headlight_test::PanelFixture fixture(std::move(session),
                                       [&](UiContext& ui) { matrix_grid(ui, state, options); }, {220, 300});
  const std::vector<headlight_test::DrawnText> texts = headlight_test::drawn_texts();
  for (Index row = 0; row < 3; ++row)
    for (Index column = 0; column < 3; ++column) {
      const Rect cell =
          fixture.robot().widget("grid[" + std::to_string(row) + "," + std::to_string(column) + "]").rect;
      CAPTURE(row, column);
      const auto inside = [&](const headlight_test::DrawnText& text) {
        return text.place.y >= cell.y && text.place.bottom() <= cell.bottom() &&
               text.place.right() > cell.x && text.place.x < cell.right();
      };
      int found = 0;
      for (const headlight_test::DrawnText& text : texts) {
        if (!inside(text)) continue;
        ++found;
        CHECK(text.place.x >= cell.x);
        CHECK(text.place.right() <= cell.right());
        CHECK_FALSE(text.cut);
      }
      CHECK(found == 1);
    }
}
