// Where a heatmap is exported to, how large and in which colours. It writes nothing itself.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/ui/file_browser.h"

namespace headlight {

struct ExportRequest {
  Stage stage = Stage::Weights;
  std::optional<Index> head;  // none: all heads side by side
  std::filesystem::path path;
  double scale = 2;  // device pixels per planned pixel
  ThemeKind theme = ThemeKind::Dark;
};

struct ExportDialogState {
  bool open = false;
  ExportRequest request;  // its path is made of the two texts
  bool has_heads = false;
  std::string folder_text, name_text, message;
  OverwriteQuestion overwrite;
  FileBrowserState browser;
};

// "causal-mask-weights-head1.png", "causal-mask-weights-all-heads.png", "causal-mask-output.png": the
// session's title in small letters, without what file systems dislike.
std::string export_file_name(const std::string& session_title, Stage stage, std::optional<Index> head,
                             Index heads);

void open_export_dialog(ExportDialogState& state, const Session& session, Stage stage,
                        std::optional<Index> head, const std::filesystem::path& folder, ThemeKind theme);

// Draws the dialog while it is open and returns the request once. Names: "dialog.path" (the folder),
// "dialog.name", "dialog.browse", "dialog.format.png|svg|pdf", "dialog.scale.1|2|4",
// "dialog.theme.dark|light", "dialog.ok", "dialog.cancel", "dialog.replace", "dialog.keep", "dialog.message".
std::optional<ExportRequest> export_dialog(const UiContext& ui, ExportDialogState& state);

}  // namespace headlight
