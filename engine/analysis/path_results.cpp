#include "engine/analysis/path_results.h"

#include <algorithm>
#include <cmath>

#include "engine/analysis/score_parts.h"
#include "engine/analysis/tables.h"
#include "engine/core/digits.h"
#include "engine/core/error.h"
#include "engine/core/no_number.h"

namespace headlight {
namespace {

using Names = std::vector<std::string>;

template <class Part>
Names names_of(const std::vector<Part>& parts) {
  Names names;
  for (const Part& part : parts)
    names.push_back(name_of(part));
  return names;
}

std::string token_in_words(const NetworkPass& pass, Index token) {
  return "\"" + pass.network().label(pass.ids()[static_cast<std::size_t>(token)]) + "\" (token " +
         std::to_string(token) + ")";
}

// The cells of largest size as a list, the largest first.
ResultTable strongest_cells(const ResultTable& cells, Index top) {
  std::vector<std::pair<Index, Index>> strongest = strongest_edges(cells.values);
  strongest.resize(std::min(strongest.size(), static_cast<std::size_t>(top)));
  Names names;
  Matrix values(static_cast<Index>(strongest.size()), 1);
  for (std::size_t i = 0; i < strongest.size(); ++i) {
    const auto [row, column] = strongest[i];
    names.push_back(cells.rows[static_cast<std::size_t>(row)] + " → " +
                    cells.columns[static_cast<std::size_t>(column)]);
    values(static_cast<Index>(i), 0) = cells.values(row, column);
  }
  const char* const row_axis = cells.row_axis == "sender" ? "edge" : "query → key";
  ResultTable table = list_table("strongest", row_axis, std::move(names), {"adds"}, std::move(values));
  table.signed_values = true;
  return table;
}

double share_of_texts(const Analysis& analysis) {
  return 1 / static_cast<double>(analysis.texts.size());
}

void say_sources(AnalysisResult& result, const std::string& number, double other, double before) {
  result.notes.push_back(number + ": " + four_decimals(other) + " in A, " + four_decimals(before) + " in B");
}

}  // namespace

void add_score_parts(NetworkPass& pass, const Analysis& analysis, AnalysisResult& result) {
  const Index query = analysis.query.value_or(pass.token_count() - 1);
  const bool there = analysis.layer < pass.network().config().layers &&
                     analysis.head < pass.network().config().heads && query >= 0 &&
                     query < pass.token_count();
  const Index key = analysis.key ? *analysis.key
                    : there      ? strongest_key(pass, analysis.layer, analysis.head, query)
                                 : 0;
  const ScoreParts found = score_parts(pass, {analysis.layer, analysis.head, query, key});
  const Names names = names_of(found.parts);
  const float weight = pass.attention_weights(analysis.layer, analysis.head)(query, key);
  result.notes.push_back("query: " + token_in_words(pass, query) + (analysis.query ? "" : ", the last one") +
                         "; key: " + token_in_words(pass, key) +
                         (analysis.key ? "" : ", to which the query attends most"));
  result.notes.push_back("score " + four_decimals(found.score) + ", the sum of all cells (" +
                         four_decimals(found.cells.cast<double>().sum()) + "); weight " +
                         four_decimals(static_cast<double>(weight)));
  result.notes.push_back(
      "a cell: what the key's part (column) adds to the score with the query's part (row), with the divisors "
      "of "
      "the norms held; the score is scaled, before a bias, the mask and softmax");
  result.tables.push_back(of_quantity(
      "score", grid_table("parts", "part of the query", "part of the key", names, names, found.cells, true)));
  add_strongest(result, analysis.top);
  result.metric = found.score;
}

PathMeans::PathMeans(const Network& network, const Analysis& analysis)
    : analysis_(analysis),
      senders_(analysis.sender ? std::vector{*analysis.sender} : senders_of(network.config())),
      receivers_(analysis.receiver ? std::vector{*analysis.receiver} : receivers_of(network.config())),
      share_(share_of_texts(analysis)) {
  if (analysis.sender && analysis.receiver &&
      !is_edge(network.config(), *analysis.sender, *analysis.receiver))
    throw Error("nothing goes from " + name_of(*analysis.sender) + " to " + name_of(*analysis.receiver) +
                    ", which reads the stream before",
                "receiver", "give a receiver in a later layer");
  if (analysis.receiver)  // a list of what reaches it
    std::erase_if(senders_, [&](const StreamPart& sender) {
      return !is_edge(network.config(), sender, *analysis.receiver);
    });
  changes_ = Eigen::MatrixXd::Constant(static_cast<Index>(senders_.size()),
                                       static_cast<Index>(receivers_.size()), double{kNoNumber});
}

void PathMeans::add(NetworkPass& pass, NetworkPass& source, const LogitChoice& number,
                    const AnalysisProgress& progress) {
  const double before = chosen_value(pass.logits(number.position, 1).row(0), number);
  before_ += share_ * before;
  other_ += share_ * chosen_value(source.logits(number.position, 1).row(0), number);
  PathPatching patching(pass, source, analysis_.mlps_between, analysis_.positions, number.position);
  const auto place = [&](const StreamReader& receiver) {
    return std::find(receivers_.begin(), receivers_.end(), receiver) - receivers_.begin();
  };
  const auto wanted = [&](const StreamReader& receiver) {
    return place(receiver) < static_cast<Index>(receivers_.size());
  };
  for (std::size_t row = 0; row < senders_.size(); ++row) {
    patching.send(senders_[row], wanted, [&](const PathEffect& effect) {
      double& sum = changes_(static_cast<Index>(row), place(effect.receiver));
      const double change = chosen_value(effect.logits.row(0), number) - before;
      sum = (std::isnan(sum) ? 0 : sum) + share_ * change;
    });
    progress(static_cast<double>(row + 1) / static_cast<double>(senders_.size()));
  }
}

void PathMeans::add_to(AnalysisResult& result, const std::string& number) const {
  say_sources(result, number, other_, before_);
  std::string positions;
  for (const Index at : analysis_.positions)
    positions += (positions.empty() ? "" : ", ") + std::to_string(at);
  result.notes.push_back("in B each receiver alone reads what the sender adds in A" +
                         (positions.empty() ? std::string() : " at the tokens " + positions) +
                         "; heads between are held, MLPs " +
                         (analysis_.mlps_between == MlpsBetween::Held ? "too" : "are computed again"));
  const Names senders = names_of(senders_), receivers = names_of(receivers_);
  Matrix changes = changes_.cast<float>();
  const bool list = receivers.size() == 1 && senders.size() > 1;
  ResultTable table =
      list ? list_table("change", "sender", senders, receivers, std::move(changes))
           : grid_table("change", "sender", "receiver", senders, receivers, std::move(changes), true);
  table.signed_values = true;
  result.tables.push_back(of_quantity("change of the " + number, std::move(table)));
  if (changes_.size() > 1) return;
  Matrix values(1, 3);
  values << static_cast<float>(changes_(0, 0)), static_cast<float>(before_),
      static_cast<float>(before_ + changes_(0, 0));
  result.tables.push_back(
      list_table("path", "path", {name_of(senders_.front()) + " → " + name_of(receivers_.front())},
                 {"change", number + " without it", number + " with it"}, std::move(values)));
}

EdgeMeans::EdgeMeans(const Network& network, const Analysis& analysis)
    : network_(network), analysis_(analysis), share_(share_of_texts(analysis)) {}

void EdgeMeans::add_scores(NetworkPass& pass, NetworkPass& source, const LogitChoice& number,
                           const AnalysisProgress& progress) {
  const Matrix scores = edge_scores(pass, source, {number, analysis_.steps}, [&](Index done, Index all) {
    progress(static_cast<double>(done) / static_cast<double>(all));
  });
  if (scores_.size() == 0) scores_.setZero(scores.rows(), scores.cols());
  for (Index i = 0; i < scores.size(); ++i) {
    const float score = scores.data()[i];
    float& sum = scores_.data()[i];
    sum = is_no_number(score) ? kNoNumber : sum + static_cast<float>(share_) * score;
  }
}

void EdgeMeans::add_curve(NetworkPass& pass, NetworkPass& source, const LogitChoice& number,
                          const AnalysisProgress& progress) {
  const EdgeCurve curve = edge_curve(
      pass, source, scores_, {number, analysis_.steps},
      [&](Index done, Index all) { progress(static_cast<double>(done) / static_cast<double>(all)); });
  if (curve_.kept.empty()) curve_ = {curve.kept, Eigen::VectorXd::Zero(curve.numbers.size())};
  curve_.numbers += share_ * curve.numbers;
}

void EdgeMeans::add_to(AnalysisResult& result, const std::string& number) const {
  const double other = curve_.numbers(0), before = curve_.numbers(curve_.numbers.size() - 1);
  say_sources(result, number, other, before);
  result.notes.push_back("an edge's score estimates how the " + number +
                         " of B changes if the receiver alone reads the sender's output of A: by " +
                         std::to_string(analysis_.steps) +
                         (analysis_.steps == 1 ? " gradient, at B" : " gradients on the way from A to B"));
  result.notes.push_back("kept: a run in which all other edges carry what A has; carried: 0 is A, 1 is B");
  const NetworkConfig& c = network_.config();
  result.edges = EdgeEnds{senders_of(c), receivers_of(c), c.parallel, analysis_.top};
  const Names senders = names_of(result.edges->senders), receivers = names_of(result.edges->receivers);
  result.tables.push_back(
      of_quantity("change of the " + number,
                  grid_table("edges", "sender", "receiver", senders, receivers, scores_, true)));
  add_strongest(result, analysis_.top);
  Matrix values(curve_.numbers.size(), 2);
  Names counts;
  for (Index i = 0; i < values.rows(); ++i) {
    counts.push_back(std::to_string(curve_.kept[static_cast<std::size_t>(i)]));
    const double carried =
        before == other ? double{kNoNumber} : (curve_.numbers(i) - other) / (before - other);
    values.row(i) << static_cast<float>(curve_.numbers(i)), static_cast<float>(carried);
  }
  result.tables.push_back(
      list_table("kept", "edges kept", std::move(counts), {number, "carried"}, std::move(values)));
}

void add_strongest(AnalysisResult& result, Index top) {
  result.tables.push_back(strongest_cells(result.tables.front(), top));
}

void show_strongest(AnalysisResult& result, Index top) {
  result.edges->shown = top;
  for (ResultTable& table : result.tables)
    if (table.name == "strongest") table = strongest_cells(result.tables.front(), top);
}

}  // namespace headlight
