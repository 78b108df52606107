// What is exported, how large, in which colours and where to, with a preview that is the figure itself. It
// writes and paints nothing: it asks for previews and says at the end what is to be done.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/export/export_request.h"
#include "app/export/figure_preview.h"
#include "app/ui/dialogs/file_browser.h"
#include "app/ui/export_dialog/export_settings.h"

namespace headlight {

// The fields whose text need not be a number yet.
struct ExportTexts {
  std::string width, height, dpi, font_size, low, high, title, subtitle, panel_title;
  std::string rows, columns;  // of a part of one's own
};

// What is wrong with one field, which is named as check_options names it: "width", "font size", "range".
struct ExportFault {
  std::string field, text;
};

enum class ExportPart { Whole, InSight, Own };

struct ExportDialogState {
  bool open = false;
  ExportSettings settings;
  FigureChoice choice;
  ExportPart part = ExportPart::Whole;        // which rows and columns
  Stage stage = Stage::Weights;               // that heatmaps are of, whatever else is shown meanwhile
  LengthUnit unit = LengthUnit::Millimetres;  // of width and height
  ExportTexts texts;
  ExportFault fault;
  std::vector<std::string> fonts;            // of the machine
  std::string stem, folder_text, name_text;  // the session's name in file names
  std::string proposed_name;                 // that was last put into the field
  std::string message, note;                 // what went wrong; what went well
  OverwriteQuestion overwrite;
  std::optional<std::filesystem::path> missing_folder;  // while it is asked whether to make it
  std::optional<ExportRequest> held;                    // until the question is answered
  FileBrowserState browser;

  // Both ways: what a preview is wanted of; what there is. Owner of the previews: the program.
  PreviewOrder wanted;
  std::shared_ptr<const FigurePreview> preview;
  bool updating = false;              // a newer preview is on its way
  std::uint64_t texture_version = 0;  // of the preview drawn last
  std::shared_ptr<const FigurePreview> drawn;
  ExportProgress progress;
  bool stop_asked = false;
};

// "causal-mask": a title in small letters, without what file systems dislike.
std::string file_stem(const std::string& title);

// How the files that are made of what is open begin: "gpt2-layer3".
std::string export_stem(const UiContext& ui);

// What is on screen: the view, the stage, the head, and of flow and row the query.
FigureChoice choice_on_screen(const UiContext& ui, Stage stage);

// Proposes what is on screen, and all else as it was last exported; else `folder`.
void open_export_dialog(ExportDialogState& state, const UiContext& ui, Stage stage,
                        const std::filesystem::path& folder);

// Draws the dialog while it is open and returns each request once; it stays open until export_ended says
// that a file was written. Names: "dialog.path" (the folder), "dialog.name", "dialog.browse",
// "dialog.format.<ending>", "dialog.show", "dialog.stage", "dialog.heads", "dialog.sequence", "dialog.query",
// "dialog.part", "dialog.rows", "dialog.columns", "dialog.row.<stage>", "dialog.columns_below",
// "dialog.panel_columns", "dialog.panel_title",
// "dialog.preset", "dialog.width", "dialog.height", "dialog.unit", "dialog.dpi", "dialog.scale.1|2|4",
// "dialog.font", "dialog.fonts", "dialog.font_size", "dialog.theme.dark|light", "dialog.transparent",
// "dialog.map", "dialog.range", "dialog.low", "dialog.high", "dialog.shared", "dialog.decimals",
// "dialog.title", "dialog.subtitle", "dialog.labels|axes|bar|numbers", "dialog.lines", "dialog.preview",
// "dialog.size", "dialog.file", "dialog.every_stage", "dialog.copy", "dialog.stop", "dialog.ok",
// "dialog.cancel", "dialog.replace", "dialog.keep", "dialog.make_folder", "dialog.no_folder", "dialog.note",
// "dialog.message".
std::optional<ExportRequest> export_dialog(UiContext& ui, ExportDialogState& state);

// A request has come to its end: the dialog closes behind a file that was written and says everything else.
void export_ended(ExportDialogState& state, bool failed, bool closes, const std::string& text);

}  // namespace headlight
