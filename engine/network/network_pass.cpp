#include "engine/network/network_pass.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "engine/attention/storage_choice.h"
#include "engine/core/error.h"
#include "engine/core/machine_memory.h"
#include "engine/core/stopping.h"
#include "engine/network/layer_steps.h"
#include "engine/network/norms.h"
#include "engine/network/own_tensors.h"

namespace headlight {
namespace {

// The smallest range within [begin, end) that contains all missing tokens.
std::pair<Index, Index> missing(const std::vector<bool>& there, Index begin, Index end) {
  while (begin < end && there[static_cast<std::size_t>(begin)])
    ++begin;
  while (end > begin && there[static_cast<std::size_t>(end - 1)])
    --end;
  return {begin, end};
}

void mark(std::vector<bool>& there, Index begin, Index end) {
  std::fill(there.begin() + begin, there.begin() + end, true);
}

// Bytes that a pass stores for that many tokens.
double memory_of(const NetworkConfig& c, double tokens) {
  const auto width = static_cast<double>(c.width), heads = static_cast<double>(c.heads * c.head_width),
             keys = static_cast<double>(c.kv_heads * c.head_width), layers = static_cast<double>(c.layers);
  return sizeof(float) * tokens * (layers * (width + 2 * heads + 2 * keys) + width);
}

}  // namespace

NetworkPass::NetworkPass(std::shared_ptr<const Network> network) : network_(std::move(network)) {
  const NetworkConfig& c = network_->config();
  layers_.resize(static_cast<std::size_t>(c.layers));
  streams_.resize(static_cast<std::size_t>(c.layers + 1));
  for (Index i = 0; i < c.layers; ++i) {
    set_layer_frame(c, network_->weights(), i, 0, at(i).frame);
    at(i).weights = network_->weights().layers[static_cast<std::size_t>(i)];
  }
  begin_cross();
}

// Whether the layer's output for a token depends on later tokens.
bool NetworkPass::depends_on_later_tokens(Index layer) const {
  const LayerState& state = at(layer);
  const bool causal = state.frame.key_band(0).to <= 1;
  const bool mean = std::find(state.heads.begin(), state.heads.end(), HeadState::Mean) != state.heads.end();
  return !causal || mean || patches_weights(layer) || intervenes(InterventionPlace::Weights, layer);
}

void NetworkPass::forget(Index layer, Index first) {
  for (Index i = layer; i < network_->config().layers; ++i) {
    LayerState& state = at(i);
    state.known = std::min(state.known, first);
    if (depends_on_later_tokens(i)) first = 0;
    std::fill(state.attended.begin() + std::min(first, token_count()), state.attended.end(), false);
    std::vector<bool>& there = stream(i + 1).there;
    std::fill(there.begin() + std::min(first, token_count()), there.end(), false);
  }
}

void NetworkPass::make_room(Index tokens) {
  const NetworkConfig& c = network_->config();
  const auto count = static_cast<std::size_t>(tokens);
  const auto fit = [&](Matrix& rows, Index width) {
    if (rows.rows() < tokens) rows.conservativeResize(std::max(tokens, rows.rows() + rows.rows() / 2), width);
  };
  for (LayerState& state : layers_) {
    fit(state.queries, c.heads * c.head_width);
    fit(state.keys, c.kv_heads * c.head_width);
    fit(state.values, c.kv_heads * c.head_width);
    fit(state.concat, c.heads * c.head_width);
    state.attended.resize(count);
    state.known = std::min(state.known, tokens);
  }
  for (StreamState& state : streams_) {
    fit(state.rows, c.width);
    state.there.resize(count);
  }
  for (CrossState& state : cross_)
    fit(state.queries, c.heads * c.head_width);
}

namespace {

void require_token_types(const Network& network, const std::vector<std::int32_t>& types, std::size_t tokens) {
  if (types.empty()) return;
  const Index count = network.weights().types ? network.config().token_types : 0;
  if (count == 0) throw Error("the model has no embeddings of token types", network.name(), "leave them out");
  if (types.size() != tokens)
    throw Error("there are " + std::to_string(types.size()) + " token types for " + std::to_string(tokens) +
                    " tokens",
                "token types", "give one for each token, also for those that begin and end a text");
  for (std::size_t i = 0; i < types.size(); ++i)
    if (types[i] < 0 || types[i] >= count)
      throw Error("it is " + std::to_string(types[i]), "token types[" + std::to_string(i) + "]",
                  "types of this model go from 0 to " + std::to_string(count - 1));
}

}  // namespace

void NetworkPass::set_ids(const std::vector<std::int32_t>& ids, const std::vector<std::int32_t>& types) {
  network_->checkpoint().require_unchanged();
  if (network_->reads_images())
    throw Error("the model reads images", network_->name(), "give an image, or open a model of texts");
  network_->require_ids(ids);
  require_token_types(*network_, types, ids.size());
  const double needed = memory_of(network_->config(), static_cast<double>(ids.size()));
  if (needed > machine_memory() / 2)
    throw Error("a text of " + std::to_string(ids.size()) + " tokens takes " + gigabytes_text(needed) +
                    " in this model, more than half of the memory there is",
                "text", "give a shorter text");
  std::vector<InterventionRange> ranges = intervention_ranges(static_cast<Index>(ids.size()));
  Index same = std::mismatch(ids.begin(), ids.end(), ids_.begin(), ids_.end()).first - ids.begin();
  const bool grown = ids.size() != ids_.size();
  // Positions of interventions may count from the end.
  if (types != types_ || (grown && !interventions_.empty())) same = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i)
    interventions_[i].set_range(std::move(ranges[i]));
  ids_ = ids;
  types_ = types;
  make_room(token_count());
  if (follow_length()) same = 0;
  if (same == token_count() && !grown) return;
  std::vector<bool>& there = stream(0).there;
  std::fill(there.begin() + same, there.end(), false);
  forget(0, same);
  embed(same);
}

