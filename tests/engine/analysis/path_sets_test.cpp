// Parts of scores and features over a data set, compared with what NumPy computes of each row by definition.
#include <algorithm>
#include <cmath>

#include "engine/analysis/analysis.h"
#include "engine/analysis/edge_attribution.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/json/json_document.h"
#include "tests/engine/analysis/path_support.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const Json& golden_set() {
  static const Json golden = parse_json(read_text_file(paths_folder() + "/set.json"));
  return golden;
}

std::string id_text(const Json& ids) {
  std::string text;
  for (const Json& id : ids)
    text += (text.empty() ? "" : ",") + std::to_string(id.get<int>());
  return text;
}

// Three texts, of which the last one is shorter, with the tokens @A and @B.
Analysis asked_of_set(AnalysisKind kind) {
  std::string content = "text\t@A\t@B\n";
  for (std::size_t row = 0; row < 3; ++row) {
    const Json& pair = golden_set().at("pairs")[row];
    content += id_text(golden_set().at("texts")[row]) + "\t#" + std::to_string(pair[0].get<int>()) + "\t#" +
               std::to_string(pair[1].get<int>()) + "\n";
  }
  Analysis analysis;
  analysis.kind = kind;
  analysis.layer = analysis.head = 1;
  const Network network(paths_folder());
  analysis.set = std::make_shared<const DataSet>(parse_data_set(network, content, "three.tsv"));
  return analysis;
}

Analysis asked_features_of_set() {
  Analysis analysis = asked_of_set(AnalysisKind::Features);
  analysis.dictionary = paths_folder() + "/dictionary.safetensors";
  analysis.target = 3;
  analysis.against = 8;
  analysis.top = 12;
  return analysis;
}

AnalysisResult found_of_set(const Analysis& analysis) {
  NetworkPass pass = paths_pass("clean");
  AnalysisResult result = run_analysis(pass, analysis, [](double) {});
  CHECK(pass.patches().empty());
  return result;
}

Matrix matrix_of(const Json& rows) {
  Matrix values(static_cast<Index>(rows.size()), static_cast<Index>(rows[0].size()));
  for (Index row = 0; row < values.rows(); ++row)
    for (Index column = 0; column < values.cols(); ++column)
      values(row, column) =
          rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)].get<float>();
  return values;
}

const ResultTable& table_named(const AnalysisResult& result, const std::string& name) {
  for (const ResultTable& table : result.tables)
    if (table.name == name) return table;
  FAIL("there is no table " + name);
  return result.tables.front();
}

// The rows of a matrix that are those of the features of a table.
Matrix of_features(const ResultTable& table, const Matrix& all) {
  Matrix chosen(static_cast<Index>(table.rows.size()), all.cols());
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    chosen.row(static_cast<Index>(i)) = all.row(std::stoi(table.rows[i]));
  return chosen;
}

// Each column by the largest number of its own, because their units differ.
void check_columns(const Matrix& found, const Matrix& expected) {
  REQUIRE(found.rows() == expected.rows());
  REQUIRE(found.cols() == expected.cols());
  for (Index column = 0; column < found.cols(); ++column) {
    INFO("column " << column);
    CHECK(relative_error(found.col(column), expected.col(column)) <= 2 * kPathError);
  }
}

}  // namespace

TEST_CASE(
    "path sets: the parts of a score between named tokens are means over the rows, as NumPy computes them") {
  Analysis analysis = asked_of_set(AnalysisKind::Score);
  analysis.query_name = "@A";
  analysis.key_name = "@B";
  analysis.top = 4;
  const AnalysisResult result = found_of_set(analysis);
  const Json& expected = golden_set().at("score");
  CHECK(relative_error(result.tables[0].values, matrix_of(expected.at("mean"))) <= kPathError);
  CHECK(relative_error(result.tables[0].error, matrix_of(expected.at("error"))) <= kPathError);
  for (std::size_t row = 0; row < 3; ++row) {
    CHECK(relative_error(result.rows[row].values[0], matrix_of(expected.at("rows")[row])) <= kPathError);
    CHECK_THAT(*result.rows[row].metric, WithinAbs(expected.at("scores")[row].get<double>(), 1e-4));
  }
  const ResultTable& strongest = table_named(result, "strongest");
  REQUIRE(strongest.rows.size() == 4);
  const auto [row, column] = strongest_edges(result.tables[0].values).front();
  CHECK(strongest.values(0, 0) == result.tables[0].values(row, column));
  CHECK(result.rows[0].values.size() == 1);  // the list is of the means alone
}

TEST_CASE("path sets: without names the last token of each row looks, at what it attends to most") {
  const AnalysisResult result = found_of_set(asked_of_set(AnalysisKind::Score));
  for (std::size_t row = 0; row < 3; ++row) {
    Analysis single = asked_of_set(AnalysisKind::Score);
    single.texts = {single.set->rows[row].text};
    single.set = nullptr;
    CHECK(result.rows[row].values[0] == found_of_set(single).tables[0].values);
  }
}

