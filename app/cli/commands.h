// The commands that work without a window. Each throws Error when its input is at fault.
#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "app/figure/figure_options.h"
#include "engine/attention/evaluator.h"
#include "engine/attention/program_text.h"

namespace headlight {

// Which part of a session `export` and `print` show.
struct StageChoice {
  Stage stage = Stage::Weights;
  std::optional<std::vector<Index>> heads;  // none: all
  Index sequence = 0;
};

// The heads of the choice, checked: throws Error unless the model has the sequence and every head.
std::vector<Index> chosen_heads(const StageChoice& choice, const Model& model);

enum class ExportKind { Heads, Pipeline, Flow, Row };

struct ExportOptions {
  std::vector<std::filesystem::path> files;
  // A file, or a folder: when it is one, when it ends in a slash, or when there are several sessions or
  // stages.
  std::filesystem::path output;
  std::string folder_format = "png";  // of the files in a folder
  bool force = false;                 // replace files that exist
  ExportKind kind = ExportKind::Heads;
  std::vector<Stage> stages;
  StageChoice choice;                             // its heads and sequence
  std::optional<std::filesystem::path> compared;  // a session B to show beside each of the files, A
  std::optional<Index> query;                     // of a flow or a row
  FigureOptions figure;
};
// Saves figures (.png, .svg, .pdf) or numbers (.csv, .tsv, .npy, .npz, .json, .tex, .md): what a file is
// called decides the format. Says on `out` what was saved and on `err` what is being done when it takes long.
// Nothing is computed before it is known that every file may be written.
void export_stages(const ExportOptions& options, std::ostream& out, std::ostream& err);

// Saves every stage of a session as an array of an .npz file, under its name: B x H x T x columns, or
// B x T x columns for stages without heads. Throws Error when the file exists and `force` is not set.
void compute_stages(const std::filesystem::path& file, const std::filesystem::path& output, bool force);

// Writes a stage as numbers with four decimals, one table for each head.
void print_stage(const std::filesystem::path& file, const StageChoice& choice, std::ostream& out);

// Writes the program that rebuilds the session and prints the stage: of all heads, or of one.
void print_program(const std::filesystem::path& file, const StageChoice& choice, ProgramKind kind,
                   std::ostream& out);

}  // namespace headlight
