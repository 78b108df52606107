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

TEST_CASE("figures of answers: tables of one range have one map of colours, and one bar") {
  Finding finding;
  finding.title = "Parts";
  finding.one_range = true;
  for (const float value : {-1.0f, 5.0f}) {  // one table has negative numbers, the other has none
    FindingTable table;
    table.name = "part";
    table.signed_values = true;
    table.rows = {"0", "1"};
    table.columns = {"0", "1"};
    table.values = Matrix::Zero(2, 2);
    table.values(0, 0) = value;
    finding.tables.push_back(table);
  }
  const FigureGrid figure = finding_figure(finding, "", FigureOptions{}, FigureFormat::Svg);
  REQUIRE(figure.plans.size() == 2);
  const HeatmapPlan &first = figure.plans[0].plan, &last = figure.plans[1].plan;
  CHECK(first.cells.colors[3] == last.cells.colors[3]);  // of 0
  CHECK(first.bars.empty());
  CHECK(last.bars.size() == 1);
}

TEST_CASE("figures of answers: tokens stand without the blanks that they begin with") {
  FindingTable table;
  table.rows = {" When", " Ann"};
  table.columns = {" to"};
  table.values = Matrix::Ones(2, 1);
  table.texts = {" the", ","};
  const HeatmapFigure figure = table_figures(table, FigureOptions{}, 16).front();
  CHECK(figure.row_labels == std::vector<std::string>{"When", "Ann"});
  CHECK(figure.column_labels == std::vector<std::string>{"to"});
  CHECK(figure.cell_texts == std::vector<std::string>{"the", ","});
  CHECK(heat_text_of(table, {}).words == std::vector<std::string>{"When", "Ann"});
}
