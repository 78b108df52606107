#include "engine/analysis/circuits.h"

#include <Eigen/QR>
#include <Eigen/SVD>

#include <algorithm>
#include <cmath>
#include <functional>

#include "engine/analysis/added_logits.h"
#include "engine/core/error.h"
#include "engine/core/stopping.h"
#include "engine/core/torch_stream.h"
#include "engine/interpretation/predictions.h"
#include "engine/network/layer_steps.h"
#include "engine/network/norms.h"

namespace headlight {
namespace {

// The rows of W times the weights of the norm that stands before it.
Matrix with_norm(const NetworkConfig& config, const NormWeights& norm, Matrix w) {
  if (norm.empty() || config.norm_place == NormPlace::After) return w;
  Eigen::VectorXf weight = norm.weight.transpose();
  if (config.norm == NormKind::RmsPlusOne) weight.array() += 1;
  return weight.asDiagonal() * w;
}

struct HeadWeights {
  Matrix query, key, value;  // d x d_k, d_k, d_v
  Matrix output;             // d_v x d
};

// Of all heads of a layer, side by side.
struct LayerFactors {
  Matrix query, key, value, output;

  LayerFactors(const NetworkPass& pass, Index layer) {
    const NetworkConfig& config = pass.network().config();
    const LayerWeights& w = pass.layer_weights(layer);
    query = with_norm(config, w.attention_norm, widened(w.query));
    key = with_norm(config, w.attention_norm, widened(w.key));
    value = with_norm(config, w.attention_norm, widened(w.value));
    output = widened(w.output);
  }
  HeadWeights of(const NetworkPass& pass, Index layer, Index head) const {
    const Index width = pass.network().config().head_width;
    const Index group = pass.layer_frame(layer).kv_head_of(head);
    return {query.middleCols(head * width, width), key.middleCols(group * width, width),
            value.middleCols(group * width, width), output.middleRows(head * width, width)};
  }
};

HeadWeights head_weights(const NetworkPass& pass, Index layer, Index head) {
  return LayerFactors(pass, layer).of(pass, layer, head);
}

// R of A = Q R: as large as A, and of the same product A^T A.
Eigen::MatrixXd upper_factor(const Matrix& a) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(a.cast<double>());
  const Index rank = std::min(a.rows(), a.cols());
  return qr.matrixQR().topRows(rank).triangularView<Eigen::Upper>();
}

// R_left R_right^T, which has the singular values of left right.
Eigen::MatrixXd core_of(const LowRank& product) {
  return upper_factor(product.left) * upper_factor(product.right.transpose()).transpose();
}

// |A between B^T| in the Frobenius norm, from the upper factors of A and B.
double product_norm(const Eigen::MatrixXd& a, const Matrix& between, const Eigen::MatrixXd& b) {
  return (a * between.cast<double>() * b.transpose()).norm();
}

// The stream behind the first layer, if attention added nothing to `rows` there.
Matrix behind_first_mlp(const NetworkPass& pass, const Matrix& rows, Workspace& workspace) {
  Matrix left(rows.rows(), rows.cols());
  leave_layer(pass.network().config(), pass.layer_weights(0), rows, Matrix::Zero(rows.rows(), rows.cols()),
              {}, left, workspace);
  return left;
}

// What the layer's attention would read of each token, if the stream were its embedding: ids x d.
Matrix read_embeddings(const NetworkPass& pass, Index layer, const std::vector<std::int32_t>& ids,
                       EmbeddingKind kind) {
  kind = embeddings_read(layer, kind);
  require_embeddings(pass.network(), kind);
  const NetworkConfig& config = pass.network().config();
  const NetworkWeights& w = pass.network().weights();
  Workspace workspace;
  Matrix rows(static_cast<Index>(ids.size()), config.embedding_width);
  for (Index i = 0; i < rows.rows(); ++i)
    widen(*w.tokens, ids[static_cast<std::size_t>(i)] * rows.cols(), rows.cols(), rows.row(i).data());
  rows *= static_cast<float>(config.embedding_factor);
  if (!w.embedding_norm.empty()) norm_rows(config, w.embedding_norm, rows, rows);
  if (!w.embedding_projection.empty()) {
    Matrix projected(rows.rows(), config.width);
    multiply(rows, w.embedding_projection, projected, workspace);
    rows = std::move(projected);
  }
  if (kind == EmbeddingKind::Effective) rows = behind_first_mlp(pass, rows, workspace);
  norm_input(config, pass.layer_weights(layer).attention_norm, rows);
  return rows;
}

using Row = Eigen::Ref<const Eigen::RowVectorXf>;

// Calls `body` with what each token raises all logits by, through the head's OV circuit. read: what attention
// reads of the tokens.
void for_each_raised(NetworkPass& pass, Index layer, Index head, const std::vector<std::int32_t>& ids,
                     const Matrix& read,
                     const std::function<void(Index row, std::int32_t id, const Row& logits)>& body) {
  constexpr Index kTokensAtOnce = 32;
  const Index width = pass.network().config().head_width;
  const Index group = pass.layer_frame(layer).kv_head_of(head);
  const LayerWeights& w = pass.layer_weights(layer);
  const Matrix value = widened(w.value).middleCols(group * width, width),
               output = widened(w.output).middleRows(head * width, width);
  const Matrix written = read * value * output;
  for (Index begin = 0; begin < written.rows(); begin += kTokensAtOnce) {
    throw_if_stopped();
    const Index count = std::min(kTokensAtOnce, written.rows() - begin);
    const Matrix logits = added_logits(pass.network(), written.middleRows(begin, count));
    for (Index i = 0; i < count; ++i)
      body(begin + i, ids[static_cast<std::size_t>(begin + i)], logits.row(i));
  }
}

// `logit`: what the token's logit becomes less by, as likeliest() has it of the negated row.
std::vector<Prediction> most_lowered(const Row& logits, Index count) {
  std::vector<Prediction> lowered = likeliest(-logits, count);
  for (Prediction& one : lowered)
    one.logit = -one.logit;
  return lowered;
}

}  // namespace

