#include "engine/network/layer_steps.h"

#include <algorithm>
#include <numeric>
#include <vector>

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

// The row of the position embeddings for each token of a text.
std::vector<Index> position_rows(const NetworkConfig& c, std::span<const std::int32_t> ids) {
  std::vector<Index> rows;
  Index next = c.position_offset;
  for (const std::int32_t id : ids)
    rows.push_back(c.padding == id ? *c.padding : next++);
  return rows;
}

void rotate_rows(const NetworkConfig& c, const Rotation& rotation, Index first, MatrixOut rows) {
  for (Index column = 0; column < rows.cols(); column += c.head_width) {
    auto head = rows.middleCols(column, c.head_width);
    rotation.apply_rope(head, first, head);
  }
}

// The MLP of rows that are normed; those from `begin` on in the trace.
void dense_output(const NetworkConfig& c, const LayerWeights& w, const Matrix& x, Index begin, MatrixOut made,
                  Workspace& workspace, MlpTrace* trace, const EditNeurons& edit) {
  const Index count = x.rows();
  ScratchMatrix wide(workspace, count, c.mlp_width), gate(workspace, c.gated ? count : 0, c.mlp_width);
  multiply(x, w.up, *wide, workspace);
  if (c.gated) multiply(x, w.gate, *gate, workspace);
  if (trace) {
    trace->input.middleRows(begin, count) = x;
    trace->up.middleRows(begin, count) = *wide;
    if (c.gated) trace->gate.middleRows(begin, count) = *gate;
  }
  for_each_block(count, kNormedRows, 8 * c.mlp_width, [&](Index first, Index some) {
    if (c.gated)
      activate_gated(c.activation, gate->middleRows(first, some), wide->middleRows(first, some), workspace);
    else
      activate(c.activation, wide->middleRows(first, some), workspace);
  });
  if (edit) edit(begin, *wide);
  multiply(*wide, w.down, made, workspace);
}

// The output of one expert for rows that take it.
Matrix expert_output(const NetworkConfig& c, const ExpertWeights& w, const Matrix& x, Workspace& workspace) {
  Matrix hidden(x.rows(), c.experts.width), made(x.rows(), c.width);
  if (c.experts.clamped) {
    Matrix gate_up(x.rows(), 2 * c.experts.width);
    multiply(x, w.up, gate_up, workspace);
    activate_clamped(gate_up, hidden);
  } else {
    Matrix gate(x.rows(), c.experts.width);
    multiply(x, w.gate, gate, workspace);
    multiply(x, w.up, hidden, workspace);
    activate_gated(c.activation, gate, hidden, workspace);
  }
  multiply(hidden, w.down, made, workspace);
  return made;
}

void experts_output(const NetworkConfig& c, const LayerWeights& w, const Matrix& x, MatrixOut made,
                    Workspace& workspace) {
  const Matrix shares = expert_shares(c, w, x, workspace);
  made.setZero();
  std::vector<Index> rows;
  for (Index expert = 0; expert < c.experts.count; ++expert) {
    rows.clear();
    for (Index i = 0; i < x.rows(); ++i)
      if (shares(i, expert) != 0) rows.push_back(i);
    if (rows.empty()) continue;
    const Matrix own =
        expert_output(c, w.experts[static_cast<std::size_t>(expert)], x(rows, Eigen::all), workspace);
    for (std::size_t i = 0; i < rows.size(); ++i)
      made.row(rows[i]) += shares(rows[i], expert) * own.row(static_cast<Index>(i));
  }
}

}  // namespace

void for_each_block(Index rows, Index most, Index width, const std::function<void(Index, Index)>& body) {
  most = std::clamp<Index>((rows + thread_count() - 1) / thread_count(), 1, most);  // some for each thread
  const Index blocks = (rows + most - 1) / most;
  for_each_index(blocks, static_cast<double>(rows) * static_cast<double>(width),
                 [&](Index block) { body(block * most, std::min(most, rows - block * most)); });
}

void set_layer_frame(const NetworkConfig& c, const NetworkWeights& w, Index layer, Index tokens,
                     Layer& frame) {
  frame.attention = c.attention(layer, tokens);
  frame.attention.sinks = w.layers[static_cast<std::size_t>(layer)].sinks;
  frame.score_bias = score_bias_of(c, w.relative_bias, tokens);
  frame.tokens.resize(static_cast<std::size_t>(tokens));
}

