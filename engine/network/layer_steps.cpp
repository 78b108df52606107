#include "engine/network/layer_steps.h"

#include <algorithm>

#include "engine/core/parallel.h"
#include "engine/network/norms.h"

namespace headlight {
namespace {

constexpr Index kNormedRows = 32;  // per block of cheap work
constexpr Index kMlpRows = 1024;   // tokens per step of an MLP: limits the memory for its wide rows

void reserve(const NetworkConfig& c, Index rows, MlpTrace& trace) {
  trace.input.resize(rows, c.width);
  trace.up.resize(rows, c.mlp_width);
  if (c.gated) trace.gate.resize(rows, c.mlp_width);
}

}  // namespace

void for_each_block(Index rows, Index most, Index width, const std::function<void(Index, Index)>& body) {
  const Index blocks = (rows + most - 1) / most;
  for_each_index(blocks, static_cast<double>(rows) * static_cast<double>(width),
                 [&](Index block) { body(block * most, std::min(most, rows - block * most)); });
}

void norm_all(const NetworkConfig& c, const NormWeights& norm, const MatrixRef& x, MatrixOut y) {
  for_each_block(x.rows(), kNormedRows, 4 * x.cols(), [&](Index begin, Index count) {
    norm_rows(c, norm, x.middleRows(begin, count), y.middleRows(begin, count));
  });
}

void sum_embeddings(const NetworkConfig& c, const NetworkWeights& w, std::span<const std::int32_t> ids,
                    Index first, MatrixOut rows) {
  Eigen::RowVectorXf more(c.width);
  for (Index i = 0; i < rows.rows(); ++i) {
    widen(*w.tokens, static_cast<Index>(ids[static_cast<std::size_t>(i)]) * c.width, c.width,
          rows.row(i).data());
    if (c.embedding_factor != 1) rows.row(i) *= static_cast<float>(c.embedding_factor);
    for (const Tensor* table : {w.positions, w.types}) {
      if (!table) continue;
      widen(*table, table == w.positions ? (first + i) * c.width : 0, c.width, more.data());
      rows.row(i) += more;
    }
  }
  for (const Tensor* table : {w.tokens, w.positions, w.types})
    if (table) require_unchanged(*table);
}

void turn_heads(const NetworkConfig& c, const NormWeights& head_norm, const Rotation& rotation, Index first,
                MatrixOut rows) {
  const bool turned = c.position.kind == PositionKind::Rotary;
  if (head_norm.empty() && !turned) return;
  for_each_block(rows.rows(), kNormedRows, 4 * rows.cols(), [&](Index block, Index count) {
    for (Index column = 0; column < rows.cols(); column += c.head_width) {
      auto head = rows.block(block, column, count, c.head_width);
      if (!head_norm.empty()) norm_rows(c, head_norm, head, head);
      if (turned) rotation.apply_rope(head, first + block, head);
    }
  });
}

Matrix mlp_output(const NetworkConfig& c, const LayerWeights& w, const MatrixRef& entered,
                  Workspace& workspace, MlpTrace* trace) {
  Matrix x, gate, wide, made(entered.rows(), c.width);
  if (trace) reserve(c, entered.rows(), *trace);
  for (Index begin = 0; begin < entered.rows(); begin += kMlpRows) {
    const Index count = std::min(kMlpRows, entered.rows() - begin);
    x = entered.middleRows(begin, count);
    if (c.norm_place != NormPlace::After) norm_all(c, w.mlp_norm, x, x);
    wide.resize(count, c.mlp_width);
    multiply(x, w.up, wide, workspace);
    if (c.gated) {
      gate.resize(count, c.mlp_width);
      multiply(x, w.gate, gate, workspace);
    }
    if (trace) {
      trace->input.middleRows(begin, count) = x;
      trace->up.middleRows(begin, count) = wide;
      if (c.gated) trace->gate.middleRows(begin, count) = gate;
    }
    for_each_block(count, kNormedRows, 8 * c.mlp_width, [&](Index first, Index some) {
      if (c.gated)
        activate_gated(c.activation, gate.middleRows(first, some), wide.middleRows(first, some), workspace);
      else
        activate(c.activation, wide.middleRows(first, some), workspace);
    });
    multiply(wide, w.down, made.middleRows(begin, count), workspace);
  }
  if (w.mlp_out_norm.empty()) return made;
  if (trace) trace->output = made;
  norm_all(c, w.mlp_out_norm, made, made);
  return made;
}

void leave_layer(const NetworkConfig& c, const LayerWeights& w, const MatrixRef& entered,
                 const MatrixRef& attention, const std::function<void(MatrixOut)>& edit_mlp, MatrixOut left,
                 Workspace& workspace, LayerTrace* trace) {
  const bool after = c.norm_place == NormPlace::After;
  left = entered + attention;
  if (trace) trace->middle = left;
  if (after) norm_all(c, w.attention_norm, left, left);
  Matrix made =
      mlp_output(c, w, c.parallel ? entered : MatrixRef(left), workspace, trace ? &trace->mlp : nullptr);
  if (edit_mlp) edit_mlp(made);
  left += made;
  if (!after) return;
  if (trace) trace->left = left;
  norm_all(c, w.mlp_norm, left, left);
}

Matrix prediction_input(const NetworkConfig& c, const NetworkWeights& w, const MatrixRef& left,
                        Workspace& workspace, PredictionTrace* trace) {
  Matrix x = left;
  if (!w.final_norm.empty()) norm_all(c, w.final_norm, x, x);
  if (w.head_transform.empty()) return x;
  Matrix turned(x.rows(), c.width);
  multiply(x, w.head_transform, turned, workspace);
  if (trace) {
    trace->normed = x;
    trace->transformed = turned;
  }
  activate(c.activation, turned, workspace);
  if (trace) trace->activated = turned;
  norm_rows(c, w.head_norm, turned, turned);
  return turned;
}

void predict(const NetworkConfig& c, const NetworkWeights& w, const MatrixRef& input, MatrixOut logits,
             Workspace& workspace) {
  multiply(input, w.logits, logits, workspace);
  if (c.final_softcap > 0) cap_scores(logits, c.final_softcap, logits);
}

}  // namespace headlight