void NetworkPass::set_image(Matrix pixels) {
  const NetworkConfig& c = network_->config();
  const ImageShape& image = c.image;
  if (image.channels == 0)
    throw Error("the model reads texts", network_->name(), "give a text, or open a model of images");
  if (pixels.rows() != image.channels || pixels.cols() != image.height * image.width)
    throw Error("the image has " + std::to_string(pixels.rows()) + " channels of " +
                    std::to_string(pixels.cols()) + " numbers",
                "image",
                "the model takes " + std::to_string(image.channels) + " channels of " +
                    std::to_string(image.height) + " x " + std::to_string(image.width));
  network_->checkpoint().require_unchanged();
  if (same_matrix(pixels, image_)) return;
  image_ = std::move(pixels);
  ids_.resize(static_cast<std::size_t>(c.positions));
  std::iota(ids_.begin(), ids_.end(), 0);
  make_room(token_count());
  follow_length();
  std::fill(stream(0).there.begin(), stream(0).there.end(), false);
  forget(0, 0);
  embed(0);
}

void NetworkPass::set_heads(LayerPlace place, const HeadStates& heads) {
  if (place.side == Side::Encoder) return encoder_.front().set_heads(place.layer, heads);
  if (place.side == Side::Cross) return set_cross_heads(place.layer, heads);
  const Index layer = place.layer;
  LayerState& state = at(layer);
  if (state.heads == heads) return;
  state.heads = heads;
  state.frame.attention.disabled_heads.clear();
  for (std::size_t head = 0; head < heads.size(); ++head)
    if (heads[head] == HeadState::Off)
      state.frame.attention.disabled_heads.push_back(static_cast<Index>(head));
  leave_anew(layer);
}

