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
// Saves `ids` (T), `residual` (L + 1 x T x d), `logits` (T x vocabulary, where the model predicts tokens),
// and of each of the layers its stages as layers.N.STAGE, H x T x columns or T x columns; `embeddings` is
// what attention reads. Layer by layer: one layer's stages are in memory at a time. What of the folder is
// left out is told on `err`, as by all below. Throws Error.
void compute_model(const ModelArrays& requested, std::ostream& err);

// Writes the likeliest tokens behind the text, or in the place of the first masked word, with their
// probabilities. Throws Error.
void print_predictions(const std::filesystem::path& folder, const GivenText& text, Index count,
                       std::ostream& out, std::ostream& err);

// Saves one figure (.png, .svg, .pdf) of the weights of all heads of a model's folder: a line for each layer,
// a small picture for each head. Throws Error when it is not of one folder and into a figure's file. Says on
// `err` what takes long.
void export_model_map(const ExportOptions& options, std::ostream& out, std::ostream& err);

}  // namespace headlight