EmbeddingKind embeddings_read(Index layer, EmbeddingKind kind) {
  return layer == 0 ? EmbeddingKind::Raw : kind;
}

void require_embeddings(const Network& network, EmbeddingKind kind) {
  if (kind == EmbeddingKind::Raw) return;
  const auto refuse = [&](const std::string& why, const std::string& instead) {
    throw Error("there are no effective embeddings " + why, network.name(), instead);
  };
  const LayerWeights& first = network.weights().layers.front();
  if (network.config().cross)
    refuse("in a model of two sides: its first MLP reads what attention to the other text adds",
           "take raw embeddings");
  if (first.up.empty() && first.experts.empty())
    refuse("where the first layer has no MLP", "take raw embeddings");
}

Eigen::VectorXf LowRank::singular_values() const {
  return Eigen::JacobiSVD<Eigen::MatrixXd>(core_of(*this)).singularValues().cast<float>();
}

double LowRank::norm() const {
  return core_of(*this).norm();
}

LowRank ov_circuit(const NetworkPass& pass, Index layer, Index head) {
  const HeadWeights w = head_weights(pass, layer, head);
  return {w.value, w.output};
}

LowRank qk_circuit(const NetworkPass& pass, Index layer, Index head) {
  const HeadWeights w = head_weights(pass, layer, head);
  return {w.query, w.key.transpose()};
}

std::vector<CopiedToken> copied_tokens(NetworkPass& pass, Index layer, Index head,
                                       const std::vector<std::int32_t>& ids, Index count,
                                       EmbeddingKind kind) {
  require_added_logits(pass.network());
  std::vector<CopiedToken> tokens;
  const Matrix read = read_embeddings(pass, layer, ids, kind);
  for_each_raised(pass, layer, head, ids, read, [&](Index /*row*/, std::int32_t id, const Row& logits) {
    // Equal ones stand before it: a head that raises nothing copies nothing.
    const float own = logits(id);
    const bool none = std::isnan(own);
    const Index raised = none ? logits.size() : (logits.array() >= own).count(),
                lowered = none ? logits.size() : (logits.array() <= own).count();
    tokens.push_back({id, raised, lowered, likeliest(logits, count), most_lowered(logits, count)});
  });
  return tokens;
}

