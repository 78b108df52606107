// The analyses of paths through a model as results: parts of a score, paths, edges and what they carry.
#pragma once

#include <functional>

#include "engine/analysis/analysis.h"
#include "engine/analysis/edge_attribution.h"
#include "engine/analysis/path_patching.h"

namespace headlight {

// Of AnalysisKind::Score, in the text that the pass has. Throws as score_parts().
void add_score_parts(NetworkPass& pass, const Analysis& analysis, AnalysisResult& result);

// Means over pairs of texts of what paths change.
class PathMeans {
 public:
  // Throws Error if the sender has no edge to the receiver.
  PathMeans(const Network& network, const Analysis& analysis);
  // One pair; progress: of it. Throws as PathPatching.
  void add(NetworkPass& pass, NetworkPass& source, const LogitChoice& number,
           const AnalysisProgress& progress);
  // number: what is measured, in words: "logit".
  void add_to(AnalysisResult& result, const std::string& number) const;

 private:
  const Analysis& analysis_;
  std::vector<StreamPart> senders_;
  std::vector<StreamReader> receivers_;
  Eigen::MatrixXd changes_;  // senders x receivers, the sum over the texts
  double before_ = 0, other_ = 0, share_;
};

// The same of all edges, estimated, and then of runs that keep the strongest of them.
class EdgeMeans {
 public:
  EdgeMeans(const Network& network, const Analysis& analysis);
  // First each pair. Throws as edge_scores().
  void add_scores(NetworkPass& pass, NetworkPass& source, const LogitChoice& number,
                  const AnalysisProgress& progress);
  // Then each pair again. Throws as edge_curve().
  void add_curve(NetworkPass& pass, NetworkPass& source, const LogitChoice& number,
                 const AnalysisProgress& progress);
  void add_to(AnalysisResult& result, const std::string& number) const;

 private:
  const Network& network_;
  const Analysis& analysis_;
  Matrix scores_;  // the mean of the texts so far
  EdgeCurve curve_;
  double share_;
};

// Adds "strongest", the cells of the first table that are largest in size, so many of them: of parts of
// scores, and of edges.
void add_strongest(AnalysisResult& result, Index top);

// The result as if it had been asked with this Analysis::top: of so many edges the list and the picture.
// Precondition: result.edges.
void show_strongest(AnalysisResult& result, Index top);

}  // namespace headlight
