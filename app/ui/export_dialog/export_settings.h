// How a person exports: remembered from one time to the next, and joined with what the window shows.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "app/export/figure_choice.h"
#include "app/export/figure_preset.h"
#include "app/figure/paint/file_format.h"
#include "app/ui/context/ui_context.h"

namespace headlight {

struct ExportSettings {
  std::string preset = "comfortable";
  FileFormat format = FileFormat::Png;
  FigureOptions options;         // its colours and decimals as far as they are chosen here
  bool range_chosen = false;     // else the range is that on screen; so is a map that is not given
  std::optional<int> decimals;   // none: as on screen
  std::filesystem::path folder;  // empty: where the session is
  bool operator==(const ExportSettings&) const = default;
};

using ExportWords = std::map<std::string, std::string>;
ExportWords export_words(const ExportSettings& settings);
// A word that is missing or means nothing leaves its default. Titles are not remembered, only that there was
// to be none: they belong to one session.
ExportSettings export_settings(const ExportWords& words, StyleKind theme);

// The options that the figure of a stage is made with: those chosen, else those on screen. A range that the
// stage cannot have becomes the whole one.
FigureOptions figure_options(const ExportSettings& settings, const UiContext& ui, const FigureChoice& choice);

}  // namespace headlight
