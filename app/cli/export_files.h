// The files of an export, and whether they may be written.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/commands.h"

namespace headlight {

struct ExportFile {
  std::filesystem::path session, output;
  Stage stage = Stage::Weights;
};

// The choice of heads, sequence and query for one stage of the export.
FigureChoice choice_of(const ExportOptions& options, Stage stage);

// Sorted by session, then by stage. In a folder files are named by session and stage: "two-weights.png",
// "two-weights-head0.svg", "two-pipeline.pdf". Throws Error if two names are equal, a format is unknown or
// does not suit the kind of figure, or a file exists and `force` is not set.
std::vector<ExportFile> export_files(const ExportOptions& options);

}  // namespace headlight
