#include "engine/analysis/stream_parts.h"

#include <cmath>

#include "engine/core/error.h"
#include "engine/core/stopping.h"

namespace headlight {
namespace {

using PartKind = StreamPart::Kind;

// Whether learned positions are added to the embeddings as they are.
bool adds_positions(const Network& network) {
  const NetworkWeights& w = network.weights();
  return w.positions && w.embedding_norm.empty() && w.embedding_projection.empty();
}

Matrix token_embedding(const Network& network, std::int32_t id) {
  Matrix row(1, network.config().width);
  widen(*network.weights().tokens, static_cast<Index>(id) * row.cols(), row.cols(), row.data());
  return row * static_cast<float>(network.config().embedding_factor);
}

// What each head adds at a token, and behind them the bias of the output projection: H + 1 rows.
Matrix added_by_heads(NetworkPass& pass, Index layer, Index token) {
  const NetworkConfig& c = pass.network().config();
  const LayerWeights& w = pass.layer_weights(layer);
  const Matrix concat = pass.concat_row(layer, token), output = widened(w.output),
               bias = widened_bias(w.output);
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(c.heads + 1, c.width);
  for (Index head = 0; head < c.heads; ++head)
    rows.row(head) = concat.middleCols(head * c.head_width, c.head_width).cast<double>() *
                     output.middleRows(head * c.head_width, c.head_width).cast<double>();
  if (bias.size() > 0) rows.row(c.heads) = bias.row(0).cast<double>();
  if (!w.attention_out_norm.empty()) {
    const Eigen::RowVectorXd sum = rows.colwise().sum();
    rows = through_held_norm(c, w.attention_out_norm, sum, std::move(rows));
    if (w.attention_out_norm.bias.size() > 0) rows.row(c.heads) += w.attention_out_norm.bias.cast<double>();
  }
  return (rows * c.residual_factor).cast<float>();
}

}  // namespace

std::string name_of(const StreamPart& part) {
  const std::string layer = "L" + std::to_string(part.layer);
  switch (part.kind) {
    case PartKind::Embedding:
      return "embedding";
    case PartKind::Position:
      return "position";
    case PartKind::Head:
      return layer + " H" + std::to_string(part.head);
    case PartKind::Mlp:
      return layer + " MLP";
    case PartKind::Biases:
      return "biases";
  }
  return "";
}

void require_parts(const NetworkPass& pass) {
  require_parts(pass.network(), pass.patches());
}

void require_parts(const Network& network, const std::vector<Patch>& patches) {
  const NetworkConfig& c = network.config();
  const bool sides = c.cross || network.reads_images();
  if (!c.stream_is_sum() || sides)
    throw Error("a model of type " + std::string(family_name(c)) +
                    (sides ? ", which reads more than one text, is not taken apart here"
                           : " norms the sum behind each layer, so that its stream is no sum of parts"),
                network.name(), "open a decoder that norms what its layers read, as gpt2 or llama");
  for (const Patch& patch : patches)
    if (patch.stage == PatchStage::Residual || patch.stage == PatchStage::AttentionAdded ||
        patch.stage == PatchStage::Input)
      throw Error("a patch overwrites the stream in layer " + std::to_string(patch.layer) +
                      ", which is then no sum of what heads and MLPs add",
                  "changes", "switch the patch off");
}

std::vector<StreamPart> parts_before(const Network& network, Index layer) {
  std::vector<StreamPart> parts = {{PartKind::Embedding, 0, 0}};
  if (adds_positions(network)) parts.push_back({PartKind::Position, 0, 0});
  for (Index before = 0; before < layer; ++before) {
    for (Index head = 0; head < network.config().heads; ++head)
      parts.push_back({PartKind::Head, before, head});
    parts.push_back({PartKind::Mlp, before, 0});
  }
  parts.push_back({PartKind::Biases, 0, 0});
  return parts;
}

Matrix rows_of_parts(NetworkPass& pass, Index layer, Index token) {
  const Network& network = pass.network();
  const NetworkConfig& c = network.config();
  const auto count = static_cast<Index>(parts_before(network, layer).size());
  Matrix rows = Matrix::Zero(count, c.width);
  rows.row(0) = pass.residual_row(0, token);
  Index next = 1;
  if (adds_positions(network)) {
    const Matrix embedding = token_embedding(network, pass.ids()[static_cast<std::size_t>(token)]);
    rows.row(next++) = rows.row(0) - embedding.row(0);
    rows.row(0) = embedding;
  }
  for (Index before = 0; before < layer; ++before) {
    throw_if_stopped();
    const Matrix added = added_by_heads(pass, before, token);
    rows.middleRows(next, c.heads) = added.topRows(c.heads);
    rows.row(count - 1) += added.row(c.heads);
    next += c.heads;
    rows.row(next++) = pass.mlp_added(before, token, 1);
  }
  return rows;
}

Matrix head_added(NetworkPass& pass, Index layer, Index head) {
  const NetworkConfig& c = pass.network().config();
  const Index tokens = pass.token_count();
  if (!pass.layer_frame(layer).attention.head_enabled(head)) return Matrix::Zero(tokens, c.width);
  const Matrix output =
      widened(pass.layer_weights(layer).output).middleRows(head * c.head_width, c.head_width);
  return pass.concat(layer).middleCols(head * c.head_width, c.head_width) * output *
         static_cast<float>(c.residual_factor);
}

Eigen::MatrixXd through_held_norm(const NetworkConfig& config, const NormWeights& norm,
                                  const Eigen::RowVectorXd& of, Eigen::MatrixXd rows) {
  if (norm.empty()) return rows;
  const bool centred = config.norm == NormKind::Layer;
  const double mean = centred ? of.mean() : 0;
  const double divisor = std::sqrt((of.array() - mean).square().mean() + config.epsilon);
  if (centred) rows.colwise() -= rows.rowwise().mean().eval();
  Eigen::RowVectorXd weight = norm.weight.cast<double>();
  if (config.norm == NormKind::RmsPlusOne) weight.array() += 1;
  return rows * (weight / divisor).asDiagonal();
}

}  // namespace headlight
