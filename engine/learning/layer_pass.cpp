// The forward pass: the stages with a row for each token, up to the goal's.
#include <algorithm>
#include <string>

#include "engine/attention/storage_choice.h"
#include "engine/core/error.h"
#include "engine/core/parallel.h"
#include "engine/layer/dropout_mean.h"
#include "engine/layer/overwriting.h"
#include "engine/layer/projection.h"
#include "engine/learning/goal_loss.h"
#include "engine/learning/gradients.h"
#include "engine/learning/pair_block.h"

namespace headlight {
namespace {

void require_token_counts(const Layer& layer) {
  for (const auto& [name, count] :
       {std::pair("tokens", layer.token_count()), std::pair("key_tokens", layer.key_count())})
    if (count > kMostGradientTokens)
      throw Error("there are " + std::to_string(count) + " tokens, and gradients are computed of at most " +
                      std::to_string(kMostGradientTokens),
                  name, "take fewer tokens");
}

double noise_bytes(const Layer& layer) {
  constexpr double kSquareStages = 5;  // see square_stages_bytes()
  return layer.attention.dropout.active() ? square_stages_bytes(layer) / kSquareStages : 0;
}

void require_room_for_noise(const Layer& layer) {
  if (noise_bytes(layer) <= default_memory_budget()) return;
  throw Error("the noise of dropout takes " + gigabytes_text(noise_bytes(layer)) +
                  ", which is more than there is room for",
              "attention.dropout", "switch dropout off, or take fewer tokens or heads");
}

}  // namespace

LayerPass::LayerPass(const Layer& layer, const Goal& goal) : layer_(layer), goal_(goal) {
  validate(layer);
  validate_goal(layer, goal);
  require_token_counts(layer);
  existing_ = existing_stages(layer);
  const Projection projection = layer.attention.projection;
  if (projection == Projection::Given || projection == Projection::Weights)
    existing_ &= ~stage_bit(Stage::Embeddings);
  count_ = wanted_count(layer, goal);
  if (reaches(Stage::RotatedQueries)) {
    const Position& position = layer.attention.position;
    query_rotation_ = Rotation(position, layer.rotary_dims(), position.start, layer.token_count());
    key_rotation_ = Rotation(position, layer.rotary_dims(), position.key_start, layer.key_count());
  }
  if (!reaches(Stage::Dropped)) return;
  require_room_for_noise(layer);
  noise_ = dropout_noise(layer, 0);
}

bool LayerPass::reaches(Stage stage) const {
  return (existing_ & stage_bit(stage)) != 0 && stage <= goal_.stage;
}

void LayerPass::forward() {
  loss_ = 0;
  if (goal_.stage == Stage::Embeddings) take_goal(Stage::Embeddings, layer_.embeddings);
  compute_inputs();
  if (!reaches(Stage::Context)) return;
  compute_context();
  take_goal(Stage::Context, concat_);
  const Index width = layer_.d_v();
  for (const Index head : layer_.attention.disabled_heads)
    for (Matrix& rows : concat_)
      rows.middleCols(head * width, width).setZero();
  take_goal(Stage::Concat, concat_);
  compute_output();
}

const Matrix& LayerPass::source_of(Parameter p, Index sequence) const {
  const Batch& given = layer_.given[static_cast<std::size_t>(p)];
  return given.empty() ? layer_.projection_input(p, sequence) : given[static_cast<std::size_t>(sequence)];
}

void LayerPass::compute_inputs() {
  for (const Parameter p : {Parameter::Query, Parameter::Key, Parameter::Value}) {
    const Stage stage = projected_stage(p);
    if (!reaches(stage)) continue;
    Batch& rows = inputs(p);
    rows.resize(static_cast<std::size_t>(layer_.sequence_count()));
    for (Index sequence = 0; sequence < layer_.sequence_count(); ++sequence) {
      Matrix& own = rows[static_cast<std::size_t>(sequence)];
      const Matrix& source = source_of(p, sequence);
      if (!layer_.uses(p)) {
        own = source;
        continue;
      }
      own.resize(source.rows(), parameter_width(layer_, p));
      project(layer_, p, source, own, workspace_);
    }
    overwrite_rows(stage, rows);
    take_goal(stage, rows);
  }
  for (const auto& [stage, p] :
       {std::pair(Stage::RotatedQueries, Parameter::Query), std::pair(Stage::RotatedKeys, Parameter::Key)}) {
    if (!reaches(stage)) continue;
    rotate(stage, inputs(p));
    overwrite_rows(stage, inputs(p));
    take_goal(stage, inputs(p));
  }
}

void LayerPass::rotate(Stage stage, Batch& rows) const {
  const Rotation& rotation = stage == Stage::RotatedQueries ? query_rotation_ : key_rotation_;
  const Index width = layer_.d_k(), heads = stage_heads(layer_, stage);
  for (Matrix& own : rows)
    for_each_index(heads, static_cast<double>(own.size()), [&](Index head) {
      MatrixOut columns = own.middleCols(head * width, width);
      rotation.apply_rope(columns, 0, columns);
    });
}

void LayerPass::compute_context() {
  const Index heads = layer_.head_count(), tokens = layer_.token_count();
  const Index d_k = layer_.d_k(), d_v = layer_.d_v(), blocks = (tokens + kBlockRows - 1) / kBlockRows;
  concat_.resize(static_cast<std::size_t>(layer_.sequence_count()));
  for (Matrix& rows : concat_)
    rows.resize(tokens, layer_.concat_width());
  const double work = square_stages_bytes(layer_) / sizeof(float);
  for_each_index(layer_.sequence_count() * heads * blocks, work, [&](Index i) {
    const Index sequence = i / (heads * blocks), head = i / blocks % heads;
    const Index group = layer_.kv_head_of(head), first = i % blocks * kBlockRows;
    const Index count = std::min(kBlockRows, tokens - first);
    const Index columns = open_columns(layer_, sequence, head, first, count);
    MatrixOut context = concat_[static_cast<std::size_t>(sequence)].block(first, head * d_v, count, d_v);
    if (columns == 0) {
      context.setZero();
      return;
    }
    const MatrixRef queries = head_of(inputs(Parameter::Query), sequence, head, d_k);
    const MatrixRef keys = head_of(inputs(Parameter::Key), sequence, group, d_k);
    const MatrixRef values = head_of(inputs(Parameter::Value), sequence, group, d_v);
    const Matrix* noise =
        noise_.empty() ? nullptr : &noise_[static_cast<std::size_t>(sequence * heads + head)];
    PairBlock block(layer_, existing_, 0, workspace_);
    block.compute({sequence, head, queries, keys, noise}, first, count, columns, Stage::Dropped);
    multiply(block.rows(Stage::Dropped), values.topRows(columns), context, workspace_);
  });
  overwrite_rows(Stage::Context, concat_);
}

MatrixRef LayerPass::head_of(const Batch& batch, Index sequence, Index head, Index width) {
  static const Matrix kNone;
  if (batch.empty()) return kNone;
  return batch[static_cast<std::size_t>(sequence)].middleCols(head * width, width);
}

void LayerPass::compute_output() {
  if (goal_.stage != Stage::Output) return;
  if (!layer_.uses(Parameter::Output)) return take_goal(Stage::Output, concat_);
  Batch output;
  for (const Matrix& rows : concat_)
    output.push_back(projected(layer_, Parameter::Output, rows, workspace_));
  take_goal(Stage::Output, output);
}

void LayerPass::overwrite_rows(Stage stage, Batch& rows) const {
  const Index width = stage_columns(layer_, stage);
  for (std::size_t sequence = 0; sequence < rows.size(); ++sequence)
    for (Index head = 0; head < stage_heads(layer_, stage); ++head)
      overwrite(layer_, stage, static_cast<Index>(sequence), head, 0,
                rows[sequence].middleCols(head * width, width));
}

void LayerPass::take_goal(Stage stage, const Batch& rows) {
  if (stage != goal_.stage) return;
  const Index width = stage_columns(layer_, stage);
  seed_.resize(rows.size());
  for (std::size_t sequence = 0; sequence < rows.size(); ++sequence) {
    seed_[sequence].resize(rows[sequence].rows(), rows[sequence].cols());
    for (Index head = 0; head < stage_heads(layer_, stage); ++head)
      loss_ += squared_loss({layer_, goal_, count_, static_cast<Index>(sequence), head, 0},
                            rows[sequence].middleCols(head * width, width),
                            seed_[sequence].middleCols(head * width, width));
  }
}

Gradients gradients(const Layer& layer, const Goal& goal, const GradientRequest& request) {
  LayerPass pass(layer, goal);
  pass.forward();
  return pass.backward(request);
}

}  // namespace headlight
