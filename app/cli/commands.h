// The commands that work without a window. Each throws Error when its input is at fault.
#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "app/figure/figure_style.h"
#include "engine/attention/evaluator.h"

namespace headlight {

// Which part of a session `export` and `print` show.
struct StageChoice {
  Stage stage = Stage::Weights;
  std::optional<std::vector<Index>> heads;  // none: all
  Index sequence = 0;
};

// The heads of the choice, checked: throws Error unless the model has the sequence and every head.
std::vector<Index> chosen_heads(const StageChoice& choice, const Model& model);

struct ExportOptions {
  std::filesystem::path file, output;
  StageChoice choice;
  StyleKind theme = StyleKind::Light;
  double scale = 2;
};
// Saves the heads of a stage side by side as a picture; what it is called decides the format.
void export_stage(const ExportOptions& options);

// Saves every stage of a session as an array of an .npz file, under its name: B x H x T x columns, or
// B x T x columns for stages without heads.
void compute_stages(const std::filesystem::path& file, const std::filesystem::path& output);

// Writes a stage as numbers with four decimals, one table for each head.
void print_stage(const std::filesystem::path& file, const StageChoice& choice, std::ostream& out);

}  // namespace headlight
