#include "engine/arrays/table_file.h"

#include <cmath>
#include <limits>

#include "engine/core/nearest.h"
#include "tests/support/format_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

using Labels = std::vector<std::string>;

TableFile parsed(const std::string& text) {
  return parse_table_file(text, "t.csv");
}

// Two rows, two columns: 1 2 / 3 4.
void check_square(const std::string& text, const Labels& rows, const Labels& columns) {
  INFO(text);
  const TableFile table = parsed(text);
  REQUIRE(table.values.rows() == 2);
  REQUIRE(table.values.cols() == 2);
  CHECK(table.values == (Matrix(2, 2) << 1, 2, 3, 4).finished());
  CHECK(table.row_labels == rows);
  CHECK(table.column_labels == columns);
}

void refuse(const std::string& text, const std::string& what, const std::string& where,
            const std::string& hint) {
  INFO(text);
  check_error([&] { parsed(text); }, what, where, hint);
}

}  // namespace

TEST_CASE("table file: with and without names") {
  check_square("1,2\n3,4\n", {}, {});
  check_square("x,y\n1,2\n3,4", {}, {"x", "y"});
  check_square("a,1,2\nb,3,4\n", {"a", "b"}, {});
  check_square("token,x,y\na,1,2\nb,3,4\n", {"a", "b"}, {"x", "y"});
  // As pandas writes an index; names may be numbers.
  check_square(",0,1\n7,1,2\n8,3,4\n", {"7", "8"}, {"0", "1"});
  // A heading above the first column marks it as names, whatever they look like.
  check_square("token,x,y\nin,1,2\n2024,3,4\n", {"in", "2024"}, {"x", "y"});
  check_square("Word;x;y\n7;1;2\nNA;3;4\n", {"7", "NA"}, {"x", "y"});
  // As the export of stages writes tables.
  check_square("token,1,2\nin,1,2\n2024,3,4\n", {"in", "2024"}, {"1", "2"});
  // "token" is an ordinary row label unless the numbers after it count the columns.
  CHECK(parsed("token,3,1\nin,1,2\n").row_labels == Labels{"token", "in"});
}

TEST_CASE("table file: a first column of numbers is never taken for names") {
  const std::string hint = "write \"token\" above it";
  for (const char* const cell : {"NA", "N/A", "#DIV/0!", "NULL"}) {
    const std::string text(cell);
    refuse(text + ",2\n3,4\n", in_quotes(text) + " is no number", "t.csv, line 1, column 1", hint);
    refuse("1,2\n" + text + ",4\n", in_quotes(text) + " is no number", "t.csv, line 2, column 1", hint);
    refuse("x,y\n" + text + ",4\n", in_quotes(text) + " is no number", "t.csv, line 2, column 1", hint);
  }
  for (const char* const cell : {"0x10", "50%", "1_000", "$5", "1 000", "-1'000.5", "1.#INF"}) {
    const std::string text(cell);
    INFO(text);
    refuse(text + ";2\n3;4\n", in_quotes(text) + " is no number", "t.csv, line 1, column 1", hint);
    refuse("cat;2\n" + text + ";4\n", in_quotes(text) + " is no number", "t.csv, line 2, column 1", hint);
    refuse(text + ";" + text + "\n3;4\n", in_quotes(text) + " is no number", "t.csv, line 1, column 1", hint);
  }
  refuse("1e400,2\n3,4\n", "\"1e400\" is too large for float32", "t.csv, line 1, column 1", hint);
  refuse("in,1,2\n2024,3,4\n", "\"in\" is no number", "t.csv, line 1, column 1", hint);
  refuse("1,2\n,4\n", "the cell is empty", "t.csv, line 2, column 1", hint);
  // Words that contain a digit are still names.
  check_square("3rd,1,2\n2024-01-01,3,4\n", {"3rd", "2024-01-01"}, {});
  check_square("cat,1,2\nNA,3,4\n", {"cat", "NA"}, {});
}

TEST_CASE("table file: decimals behind a point or a comma, and marks between thousands") {
  const auto first_of = [](const std::string& text) { return parsed(text).values(0, 0); };
  check_square("1,0;2\n3;4,00\n", {}, {});
  check_square("token;x;y\na,5;1,0;2\nb;3;4\n", {"a,5", "b"}, {"x", "y"});
  CHECK(first_of("1.234,50;2\n") == 1234.5f);
  CHECK(first_of("-1.234.567,5\t2\n") == -1234567.5f);
  CHECK(first_of("1,234;2,5\n") == 1.234f);
  CHECK(first_of("1,234;2.5\n") == 1234);
  CHECK(first_of("1,234,567;2\n") == 1234567);
  CHECK(first_of("1.234.567;2,5\n") == 1234567);
  CHECK(first_of("1'234,5;2\n") == 1234.5f);
  CHECK(first_of("1\u00a0234,5;2\n") == 1234.5f);
  CHECK(first_of("0,123;2\n") == 0.123f);
  CHECK(first_of("1234,567;2\n") == 1234.567f);
  CHECK(first_of("\"1,234.5\",2\n3,4\n") == 1234.5f);
  CHECK(first_of("\"0,43\",2\n3,4\n") == 0.43f);
  CHECK(first_of("sep=;\n0,5;2\n") == 0.5f);
  CHECK(first_of("sep=|\r\n0.5|2\r\n") == 0.5f);
  const std::string hint = "point for the decimals";
  refuse("a;1,234\nb;3,750\n", "\"1,234\" may be 1.234 or 1234", "t.csv, line 1, column 2", hint);
  refuse("\"1,234\",2\n", "\"1,234\" may be 1.234 or 1234", "t.csv, line 1, column 1", hint);
  refuse("0,5;2\n3;1.5\n", "\"1.5\" (t.csv, line 2, column 2) behind a point", "t.csv, line 1, column 1",
         hint);
  refuse("1,5;1,23,4\n", "\"1,23,4\" is no number", "t.csv, line 1, column 2", "numbers like");
  refuse("1,5;1.23,4\n", "\"1.23,4\" is no number", "t.csv, line 1, column 2", "numbers like");
}