void NetworkPass::set_weights(LayerPlace place, Parameter parameter, std::shared_ptr<const OwnWeights> own) {
  if (place.side == Side::Encoder)
    return encoder_.front().set_weights(place.layer, parameter, std::move(own));
  const Index layer = place.layer;
  const bool cross = place.side == Side::Cross;
  LayerState& state = at(layer);
  auto& kept =
      (cross ? cross_[static_cast<std::size_t>(layer)].own : state.own)[static_cast<std::size_t>(parameter)];
  if (own == (kept ? kept->numbers : nullptr)) return;
  const LayerWeights& all = network_->weights().layers[static_cast<std::size_t>(layer)];
  const Factor& given = cross ? all.cross_of(parameter) : all.of(parameter);
  if (own && (own->w.rows() != given.inputs || own->w.cols() != given.outputs ||
              (own->bias.size() > 0 && (own->bias.rows() != 1 || own->bias.cols() != given.outputs))))
    throw Error("weights are " + std::to_string(own->w.rows()) + " x " + std::to_string(own->w.cols()) +
                    ", expected " + std::to_string(given.inputs) + " x " + std::to_string(given.outputs),
                parameter_name(parameter), "give them the shape that the model has");
  kept = own ? std::make_shared<const OwnTensors>(std::move(own)) : nullptr;
  (cross ? state.weights.cross_of(parameter) : state.weights.of(parameter)) = kept ? kept->factor() : given;
  if (cross) {
    cross_[static_cast<std::size_t>(layer)].known = false;
    return leave_anew(layer);
  }
  if (parameter == Parameter::Key || parameter == Parameter::Value) state.known = 0;
  if (parameter != Parameter::Output) std::fill(state.attended.begin(), state.attended.end(), false);
  leave_anew(layer);
}

// Marks what the layer adds to the stream, and everything above, as stale.
void NetworkPass::leave_anew(Index layer) {
  std::vector<bool>& there = stream(layer + 1).there;
  std::fill(there.begin(), there.end(), false);
  forget(layer + 1, 0);
}

void NetworkPass::embed(Index first) {
  const NetworkConfig& c = network_->config();
  const NetworkWeights& w = network_->weights();
  if (c.image.channels > 0) first = 0;  // an image is embedded as a whole
  auto made = stream(0).rows.middleRows(first, token_count() - first);
  if (c.image.channels > 0)
    embed_image(c, w, image_, made, workspace_);
  else
    embed_tokens(c, w, {ids_, types_}, first, made, workspace_);
  patch(PatchStage::Residual, 0, first, made);
  intervene(InterventionPlace::Residual, 0, first, made);
  mark(stream(0).there, first, token_count());
}

Matrix NetworkPass::normed(Index layer, Index begin, Index end) {
  const NetworkConfig& c = network_->config();
  Matrix rows = stream(layer).rows.middleRows(begin, end - begin);
  norm_input(c, at(layer).weights.attention_norm, rows);
  return rows;
}

Matrix NetworkPass::read_rows(Index layer, Index begin, Index end) {
  Matrix rows = normed(layer, begin, end);
  patch(PatchStage::Input, layer, begin, rows);
  return rows;
}

// Queries or keys with rotary positions. x: what they are projected from, for tokens from `begin` on.
void NetworkPass::project_heads(InterventionPlace place, Index layer, Index begin, const Matrix& x,
                                MatrixOut rows) {
  const bool queries = place == InterventionPlace::Queries;
  const LayerWeights& w = at(layer).weights;
  const NormWeights& norm = queries ? w.query_norm : w.key_norm;
  const HeadRotations turns = rotations_.of(layer);
  const Rotation* const rotation = queries ? turns.queries : turns.keys;
  multiply(x, queries ? w.query : w.key, rows, workspace_);
  if (!intervenes(place, layer)) return turn_heads(network_->config(), norm, rotation, begin, rows);
  turn_heads(network_->config(), norm, nullptr, begin, rows);
  intervene(place, layer, begin, rows);
  rotate_heads(network_->config(), rotation, begin, rows);
}

