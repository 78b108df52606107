#include "engine/analysis/edge_attribution.h"

#include <algorithm>
#include <cmath>

#include "engine/core/error.h"
#include "engine/core/no_number.h"
#include "engine/core/stopping.h"
#include "engine/interpretation/metric_slope.h"
#include "engine/interpretation/pass_gradients.h"
#include "engine/interpretation/patch_map.h"
#include "engine/network/layer_attention.h"
#include "engine/network/layer_steps.h"
#include "engine/network/norms.h"

namespace headlight {
namespace {

using ReaderKind = StreamReader::Kind;

Eigen::Map<const Eigen::RowVectorXf> flat(const Matrix& rows) {
  return {rows.data(), rows.size()};
}

// What each sender adds in the source less what it adds in the pass: senders x T d.
Matrix changes_of(NetworkPass& pass, NetworkPass& source, const std::vector<StreamPart>& senders) {
  const std::vector<Matrix> here = sender_outputs(pass, senders), there = sender_outputs(source, senders);
  Matrix changes(static_cast<Index>(senders.size()), here.front().size());
  for (std::size_t i = 0; i < senders.size(); ++i)
    changes.row(static_cast<Index>(i)) = flat(there[i]) - flat(here[i]);
  return changes;
}

}  // namespace

Matrix edge_scores(NetworkPass& pass, NetworkPass& source, const EdgeChoice& choice,
                   const std::function<void(Index, Index)>& done) {
  require_paths(pass);
  require_paths(source);
  require_alike(pass, source);
  if (choice.steps < 1) throw Error("there is no step", "steps", "take at least one");
  const NetworkConfig& c = pass.network().config();
  const std::vector<StreamPart> senders = senders_of(c);
  const std::vector<StreamReader> receivers = receivers_of(c);
  const Matrix changes = changes_of(pass, source, senders), here = pass.residual(0),
               there = source.residual(0);
  NetworkPass between = pass;
  Matrix scores = Matrix::Zero(static_cast<Index>(senders.size()), static_cast<Index>(receivers.size()));
  for (Index k = 1; k <= choice.steps; ++k) {
    const float share = static_cast<float>(k) / static_cast<float>(choice.steps);
    between.set_patches({{PatchStage::Residual, 0, 0, 0, 0, there + share * (here - there)}});
    const Index position = choice.number.position;
    const Matrix slope = metric_slope(between.logits(position, 1).row(0), choice.number);
    reader_gradients(between, position, slope, [&](const StreamReader& reader, const Matrix& gradient) {
      const auto column = std::find(receivers.begin(), receivers.end(), reader) - receivers.begin();
      scores.col(column) += changes * flat(gradient).transpose() / static_cast<float>(choice.steps);
    });
    done(k, choice.steps);
  }
  for (Index row = 0; row < scores.rows(); ++row)
    for (Index column = 0; column < scores.cols(); ++column)
      if (!is_edge(c, senders[static_cast<std::size_t>(row)], receivers[static_cast<std::size_t>(column)]))
        scores(row, column) = kNoNumber;
  return scores;
}

EdgeRun::EdgeRun(NetworkPass& pass, NetworkPass& source)
    : pass_(pass),
      senders_(senders_of(pass.network().config())),
      receivers_(receivers_of(pass.network().config())) {
  require_paths(pass);
  require_paths(source);
  require_alike(pass, source);
  const NetworkConfig& c = pass.network().config();
  others_ = sender_outputs(source, senders_);
  embedding_ = pass.residual(0);
  for (Index layer = 0; layer <= c.layers; ++layer) {
    streams_.emplace_back(source.residual(layer));
    if (layer < c.layers)
      middles_.push_back(c.parallel ? streams_.back() : source.middle(layer, 0, source.token_count()));
  }
}

std::size_t EdgeRun::place(const StreamReader& receiver) const {
  return static_cast<std::size_t>(std::find(receivers_.begin(), receivers_.end(), receiver) -
                                  receivers_.begin());
}

// other: the stream as the receiver reads it in the source.
Matrix EdgeRun::read_by(std::size_t receiver, const MatrixRef& other, const EdgeMask& kept) const {
  const NetworkConfig& c = pass_.network().config();
  Matrix read = other;
  for (std::size_t sender = 0; sender < changes_.size(); ++sender)
    if (kept(static_cast<Index>(sender), static_cast<Index>(receiver)) &&
        is_edge(c, senders_[sender], receivers_[receiver]))
      read += changes_[sender];
  return read;
}

// Queries, keys or values of all heads, each from the stream that it reads alone.
Matrix EdgeRun::heads_of(ReaderKind kind, Index layer, const EdgeMask& kept) {
  const NetworkConfig& c = pass_.network().config();
  const LayerWeights& w = pass_.layer_weights(layer);
  const Factor& factor = kind == ReaderKind::Queries ? w.query : kind == ReaderKind::Keys ? w.key : w.value;
  Matrix made(pass_.token_count(), factor.outputs);
  for (Index head = 0; head * c.head_width < factor.outputs; ++head) {
    Matrix read = read_by(place({kind, layer, head}), streams_[static_cast<std::size_t>(layer)], kept);
    norm_input(c, w.attention_norm, read);
    multiply_columns(read, factor, head * c.head_width, made.middleCols(head * c.head_width, c.head_width),
                     workspace_);
  }
  const HeadRotations turned = pass_.rotations(layer);
  if (kind == ReaderKind::Queries) turn_heads(c, w.query_norm, turned.queries, 0, made);
  if (kind == ReaderKind::Keys) turn_heads(c, w.key_norm, turned.keys, 0, made);
  if (kind == ReaderKind::Values) clip_rows(c, made);
  return made;
}

void EdgeRun::run_heads(Index layer, const EdgeMask& kept) {
  const NetworkConfig& c = pass_.network().config();
  const Layer& frame = pass_.layer_frame(layer);
  const Matrix queries = heads_of(ReaderKind::Queries, layer, kept),
               keys = heads_of(ReaderKind::Keys, layer, kept),
               values = heads_of(ReaderKind::Values, layer, kept);
  Matrix concat(queries.rows(), c.heads * c.head_width);
  attend(frame, queries, keys, values, 0, concat, workspace_);
  const Matrix output = widened(pass_.layer_weights(layer).output);
  for (Index head = 0; head < c.heads; ++head) {
    const Matrix& other = others_[changes_.size()];
    if (!frame.attention.head_enabled(head)) {
      changes_.emplace_back(-other);
      continue;
    }
    changes_.emplace_back(concat.middleCols(head * c.head_width, c.head_width) *
                              output.middleRows(head * c.head_width, c.head_width) *
                              static_cast<float>(c.residual_factor) -
                          other);
  }
}

Matrix EdgeRun::logits(const EdgeMask& kept, Index position) {
  const NetworkConfig& c = pass_.network().config();
  changes_.clear();
  changes_.emplace_back(embedding_ - others_.front());
  for (Index layer = 0; layer < c.layers; ++layer) {
    throw_if_stopped();
    run_heads(layer, kept);
    const auto mlp = place({ReaderKind::Mlp, layer, 0});
    const Matrix read = read_by(mlp, middles_[static_cast<std::size_t>(layer)], kept);
    const Matrix made = mlp_output(c, pass_.layer_weights(layer), read, workspace_);
    changes_.emplace_back(made - others_[changes_.size()]);
  }
  const Matrix left = read_by(place({ReaderKind::Logits, c.layers, 0}), streams_.back(), kept);
  return pass_.logits_of(left.middleRows(position, 1));
}

std::vector<Index> curve_counts(Index edges) {
  std::vector<Index> counts = {0};
  for (Index count = 1; count < edges; count *= 2)
    counts.push_back(count);
  counts.push_back(edges);
  return counts;
}

std::vector<std::pair<Index, Index>> strongest_edges(const Matrix& scores) {
  std::vector<std::pair<Index, Index>> edges;
  for (Index row = 0; row < scores.rows(); ++row)
    for (Index column = 0; column < scores.cols(); ++column)
      if (!std::isnan(scores(row, column))) edges.emplace_back(row, column);
  std::stable_sort(edges.begin(), edges.end(), [&](const auto& a, const auto& b) {
    return std::abs(scores(a.first, a.second)) > std::abs(scores(b.first, b.second));
  });
  return edges;
}

EdgeCurve edge_curve(NetworkPass& pass, NetworkPass& source, const Matrix& scores, const EdgeChoice& choice,
                     const std::function<void(Index, Index)>& done) {
  const std::vector<std::pair<Index, Index>> edges = strongest_edges(scores);
  EdgeRun run(pass, source);
  EdgeCurve curve;
  curve.kept = curve_counts(static_cast<Index>(edges.size()));
  const auto points = static_cast<Index>(curve.kept.size());
  curve.numbers.resize(points);
  EdgeMask kept = EdgeMask::Constant(scores.rows(), scores.cols(), false);
  Index next = 0;
  for (Index point = 0; point < points; ++point) {
    for (; next < curve.kept[static_cast<std::size_t>(point)]; ++next) {
      const auto [row, column] = edges[static_cast<std::size_t>(next)];
      kept(row, column) = true;
    }
    curve.numbers(point) = chosen_value(run.logits(kept, choice.number.position).row(0), choice.number);
    done(point + 1, points);
  }
  return curve;
}

}  // namespace headlight
