// The backward pass: from the goal's stage to the inputs.
#include <numeric>
#include <string>

#include "engine/attention/storage_choice.h"
#include "engine/core/error.h"
#include "engine/core/parallel.h"
#include "engine/layer/overwriting.h"
#include "engine/learning/gradients.h"
#include "engine/learning/pair_backward.h"

namespace headlight {

// The state of one call. Matrices of a batch have the heads side by side, as those of the pass.
struct LayerPass::Backward {
  Backward(LayerPass& pass, const GradientRequest& request, Gradients& out)
      : pass(pass), layer(pass.layer_), request(request), out(out) {
    for (const StageInfo& info : stage_table())
      if ((request.stages & stage_bit(info.stage)) != 0 && pass.reaches(info.stage))
        stored |= stage_bit(info.stage);
  }

  void run();

  void require_room() const;
  // Whether some gradient is wished for, and not the loss alone.
  bool wants_some() const {
    for (const Parameter p : kParameters)
      if (wants(p) && layer.uses(p)) return true;
    return stored != 0;
  }
  bool wants(Parameter p) const { return (request.parameters & parameter_bit(p)) != 0; }
  bool stores(Stage stage) const { return (stored & stage_bit(stage)) != 0; }
  bool is_goal(Stage stage) const { return pass.goal_.stage == stage; }
  Batch zeros(Index rows, Index columns) const {
    Batch batch(static_cast<std::size_t>(layer.sequence_count()));
    for (Matrix& matrix : batch)
      matrix.setZero(rows, columns);
    return batch;
  }
  void store(Stage stage, const Batch& gradient);
  void clear_overwritten(Stage stage, Batch& gradient) const;
  Batch context_gradient();
  Batch concat_gradient();
  void through_pairs(const Batch& context);
  // The columns of one head; no numbers for a width of 0.
  static MatrixOut sum_of(Batch& batch, Index sequence, Index head, Index width);
  void add_groups(const Batch& heads, Batch& groups, Index width) const;
  Batch& of_input(Parameter p) { return inputs[static_cast<std::size_t>(p)]; }
  void through_rotation(Stage stage, Batch& gradient);
  void through_inputs();
  // Adds the gradients of a layer's weights and, unless it is null, of its inputs.
  void through_layer(Parameter p, const Batch& output, Batch* input);
  const Matrix& layer_input(Parameter p, std::size_t sequence) const;

