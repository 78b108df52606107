// The features of a dictionary in a text: which fire, which tokens they raise, what they add to the
// prediction, and what it is without them or with more of them.
#pragma once

#include "engine/analysis/analysis.h"
#include "engine/analysis/dictionary.h"
#include "engine/analysis/steering.h"

namespace headlight {

// Of AnalysisKind::Features, in the text that the pass has. number: whose change is told. Throws Error as
// read_dictionary(), if no dictionary is given, for a feature that it does not have, for a transcoder at
// another place than what an MLP adds, and if the place was overwritten; Stopped.
void add_features(NetworkPass& pass, const Analysis& analysis, const LogitChoice& number,
                  AnalysisResult& result);

// The same of a data set, in two passes over its rows: which features are shown is known behind the first.
class SetFeatures {
 public:
  // Throws Error as add_features().
  SetFeatures(const Network& network, const Analysis& analysis);
  // First each row, in the text that the pass has. Throws Error as add_features(); Stopped.
  void add_row(NetworkPass& pass, const LogitChoice& number);
  // Then each row again: its tables, of the same features in the same order. "features": as add_features(),
  // with the mean of the activation over the row's tokens; "reconstruction": the number with the
  // reconstruction in its place, and the share that is not explained; "activations", of the row's tokens; of
  // one feature "target", the number as it is steered. positions: at which it is; empty: at all tokens.
  std::vector<ResultTable> row(NetworkPass& pass, const LogitChoice& number,
                               const std::vector<Index>& positions = {});
  // Behind both: "fires_most", the rows of the set in which each feature fires most, the largest first, with
  // the token, and that token in words beside the text.
  ResultTable fires_most() const;
  // And with Analysis::generated, of one feature, Continuations::table().
  ResultTable generated() const { return generated_.table(); }
  PatchStage place() const;  // as AnalysisResult::place
  std::string how() const;   // the dictionary in words

 private:
  struct Firing {
    std::size_t row = 0;  // of the set
    Index token = 0;
    float activation = 0;
    std::string words;
  };

  const Network& network_;
  const Analysis& analysis_;
  const Dictionary dictionary_;
  Eigen::RowVectorXd sizes_;   // by feature: the sum over rows of what it adds, or fires at most
  std::vector<Index> chosen_;  // once the first row is asked for
  std::vector<std::vector<Firing>> firings_;  // by chosen feature
  std::size_t rows_done_ = 0;                 // of the second pass
  Continuations generated_;
};

}  // namespace headlight