void norm_all(const NetworkConfig& c, const NormWeights& norm, const MatrixRef& x, MatrixOut y) {
  for_each_block(x.rows(), kNormedRows, 4 * x.cols(), [&](Index begin, Index count) {
    norm_rows(c, norm, x.middleRows(begin, count), y.middleRows(begin, count));
  });
}

void norm_input(const NetworkConfig& c, const NormWeights& norm, MatrixOut rows) {
  if (c.norm_place != NormPlace::After && !norm.empty()) norm_all(c, norm, rows, rows);
}

void sum_embeddings(const NetworkConfig& c, const NetworkWeights& w, const TextTokens& text, Index first,
                    MatrixOut rows) {
  const auto& [ids, types] = text;
  const std::vector<Index> places = w.positions ? position_rows(c, ids) : std::vector<Index>();
  Eigen::RowVectorXf more(rows.cols());
  for (Index i = 0; i < rows.rows(); ++i) {
    const auto token = static_cast<std::size_t>(first + i);
    if (!c.projected_first) {
      widen(*w.tokens, static_cast<Index>(ids[token]) * rows.cols(), rows.cols(), rows.row(i).data());
      if (c.embedding_factor != 1) rows.row(i) *= static_cast<float>(c.embedding_factor);
    }
    for (const Tensor* table : {w.positions, w.types}) {
      if (!table) continue;
      const Index type = types.empty() ? 0 : static_cast<Index>(types[token]);
      widen(*table, (table == w.positions ? places[token] : type) * rows.cols(), rows.cols(), more.data());
      rows.row(i) += more;
    }
  }
  for (const Tensor* table : {w.tokens, w.positions, w.types})
    if (table) require_unchanged(*table);
}

void embed_tokens(const NetworkConfig& c, const NetworkWeights& w, const TextTokens& text, Index first,
                  MatrixOut rows, Workspace& workspace) {
  if (w.embedding_projection.empty()) {
    sum_embeddings(c, w, text, first, rows);
    if (!w.embedding_norm.empty()) norm_rows(c, w.embedding_norm, rows, rows);
    return;
  }
  Matrix embedded(rows.rows(), c.embedding_width);
  if (c.projected_first) {
    for (Index i = 0; i < rows.rows(); ++i)
      widen(*w.tokens, static_cast<Index>(text.ids[static_cast<std::size_t>(first + i)]) * c.embedding_width,
            c.embedding_width, embedded.row(i).data());
    multiply(embedded, w.embedding_projection, rows, workspace);
    return sum_embeddings(c, w, text, first, rows);
  }
  sum_embeddings(c, w, text, first, embedded);
  if (!w.embedding_norm.empty()) norm_rows(c, w.embedding_norm, embedded, embedded);
  multiply(embedded, w.embedding_projection, rows, workspace);
}

void embed_image(const NetworkConfig& c, const NetworkWeights& w, const MatrixRef& pixels, MatrixOut rows,
                 Workspace& workspace) {
  const ImageShape& image = c.image;
  Matrix patches(rows.rows() - 1, image.patch_numbers());
  for (Index patch = 0; patch < patches.rows(); ++patch) {
    const Index top = patch / image.columns() * image.patch_height,
                left = patch % image.columns() * image.patch_width;
    for (Index i = 0; i < patches.cols(); ++i) {
      const Index column = i % image.patch_width, row = i / image.patch_width % image.patch_height,
                  channel = i / (image.patch_width * image.patch_height);
      patches(patch, i) = pixels(channel, (top + row) * image.width + left + column);
    }
  }
  widen(*w.class_token, 0, c.width, rows.row(0).data());
  multiply(patches, w.patches, rows.bottomRows(patches.rows()), workspace);
  Eigen::RowVectorXf position(c.width);
  for (Index i = 0; i < rows.rows(); ++i) {
    widen(*w.positions, i * c.width, c.width, position.data());
    rows.row(i) += position;
  }
  require_unchanged(*w.class_token);
  require_unchanged(*w.positions);
}

void turn_heads(const NetworkConfig& c, const NormWeights& head_norm, const Rotation* rotation, Index first,
                MatrixOut rows) {
  if (head_norm.empty() && c.clip == 0 && !rotation) return;
  for_each_block(rows.rows(), kNormedRows, 4 * rows.cols(), [&](Index block, Index count) {
    auto some = rows.middleRows(block, count);
    norm_heads(c, head_norm, some);
    if (rotation) rotate_rows(c, *rotation, first + block, some);
  });
}

void rotate_heads(const NetworkConfig& c, const Rotation* rotation, Index first, MatrixOut rows) {
  if (rotation) rotate_rows(c, *rotation, first, rows);
}