TEST_CASE("table file: separators, line ends and blanks") {
  check_square("1\t2\r\n3\t4\r\n", {}, {});
  check_square("\xEF\xBB\xBFx;y\n1;2\n3;4", {}, {"x", "y"});
  check_square("  1  2 \n 3 4\n", {}, {});
  check_square("1.000000000000000000e+00 2.000000000000000000e+00\n3e0 4e0\n", {}, {});
  check_square("\n\n1, 2\n\n3, 4\n\n", {}, {});
  check_square("1,2,\n3,4,\n", {}, {});
  check_square("a 1 2\nb 3 4", {"a", "b"}, {});
}

TEST_CASE("table file: quotation marks") {
  check_square("\"1\",\"2\"\n3,4\n", {}, {});
  check_square("\",\",1,2\n\"\"\"\",3,4\n", {",", "\""}, {});
  check_square("\"\n\",1,2\n\" b\",3,4\n", {"\n", " b"}, {});
  // The leading blank belongs to the token.
  check_square("Your,1,2\n journey,3,4\n", {"Your", " journey"}, {});
  check_square("\"t;u\" ; x ; \"y z\"\na;1;2\nb;3;4\n", {"a", "b"}, {"x", "y z"});
}

TEST_CASE("table file: numbers as programs write them") {
  const Matrix values = parsed("nan,NaN,inf,-Infinity,1e-60,\u22122\n").values;
  REQUIRE(values.cols() == 6);
  CHECK(std::isnan(values(0, 0)));
  CHECK(std::isnan(values(0, 1)));
  CHECK(values(0, 2) == std::numeric_limits<float>::infinity());
  CHECK(values(0, 3) == -std::numeric_limits<float>::infinity());
  CHECK(values(0, 4) == 0);
  CHECK(values(0, 5) == -2);
}

TEST_CASE("table file: what is wrong is said with its line and column") {
  refuse("1,2\n3,4,5\n", "3 fields, the first has 2", "t.csv, line 2", "one length");
  refuse("1,2\n\n3\n", "1 field, the first has 2", "t.csv, line 3", "one length");
  refuse("x,y\n1,O.5\n", "\"O.5\" is no number", "t.csv, line 2, column 2", "numbers like");
  refuse("a,1,2\nb,3,four\n", "\"four\" is no number", "t.csv, line 2, column 3", "numbers like");
  refuse("1,,3\n", "the cell is empty", "t.csv, line 1, column 2", "write 0");
  refuse("1,1e39\n", "too large for float32", "t.csv, line 1, column 2", "3.4e38");
  refuse("x,y\n1,2,3\n", "3 fields, the line of names has 2", "t.csv, line 2", "every column");
  refuse("1,2\n\"3,4\n5,6\n", "quotation mark is not closed", "t.csv, line 2, column 1", "close it");
  refuse("1,2\n3,\"4\"5\n", "text follows a closing quotation mark", "t.csv, line 2, column 2", "twice");
  refuse("\"\n\",1\nb,c\n", "\"c\" is no number", "t.csv, line 3, column 2", "numbers like");
}

TEST_CASE("table file: files that hold no table") {
  refuse("", "the table is empty", "t.csv", "one line of numbers");
  refuse("\n \n\r\n", "the table is empty", "t.csv", "one line of numbers");
  refuse("x,y,z\n", "names but no numbers", "t.csv", "one line of numbers");
  refuse("cat\ndog\n", "\"dog\" has no numbers", "t.csv, line 2", "one line of numbers");
  refuse(std::string("\xFF\xFE"
                     "1\0,\0",
                     6),
         "UTF-16", "t.csv", "UTF-8");
  refuse(std::string("PK\3\4\0\0", 6), "no text at all", "t.csv", "UTF-8");
  // Takes time linear, not quadratic, in the length of the line.
  refuse(std::string(4'000'000, ','), "more than a million fields", "t.csv, line 1", "separates");
}

TEST_CASE("table file: a file on disk") {
  const TemporaryFolder folder;
  CHECK(read_table_file(folder.write("m.csv", "1,2\n")).values(0, 1) == 2);
  check_error([&] { read_table_file(folder.write("m.csv", "1,x\n")); }, "no number",
              "m.csv, line 1, column 2", "numbers");
  check_error([&] { read_table_file(folder / "none.csv"); }, "no such file", "none.csv", "check");
}