void NetworkPass::need_keys(Index layer, Index end) {
  LayerState& state = at(layer);
  if (state.known >= end) return;
  const Index begin = state.known, count = end - begin;
  need_stream(layer, begin, end);
  const LayerWeights& w = state.weights;
  const Matrix x = read_rows(layer, begin, end);
  auto keys = state.keys.middleRows(begin, count), values = state.values.middleRows(begin, count);
  project_heads(InterventionPlace::Keys, layer, begin, x, keys);
  multiply(x, w.value, values, workspace_);
  clip_rows(network_->config(), values);
  patch(PatchStage::Keys, layer, begin, keys);
  patch(PatchStage::Values, layer, begin, values);
  intervene(InterventionPlace::Values, layer, begin, values);
  state.known = end;
}

void NetworkPass::need_heads(Index layer, Index begin, Index end) {
  LayerState& state = at(layer);
  std::tie(begin, end) = missing(state.attended, begin, end);
  if (begin == end) return;
  const Index keys = depends_on_later_tokens(layer) ? token_count() : end, count = end - begin;
  need_keys(layer, keys);
  need_stream(layer, begin, end);
  project_heads(InterventionPlace::Queries, layer, begin, read_rows(layer, begin, end),
                state.queries.middleRows(begin, count));
  patch(PatchStage::Queries, layer, begin, state.queries.middleRows(begin, count));
  attend(state.frame, state.queries.middleRows(begin, count), state.keys.topRows(keys),
         state.values.topRows(keys), begin, state.concat.middleRows(begin, count), workspace_,
         edit_weights(layer));
  patch(PatchStage::Context, layer, begin, state.concat.middleRows(begin, count));
  intervene(InterventionPlace::Head, layer, begin, state.concat.middleRows(begin, count));
  mark(state.attended, begin, end);
}

OverwriteWeights NetworkPass::overwrite_weights(Index layer) const {
  if (!patches_weights(layer) && !intervenes(InterventionPlace::Weights, layer)) return {};
  return [this, layer](Index head, Index first, MatrixOut weights) {
    for (const Patch& patch : patches_) {
      if (patch.stage != PatchStage::Weights || patch.layer != layer || patch.head != head) continue;
      const Index begin = std::max(patch.row, first),
                  end = std::min(patch.row + patch.values.rows(), first + weights.rows());
      const Index columns = std::min(patch.values.cols(), weights.cols() - patch.column);
      if (begin < end && columns > 0)
        weights.block(begin - first, patch.column, end - begin, columns) =
            patch.values.block(begin - patch.row, 0, end - begin, columns);
    }
    for (const PreparedIntervention& one : interventions_)
      if (one.is_of(InterventionPlace::Weights, layer)) one.apply_to_unit(head, first, weights);
  };
}

void NetworkPass::apply_head_states(Index layer, MatrixOut concat) const {
  const LayerState& state = at(layer);
  const Index width = network_->config().head_width;
  for (std::size_t i = 0; i < state.heads.size(); ++i) {
    auto columns = concat.middleCols(static_cast<Index>(i) * width, width);
    if (state.heads[i] == HeadState::Off) columns.setZero();
    if (state.heads[i] == HeadState::Mean)
      columns.rowwise() = state.concat.topRows(token_count())
                              .middleCols(static_cast<Index>(i) * width, width)
                              .colwise()
                              .mean();
  }
}

// What attention adds to the stream.
Matrix NetworkPass::attention_output(Index layer, Index begin, Index end) {
  const NetworkConfig& c = network_->config();
  const LayerState& state = at(layer);
  if (depends_on_later_tokens(layer)) need_heads(layer, 0, token_count());
  Matrix output(end - begin, c.width);
  if (state.heads.empty()) {
    multiply(state.concat.middleRows(begin, end - begin), state.weights.output, output, workspace_);
  } else {
    Matrix concat = state.concat.middleRows(begin, end - begin);
    apply_head_states(layer, concat);
    multiply(concat, state.weights.output, output, workspace_);
  }
  if (!state.weights.attention_out_norm.empty())
    norm_all(c, state.weights.attention_out_norm, output, output);
  if (c.residual_factor != 1) output *= static_cast<float>(c.residual_factor);
  patch(PatchStage::AttentionAdded, layer, begin, output);
  return output;
}

