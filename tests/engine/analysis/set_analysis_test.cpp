// Analyses of data sets, compared with their definitions (tests/golden/generate_sets.py).
#include "engine/analysis/set_analysis.h"

#include <cmath>
#include <map>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/no_number.h"
#include "engine/json/json_document.h"
#include "tests/engine/analysis/words_model.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

constexpr std::array kMetrics = {Metric::LogitDifference, Metric::Rank, Metric::Probability,
                                 Metric::LogProbability};

std::string sets(const std::string& file) {
  return source_root() + "/tests/golden/sets/" + file;
}

Analysis asked(AnalysisKind kind, const std::string& content, const std::string& name = "io.tsv") {
  Analysis analysis;
  analysis.kind = kind;
  analysis.layer = 1;
  analysis.head = 1;
  analysis.set = std::make_shared<const DataSet>(parse_data_set(words_pass().network(), content, name));
  return analysis;
}

Analysis asked_of(AnalysisKind kind, const std::string& name) {
  return asked(kind, read_text_file(sets(name + ".tsv")));
}

AnalysisResult found(const Analysis& analysis) {
  NetworkPass pass = words_pass();
  AnalysisResult result = run_analysis(pass, analysis, kUnwatched);
  CHECK(pass.ids() == analysis.set->rows.front().text);
  return result;
}

std::string refusal(const Analysis& analysis) {
  NetworkPass pass = words_pass();
  try {
    run_analysis(pass, analysis, kUnwatched);
  } catch (const Error& failure) {
    return failure.what();
  }
  return "";
}

const Json& golden(const std::string& name) {
  static std::map<std::string, Json> all;
  auto [at, is_new] = all.try_emplace(name);
  if (is_new) at->second = parse_json(read_file(sets(name + ".json")));
  return at->second;
}

void check_matrix(const Matrix& values, const Json& expected, float tolerance) {
  REQUIRE(values.rows() == static_cast<Index>(expected.size()));
  for (Index row = 0; row < values.rows(); ++row) {
    REQUIRE(values.cols() == static_cast<Index>(expected[static_cast<std::size_t>(row)].size()));
    for (Index column = 0; column < values.cols(); ++column) {
      const float number = expected[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
      CHECK(std::abs(values(row, column) - number) <= tolerance * std::max(1.0f, std::abs(number)));
    }
  }
}

// The rows, the mean and the error of one table.
void check_table(const AnalysisResult& result, std::size_t table, const Json& expected, float tolerance) {
  check_matrix(result.tables[table].values, expected.at("mean"), tolerance);
  check_matrix(result.tables[table].error, expected.at("error"), tolerance);
  REQUIRE(result.rows.size() == expected.at("rows").size());
  for (std::size_t row = 0; row < result.rows.size(); ++row)
    check_matrix(result.rows[row].values[table], expected.at("rows")[row], tolerance);
}

const std::string& metric_name(Metric metric) {
  static std::array<std::string, 6> names;
  std::string& name = names[static_cast<std::size_t>(metric)];
  name = kMetricNames[static_cast<std::size_t>(metric)];
  return name;
}

}  // namespace

TEST_CASE("set analysis: loss and metric of each row, their mean and error") {
  for (const std::string name : {"pairs", "lengths"})
    for (const Metric metric : kMetrics) {
      INFO(name << " " << metric_name(metric));
      Analysis analysis = asked_of(AnalysisKind::Loss, name);
      analysis.metric = metric;
      const AnalysisResult result = found(analysis);
      const Json &loss = golden(name).at("loss"), &expected = golden(name).at(metric_name(metric));
      const ResultTable &losses = result.tables.at(0), &last = result.tables.back();
      CHECK_THAT(losses.values(0, 0), WithinAbs(loss.at("mean").get<double>(), 1e-5));
      CHECK_THAT(losses.error(0, 0), WithinAbs(loss.at("error").get<double>(), 1e-5));
      CHECK(last.name == "target");
      CHECK_THAT(last.values(0, 0), WithinAbs(expected.at("mean").get<double>(), 1e-4));
      CHECK_THAT(last.error(0, 0), WithinAbs(expected.at("error").get<double>(), 1e-4));
      for (std::size_t row = 0; row < result.rows.size(); ++row) {
        CHECK_THAT(result.rows[row].values[0](0, 0), WithinAbs(loss.at("rows")[row].get<double>(), 1e-5));
        CHECK_THAT(result.rows[row].metric.value(), WithinAbs(expected.at("rows")[row].get<double>(), 1e-4));
      }
    }
}

