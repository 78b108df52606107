// The user's export settings, stored between runs and merged with what the window shows.
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
  FigureOptions options;         // colours and decimals: only those chosen in the dialog
  bool range_chosen = false;     // false: the range on screen; no map in `options`: the map on screen
  std::optional<int> decimals;   // nullopt: as on screen
  std::filesystem::path folder;  // empty: the session's folder
  bool operator==(const ExportSettings&) const = default;
};

using ExportSettingsMap = std::map<std::string, std::string>;
ExportSettingsMap export_settings_text(const ExportSettings& settings);
// A missing or unknown word leaves its default. Titles belong to one session and are not stored, except that
// there is none.
ExportSettings export_settings(const ExportSettingsMap& words, StyleKind theme);

// The options for a stage's figure: those chosen, else those on screen. RangeKind::Whole replaces a range
// that does not suit the stage.
FigureOptions figure_options(const ExportSettings& settings, const UiContext& ui, const FigureChoice& choice);

}  // namespace headlight
