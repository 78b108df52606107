// The colour bar of an answer's figure says what its colours show.
#include "app/findings/finding_files.h"
#include "tests/support/catch.h"

using namespace headlight;

TEST_CASE("figures of answers: the bar of a grid has the quantity of its table, else its name") {
  FindingTable table;
  table.name = "target_rank";
  table.row_axis = "layer";
  table.column_axis = "head";
  table.rows = {"0", "1"};
  table.columns = {"0", "1"};
  table.values = Matrix::Ones(2, 2);
  FigureOptions options;
  REQUIRE(table_figures(table, options, 0).size() == 1);
  CHECK(table_figures(table, options, 0).front().bar_title == "target rank");
  table.quantity = "rank";
  CHECK(table_figures(table, options, 0).front().bar_title == "rank");
  options.axis_names = false;
  CHECK(table_figures(table, options, 0).front().bar_title.empty());
}
