// The circuits of a head as products of its weights: OV, what it writes for what it reads, and QK, what makes
// it attend. Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits". Weights of the norm
// before attention are multiplied in; what depends on the text is left out: the norm's divisor, rotary
// positions, norms of queries and keys, biases.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/interpretation/predictions.h"
#include "engine/network/network_pass.h"

namespace headlight {

// A matrix of d x d of low rank as its two factors: left right, d x r and r x d.
struct LowRank {
  Matrix left, right;
  // The singular values of the product, the largest first: r of them.
  Eigen::VectorXf singular_values() const;
  double norm() const;  // Frobenius
};

// OV: x W_V W_O. QK: W_Q W_K^T, so that the score of a query x and a key y is x QK y^T.
LowRank ov_circuit(const NetworkPass& pass, Index layer, Index head);
LowRank qk_circuit(const NetworkPass& pass, Index layer, Index head);

// What stands for a token in the stream that a head reads: its embedding; or the stream behind the first
// layer if attention there added nothing, that is the embedding with what the first MLP adds ("effective
// embedding": Wang et al. 2022, "Interpretability in the Wild", arXiv 2211.00593).
enum class EmbeddingKind { Raw, Effective };
// What a head of the layer reads where `kind` is asked for: heads of the first layer stand before its MLP,
// and read raw embeddings.
EmbeddingKind embeddings_read(Index layer, EmbeddingKind kind);
// Throws Error if no head can read effective embeddings: behind a first layer without an MLP, and in models
// of two sides, where attention to the other text stands before the MLP.
void require_embeddings(const Network& network, EmbeddingKind kind);

// What a head's OV circuit does with a token that it attends to.
struct CopiedToken {
  std::int32_t id = 0;
  // 1 + how many other tokens' logits it raises (lowers) at least as much as the token's own; NaN comes last.
  Index own_rank = 1, own_rank_lowered = 1;
  // Whose logits it raises (lowers) most; `logit`: by how much, before the last norm's divisor.
  std::vector<Prediction> promoted, lowered;
};
// Of each of these tokens, through the embedding, the norm, OV, the last norm's weights and the unembedding.
// count: how many promoted and lowered tokens. Throws Error if the model has no predictions, and as
// require_embeddings(); Stopped.
std::vector<CopiedToken> copied_tokens(NetworkPass& pass, Index layer, Index head,
                                       const std::vector<std::int32_t>& ids, Index count,
                                       EmbeddingKind kind = EmbeddingKind::Raw);

// The two circuits between tokens, as if their embeddings were the stream: ids x ids.
struct TokenCircuits {
  Matrix ov;  // row: the token attended to, column: the token whose logit it raises, by how much
  Matrix qk;  // row: the query, column: the key: the score, scaled, at no distance
};
// Throws Error and Stopped as copied_tokens().
TokenCircuits token_circuits(NetworkPass& pass, Index layer, Index head, const std::vector<std::int32_t>& ids,
                             EmbeddingKind kind = EmbeddingKind::Raw);

// How far an earlier head's output is read by a later head's queries, keys or values: |OV1 QK2| / (|OV1|
// |QK2|) and likewise, Frobenius norms.
struct Composition {
  Matrix queries, keys, values;  // layers before `layer` x H
};
Composition composition_with(const NetworkPass& pass, Index layer, Index head);

// What such a ratio is for heads that have nothing to do with each other: its mean and its deviation over
// pairs of heads of this shape whose matrices are drawn from the normal distribution:
// torch.manual_seed(kSeed), then of each pair torch.randn for W_V (d x d_k) and W_O (d_k x d) of the earlier
// head and W_Q and W_K of the later one. The same for queries, keys and values, which differ only in which
// matrix is read.
struct RandomComposition {
  static constexpr Index kDraws = 20;
  static constexpr std::int64_t kSeed = 0;
  double mean = 0, deviation = 0;
};
// width: d; head_width: d_k. Throws Stopped.
RandomComposition random_composition(Index width, Index head_width);

}  // namespace headlight
