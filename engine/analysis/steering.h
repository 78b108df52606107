// What a text's prediction, and its continuation, become when a direction is added to what stands at a place
// of a layer. Turner et al. 2023, "Activation Addition", arXiv 2308.10248.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/analysis/analysis_result.h"
#include "engine/analysis/text_set.h"
#include "engine/interpretation/predictions.h"
#include "engine/interpretation/stage_values.h"

namespace headlight {

struct Analysis;

// How many times the strength a direction is added, one after the other.
inline constexpr std::array<double, 4> kDirectionShares = {0.0, 0.5, 1.0, 2.0};

struct Steering {
  PatchPlace place;  // of a stage without heads
  Eigen::RowVectorXf direction;
  std::vector<Index> tokens;  // at which it is added; empty: at all, also those that are appended
};

// The logits at a token, 1 x vocabulary, of the text that the pass has, with so many times the direction
// added. The pass is left as it was, unless it throws. Throws Stopped.
Matrix logits_along(NetworkPass& pass, const Steering& steering, double strength, Index position);

// The `count` tokens that follow the text of the pass, each the likeliest behind those before it, with so
// many times the direction added in each pass; fewer where the model has no more positions. The pass is left
// as it was, unless it throws. Throws Error if the model does not predict the next token; Stopped.
TokenIds continuation(NetworkPass& pass, const Steering& steering, double strength, Index count);

// A direction of a file: its array "direction", or the only one that it has, of `width` numbers (.npy, .npz,
// .safetensors). Throws Error.
Eigen::RowVectorXf read_direction(const std::filesystem::path& file, Index width);
// Throws Error for a name that ends in neither .npy nor .safetensors.
void require_direction_file(const std::filesystem::path& file);
// Saves a direction as such a file, as the array "direction". Throws Error.
void save_direction(const std::filesystem::path& file, const Eigen::RowVectorXf& direction);

// "x 1.5": a column of the tables.
std::string strength_label(double strength);
// "at every token of the text", "at token 3 and token 4".
std::string steered_tokens_in_words(const std::vector<Index>& tokens);
// "target": one row of numbers of the target, a column for each strength.
ResultTable direction_table(Metric metric, std::vector<std::string> strengths, Matrix values);

// The continuations of a text, or of the rows of a set, at each strength of an analysis.
class Continuations {
 public:
  explicit Continuations(const Analysis& analysis) : analysis_(analysis) {}

  // Of the text that the pass has. values: the target's number at each strength. row: of a set, from 0.
  // Throws as continuation().
  void add(NetworkPass& pass, const Steering& steering, const Matrix& values, std::size_t row);
  // "generated": a row for each strength, of a set for each row and strength, with the number of the target
  // in the text as it was, and the tokens that follow as a text. Precondition: something was added.
  ResultTable table() const;

 private:
  const Analysis& analysis_;
  std::vector<std::string> rows_, texts_;
  std::vector<std::array<float, 2>> values_;  // strength, number
};

}  // namespace headlight