void NetworkPass::leave(Index layer, Index begin, Index end) {
  auto rows = stream(layer + 1).rows.middleRows(begin, end - begin);
  if (network_->config().cross && memory_.size() == 0)
    throw Error("the model also attends to the output of its encoder, which is not given", network_->name(),
                "give the ids of both sides");
  LayerHooks hooks;
  hooks.edit_neurons = [&](Index row, MatrixOut neurons) {
    intervene(InterventionPlace::Neuron, layer, begin + row, neurons);
  };
  hooks.edit_mlp = [&](MatrixOut made) {
    patch(PatchStage::MlpAdded, layer, begin, made);
    intervene(InterventionPlace::Mlp, layer, begin, made);
  };
  if (!cross_.empty())
    hooks.cross = [&](const MatrixRef& read) {
      return cross_output(layer, cross_concat(layer, begin, read));
    };
  leave_layer(network_->config(), at(layer).weights, stream(layer).rows.middleRows(begin, end - begin),
              attention_output(layer, begin, end), hooks, rows, workspace_);
  patch(PatchStage::Residual, layer + 1, begin, rows);
  intervene(InterventionPlace::Residual, layer + 1, begin, rows);
  mark(stream(layer + 1).there, begin, end);
}

Matrix NetworkPass::attention_added(Index layer, Index first, Index count) {
  need_heads(layer, first, first + count);
  return attention_output(layer, first, first + count);
}

Matrix NetworkPass::middle(Index layer, Index first, Index count) {
  const NetworkConfig& c = network_->config();
  need_stream(layer, first, first + count);
  Matrix rows = stream(layer).rows.middleRows(first, count);
  if (c.residual_after_norm) norm_all(c, at(layer).weights.attention_norm, rows, rows);
  return rows + attention_added(layer, first, count);
}

Matrix NetworkPass::entering_mlp(Index layer, Index first, Index count) {
  const NetworkConfig& c = network_->config();
  need_stream(layer, first, first + count);
  Matrix entered = stream(layer).rows.middleRows(first, count);
  if (!c.parallel) entered = middle(layer, first, count);
  if (c.norm_place == NormPlace::After) norm_all(c, at(layer).weights.attention_norm, entered, entered);
  if (c.cross) add_cross(layer, first, entered);
  return entered;
}

Matrix NetworkPass::mlp_input(Index layer, Index first, Index count) {
  Matrix read = entering_mlp(layer, first, count);
  norm_input(network_->config(), at(layer).weights.mlp_norm, read);
  return read;
}

Matrix NetworkPass::mlp_added(Index layer, Index first, Index count) {
  const EditNeurons edit = [&](Index row, MatrixOut neurons) {
    intervene(InterventionPlace::Neuron, layer, first + row, neurons);
  };
  Matrix made = mlp_output(network_->config(), at(layer).weights, entering_mlp(layer, first, count),
                           workspace_, nullptr, edit);
  patch(PatchStage::MlpAdded, layer, first, made);
  intervene(InterventionPlace::Mlp, layer, first, made);
  return made;
}

Matrix NetworkPass::mlp_hidden(Index layer, Index first, Index count) {
  const NetworkConfig& c = network_->config();
  MlpTrace trace;
  mlp_output(c, at(layer).weights, entering_mlp(layer, first, count), workspace_, &trace);
  if (c.gated)
    activate_gated(c.activation, trace.gate, trace.up, workspace_);
  else
    activate(c.activation, trace.up, workspace_);
  intervene(InterventionPlace::Neuron, layer, first, trace.up);
  return std::move(trace.up);
}

void NetworkPass::need_stream(Index layer, Index begin, Index end) {
  if (layer == 0) return;
  std::tie(begin, end) = missing(stream(layer).there, begin, end);
  if (begin == end) return;
  need_heads(layer - 1, begin, end);
  need_stream(layer - 1, begin, end);
  throw_if_stopped();
  leave(layer - 1, begin, end);
}

MatrixRef NetworkPass::residual(Index layer) {
  need_stream(layer, 0, token_count());
  return stream(layer).rows.topRows(token_count());
}

