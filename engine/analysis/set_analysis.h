// Analyses of a data set: each row by itself, and the mean over the rows with its standard error.
#pragma once

#include "engine/analysis/analysis.h"

namespace headlight {

// The tokens of a set's results are those that it names (DataSet::names); without names all of them by their
// number, if the texts have as many. Patches go from each row's `from` into its text: of stages without heads
// at the tokens of the results; of a head all tokens, or, where a row's two texts differ in length, the named
// ones. A number that only some rows have is the mean over these.
//
// Precondition: analysis.set. `source` reads the texts `from`. Throws Error as run_analysis(), with the row;
// if the analysis is of weights alone; if it needs a column that the set does not have; and if the texts
// differ in length and no column names tokens. Throws Stopped.
AnalysisResult run_set_analysis(NetworkPass& pass, NetworkPass& source, const Analysis& analysis,
                                const AnalysisProgress& progress);

// The mean over the matrices of each number, and its standard error: the standard deviation (by n - 1) over
// the root of n, of the n matrices that have the number; NaN if n is less than 2. Precondition: there are
// some, of one shape.
struct MeanWithError {
  Matrix mean, error;
};
MeanWithError mean_with_error(const std::vector<Matrix>& values);

}  // namespace headlight
