#include "engine/interpretation/attribution.h"

#include <algorithm>
#include <cmath>

#include "engine/core/error.h"
#include "engine/core/stopping.h"

namespace headlight {
namespace {

using Row = Eigen::RowVectorXf;

// The logit as a linear function of the stream: one coefficient per column.
struct Direction {
  Row stream;
  double constant = 0;
};

Row unembedding(const Network& network, std::int32_t id) {
  const Factor& w = network.weights().logits;
  Row row(w.inputs);
  // Every family has one row per token.
  read_numbers(*w.tensor, w.place(id) * w.inputs, w.inputs, row.data());
  return row;
}

float logit_bias(const Network& network, std::int32_t id) {
  float bias = 0;
  if (network.weights().logits.bias) read_numbers(*network.weights().logits.bias, id, 1, &bias);
  return bias;
}

// The factor by which a norm scales a row before it applies its weights.
float divisor_of(const NetworkConfig& config, const Row& row) {
  const float mean = config.norm == NormKind::Layer ? row.mean() : 0;
  return 1 / std::sqrt((row.array() - mean).square().mean() + static_cast<float>(config.epsilon));
}

// Backward through a norm with a constant divisor: from the coefficients after it to those before it.
Row through_norm(const NetworkConfig& config, const NormWeights& norm, const Row& normed, const Row& behind) {
  Row front = behind.cwiseProduct(norm.weight) * divisor_of(config, normed);
  if (config.norm == NormKind::RmsPlusOne) front += behind * divisor_of(config, normed);
  if (config.norm == NormKind::Layer) front.array() -= front.mean();
  return front;
}

void require_sums(const Network& network) {
  network.require_predictions();
  if (!network.config().stream_is_sum())
    throw Error("a model of type " + std::string(family_name(network.config())) +
                    " has no parts that stay sums: it norms the sum behind each layer, or has an activation "
                    "before its logits",
                network.name(), "open a model that norms what its layers read, as gpt2 or llama");
}

Direction direction_of(NetworkPass& pass, const LogitChoice& logit) {
  const Network& network = pass.network();
  require_sums(network);
  Row behind = unembedding(network, logit.id);
  Direction direction;
  direction.constant = static_cast<double>(logit_bias(network, logit.id));
  if (logit.other) {
    behind -= unembedding(network, *logit.other);
    direction.constant -= static_cast<double>(logit_bias(network, *logit.other));
  }
  behind *= static_cast<float>(network.config().logit_factor);
  direction.constant *= network.config().logit_factor;
  if (const Factor& projection = network.weights().head_projection; !projection.empty())
    behind = (widened(projection) * behind.transpose()).transpose();
  const NormWeights& norm = network.weights().final_norm;
  if (norm.bias.size() > 0) direction.constant += static_cast<double>(behind.dot(norm.bias));
  const Row left = pass.residual_row(network.config().layers, logit.position);
  direction.stream = norm.empty() ? behind : through_norm(network.config(), norm, left, behind);
  return direction;
}

// The logit as a linear function of a layer's concat, from its coefficients of the stream.
struct ConcatDirection {
  Row concat;
  double constant = 0;  // from the bias
};

ConcatDirection into_concat(NetworkPass& pass, Index layer, Index position, const Row& stream) {
  const NetworkConfig& config = pass.network().config();
  const LayerWeights& w = pass.layer_weights(layer);
  Row behind = stream * static_cast<float>(config.residual_factor);
  const Matrix bias = widened_bias(w.output);
  ConcatDirection direction;
  if (!w.attention_out_norm.empty())
    behind = through_norm(config, w.attention_out_norm, pass.projected_heads(layer, position), behind);
  if (bias.size() > 0) direction.constant = static_cast<double>(behind.dot(bias.row(0)));
  direction.concat = (widened(w.output) * behind.transpose()).transpose();
  return direction;
}

// The same for attention to the memory, to whose output no norm is applied.
ConcatDirection into_cross(NetworkPass& pass, Index layer, const Row& stream) {
  const LayerWeights& w = pass.layer_weights(layer);
  const Matrix bias = widened_bias(w.cross_output);
  ConcatDirection direction;
  if (bias.size() > 0) direction.constant = static_cast<double>(stream.dot(bias.row(0)));
  direction.concat = (widened(w.cross_output) * stream.transpose()).transpose();
  return direction;
}

// What each head of a concatenated row adds.
Row parts_of_heads(const NetworkConfig& config, const Matrix& concat, const ConcatDirection& into) {
  Row parts(config.heads);
  for (Index head = 0; head < config.heads; ++head)
    parts(head) = concat.row(0)
                      .segment(head * config.head_width, config.head_width)
                      .dot(into.concat.segment(head * config.head_width, config.head_width));
  return parts;
}

bool covers(const Patch& patch, Index token) {
  return patch.row <= token && token < patch.row + patch.values.rows();
}

// Whether a change replaces a sum in the stream of a token: what was added to the stream before is then not
// part of it.
bool stream_is_patched(const NetworkPass& pass, Index token) {
  for (Index layer = 1; layer <= pass.network().config().layers; ++layer)
    if (pass.intervenes(InterventionPlace::Residual, layer)) return true;
  return std::any_of(pass.patches().begin(), pass.patches().end(), [&](const Patch& patch) {
    return covers(patch, token) && (patch.stage == PatchStage::AttentionAdded ||
                                    (patch.stage == PatchStage::Residual && patch.layer > 0));
  });
}

bool context_is_patched(const NetworkPass& pass, Index layer, Index head, Index token) {
  if (pass.intervenes(InterventionPlace::Head, layer)) return true;
  return std::any_of(pass.patches().begin(), pass.patches().end(), [&](const Patch& patch) {
    return patch.stage == PatchStage::Context && patch.layer == layer && patch.head == head &&
           covers(patch, token);
  });
}

HeadState state_of(const HeadStates& states, Index head) {
  return head < static_cast<Index>(states.size()) ? states[static_cast<std::size_t>(head)] : HeadState::On;
}

double sum_of_parts(const Attribution& parts) {
  return parts.embedding + parts.constant + parts.heads.cast<double>().sum() +
         parts.output_bias.cast<double>().sum() + parts.mlps.cast<double>().sum() +
         parts.cross_heads.cast<double>().sum() + parts.cross_bias.cast<double>().sum();
}

}  // namespace

Attribution attribute(NetworkPass& pass, const LogitChoice& logit) {
  const NetworkConfig& config = pass.network().config();
  const Direction direction = direction_of(pass, logit);
  const auto part = [&](const Row& row) { return row.dot(direction.stream); };
  Attribution parts;
  parts.of = logit;
  parts.constant = direction.constant;
  parts.embedding = static_cast<double>(part(pass.residual_row(0, logit.position)));
  parts.logit = parts.constant + static_cast<double>(part(pass.residual_row(config.layers, logit.position)));
  parts.heads.resize(config.layers, config.heads);
  parts.output_bias.resize(config.layers);
  parts.mlps.resize(config.layers);
  parts.cross_heads.resize(config.cross ? config.layers : 0, config.heads);
  parts.cross_bias.resize(config.cross ? config.layers : 0);
  for (Index layer = 0; layer < config.layers; ++layer) {
    throw_if_stopped();
    const ConcatDirection into = into_concat(pass, layer, logit.position, direction.stream);
    parts.heads.row(layer) = parts_of_heads(config, pass.concat_row(layer, logit.position), into);
    parts.output_bias(layer) = static_cast<float>(into.constant);
    if (config.cross) {
      const ConcatDirection crossing = into_cross(pass, layer, direction.stream);
      parts.cross_heads.row(layer) =
          parts_of_heads(config, pass.cross_heads(layer, logit.position, 1), crossing);
      parts.cross_bias(layer) = static_cast<float>(crossing.constant);
    }
    parts.mlps(layer) = part(pass.mlp_added(layer, logit.position, 1).row(0));
  }
  if (stream_is_patched(pass, logit.position)) parts.patches = parts.logit - sum_of_parts(parts);
  return parts;
}

Eigen::RowVectorXf attribute_sources(NetworkPass& pass, const LogitChoice& logit, LayerPlace place,
                                     Index head) {
  const NetworkConfig& config = pass.network().config();
  const Direction direction = direction_of(pass, logit);
  const Index layer = place.layer;
  if (place.side == Side::Cross) {
    if (!pass.cross_frame(layer).attention.head_enabled(head)) return Row::Zero(pass.memory().rows());
    const Row own =
        into_cross(pass, layer, direction.stream).concat.segment(head * config.head_width, config.head_width);
    const Row values =
        (pass.cross_values(layer).middleCols(head * config.head_width, config.head_width) * own.transpose())
            .transpose();
    return pass.cross_dropped(layer, head).row(logit.position).cwiseProduct(values);
  }
  const HeadState state = state_of(pass.heads(layer), head);
  if (state == HeadState::Off) return Row::Zero(pass.token_count());
  if (state == HeadState::Mean || context_is_patched(pass, layer, head, logit.position)) return {};
  const ConcatDirection into = into_concat(pass, layer, logit.position, direction.stream);
  const Row own = into.concat.segment(head * config.head_width, config.head_width);
  const Index group = pass.layer_frame(layer).kv_head_of(head);
  const Row weights = pass.dropped_weights(layer, head).row(logit.position);
  const Row values =
      (pass.values(layer).middleCols(group * config.head_width, config.head_width) * own.transpose())
          .transpose();
  return weights.cwiseProduct(values);
}

Eigen::RowVectorXf mlp_direction(NetworkPass& pass, const LogitChoice& logit, Index layer) {
  const NetworkConfig& config = pass.network().config();
  const LayerWeights& w = pass.layer_weights(layer);
  Row behind = direction_of(pass, logit).stream * static_cast<float>(config.residual_factor);
  if (w.mlp_out_norm.empty()) return behind;
  Workspace workspace;
  Matrix made(1, config.width);
  multiply(pass.mlp_hidden(layer, logit.position, 1), w.down, made, workspace);
  return through_norm(config, w.mlp_out_norm, made, behind);
}

}  // namespace headlight