Matrix NetworkPass::residual_row(Index layer, Index token) {
  need_stream(layer, token, token + 1);
  return stream(layer).rows.row(token);
}

Matrix NetworkPass::concat_row(Index layer, Index token) {
  const bool all = depends_on_later_tokens(layer);
  need_heads(layer, all ? 0 : token, all ? token_count() : token + 1);
  Matrix row = at(layer).concat.row(token);
  apply_head_states(layer, row);
  return row;
}

Matrix NetworkPass::projected_heads(Index layer, Index token) {
  const Matrix concat = concat_row(layer, token);
  Matrix row(1, network_->config().width);
  multiply(concat, at(layer).weights.output, row, workspace_);
  return row;
}

Matrix NetworkPass::attention_input(Index layer) {
  need_stream(layer, 0, token_count());
  return read_rows(layer, 0, token_count());
}

Matrix NetworkPass::normed_residual(Index layer) {
  need_stream(layer, 0, token_count());
  return normed(layer, 0, token_count());
}

MatrixRef NetworkPass::queries(Index layer) {
  need_heads(layer, 0, token_count());
  return at(layer).queries.topRows(token_count());
}

MatrixRef NetworkPass::keys(Index layer) {
  need_keys(layer, token_count());
  return at(layer).keys.topRows(token_count());
}

MatrixRef NetworkPass::values(Index layer) {
  need_keys(layer, token_count());
  return at(layer).values.topRows(token_count());
}

MatrixRef NetworkPass::concat(Index layer) {
  need_heads(layer, 0, token_count());
  return at(layer).concat.topRows(token_count());
}

Matrix NetworkPass::attention_weights(Index layer, Index head) {
  need_heads(layer, 0, token_count());
  return weights_there(layer, head);
}

Matrix NetworkPass::weights_there(Index layer, Index head) const {
  const LayerState& state = at(layer);
  const Index d_k = network_->config().head_width, group = state.frame.kv_head_of(head);
  Matrix weights(token_count(), token_count());
  attend_weights(state.frame, head, state.queries.topRows(token_count()).middleCols(head * d_k, d_k),
                 state.keys.topRows(token_count()).middleCols(group * d_k, d_k), 0, weights, workspace_);
  if (const OverwriteWeights overwrite = overwrite_weights(layer)) overwrite(head, 0, weights);
  return weights;
}

Matrix NetworkPass::dropped_weights(Index layer, Index head) {
  Matrix weights = attention_weights(layer, head);
  if (const std::vector<Matrix>& all = noise(layer); !all.empty())
    drop(weights, all[static_cast<std::size_t>(head)], weights);
  return weights;
}

Matrix NetworkPass::expert_shares(Index layer) {
  const NetworkConfig& c = network_->config();
  const LayerWeights& w = at(layer).weights;
  Matrix read = c.parallel ? Matrix(residual(layer)) : middle(layer, 0, token_count());
  norm_input(c, w.mlp_norm, read);
  return headlight::expert_shares(c, w, read, workspace_);
}

Matrix NetworkPass::output() {
  const NetworkConfig& c = network_->config();
  Matrix left = residual(c.layers);
  const NormWeights& norm = network_->weights().final_norm;
  if (!norm.empty()) norm_all(c, norm, left, left);
  return left;
}

Matrix NetworkPass::logits(Index first, Index count) {
  network_->require_predictions();
  const Index layers = network_->config().layers;
  need_stream(layers, first, first + count);
  return logits_of(stream(layers).rows.middleRows(first, count));
}

Matrix NetworkPass::logits_of(const MatrixRef& left) const {
  network_->require_predictions();
  const NetworkConfig& c = network_->config();
  const NetworkWeights& w = network_->weights();
  Matrix logits(left.rows(), w.logits.outputs);
  const std::size_t bytes = static_cast<std::size_t>(logits.size()) * sizeof(float);
  if (bytes >= kOwnPages) use_large_pages(logits.data(), bytes);
  predict(c, w, prediction_input(c, w, left, workspace_), logits, workspace_);
  return logits;
}

}  // namespace headlight
