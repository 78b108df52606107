// Edge attribution: an estimate of what path patching does to a number of the prediction, for every edge at
// once. Syed et al. 2023, "Attribution Patching Outperforms Automated Circuit Discovery", arXiv 2310.10348;
// with integrated gradients: Hanna et al. 2024, "Have Faith in Faithfulness", arXiv 2403.17806.
#pragma once

#include <functional>
#include <vector>

#include "engine/analysis/path_patching.h"
#include "engine/interpretation/predictions.h"

namespace headlight {

struct EdgeChoice {
  LogitChoice number;  // whose change is estimated
  Index steps = 5;  // gradients along the way from the other text's embeddings to the text's; 1: at the text
};

// Row: a sender, column: a receiver, as senders_of() and receivers_of() list them; NaN where there is no
// edge. Positive where the other text's output would raise the number: the sum over tokens and numbers of
// (the sender's output in source - in pass) times the mean over k = 1 .. steps of the gradient by what the
// receiver alone reads, in the run whose embeddings are source's + k / steps (pass's - source's). done:
// called with the gradients that are known, and of all. Neither pass changes. Throws Error as
// require_paths(), require_alike() and logit_gradients(), for a rank, which has no gradient, and without a
// step; Stopped.
Matrix edge_scores(NetworkPass& pass, NetworkPass& source, const EdgeChoice& choice,
                   const std::function<void(Index done, Index all)>& done);

// Which edges a run keeps: senders x receivers.
using EdgeMask = Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// A run in which each receiver reads what the senders of its kept edges now add, and of all others what they
// add in the source: with every edge the text's own run, with none the source's.
class EdgeRun {
 public:
  // Throws Error as require_paths() and require_alike(); Stopped.
  EdgeRun(NetworkPass& pass, NetworkPass& source);
  // The logits of a position: 1 x vocabulary. Throws Stopped.
  Matrix logits(const EdgeMask& kept, Index position);

 private:
  Matrix read_by(std::size_t receiver, const MatrixRef& other, const EdgeMask& kept) const;
  Matrix heads_of(StreamReader::Kind kind, Index layer, const EdgeMask& kept);
  void run_heads(Index layer, const EdgeMask& kept);
  std::size_t place(const StreamReader& receiver) const;

  NetworkPass& pass_;
  std::vector<StreamPart> senders_;
  std::vector<StreamReader> receivers_;
  std::vector<Matrix> others_;             // what each sender adds in the source
  std::vector<Matrix> streams_, middles_;  // of the source: L + 1, L
  Matrix embedding_;                       // of the text
  std::vector<Matrix> changes_;            // what each sender now adds, less others_; those that are known
  Workspace workspace_;
};

// The number of a run that keeps the edges of largest |score|.
struct EdgeCurve {
  std::vector<Index> kept;  // how many: from 0 to all, about doubling
  Eigen::VectorXd numbers;  // by kept
};
// How many edges each point of a curve keeps, of that many.
std::vector<Index> curve_counts(Index edges);
// The edges of largest |score|, the largest first: row and column.
std::vector<std::pair<Index, Index>> strongest_edges(const Matrix& scores);
EdgeCurve edge_curve(NetworkPass& pass, NetworkPass& source, const Matrix& scores, const EdgeChoice& choice,
                     const std::function<void(Index done, Index all)>& done);

}  // namespace headlight
