// The export dialog: figure or numbers, size, colours and file, with a preview of the same figure. It only
// collects requests; the program makes previews and files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/export/exported_files.h"
#include "app/export/figure_preview.h"
#include "app/ui/dialogs/export_settings.h"
#include "app/ui/dialogs/file_browser.h"

namespace headlight {

// The texts of fields, which may be incomplete numbers.
struct ExportTexts {
  std::string width, height, cell, dpi, font_size, low, high, title, subtitle, panel_title;
  std::string rows, columns;  // of ExportPart::Own
};

// The problem of one field, named as check_options does: "width", "font size", "range".
struct ExportFault {
  std::string field, text;
};

enum class ExportPart { Whole, InSight, Own };

struct ExportDialogState {
  bool open = false;
  ExportSettings settings;
  FigureChoice choice;
  ExportPart part = ExportPart::Whole;
  Stage stage = Stage::Weights;               // of heatmaps, while another kind shows another stage
  LengthUnit unit = LengthUnit::Millimetres;  // of width and height
  ExportTexts texts;
  ExportFault fault;
  std::vector<std::string> fonts;            // installed on the machine
  std::string stem, folder_text, name_text;  // stem: the session's name in file names
  std::string proposed_name;                 // last put into the field
  std::string message, note;                 // an error; a success
  OverwriteQuestion overwrite;
  std::optional<std::filesystem::path> missing_folder;  // while the dialog asks whether to make it
  std::optional<ExportRequest> held;                    // until the overwrite question is answered
  FileBrowserState browser;

  // `wanted` is written by the dialog; `preview`, `updating` and `progress` by the program.
  PreviewRequest wanted;
  std::shared_ptr<const FigurePreview> preview;
  bool updating = false;              // a newer preview is being made
  std::uint64_t texture_version = 0;  // of the preview drawn last
  std::shared_ptr<const FigurePreview> drawn;
  ExportProgress progress;
  bool stop_asked = false;
};

// "causal-mask": the title in lower case, with only characters that are safe in file names.
std::string file_stem(const std::string& title);

// The start of the names of exported files: "gpt2-layer3".
std::string export_stem(const UiContext& ui);
// Of files of the whole session, with all layers of its model: "gpt2".
std::string whole_stem(const UiContext& ui);

// The figure on screen: view, stage, head, and the query of a flow or row.
FigureChoice choice_on_screen(const UiContext& ui, Stage stage);

// The settings used last, for the look of the window.
ExportSettings last_export_settings(const UiContext& ui);

// The figure on screen, as far as it is in sight, with the settings used last. The path is empty.
ExportItem picture_on_screen(const UiContext& ui, Stage stage);

// Opens the dialog with the figure on screen and the last used settings; the folder is the last used one if
// it exists, else `folder`.
void open_export_dialog(ExportDialogState& state, const UiContext& ui, Stage stage,
                        const std::filesystem::path& folder);

// Draws the dialog while it is open and returns each request once; it stays open until export_ended reports a
// written file. Names: "dialog.path" (the folder), "dialog.name", "dialog.browse", "dialog.format.<ending>",
// "dialog.show", "dialog.stage", "dialog.heads", "dialog.sequence", "dialog.query", "dialog.part",
// "dialog.rows", "dialog.columns", "dialog.row.<stage>", "dialog.columns_below", "dialog.panel_columns",
// "dialog.panel_title", "dialog.preset", "dialog.width", "dialog.height", "dialog.unit", "dialog.dpi",
// "dialog.scale.1|2|4", "dialog.font", "dialog.fonts", "dialog.font_size", "dialog.theme.dark|light",
// "dialog.transparent", "dialog.map", "dialog.range", "dialog.low", "dialog.high", "dialog.shared",
// "dialog.decimals", "dialog.title", "dialog.subtitle", "dialog.labels|axes|bar|numbers", "dialog.lines",
// "dialog.preview", "dialog.size", "dialog.file", "dialog.every_stage", "dialog.copy", "dialog.stop",
// "dialog.ok", "dialog.cancel", "dialog.replace", "dialog.keep", "dialog.make_folder", "dialog.no_folder",
// "dialog.note", "dialog.message".
std::optional<ExportRequest> export_dialog(UiContext& ui, ExportDialogState& state);

// Reports the end of a request: closes the dialog after a written file, otherwise shows the text.
void export_ended(ExportDialogState& state, bool failed, bool closes, const std::string& text);

}  // namespace headlight