TEST_CASE("path sets: features are those that add most in the mean, with means as NumPy computes them") {
  const AnalysisResult result = found_of_set(asked_features_of_set());
  const ResultTable& features = table_named(result, "features");
  REQUIRE(features.columns == std::vector<std::string>{"largest", "mean", "tokens", "adds", "without it"});
  REQUIRE(features.rows.size() == 12);
  for (std::size_t i = 0; i < 12; ++i)
    CHECK(features.rows[i] == std::to_string(golden_set().at("order")[i].get<int>()));
  const Json& expected = golden_set().at("features");
  check_columns(features.values, of_features(features, matrix_of(expected.at("mean"))));
  check_columns(features.error, of_features(features, matrix_of(expected.at("error"))));
  for (std::size_t row = 0; row < 3; ++row)
    check_columns(result.rows[row].values[0], of_features(features, matrix_of(expected.at("rows")[row])));
  const Json& rebuilt = golden_set().at("reconstruction");
  const ResultTable& reconstruction = table_named(result, "reconstruction");
  check_columns(reconstruction.values, matrix_of(rebuilt.at("mean")));
  check_columns(reconstruction.error, matrix_of(rebuilt.at("error")));
  CHECK(table_named(result, "activations").rows == std::vector<std::string>{"@A", "@B"});
}

TEST_CASE(
    "path sets: of each feature the rows where it fires most, with token and activation, the largest first") {
  const AnalysisResult result = found_of_set(asked_features_of_set());
  const ResultTable& most = result.tables.back();
  REQUIRE(most.name == "fires_most");
  REQUIRE(most.columns == std::vector<std::string>{"row", "token", "activation"});
  CHECK(most.error.size() == 0);
  std::size_t at = 0;
  for (const std::string& feature : table_named(result, "features").rows)
    for (const Json& expected : golden_set().at("fires_most").at(feature)) {
      INFO(feature);
      const auto row = static_cast<Index>(at);
      REQUIRE(at < most.rows.size());
      CHECK(most.rows[at] == feature);
      CHECK(most.values(row, 0) == expected[0].get<float>());
      CHECK(most.values(row, 1) == expected[1].get<float>());
      CHECK_THAT(most.values(row, 2), WithinRel(expected[2].get<float>(), 1e-5f));
      ++at;
    }
  CHECK(at == most.rows.size());
  CHECK(result.rows[0].values.size() + 1 == result.tables.size());
}

TEST_CASE("path sets: one feature is steered in each row, and the number is that of the target") {
  Analysis analysis = asked_features_of_set();
  analysis.feature = 11;
  analysis.strength = 2;
  analysis.generated = 1;
  const AnalysisResult result = found_of_set(analysis);
  CHECK(table_named(result, "features").rows == std::vector<std::string>{"11"});
  const ResultTable& target = table_named(result, "target");
  REQUIRE(target.columns == std::vector<std::string>{"x 0", "x 1", "x 2", "x 4"});
  CHECK_THAT(target.values(0, 0), WithinAbs(table_named(result, "reconstruction").values(0, 0), 1e-5f));
  CHECK(std::abs(target.values(0, 3) - target.values(0, 0)) > 0.01f);
  // The same numbers stand beside the text that follows each row.
  const ResultTable& generated = table_named(result, "generated");
  const auto at = static_cast<std::size_t>(&target - result.tables.data());
  REQUIRE(generated.rows.size() == 4 * result.rows.size());
  for (std::size_t row = 0; row < result.rows.size(); ++row)
    CHECK(generated.values.col(1).segment(static_cast<Index>(4 * row), 4) ==
          result.rows[row].values[at].row(0).transpose());
}

TEST_CASE("path sets: a name that the set does not have, and a dictionary that is not there, are refused") {
  const auto refused = [](const Analysis& analysis, const std::string& what) {
    INFO(what);
    CHECK_THROWS_WITH(found_of_set(analysis), ContainsSubstring(what));
  };
  Analysis analysis = asked_of_set(AnalysisKind::Score);
  analysis.key_name = "@END";
  refused(analysis, "does not name a token @END");
  refused(analysis, "@A, @B");
  analysis.key_name = "@A";
  analysis.query_name = "@B";  // of the first row a later key
  refused(analysis, "row 1");
  analysis = asked_features_of_set();
  analysis.dictionary.clear();
  refused(analysis, "there is no dictionary");
  analysis = asked_features_of_set();
  analysis.layer = 3;
  refused(analysis, "there is no layer 3");
  analysis = asked_features_of_set();
  analysis.feature = 30;
  refused(analysis, "no feature 30");
}

TEST_CASE("path sets: a sender's output is A's at the tokens that the set names, in each row its own") {
  Analysis analysis;
  analysis.kind = AnalysisKind::Paths;
  analysis.target = 3;
  analysis.against = 8;
  analysis.sender = StreamPart{StreamPart::Kind::Head, 0, 1};
  const Network network(paths_folder());
  analysis.set = std::make_shared<const DataSet>(
      parse_data_set(network, "text\tfrom\t@A\n1,5,9,2\t1,6,9,2\t#1\n4,2,7\t4,3,7\t#2\n", "two.tsv"));
  analysis.position_names = {"@A"};
  const AnalysisResult result = found_of_set(analysis);
  for (std::size_t row = 0; row < 2; ++row) {
    Analysis own = analysis;
    own.set = nullptr;
    own.position_names.clear();
    own.texts = {analysis.set->rows[row].text};
    own.others = {analysis.set->rows[row].from};
    own.positions = analysis.set->rows[row].tokens;
    const AnalysisResult alone = found_of_set(own);
    CHECK(relative_error(result.rows[row].values[0], alone.tables[0].values) <= kPathError);
    own.positions.clear();
    CHECK(largest_difference(alone.tables[0].values, found_of_set(own).tables[0].values) > 0);
  }
  analysis.position_names = {"@B"};
  CHECK_THROWS_WITH(found_of_set(analysis), ContainsSubstring("does not name a token @B"));
}
