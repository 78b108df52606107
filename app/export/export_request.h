// The window's requests to save or copy figures and numbers, and their progress.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/export/figure_choice.h"
#include "app/figure/paint/file_format.h"

namespace headlight {

struct ExportItem {
  FigureChoice choice;
  FigureOptions options;       // for figures
  std::filesystem::path path;  // empty: to the clipboard
};

struct ExportRequest {
  FileFormat format = FileFormat::Png;  // of all items
  std::vector<ExportItem> items;        // several: all are saved, or none
};

struct ExportProgress {
  bool running = false;
  std::size_t done = 0, count = 0;
  std::string what;  // choice_name() of the current item: "weights"
};

}  // namespace headlight
