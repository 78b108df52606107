#include "engine/arrays/table_text.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <string>

#include "engine/core/error.h"
#include "tests/support/catch.h"

using namespace headlight;
using headlight_test::ContainsSubstring;

namespace {

Matrix matrix_of(Index rows, Index columns, std::initializer_list<float> values) {
  Matrix matrix(rows, columns);
  std::copy(values.begin(), values.end(), matrix.data());
  return matrix;
}

std::string message_of(const std::string& text) {
  try {
    parse_table_text(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing is wrong";
}

const Matrix& two_by_three() {
  static const Matrix matrix = matrix_of(2, 3, {0.43f, 0.15f, -0.89f, 0.55f, 870.0f, 6.6e-5f});
  return matrix;
}

}  // namespace

TEST_CASE("table text: what spreadsheets put on the clipboard") {
  CHECK(parse_table_text("0.43\t0.15\t-0.89\n0.55\t870\t6.6e-5\n") == two_by_three());
  CHECK(parse_table_text("0.43\t0.15\t-0.89\r\n0.55\t870\t6.6E-05\r\n") == two_by_three());
  CHECK(parse_table_text("\xEF\xBB\xBF"
                         "1\t2") == matrix_of(1, 2, {1, 2}));
  CHECK(parse_table_text("\"1\"\t\"2\"") == matrix_of(1, 2, {1, 2}));
  CHECK(parse_table_text("1\n2\n\n") == matrix_of(2, 1, {1, 2}));
  CHECK(parse_table_text(" 7 ") == matrix_of(1, 1, {7}));
}

TEST_CASE("table text: commas, semicolons and blanks") {
  CHECK(parse_table_text("0.43,0.15,-0.89\n0.55, 870, 0.000066") == two_by_three());
  CHECK(parse_table_text("0.43;0.15;-0.89;\n0.55;870;6.6e-5;\n") == two_by_three());
  CHECK(parse_table_text("0.43 0.15   -0.89\n  0.55 870 +6.6e-5") == two_by_three());
  CHECK(parse_table_text("\n\n1 2\n3 4\n \n") == matrix_of(2, 2, {1, 2, 3, 4}));
  CHECK(parse_table_text("\u22121\t.5\t2.") == matrix_of(1, 3, {-1, 0.5f, 2}));
}

TEST_CASE("table text: print-outs of NumPy and PyTorch") {
  CHECK(parse_table_text("[[0.43, 0.15, -0.89], [0.55, 870, 6.6e-5]]") == two_by_three());
  CHECK(parse_table_text("[[ 4.3e-01  1.5e-01 -8.9e-01]\n [ 5.5e-01  8.7e+02  6.6e-05]]") == two_by_three());
  CHECK(parse_table_text("array([[0.43, 0.15, -0.89],\n       [0.55, 870., 6.6e-05]], dtype=float32)") ==
        two_by_three());
  CHECK(parse_table_text("tensor([[0.43, 0.15, -0.89],\n        [0.55, 870., 6.6e-05]],\n"
                         "       dtype=torch.float64, grad_fn=<MmBackward0>)") == two_by_three());
  CHECK(parse_table_text("Parameter containing:\ntensor([[1., 2.]], requires_grad=True)") ==
        matrix_of(1, 2, {1, 2}));
  CHECK(parse_table_text("[1, 2, 3]") == matrix_of(1, 3, {1, 2, 3}));
  CHECK(parse_table_text("[[1, 2,],\n [3, 4,],]") == matrix_of(2, 2, {1, 2, 3, 4}));
  CHECK(parse_table_text("tensor(0.5)") == matrix_of(1, 1, {0.5f}));
}

TEST_CASE("table text: what it writes reads back to the bit, in all three ways") {
  const Matrix matrix = matrix_of(2, 3,
                                  {0.1f, -1e-30f, 16777217.0f, std::numeric_limits<float>::denorm_min(), 0,
                                   std::numeric_limits<float>::max()});
  CHECK(parse_table_text(tsv_text(matrix)) == matrix);
  CHECK(parse_table_text(numpy_text(matrix)) == matrix);
  CHECK(parse_table_text(torch_text(matrix)) == matrix);
  CHECK(tsv_text(matrix_of(2, 2, {0.43f, 0.15f, 1, -2})) == "0.43\t0.15\n1\t-2\n");
  CHECK(numpy_text(matrix_of(2, 2, {0.43f, 0.15f, 1, -2})) ==
        "np.array([[0.43, 0.15],\n          [1, -2]], dtype=np.float32)");
  CHECK(torch_text(matrix_of(1, 1, {0.5f})) == "torch.tensor([[0.5]])");
}

TEST_CASE("table text: a comma marks the decimals between tabs and semicolons") {
  CHECK(parse_table_text("0,5\t1,5\n2\t-3,25\n") == matrix_of(2, 2, {0.5f, 1.5f, 2, -3.25f}));
  CHECK(parse_table_text("0,5;1.234,5\n") == matrix_of(1, 2, {0.5f, 1234.5f}));
}

TEST_CASE("table text: rows of unequal length are named") {
  CHECK_THAT(message_of("1\t2\n3\n"), ContainsSubstring("line 2") && ContainsSubstring("has 1 numbers") &&
                                          ContainsSubstring("the first has 2"));
  CHECK_THAT(message_of("1 2\n3 4 5"), ContainsSubstring("line 2"));
  CHECK_THAT(message_of("[[1, 2], [3]]"), ContainsSubstring("row 2"));
  CHECK_THAT(message_of("1 2\n\n3 4"), ContainsSubstring("line 2") && ContainsSubstring("empty"));
}

TEST_CASE("table text: rubbish is named with its place") {
  CHECK_THAT(message_of(""), ContainsSubstring("nothing to paste"));
  CHECK_THAT(message_of(" \n\t\n"), ContainsSubstring("nothing to paste"));
  CHECK_THAT(message_of(";;\n"), ContainsSubstring("nothing to paste"));
  CHECK_THAT(message_of("1\t2\n3\tfour\n"),
             ContainsSubstring("line 2, column 2") && ContainsSubstring("\"four\""));
  CHECK_THAT(message_of("1\t\t3"), ContainsSubstring("line 1, column 2") && ContainsSubstring("empty"));
  CHECK_THAT(message_of("1,234\t1,500"), ContainsSubstring("\"1,234\"") && ContainsSubstring("point"));
  CHECK_THAT(message_of("x,y\n1,2"), ContainsSubstring("line 1") && ContainsSubstring("\"x\""));
  CHECK_THAT(message_of("1\tnan"), ContainsSubstring("column 2") && ContainsSubstring("finite"));
  CHECK_THAT(message_of("[[1, 2], [inf, 4]]"),
             ContainsSubstring("row 2, column 1") && ContainsSubstring("finite"));
  CHECK_THAT(message_of("1e39"), ContainsSubstring("too large"));
  CHECK_THAT(message_of("1e400"), ContainsSubstring("too large"));
  CHECK_THAT(message_of("once upon a time"), ContainsSubstring("\"once\""));
  CHECK(parse_table_text("1e-60 1")(0, 0) == 0);
  // Out of float64's range too, in both directions.
  CHECK(parse_table_text("1e-400 -1e-99999999999999999999") == matrix_of(1, 2, {0, 0}));
  CHECK(parse_table_text("0." + std::string(400, '0') + "1e10") == matrix_of(1, 1, {0}));
  for (const std::string& text : {std::string("1e400"), std::string("-1e99999999999999999999"),
                                  std::string(400, '9'), "0.001e" + std::to_string(400)}) {
    INFO(text);
    CHECK_THAT(message_of(text), ContainsSubstring("too large"));
  }
}

TEST_CASE("table text: brackets that are no matrix are named") {
  CHECK_THAT(message_of("[[[1, 2]], [[3, 4]]]"), ContainsSubstring("three deep"));
  CHECK_THAT(message_of("[[0.1 0.2 ... 0.8 0.9]]"), ContainsSubstring("leaves numbers out"));
  CHECK_THAT(message_of("[[1 2]\n ...\n [3 4]]"), ContainsSubstring("leaves rows out"));
  CHECK_THAT(message_of("[[1, 2], [3"), ContainsSubstring("not closed"));
  CHECK_THAT(message_of("[[1, 2], 3]"), ContainsSubstring("between the rows"));
  CHECK_THAT(message_of("[1, [2]]"), ContainsSubstring("bracket"));
  CHECK_THAT(message_of("[[1, 2]] [[3, 4]]"), ContainsSubstring("behind the table"));
  CHECK_THAT(message_of("[]"), ContainsSubstring("empty"));
  CHECK_THAT(message_of("[[1, two]]"), ContainsSubstring("row 1, column 2") && ContainsSubstring("\"two\""));
  CHECK_THAT(message_of("array(['a'])"), ContainsSubstring("no number"));
}
