#include "engine/analysis/circuits.h"

#include <Eigen/SVD>

#include <cmath>

#include "engine/analysis/neurons.h"
#include "engine/analysis/stream_norms.h"
#include "engine/interpretation/attribution.h"
#include "engine/network/layer_steps.h"
#include "tests/engine/analysis/path_support.h"
#include "tests/engine/interpretation/sides_support.h"
#include "tests/engine/network/network_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

Matrix product_of(const LowRank& factors) {
  return factors.left * factors.right;
}

Eigen::RowVectorXd embedding_of(const NetworkPass& pass, std::int32_t id) {
  const NetworkConfig& c = pass.network().config();
  Eigen::RowVectorXf row(c.width);
  read_numbers(*pass.network().weights().tokens, id * c.width, c.width, row.data());
  return row.cast<double>() * c.embedding_factor;
}

Eigen::RowVectorXd normed(const NetworkConfig& c, const NormWeights& norm, const Eigen::RowVectorXd& x) {
  const double mean = c.norm == NormKind::Layer ? x.mean() : 0;
  Eigen::RowVectorXd weight = norm.weight.cast<double>();
  if (c.norm == NormKind::RmsPlusOne) weight.array() += 1;
  Eigen::RowVectorXd y =
      (x.array() - mean).matrix() / std::sqrt((x.array() - mean).square().mean() + c.epsilon);
  y = y.cwiseProduct(weight);
  return norm.bias.size() > 0 ? Eigen::RowVectorXd(y + norm.bias.cast<double>()) : y;
}

// One token's row as the layer's attention reads its embedding.
Eigen::RowVectorXd read_embedding(const NetworkPass& pass, Index layer, std::int32_t id) {
  return normed(pass.network().config(), pass.layer_weights(layer).attention_norm, embedding_of(pass, id));
}

Eigen::RowVectorXd multiplied(const Eigen::RowVectorXd& x, const Factor& factor) {
  const Eigen::RowVectorXd y = x * widened(factor).cast<double>();
  const Matrix bias = widened_bias(factor);
  return bias.size() > 0 ? Eigen::RowVectorXd(y + bias.row(0).cast<double>()) : y;
}

// x and what the first MLP adds to it, of gpt2 (GELU by tanh) or llama (gated, SiLU).
Eigen::RowVectorXd with_first_mlp(const NetworkPass& pass, const Eigen::RowVectorXd& x) {
  const NetworkConfig& c = pass.network().config();
  const LayerWeights& w = pass.layer_weights(0);
  const Eigen::RowVectorXd read = normed(c, w.mlp_norm, x);
  Eigen::RowVectorXd hidden = multiplied(read, w.up);
  const Eigen::RowVectorXd gate = c.gated ? multiplied(read, w.gate) : hidden;
  for (Index i = 0; i < hidden.size(); ++i) {
    const double z = gate(i);
    if (c.gated)
      hidden(i) *= z / (1 + std::exp(-z));
    else
      hidden(i) = z / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (z + 0.044715 * z * z * z)));
  }
  return x + multiplied(hidden, w.down);
}

}  // namespace

TEST_CASE("circuits: singular values and composition are those of the whole products") {
  for (const std::string family : {"gpt2", "llama", "gemma2"}) {
    INFO(family);
    NetworkPass pass = golden_pass(family);
    const NetworkConfig& c = pass.network().config();
    const Index last = c.layers - 1;
    const Matrix ov = product_of(ov_circuit(pass, last, 1)), qk = product_of(qk_circuit(pass, last, 1));
    for (const LowRank& one : {ov_circuit(pass, last, 1), qk_circuit(pass, last, 1)}) {
      const Eigen::VectorXf values = one.singular_values();
      const Eigen::VectorXf whole = Eigen::JacobiSVD<Eigen::MatrixXf>(product_of(one)).singularValues();
      REQUIRE(values.size() == c.head_width);
      CHECK(values.isApprox(whole.head(values.size()), 1e-4f));
      CHECK_THAT(one.norm(), WithinRel(static_cast<double>(product_of(one).norm()), 1e-4));
    }
    const Composition all = composition_with(pass, last, 1);
    for (Index layer = 0; layer < last; ++layer)
      for (Index head = 0; head < c.heads; ++head) {
        const Matrix earlier = product_of(ov_circuit(pass, layer, head));
        const auto score = [&](const Matrix& later) {
          return (earlier * later).norm() / (earlier.norm() * later.norm());
        };
        CHECK_THAT(all.queries(layer, head), WithinRel(score(qk), 1e-3f));
        CHECK_THAT(all.keys(layer, head), WithinRel(score(qk.transpose()), 1e-3f));
        CHECK_THAT(all.values(layer, head), WithinRel(score(ov), 1e-3f));
      }
  }
}