TEST_CASE("set analysis: parts and ablation with each row's own target") {
  check_table(found(asked_of(AnalysisKind::Parts, "pairs")), 0, golden("pairs").at("parts"), 1e-4f);
  for (const Metric metric : kMetrics) {
    INFO(metric_name(metric));
    Analysis analysis = asked_of(AnalysisKind::Ablation, "pairs");
    analysis.metric = metric;
    const AnalysisResult result = found(analysis);
    CHECK(result.tables[0].name == "heads");
    check_table(result, 0, golden("pairs").at("ablation." + metric_name(metric)), 1e-4f);
  }
}

TEST_CASE("set analysis: patches of heads and of named tokens, of texts of one length and of others") {
  for (const std::string name : {"pairs", "lengths"})
    for (const Metric metric : kMetrics) {
      INFO(name << " " << metric_name(metric));
      Analysis analysis = asked_of(AnalysisKind::Patches, name);
      analysis.metric = metric;
      analysis.stage = PatchStage::Context;
      check_table(found(analysis), 0, golden(name).at("heads." + metric_name(metric)), 1e-4f);
      analysis.stage = PatchStage::Residual;
      const AnalysisResult result = found(analysis);
      CHECK(result.tables[0].columns == analysis.set->names);
      check_table(result, 0, golden(name).at("residual." + metric_name(metric)), 1e-4f);
    }
}

TEST_CASE("set analysis: normalized patches are the ratio of the means over rows") {
  Analysis analysis = asked_of(AnalysisKind::Patches, "pairs");
  const AnalysisResult plain = found(analysis);
  analysis.normalized = true;
  const AnalysisResult shares = found(analysis);
  double here = 0, there = 0;
  NetworkPass pass = words_pass();
  for (std::size_t at = 0; at < analysis.set->rows.size(); ++at) {
    const DataRow& row = analysis.set->rows[at];
    here += *plain.rows[at].metric;
    pass.set_ids(row.from);
    const auto logits = pass.logits(pass.token_count() - 1, 1);
    there += double{logits(0, *row.target)} - double{logits(0, *row.against)};
  }
  const auto all = static_cast<float>((there - here) / static_cast<double>(plain.rows.size()));
  CHECK((shares.tables[0].values * all - plain.tables[0].values).cwiseAbs().maxCoeff() < 1e-3f);
  CHECK((shares.rows[1].values[0] * all - plain.rows[1].values[0]).cwiseAbs().maxCoeff() < 1e-3f);
  // The predicted token behind the last layer is the whole difference.
  CHECK_THAT(shares.tables[0].values(3, 2), WithinAbs(1, 1e-4));
}

TEST_CASE("set analysis: tables of tokens have the named ones, each row's own") {
  NetworkPass pass = words_pass();
  for (const AnalysisKind kind : {AnalysisKind::Moved, AnalysisKind::Norms, AnalysisKind::Rollout,
                                  AnalysisKind::Lens, AnalysisKind::Circuit}) {
    INFO(analysis_info(kind).name);
    const Analysis analysis = asked_of(kind, "pairs");
    const AnalysisResult result = found(analysis);
    for (std::size_t at = 0; at < result.tables.size(); ++at) {
      const ResultTable& table = result.tables[at];
      INFO(table.name);
      CHECK(table.values.rows() == static_cast<Index>(table.rows.size()));
      CHECK(table.values.cols() == static_cast<Index>(table.columns.size()));
      CHECK(table.error.rows() == table.values.rows());
      Matrix sum = Matrix::Zero(table.values.rows(), table.values.cols());
      for (const RowResult& row : result.rows)
        sum += row.values[at];
      CHECK((sum / 3 - table.values).cwiseAbs().maxCoeff() < 1e-3f);
    }
  }
  const AnalysisResult moved = found(asked_of(AnalysisKind::Moved, "pairs"));
  CHECK(moved.tables[1].rows == std::vector<std::string>{"@IO", "@S2", "@END"});
  CHECK(moved.tables[1].columns == moved.tables[1].rows);
  const DataRow row = asked_of(AnalysisKind::Moved, "pairs").set->rows[2];
  pass.set_ids(row.text);
  const Matrix weights = pass.attention_weights(1, 1);
  CHECK_THAT(moved.rows[2].values[1](2, 0), WithinAbs(double{weights(row.tokens[2], row.tokens[0])}, 1e-6));
}

TEST_CASE("set analysis: without names the tokens are numbers, if the texts have as many") {
  const std::string alike = "Ann gave the key to\tEve\nLeo gave the key to\tMary\n";
  const AnalysisResult norms = found(asked(AnalysisKind::Norms, alike));
  CHECK(norms.tables[0].columns == std::vector<std::string>{"0", "1", "2", "3", "4", "5"});
  const std::string other = "Ann gave the key to\tEve\nLeo gave it to\tMary\n";
  CHECK_THAT(refusal(asked(AnalysisKind::Norms, other)),
             ContainsSubstring("io.tsv: row 2") && ContainsSubstring("@END"));
  CHECK(found(asked(AnalysisKind::Loss, other)).tables.size() == 2);  // without losses by token
  CHECK(found(asked(AnalysisKind::Parts, other)).tables.size() == 3);
}

