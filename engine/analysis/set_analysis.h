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

// The tokens of a row's text that results are about: those that the set names; without names all of them.
// Throws Error, without the row, if the set names none and the row's text has another number of tokens than
// that of the first row.
std::vector<Index> tokens_of_row(const DataSet& set, std::size_t row);
// What they are called, the same in each row: "@S2"; without names "0", "1", ...
std::vector<std::string> names_of_tokens(const DataSet& set);

// The mean over the matrices of each number, and its standard error: the standard deviation (by n - 1) over
// the root of n, of the n matrices that have the number; NaN if n is less than 2. Precondition: there are
// some, of one shape.
struct MeanWithError {
  Matrix mean, error;
};
MeanWithError mean_with_error(const std::vector<Matrix>& values);
// "4.1234 ± 0.0512": the mean of numbers, and its standard error where it has one.
std::string mean_in_words(const std::vector<double>& numbers);

}  // namespace headlight
