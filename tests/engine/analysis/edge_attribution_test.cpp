#include "engine/analysis/edge_attribution.h"

#include <algorithm>

#include "engine/analysis/analysis.h"
#include "engine/analysis/path_results.h"
#include "engine/core/error.h"
#include "engine/core/no_number.h"
#include "engine/interpretation/pass_gradients.h"
#include "tests/engine/analysis/path_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const auto kNoProgress = [](Index, Index) {};

LogitChoice choice_at(Metric metric, Index position) {
  LogitChoice choice{position, 3, {}};
  if (metric == Metric::LogitDifference) choice.other = 8;
  choice.metric = metric;
  return choice;
}

double number_in(const Matrix& logits, const EdgeChoice& choice) {
  return chosen_value(logits.row(0), choice.number);
}

}  // namespace

TEST_CASE("edges: scores of every metric are what NumPy computes, with one step and with five") {
  NetworkPass pass = paths_pass("clean"), source = paths_pass("other");
  for (const auto& [metric, name] :
       std::vector<std::pair<Metric, std::string>>{{Metric::Logit, "logit"},
                                                   {Metric::LogitDifference, "logit_difference"},
                                                   {Metric::LogProbability, "log_probability"},
                                                   {Metric::Probability, "probability"},
                                                   {Metric::Loss, "loss"}})
    for (const Index steps : {1, 5}) {
      INFO(name << ", steps " << steps);
      const EdgeChoice choice{choice_at(metric, pass.token_count() - 1), steps};
      const Matrix expected = expected_matrix("edges." + name + "." + std::to_string(steps));
      CHECK(relative_error(edge_scores(pass, source, choice, kNoProgress), expected) <= kPathError);
    }
  const EdgeChoice rank{choice_at(Metric::Rank, 6)};
  CHECK_THROWS_WITH(edge_scores(pass, source, rank, kNoProgress), ContainsSubstring("no gradient"));
}

// What all readers together make of the embedding is what the whole model makes of it.
TEST_CASE("edges: with one step those of the embedding sum to its gradient, in all families") {
  for (const std::string family : {"gpt2", "gpt_neox", "llama", "llama3", "mistral", "qwen2", "qwen3"}) {
    INFO(family);
    NetworkPass pass = golden_pass(family), source = pass_of_other_text(family);
    const Index last = pass.token_count() - 1;
    const EdgeChoice choice{choice_at(Metric::LogitDifference, last), 1};
    const Matrix scores = edge_scores(pass, source, choice, kNoProgress);
    Matrix gradient;
    logit_gradients(pass, choice.number, GradientsOf::Embedding,
                    [&](const PatchPlace&, const MatrixRef& found) { gradient = found; });
    const float expected = gradient.cwiseProduct(source.residual(0) - pass.residual(0)).sum();
    CHECK_THAT(scores.row(0).sum(), WithinAbs(expected, 1e-4f * scores.row(0).cwiseAbs().sum()));
    CHECK(pass.patches().empty());
  }
}

TEST_CASE("edges: those of the embedding come to the change of the number as steps grow") {
  NetworkPass pass = paths_pass("clean"), source = paths_pass("other");
  const Index last = pass.token_count() - 1;
  EdgeChoice choice{choice_at(Metric::LogitDifference, last)};
  const double change = number_in(source.logits(last, 1), choice) - number_in(pass.logits(last, 1), choice);
  const auto error = [&](Index steps) {
    choice.steps = steps;
    return std::abs(static_cast<double>(edge_scores(pass, source, choice, kNoProgress).row(0).sum()) -
                    change);
  };
  CHECK(error(256) < 0.02 * std::abs(change));
  CHECK(error(256) < error(1));
}

TEST_CASE("edges: a run that keeps all edges but one is the path of that one, and with none the other text") {
  NetworkPass pass = paths_pass("clean"), source = paths_pass("other");
  const Index last = pass.token_count() - 1;
  const EdgeChoice choice{choice_at(Metric::LogitDifference, last)};
  const Matrix paths = expected_matrix("path.held.change");
  EdgeRun run(pass, source);
  const EdgeMask all = EdgeMask::Constant(paths.rows(), paths.cols(), true),
                 none = EdgeMask::Constant(paths.rows(), paths.cols(), false);
  CHECK(largest_difference(run.logits(all, last), pass.logits(last, 1)) < 1e-5f);
  CHECK(largest_difference(run.logits(none, last), source.logits(last, 1)) < 1e-5f);
  const double before = number_in(pass.logits(last, 1), choice);
  const float largest = paths.array().isNaN().select(0, paths.array()).abs().maxCoeff();
  for (Index row = 0; row < paths.rows(); ++row)
    for (Index column = 0; column < paths.cols(); ++column) {
      if (std::isnan(paths(row, column))) continue;
      EdgeMask kept = all;
      kept(row, column) = false;
      const auto change = static_cast<float>(number_in(run.logits(kept, last), choice) - before);
      CHECK_THAT(change, WithinAbs(paths(row, column), kPathError * largest));
    }
}