TEST_CASE("circuits: what tokens raise, and how they score, by plain products of their embeddings") {
  for (const std::string family : {"gpt2", "llama", "gemma2"}) {
    INFO(family);
    NetworkPass pass = golden_pass(family);
    const NetworkConfig& c = pass.network().config();
    const std::vector<std::int32_t> ids = {3, 9, 1};
    const Index layer = 1, head = 1, group = pass.layer_frame(layer).kv_head_of(head);
    const LayerWeights& w = pass.layer_weights(layer);
    const auto columns = [&](const Factor& factor, Index at) {
      return widened(factor).middleCols(at * c.head_width, c.head_width).cast<double>().eval();
    };
    const TokenCircuits circuits = token_circuits(pass, layer, head, ids);
    const std::vector<CopiedToken> copied = copied_tokens(pass, layer, head, ids, 3);
    Eigen::RowVectorXd last = pass.network().weights().final_norm.weight.cast<double>();
    if (c.norm == NormKind::RmsPlusOne) last.array() += 1;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const Eigen::RowVectorXd read = read_embedding(pass, layer, ids[i]);
      Eigen::RowVectorXd written =
          read * columns(w.value, group) *
          widened(w.output).middleRows(head * c.head_width, c.head_width).cast<double>();
      if (c.norm == NormKind::Layer) written.array() -= written.mean();
      const Eigen::RowVectorXd logits =
          written.cwiseProduct(last) * widened(pass.network().weights().logits).cast<double>();
      CHECK(copied[i].own_rank == 1 + (logits.array() > logits(ids[i])).count());
      Eigen::Index top = 0;
      logits.maxCoeff(&top);
      CHECK(copied[i].promoted.front().id == top);
      for (std::size_t j = 0; j < ids.size(); ++j) {
        const auto row = static_cast<Index>(i), column = static_cast<Index>(j);
        CHECK_THAT(circuits.ov(row, column), WithinAbs(logits(ids[j]), 1e-4));
        const double score =
            (read * columns(w.query, head)).dot(read_embedding(pass, layer, ids[j]) * columns(w.key, group)) *
            static_cast<double>(pass.layer_frame(layer).scale_factor());
        CHECK_THAT(circuits.qk(row, column), WithinAbs(score, 1e-4));
      }
    }
  }
}

TEST_CASE("circuits: effective embeddings are embeddings with what the first MLP adds") {
  for (const std::string family : {"gpt2", "llama"}) {
    INFO(family);
    NetworkPass pass = golden_pass(family);
    const NetworkConfig& c = pass.network().config();
    const std::vector<std::int32_t> ids = {3, 9, 1};
    const Index layer = 1, head = 1, group = pass.layer_frame(layer).kv_head_of(head);
    const LayerWeights& w = pass.layer_weights(layer);
    const TokenCircuits raw = token_circuits(pass, layer, head, ids),
                        effective = token_circuits(pass, layer, head, ids, EmbeddingKind::Effective);
    CHECK_FALSE(effective.qk.isApprox(raw.qk, 0.01f));
    const auto columns = [&](const Factor& factor, Index at) {
      return widened(factor).middleCols(at * c.head_width, c.head_width).cast<double>().eval();
    };
    const std::vector<CopiedToken> copied =
        copied_tokens(pass, layer, head, ids, 3, EmbeddingKind::Effective);
    Eigen::RowVectorXd last = pass.network().weights().final_norm.weight.cast<double>();
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto row = static_cast<Index>(i);
      const auto read = [&](std::size_t at) {
        return normed(c, w.attention_norm, with_first_mlp(pass, embedding_of(pass, ids[at])));
      };
      Eigen::RowVectorXd written =
          read(i) * columns(w.value, group) *
          widened(w.output).middleRows(head * c.head_width, c.head_width).cast<double>();
      if (c.norm == NormKind::Layer) written.array() -= written.mean();
      const Eigen::RowVectorXd logits =
          written.cwiseProduct(last) * widened(pass.network().weights().logits).cast<double>();
      CHECK(copied[i].own_rank == 1 + (logits.array() > logits(ids[i])).count());
      CHECK(copied[i].own_rank_lowered == 1 + (logits.array() < logits(ids[i])).count());
      Eigen::Index lowest = 0;
      CHECK_THAT(copied[i].lowered.front().logit, WithinAbs(logits.minCoeff(&lowest), 1e-4));
      CHECK(copied[i].lowered.front().id == lowest);
      for (std::size_t j = 0; j < ids.size(); ++j) {
        const auto column = static_cast<Index>(j);
        CHECK_THAT(effective.ov(row, column), WithinAbs(logits(ids[j]), 1e-4));
        const double score = (read(i) * columns(w.query, head)).dot(read(j) * columns(w.key, group)) *
                             static_cast<double>(pass.layer_frame(layer).scale_factor());
        CHECK_THAT(effective.qk(row, column), WithinAbs(score, 1e-4));
      }
    }
  }
}

