// What the window asks to be saved or copied, and what it is told meanwhile.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/export/figure_choice.h"
#include "app/figure/paint/file_format.h"

namespace headlight {

struct ExportItem {
  FigureChoice choice;
  FigureOptions options;       // of a figure
  std::filesystem::path path;  // empty: to the clipboard
};

struct ExportRequest {
  FileFormat format = FileFormat::Png;  // of all
  std::vector<ExportItem> items;        // several: all are saved, or none
};

struct ExportProgress {
  bool running = false;
  std::size_t done = 0, count = 0;
  std::string what;  // "weights"
};

}  // namespace headlight