TokenCircuits token_circuits(NetworkPass& pass, Index layer, Index head, const std::vector<std::int32_t>& ids,
                             EmbeddingKind kind) {
  require_added_logits(pass.network());
  const auto count = static_cast<Index>(ids.size());
  const Index width = pass.network().config().head_width;
  const Index group = pass.layer_frame(layer).kv_head_of(head);
  const LayerWeights& w = pass.layer_weights(layer);
  const Matrix read = read_embeddings(pass, layer, ids, kind);
  TokenCircuits circuits;
  circuits.ov.resize(count, count);
  for_each_raised(pass, layer, head, ids, read, [&](Index row, std::int32_t /*id*/, const Row& logits) {
    for (Index column = 0; column < count; ++column)
      circuits.ov(row, column) = logits(ids[static_cast<std::size_t>(column)]);
  });
  circuits.qk = (read * widened(w.query).middleCols(head * width, width)) *
                (read * widened(w.key).middleCols(group * width, width)).transpose() *
                pass.layer_frame(layer).scale_factor();
  return circuits;
}

Composition composition_with(const NetworkPass& pass, Index layer, Index head) {
  const NetworkConfig& config = pass.network().config();
  const HeadWeights later = head_weights(pass, layer, head);
  const LowRank qk = qk_circuit(pass, layer, head), ov = ov_circuit(pass, layer, head);
  const double qk_norm = qk.norm(), ov_norm = ov.norm();
  const Eigen::MatrixXd of_keys = upper_factor(later.key), of_queries = upper_factor(later.query),
                        of_output = upper_factor(later.output.transpose());
  Composition all{Matrix(layer, config.heads), Matrix(layer, config.heads), Matrix(layer, config.heads)};
  for (Index before = 0; before < layer; ++before) {
    throw_if_stopped();
    const LayerFactors factors(pass, before);
    for (Index other = 0; other < config.heads; ++other) {
      const HeadWeights earlier = factors.of(pass, before, other);
      const Eigen::MatrixXd written = upper_factor(earlier.value);
      const double own = LowRank{earlier.value, earlier.output}.norm();
      const auto score = [&](const Matrix& read, const Eigen::MatrixXd& rest, double norm) {
        return static_cast<float>(product_norm(written, earlier.output * read, rest) / (own * norm));
      };
      all.queries(before, other) = score(later.query, of_keys, qk_norm);
      all.keys(before, other) = score(later.key, of_queries, qk_norm);
      all.values(before, other) = score(later.value, of_output, ov_norm);
    }
  }
  return all;
}

RandomComposition random_composition(Index width, Index head_width) {
  TorchStream stream(RandomComposition::kSeed);
  const auto drawn = [&](Index rows, Index columns) {
    Matrix matrix(rows, columns);
    fill_normal(stream, 1, matrix.data(), static_cast<std::size_t>(matrix.size()));
    return matrix;
  };
  Eigen::VectorXd ratios(RandomComposition::kDraws);
  for (double& ratio : ratios) {
    throw_if_stopped();
    const LowRank earlier{drawn(width, head_width), drawn(head_width, width)};
    const Matrix query = drawn(width, head_width), key = drawn(width, head_width);
    const double norms = earlier.norm() * LowRank{query, key.transpose()}.norm();
    ratio = product_norm(upper_factor(earlier.left), earlier.right * query, upper_factor(key)) / norms;
  }
  RandomComposition random;
  random.mean = ratios.mean();
  random.deviation = std::sqrt((ratios.array() - random.mean).square().sum() /
                               static_cast<double>(RandomComposition::kDraws - 1));
  return random;
}

}  // namespace headlight