// The stream behind the first layer of a text of this one token, whose attention is patched to add nothing.
TEST_CASE(
    "circuits: in every family effective embeddings are the stream behind a first layer without attention") {
  for (const std::string family : kNetworks) {
    NetworkPass pass = golden_pass(family);
    const NetworkConfig& c = pass.network().config();
    if (!c.stream_is_sum() || c.cross || c.embedding_width != c.width) continue;
    INFO(family);
    const std::int32_t id = 5;
    const Index layer = 1, head = 0, width = c.head_width;
    const TokenCircuits found = token_circuits(pass, layer, head, {id}, EmbeddingKind::Effective);
    pass.set_ids({id});
    const Matrix raw = embedding_of(pass, id).cast<float>();
    pass.set_patches({{PatchStage::Residual, 0, 0, 0, 0, raw},
                      {PatchStage::AttentionAdded, 0, 0, 0, 0, Matrix::Zero(1, c.width)}});
    Matrix read = pass.residual(layer);
    norm_input(c, pass.layer_weights(layer).attention_norm, read);
    const LayerWeights& w = pass.layer_weights(layer);
    const Matrix score = (read * widened(w.query).leftCols(width)) *
                         (read * widened(w.key).leftCols(width)).transpose() *
                         pass.layer_frame(layer).scale_factor();
    CHECK_THAT(found.qk(0, 0), WithinAbs(score(0, 0), 1e-4 * (1 + std::abs(score(0, 0)))));
  }
}

TEST_CASE(
    "circuits: effective embeddings are raw ones in the first layer, and refused where there are none") {
  NetworkPass pass = golden_pass("gpt2");
  const std::vector<std::int32_t> ids = {1, 2};
  CHECK(token_circuits(pass, 0, 0, ids, EmbeddingKind::Effective).ov == token_circuits(pass, 0, 0, ids).ov);
  NetworkPass sides(two_sided("t5").network);
  CHECK_THROWS_WITH(token_circuits(sides, 1, 0, {1}, EmbeddingKind::Effective),
                    ContainsSubstring("model of two sides"));
}

TEST_CASE("neurons: all together add what the MLP adds, but for its bias") {
  for (const std::string family : kNetworks) {
    if (family == "bert") continue;
    INFO(family);
    NetworkPass pass = golden_pass(family);
    const NetworkConfig& c = pass.network().config();
    const LogitChoice logit{7, 3, 5};
    const Attribution parts = attribute(pass, logit);
    for (Index layer = 0; layer < c.layers; ++layer) {
      const std::vector<Neuron> all = largest_neurons(pass, logit, layer, c.mlp_width + 10, 2);
      REQUIRE(static_cast<Index>(all.size()) == c.mlp_width);
      double sum = 0;
      for (std::size_t i = 0; i < all.size(); ++i) {
        sum += static_cast<double>(all[i].part);
        if (i > 0) CHECK(std::abs(all[i].part) <= std::abs(all[i - 1].part));
        CHECK(all[i].promoted.size() == 2);
      }
      const Matrix bias = widened_bias(pass.layer_weights(layer).down);
      if (bias.size() > 0) sum += static_cast<double>(mlp_direction(pass, logit, layer).dot(bias.row(0)));
      CHECK_THAT(sum, WithinAbs(static_cast<double>(parts.mlps(layer)), 2e-4));
      CHECK(largest_neurons(pass, logit, layer, 3, 0).size() == 3);
    }
  }
}