TEST_CASE("edges: the curve goes from the other text's number to the text's, by edges of falling size") {
  for (const std::string family : {"gpt2", "gpt_neox", "llama", "qwen3"}) {
    INFO(family);
    NetworkPass pass = golden_pass(family), source = pass_of_other_text(family);
    pass.set_heads(LayerPlace(0), {HeadState::Off});
    source.set_heads(LayerPlace(0), {HeadState::Off});
    const Index last = pass.token_count() - 1;
    const EdgeChoice choice{choice_at(Metric::Logit, last), 2};
    const Matrix scores = edge_scores(pass, source, choice, kNoProgress);
    const auto edges = strongest_edges(scores);
    for (std::size_t i = 1; i < edges.size(); ++i)
      CHECK(std::abs(scores(edges[i - 1].first, edges[i - 1].second)) >=
            std::abs(scores(edges[i].first, edges[i].second)));
    const EdgeCurve curve = edge_curve(pass, source, scores, choice, kNoProgress);
    CHECK(curve.kept.front() == 0);
    CHECK(curve.kept.back() == static_cast<Index>(edges.size()));
    CHECK_THAT(curve.numbers(0), WithinAbs(number_in(source.logits(last, 1), choice), 1e-3));
    CHECK_THAT(curve.numbers(curve.numbers.size() - 1),
               WithinAbs(number_in(pass.logits(last, 1), choice), 1e-3));
  }
  CHECK(curve_counts(5) == std::vector<Index>{0, 1, 2, 4, 5});
  CHECK(curve_counts(1) == std::vector<Index>{0, 1});
}

TEST_CASE(
    "edges: a result names the ends of its edges, and shows as many as it would if it had been asked for "
    "them") {
  Analysis analysis;
  analysis.kind = AnalysisKind::Edges;
  analysis.texts = {expected_ids("clean")};
  analysis.others = {expected_ids("other")};
  analysis.steps = 1;
  const auto asked = [&](Index top) {
    analysis.top = top;
    NetworkPass pass = paths_pass("clean");
    return run_analysis(pass, analysis, [](double) {});
  };
  AnalysisResult few = asked(3);
  const AnalysisResult many = asked(7);
  REQUIRE(few.edges);
  CHECK(few.edges->shown == 3);
  CHECK(few.tables[1].rows.size() == 3);
  CHECK(few.edges->senders.size() == few.tables[0].rows.size());
  CHECK(few.edges->receivers.size() == few.tables[0].columns.size());
  CHECK_FALSE(few.edges->parallel);
  const NetworkPass pass = paths_pass("clean");
  const NetworkConfig& c = pass.network().config();
  for (std::size_t row = 0; row < few.edges->senders.size(); ++row)
    for (std::size_t column = 0; column < few.edges->receivers.size(); ++column)
      CHECK(is_no_number(few.tables[0].values(static_cast<Index>(row), static_cast<Index>(column))) !=
            is_edge(c, few.edges->senders[row], few.edges->receivers[column]));
  show_strongest(few, 7);
  CHECK(few.edges->shown == 7);
  CHECK(few.tables[1].rows == many.tables[1].rows);
  CHECK(few.tables[1].values == many.tables[1].values);
}

TEST_CASE("paths: those to one receiver are a list of what reaches it") {
  Analysis analysis;
  analysis.kind = AnalysisKind::Paths;
  analysis.texts = {expected_ids("clean")};
  analysis.others = {expected_ids("other")};
  analysis.receiver = StreamReader{StreamReader::Kind::Queries, 1, 0};
  NetworkPass pass = paths_pass("clean");
  const AnalysisResult result = run_analysis(pass, analysis, [](double) {});
  const ResultTable& list = result.tables.at(0);
  CHECK(list.kind == ResultTable::Kind::List);
  CHECK(list.columns == std::vector<std::string>{"L1 H0 queries"});
  CHECK(list.rows.front() == "embedding");
  CHECK(std::find(list.rows.begin(), list.rows.end(), "L1 MLP") == list.rows.end());
  CHECK(list.values.array().isFinite().all());
}