  LayerPass& pass;
  const Layer& layer;
  const GradientRequest& request;
  StageSet stored = 0;
  std::array<Batch, 3> inputs;  // by Parameter: dL/d(queries), keys and values, turned or not
  Gradients& out;
};

Gradients LayerPass::backward(const GradientRequest& request) {
  Gradients gradients;
  backward(request, gradients);
  return gradients;
}

void LayerPass::backward(const GradientRequest& request, Gradients& gradients) {
  for (std::vector<Matrix>& stage : gradients.stages)
    stage.clear();
  Backward(*this, request, gradients).run();
}

void LayerPass::Backward::require_room() const {
  constexpr double kSquareStages = 5;  // see square_stages_bytes()
  double pairs = 0;
  for (const StageInfo& info : stage_table())
    if (is_pair(info.stage) && stores(info.stage)) ++pairs;
  const double bytes = pairs * square_stages_bytes(layer) / kSquareStages;
  if (bytes <= default_memory_budget()) return;
  throw Error("the gradients of the stages of pairs take " + gigabytes_text(bytes) +
                  ", which is more than there is room for",
              "tokens", "take fewer tokens or heads");
}

void LayerPass::Backward::run() {
  require_room();
  out.loss = pass.loss_;
  for (const Parameter p : kParameters) {
    if (!wants(p) || !layer.uses(p)) continue;
    const auto [rows, columns] = expected_shape(layer, p);
    out.matrix(p).setZero(rows, columns);
    if (layer.uses_bias(p)) out.bias(p).setZero(1, parameter_width(layer, p));
  }
  for (const Parameter p : {Parameter::Query, Parameter::Key, Parameter::Value}) {
    const Stage stage = projected_stage(p);
    if (stage_exists(layer, stage))
      of_input(p) = zeros(stage_rows(layer, stage), stage_heads(layer, stage) * stage_columns(layer, stage));
  }
  if (!wants_some() && !is_pair(pass.goal_.stage)) return;
  const Batch context = pass.reaches(Stage::Context) ? context_gradient() : Batch();
  if (pass.goal_.stage >= Stage::Scores) through_pairs(context);
  if (wants_some()) through_inputs();
}

// Cuts a gradient into its heads.
void LayerPass::Backward::store(Stage stage, const Batch& gradient) {
  if (!stores(stage)) return;
  const Index width = stage_columns(layer, stage);
  for (const Matrix& rows : gradient)
    for (Index head = 0; head < stage_heads(layer, stage); ++head)
      out.of(stage).push_back(rows.middleCols(head * width, width));
}

// Nothing before an overwritten number affects it.
void LayerPass::Backward::clear_overwritten(Stage stage, Batch& gradient) const {
  const Index width = stage_columns(layer, stage);
  for (const Overwritten& block : layer.overwritten)
    if (block.stage == stage)
      gradient[static_cast<std::size_t>(block.sequence)]
          .block(block.row, block.head * width + block.column, block.values.rows(), block.values.cols())
          .setZero();
}

LayerPass::Batch LayerPass::Backward::concat_gradient() {
  if (is_goal(Stage::Concat)) return pass.seed_;
  store(Stage::Output, pass.seed_);
  if (!layer.uses(Parameter::Output)) return pass.seed_;
  Batch concat = zeros(layer.token_count(), layer.concat_width());
  through_layer(Parameter::Output, pass.seed_, &concat);
  return concat;
}

LayerPass::Batch LayerPass::Backward::context_gradient() {
  Batch gradient;
  if (is_goal(Stage::Context)) {
    gradient = pass.seed_;
  } else {
    gradient = concat_gradient();
    store(Stage::Concat, gradient);
    for (const Index head : layer.attention.disabled_heads)
      for (Matrix& rows : gradient)
        rows.middleCols(head * layer.d_v(), layer.d_v()).setZero();
  }
  store(Stage::Context, gradient);
  clear_overwritten(Stage::Context, gradient);
  return gradient;
}

// The heads of queries that share keys and values each have a gradient of their own, so that they can be
// computed at once; add_groups() adds those of a group.
void LayerPass::Backward::through_pairs(const Batch& context) {
  const Index heads = layer.head_count(), d_k = layer.d_k(), d_v = layer.d_v();
  const Index matrices = layer.sequence_count() * heads;
  for (const StageInfo& info : stage_table())
    if (is_pair(info.stage) && stores(info.stage))
      out.of(info.stage)
          .assign(static_cast<std::size_t>(matrices), Matrix::Zero(layer.token_count(), layer.key_count()));
  const PairPass pairs = {layer,  pass.goal_,    pass.count_, pass.existing_,
                          stored, !wants_some(), pass.noise_, pass.workspace_};
  const bool scored = pass.reaches(Stage::Scores);
  Batch& queries = of_input(Parameter::Query);
  const bool grouped = layer.kv_head_count() != heads;
  Batch own_keys, own_values;
  if (grouped && scored) own_keys = zeros(layer.key_count(), heads * d_k);
  if (grouped && !context.empty()) own_values = zeros(layer.key_count(), heads * d_v);
  Batch &keys = grouped ? own_keys : of_input(Parameter::Key),
        &values = grouped ? own_values : of_input(Parameter::Value);
  std::vector<double> losses(static_cast<std::size_t>(matrices));
  for_each_index(matrices, square_stages_bytes(layer) / sizeof(float), [&](Index i) {
    const Index sequence = i / heads, head = i % heads, group = layer.kv_head_of(head);
    // A disabled head is zeros in concat and affects nothing after it.
    if (pass.goal_.stage > Stage::Context && !layer.attention.head_enabled(head)) return;
    const PairHead own = {sequence,
                          head,
                          head_of(pass.inputs(Parameter::Query), sequence, head, d_k),
                          head_of(pass.inputs(Parameter::Key), sequence, group, d_k),
                          head_of(pass.inputs(Parameter::Value), sequence, group, d_v),
                          head_of(context, sequence, head, d_v)};
    losses[static_cast<std::size_t>(i)] =
        pair_backward(pairs, own, out, sum_of(queries, sequence, head, scored ? d_k : 0),
                      sum_of(keys, sequence, head, scored ? d_k : 0),
                      sum_of(values, sequence, head, context.empty() ? 0 : d_v));
  });
  out.loss = std::accumulate(losses.begin(), losses.end(), out.loss);
  if (grouped && scored) add_groups(keys, of_input(Parameter::Key), d_k);
  if (grouped && !context.empty()) add_groups(values, of_input(Parameter::Value), d_v);
}

MatrixOut LayerPass::Backward::sum_of(Batch& batch, Index sequence, Index head, Index width) {
  static Matrix nothing;  // never written: it has no numbers
  if (width == 0) return nothing;
  return batch[static_cast<std::size_t>(sequence)].middleCols(head * width, width);
}

void LayerPass::Backward::add_groups(const Batch& heads, Batch& groups, Index width) const {
  for (std::size_t sequence = 0; sequence < groups.size(); ++sequence)
    for (Index head = 0; head < layer.head_count(); ++head)
      groups[sequence].middleCols(layer.kv_head_of(head) * width, width) +=
          heads[sequence].middleCols(head * width, width);
}

void LayerPass::Backward::through_rotation(Stage stage, Batch& gradient) {
  store(stage, gradient);
  clear_overwritten(stage, gradient);
  const Rotation back =
      (stage == Stage::RotatedQueries ? pass.query_rotation_ : pass.key_rotation_).transposed();
  const Index width = layer.d_k();
  for (Matrix& rows : gradient)
    for_each_index(stage_heads(layer, stage), static_cast<double>(rows.size()), [&](Index head) {
      MatrixOut columns = rows.middleCols(head * width, width);
      back.apply_rope(columns, 0, columns);
    });
}

void LayerPass::Backward::through_inputs() {
  const bool linear = layer.attention.projection == Projection::Linear;
  const bool none = layer.attention.projection == Projection::None;
  const bool embedded = (linear || none) && (request.stages & stage_bit(Stage::Embeddings)) != 0;
  Batch x, y;
  if (embedded) x = zeros(layer.token_count(), layer.d_in());
  if (embedded && !layer.key_embeddings.empty()) y = zeros(layer.key_count(), layer.key_d_in());
  for (const Parameter p : {Parameter::Query, Parameter::Key, Parameter::Value}) {
    const Stage stage = projected_stage(p),
                turned = p == Parameter::Query ? Stage::RotatedQueries : Stage::RotatedKeys;
    Batch& gradient = of_input(p);
    if (p != Parameter::Value && pass.reaches(turned)) {
      if (is_goal(turned)) gradient = pass.seed_;
      through_rotation(turned, gradient);
    }
    if (is_goal(stage)) gradient = pass.seed_;
    if (!pass.reaches(stage)) continue;
    store(stage, gradient);
    clear_overwritten(stage, gradient);
    Batch& input = p != Parameter::Query && !y.empty() ? y : x;
    if (linear) {
      through_layer(p, gradient, embedded ? &input : nullptr);
    } else if (embedded) {
      for (std::size_t sequence = 0; sequence < input.size(); ++sequence)
        input[sequence] += gradient[sequence];
    }
  }
  if (is_goal(Stage::Embeddings)) x = pass.seed_;
  store(Stage::Embeddings, x);
  out.key_embeddings = std::move(y);
}

const Matrix& LayerPass::Backward::layer_input(Parameter p, std::size_t sequence) const {
  return p == Parameter::Output ? pass.concat_[sequence] : pass.source_of(p, static_cast<Index>(sequence));
}

void LayerPass::Backward::through_layer(Parameter p, const Batch& output, Batch* input) {
  const bool in_out = layer.weights.layout == WeightLayout::InOut;
  for (std::size_t sequence = 0; sequence < output.size(); ++sequence) {
    const Matrix &gradient = output[sequence], &x = layer_input(p, sequence);
    if (wants(p) && in_out)
      add_product({x, true}, {gradient}, out.matrix(p), pass.workspace_);
    else if (wants(p))
      add_product({gradient, true}, {x}, out.matrix(p), pass.workspace_);
    if (wants(p) && layer.uses_bias(p)) out.bias(p) += gradient.colwise().sum();
    if (input)
      add_product({gradient}, {layer.weights.matrix(p), in_out}, (*input)[sequence], pass.workspace_);
  }
}

}  // namespace headlight