TEST_CASE("stream norms: those of its rows, and of what a head moves") {
  NetworkPass pass = golden_pass("llama");
  const NetworkConfig& c = pass.network().config();
  const StreamNorms all = stream_norms(pass);
  for (Index token = 0; token < pass.token_count(); ++token) {
    for (Index layer = 0; layer <= c.layers; ++layer)
      CHECK_THAT(all.stream(layer, token), WithinRel(pass.residual_row(layer, token).norm(), 1e-5f));
    CHECK_THAT(all.attention(1, token), WithinRel(pass.attention_added(1, token, 1).norm(), 1e-4f));
    CHECK_THAT(all.mlps(1, token), WithinRel(pass.mlp_added(1, token, 1).norm(), 1e-4f));
  }
  const Index layer = 1, head = 2, group = pass.layer_frame(layer).kv_head_of(head);
  const Matrix moved = weighted_value_norms(pass, layer, head), weights = pass.attention_weights(layer, head);
  const Matrix output = widened(pass.layer_weights(layer).output);
  for (Index query = 0; query < moved.rows(); ++query)
    for (Index key = 0; key < moved.cols(); ++key) {
      Eigen::RowVectorXf written = Eigen::RowVectorXf::Zero(c.width);
      for (Index i = 0; i < c.head_width; ++i)
        written += weights(query, key) * pass.values(layer)(key, group * c.head_width + i) *
                   output.row(head * c.head_width + i);
      CHECK_THAT(moved(query, key), WithinAbs(written.norm(), 1e-5f));
    }
}

TEST_CASE("circuits: OV, QK and copying over a list of tokens are what NumPy computes") {
  NetworkPass pass = paths_pass("clean");
  const std::vector<std::int32_t> ids = expected_ids("tokens");
  const auto count = static_cast<Index>(ids.size());
  const auto check = [&](Index layer, Index head, EmbeddingKind kind, const std::string& ending) {
    INFO(ending);
    const TokenCircuits found = token_circuits(pass, layer, head, ids, kind);
    const Matrix all = expected_matrix("circuits.ov." + ending);
    Matrix ov(count, count);
    for (Index column = 0; column < count; ++column)
      ov.col(column) = all.col(ids[static_cast<std::size_t>(column)]);
    CHECK(relative_error(found.ov, ov) <= kPathError);
    CHECK(relative_error(found.qk, expected_matrix("circuits.qk." + ending)) <= kPathError);
    const std::vector<CopiedToken> copied = copied_tokens(pass, layer, head, ids, 5, kind);
    const std::vector<float> rank = expected_array("circuits.own_rank." + ending).values,
                             below = expected_array("circuits.own_rank_from_below." + ending).values;
    for (std::size_t i = 0; i < copied.size(); ++i) {
      CHECK(static_cast<float>(copied[i].own_rank) == rank[i]);
      CHECK(static_cast<float>(copied[i].own_rank_lowered) == below[i]);
    }
  };
  check(0, 0, EmbeddingKind::Raw, "0.plain");
  check(0, 0, EmbeddingKind::Effective, "0.plain");
  check(1, 1, EmbeddingKind::Raw, "1.plain");
  check(1, 1, EmbeddingKind::Effective, "1.effective");
}

TEST_CASE("circuits: random heads of a shape share what their dimensions make them share") {
  // Of two random products of rank r in d dimensions, |AB|^2 is about |A|^2 |B|^2 / d.
  const RandomComposition small = random_composition(24, 8), large = random_composition(384, 8);
  CHECK_THAT(small.mean, WithinAbs(1 / std::sqrt(24.0), 0.02));
  CHECK_THAT(large.mean, WithinAbs(1 / std::sqrt(384.0), 0.003));
  CHECK(small.deviation > 0);
  CHECK(small.deviation < 0.05);
  CHECK(random_composition(24, 8).mean == small.mean);
}
