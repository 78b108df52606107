// The features of a dictionary in a text: which fire, which tokens they raise, what they add to the
// prediction, and what it is without them or with more of them.
#pragma once

#include "engine/analysis/analysis.h"
#include "engine/analysis/dictionary.h"

namespace headlight {

// Of AnalysisKind::Features, in the text that the pass has. number: whose change is told. Throws Error as
// read_dictionary(), if no dictionary is given, for a feature that it does not have, and if the place was
// overwritten; Stopped.
void add_features(NetworkPass& pass, const Analysis& analysis, const LogitChoice& number,
                  AnalysisResult& result);

}  // namespace headlight
