// Path patching: what one part of a model does to another one directly. A sender adds to the residual stream,
// a receiver alone reads what the sender adds in another text, and everything else keeps its numbers: heads
// between them, and MLPs unless they are recomputed. Wang et al. 2022, "Interpretability in the Wild", arXiv
// 2211.00593; Goldowsky-Dill et al. 2023, arXiv 2304.05969.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/analysis/stream_parts.h"
#include "engine/interpretation/stream_reader.h"
#include "engine/network/network_pass.h"

namespace headlight {

// "L1 H0 queries", "L1 MLP", "logits".
std::string name_of(const StreamReader& reader);

// In the order of computation. Senders: the embedding (with positions), and of each layer its heads and its
// MLP. Receivers: of each layer the queries of all heads, the keys, the values, and the MLP; the logits.
std::vector<StreamPart> senders_of(const NetworkConfig& config);
std::vector<StreamReader> receivers_of(const NetworkConfig& config);
// Whether the sender adds to the stream before the receiver reads it.
bool is_edge(const NetworkConfig& config, const StreamPart& sender, const StreamReader& receiver);

// Throws Error as require_parts(); also if the model norms what its heads add together, or the queries of all
// heads together, so that they are no parts of their own; if patches or means of heads change the pass; and
// if the model has no predictions.
void require_paths(const NetworkPass& pass);

// What each of these senders adds to the stream: T x d. Precondition: require_paths(). Throws Stopped.
std::vector<Matrix> sender_outputs(NetworkPass& pass, const std::vector<StreamPart>& senders);

// What MLPs between sender and receiver do: keep what they add, or add what the changed stream makes them.
enum class MlpsBetween { Held, Recomputed };

// What a receiver makes of the sender's other output.
struct PathEffect {
  StreamReader receiver;
  // What stands in the place of the receiver's numbers; everything behind follows. None: of the logits.
  std::optional<Patch> patch;
  Matrix logits;  // 1 x vocabulary, at the position that is measured
};

class PathPatching {
 public:
  // pass: the text that is measured; source: the one that the sender's output is of. positions: the tokens at
  // which the sender's output is another one; empty: all. position: of the logits. Throws Error as
  // require_paths() and require_alike() (patch_map.h), and for a position that there is not; Stopped.
  PathPatching(NetworkPass& pass, NetworkPass& source, MlpsBetween mlps, const std::vector<Index>& positions,
               Index position);

  // Calls `body` with each of these receivers that the sender has an edge to, in the order of computation.
  // Throws Stopped.
  void send(const StreamPart& sender, const std::function<bool(const StreamReader&)>& wanted,
            const std::function<void(const PathEffect&)>& body);

 private:
  using Wanted = std::function<bool(const StreamReader&)>;
  using Body = std::function<void(const PathEffect&)>;
  void to_heads(Index layer, const MatrixRef& read, const Wanted& wanted, const Body& body);
  void to_mlp(Index layer, const MatrixRef& read, const Body& body);
  Matrix made_by_mlp(Index layer, const MatrixRef& read);
  // The clean stream as the MLP of the layer reads it.
  const Matrix& read_by_mlp(Index layer) const;

  NetworkPass pass_;  // as it is
  NetworkPass patched_;
  NetworkPass& source_;
  MlpsBetween mlps_;
  std::vector<Index> positions_;
  Index position_;
  std::vector<Matrix> streams_, middles_, mlps_added_;  // of the clean text: L + 1, L, L
  Workspace workspace_;
};

}  // namespace headlight
