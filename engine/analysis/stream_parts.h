// The residual stream as the sum of what each part of the model adds to it: the embeddings, each head, each
// MLP, and the biases of the output projections. Letters as in engine/README.md, d the width of the stream.
#pragma once

#include <string>
#include <vector>

#include "engine/network/network_pass.h"

namespace headlight {

struct StreamPart {
  // Position: of learned positions that are added to the token embeddings; other positions are no part.
  enum class Kind { Embedding, Position, Head, Mlp, Biases };
  Kind kind = Kind::Embedding;
  Index layer = 0, head = 0;  // of a head and an MLP
  bool operator==(const StreamPart&) const = default;
};
// "embedding", "position", "L0 H1", "L0 MLP", "biases".
std::string name_of(const StreamPart& part);

// Throws Error if the stream is no sum of what heads and MLPs add: of a model that norms the sum behind each
// layer, of two sides or of images; and if patches of the pass overwrite the stream, or what attention adds
// or reads.
void require_parts(const NetworkPass& pass);
// The same for a pass with these patches.
void require_parts(const Network& network, const std::vector<Patch>& patches);

// What stands in the stream that enters a layer, in the order of computation, the biases last.
std::vector<StreamPart> parts_before(const Network& network, Index layer);

// One row for each of these parts, at one token: their sum is the stream that enters the layer. Where a layer
// norms what its heads add together, each gets its share with the norm's divisor held. Precondition:
// require_parts(). Throws Stopped.
Matrix rows_of_parts(NetworkPass& pass, Index layer, Index token);

// What one head adds, without the bias of the output projection: T x d. Precondition: require_parts(), and no
// norm of what heads add together. Throws Stopped.
Matrix head_added(NetworkPass& pass, Index layer, Index head);

// Rows through a norm as a linear map: without its bias, and with the divisor that the row `of` has. Without
// weights the rows themselves.
Eigen::MatrixXd through_held_norm(const NetworkConfig& config, const NormWeights& norm,
                                  const Eigen::RowVectorXd& of, Eigen::MatrixXd rows);

}  // namespace headlight