Matrix expert_shares(const NetworkConfig& c, const LayerWeights& w, const MatrixRef& normed,
                     Workspace& workspace) {
  Matrix logits(normed.rows(), c.experts.count);
  multiply(normed, w.router, logits, workspace);
  std::vector<Index> order(static_cast<std::size_t>(c.experts.count));
  for (Index i = 0; i < logits.rows(); ++i) {
    auto row = logits.row(i);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return row(a) > row(b); });
    const Eigen::RowVectorXf exponentials = (row.array() - row.maxCoeff()).exp();
    const auto chosen = std::span(order).first(static_cast<std::size_t>(c.experts.chosen));
    float sum = c.experts.renormalized ? 0 : exponentials.sum();
    for (const Index expert : chosen)
      if (c.experts.renormalized) sum += exponentials(expert);
    row.setZero();
    for (const Index expert : chosen)
      row(expert) = exponentials(expert) / sum;
  }
  return logits;
}

Matrix mlp_output(const NetworkConfig& c, const LayerWeights& w, const MatrixRef& entered,
                  Workspace& workspace, MlpTrace* trace, const EditNeurons& edit) {
  Matrix x, made(entered.rows(), c.width);
  if (trace) reserve(c, entered.rows(), *trace);
  for (Index begin = 0; begin < entered.rows(); begin += kMlpRows) {
    const Index count = std::min(kMlpRows, entered.rows() - begin);
    x = entered.middleRows(begin, count);
    norm_input(c, w.mlp_norm, x);
    if (w.experts.empty())
      dense_output(c, w, x, begin, made.middleRows(begin, count), workspace, trace, edit);
    else
      experts_output(c, w, x, made.middleRows(begin, count), workspace);
  }
  if (trace && !w.mlp_out_norm.empty()) trace->output = made;
  if (!w.mlp_out_norm.empty()) norm_all(c, w.mlp_out_norm, made, made);
  if (c.residual_factor != 1) made *= static_cast<float>(c.residual_factor);
  return made;
}

void leave_layer(const NetworkConfig& c, const LayerWeights& w, const MatrixRef& entered,
                 const MatrixRef& attention, const LayerHooks& hooks, MatrixOut left, Workspace& workspace,
                 LayerTrace* trace) {
  const bool after = c.norm_place == NormPlace::After;
  left = entered;
  if (c.residual_after_norm) norm_all(c, w.attention_norm, left, left);
  left += attention;
  if (trace) trace->middle = left;
  if (after) norm_all(c, w.attention_norm, left, left);
  if (hooks.cross) {
    Matrix read = left;
    norm_input(c, w.cross_norm, read);
    left += hooks.cross(read);
    if (after) norm_all(c, w.cross_norm, left, left);
  }
  Matrix made = mlp_output(c, w, c.parallel ? entered : MatrixRef(left), workspace,
                           trace ? &trace->mlp : nullptr, hooks.edit_neurons);
  if (hooks.edit_mlp) hooks.edit_mlp(made);
  if (c.residual_after_norm) norm_all(c, w.mlp_norm, left, left);
  left += made;
  if (!after) return;
  if (trace) trace->left = left;
  norm_all(c, w.mlp_norm, left, left);
}

Matrix prediction_input(const NetworkConfig& c, const NetworkWeights& w, const MatrixRef& left,
                        Workspace& workspace, PredictionTrace* trace) {
  Matrix x = left;
  if (!w.final_norm.empty()) norm_all(c, w.final_norm, x, x);
  if (!w.head_projection.empty()) {
    Matrix projected(x.rows(), w.head_projection.outputs);
    multiply(x, w.head_projection, projected, workspace);
    x = std::move(projected);
  }
  if (w.head_transform.empty()) return x;
  Matrix turned(x.rows(), w.head_transform.outputs);
  multiply(x, w.head_transform, turned, workspace);
  if (trace) {
    trace->normed = x;
    trace->transformed = turned;
  }
  activate(c.head_activation, turned, workspace);
  if (trace) trace->activated = turned;
  norm_rows(c, w.head_norm, turned, turned);
  return turned;
}

void predict(const NetworkConfig& c, const NetworkWeights& w, const MatrixRef& input, MatrixOut logits,
             Workspace& workspace) {
  multiply(input, w.logits, logits, workspace);
  if (c.logit_factor != 1) logits *= static_cast<float>(c.logit_factor);
  if (c.final_softcap > 0) cap_scores(logits, c.final_softcap, logits);
}

}  // namespace headlight
