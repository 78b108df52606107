// Which files an export writes, and whether it may.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/commands.h"

namespace headlight {

// One file of an export.
struct ExportFile {
  std::filesystem::path session, output;
  Stage stage = Stage::Weights;
};

// What is shown of one stage of the export.
FigureChoice choice_of(const ExportOptions& options, Stage stage);

// In the order of the sessions, and of the stages for each. In a folder files are named by session and stage:
// "two-weights.png", "two-weights-head0.svg", "two-pipeline.pdf". Throws Error when two would have one name,
// when a format is not known or not one of figures of this kind, or when a file exists and `force` is not
// set.
std::vector<ExportFile> export_files(const ExportOptions& options);

}  // namespace headlight
