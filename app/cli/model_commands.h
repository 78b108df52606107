// The commands on a model's folder.
#pragma once

#include <ostream>

#include "app/cli/commands.h"

namespace headlight {

struct ModelArrays {
  std::filesystem::path folder;
  GivenText text;
  std::optional<std::vector<std::int32_t>> layers;  // none: all
  std::filesystem::path output;                     // .npz
  bool force = false;
};
// Saves `ids` (T), `residual` (L + 1 x T x d), `logits` (T x vocabulary, if the model predicts tokens), and
// the stages of each chosen layer as layers.N.STAGE, H x T x columns or T x columns; the stage `embeddings`
// is the input of attention. Holds the stages of one layer in memory at a time. Like the functions below it
// reports the parts of the folder that are not computed on `err`. Throws Error.
void compute_model(const ModelArrays& requested, std::ostream& err);

// Writes the `count` most probable tokens after the text, or in place of the first masked word, with their
// probabilities. Throws Error.
void print_predictions(const std::filesystem::path& folder, const GivenText& text, Index count,
                       std::ostream& out, std::ostream& err);

// Saves one figure (.png, .svg, .pdf) of the weights of all heads of a model's folder: one line per layer,
// one small picture per head. Throws Error unless there is exactly one folder and the output is a figure.
// Reports long work on `err`.
void export_model_map(const ExportOptions& options, std::ostream& out, std::ostream& err);

}  // namespace headlight