TEST_CASE("set analysis: the neurons and the direction are those of the rows together") {
  Analysis analysis = asked_of(AnalysisKind::Neurons, "pairs");
  analysis.top = 4;
  const AnalysisResult neurons = found(analysis);
  REQUIRE(neurons.tables.at(0).rows.size() == 4);
  const Matrix& values = neurons.tables[0].values;
  for (Index row = 1; row < 4; ++row)
    CHECK(std::abs(values(row, 0)) <= std::abs(values(row - 1, 0)));
  NetworkPass pass = words_pass();
  Analysis single = analysis;
  single.set = nullptr;
  single.texts = {analysis.set->rows[1].text};
  single.target = analysis.set->rows[1].target;
  single.against = analysis.set->rows[1].against;
  single.top = 1000;
  const ResultTable all = run_analysis(pass, single, kUnwatched).tables[0];
  const auto same = std::find(all.rows.begin(), all.rows.end(), neurons.tables[0].rows[2]) - all.rows.begin();
  CHECK_THAT(neurons.rows[1].values[0](2, 0), WithinAbs(double{all.values(same, 0)}, 1e-5));

  const AnalysisResult direction = found(asked_of(AnalysisKind::Direction, "pairs"));
  CHECK(direction.tables.at(0).columns.front() == "x 0");
  for (std::size_t row = 0; row < 3; ++row)
    CHECK_THAT(direction.rows[row].values[0](0, 0), WithinAbs(*direction.rows[row].metric, 1e-4));
}

TEST_CASE("set analysis: a row by itself is the mean, without an error") {
  const AnalysisResult result = found(asked(AnalysisKind::Parts, "Ann gave the key to\tEve\n"));
  CHECK(result.tables[0].values == result.rows[0].values[0]);
  CHECK(std::isnan(result.tables[0].error(0, 0)));
}

TEST_CASE("set analysis: numbers that only some rows have are means over these") {
  const float none = std::numeric_limits<float>::quiet_NaN();
  const MeanWithError all = mean_with_error({Matrix::Constant(1, 1, 2), Matrix::Constant(1, 1, none),
                                             Matrix::Constant(1, 1, 4), Matrix::Constant(1, 1, 9)});
  CHECK(all.mean(0) == 5);
  CHECK_THAT(all.error(0), WithinAbs(std::sqrt((9.0 + 1 + 16) / 2 / 3), 1e-6));
  CHECK(std::isnan(mean_with_error({Matrix::Constant(1, 1, none)}).mean(0)));
  CHECK_FALSE(is_no_number(mean_with_error({Matrix::Constant(1, 1, none)}).mean(0)));
  CHECK(is_no_number(mean_with_error({Matrix::Constant(1, 1, kNoNumber)}).mean(0)));
}

TEST_CASE("set analysis: what a set cannot be asked is refused with the row or the column") {
  const std::string row = "Mary gave the key to";
  CHECK_THAT(refusal(asked(AnalysisKind::Composition, row)), ContainsSubstring("weights alone"));
  CHECK_THAT(refusal(asked(AnalysisKind::Patches, row)), ContainsSubstring("column from"));
  CHECK_THAT(refusal(asked(AnalysisKind::Direction, row)), ContainsSubstring("column from"));
  Analysis analysis = asked(AnalysisKind::Ablation, row);
  analysis.metric = Metric::LogitDifference;
  CHECK_THAT(refusal(analysis), ContainsSubstring("column against"));
  analysis = asked(AnalysisKind::Parts, row);
  analysis.metric = Metric::Rank;
  CHECK_THAT(refusal(analysis), ContainsSubstring("logit_difference"));
  analysis = asked(AnalysisKind::Parts, row + "\tLeo");
  analysis.target = 5;
  CHECK_THAT(refusal(analysis), ContainsSubstring("column target"));
  analysis = asked(AnalysisKind::Patches, "text\tfrom\n" + row + "\tLeo gave it to\n");
  CHECK_THAT(refusal(analysis), ContainsSubstring("row 1") && ContainsSubstring("@END"));
  analysis = asked(AnalysisKind::Patches, "text\tfrom\t@A\n" + row + "\tLeo gave it to\tkey\n");
  CHECK_THAT(refusal(analysis), ContainsSubstring("@A") && ContainsSubstring("Leo gave it to"));
}
