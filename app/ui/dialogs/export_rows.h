// The rows of the export dialog. Private to its files.
#pragma once

#include "app/ui/dialogs/export_dialog.h"

namespace headlight {

// The file's format: the one of its name's extension, else the chosen one.
FileFormat export_format(const ExportDialogState& state);
bool exports_figure(const ExportDialogState& state);

// A label, then the cursor on the same line.
void row_label(const UiContext& ui, const char* label);
// Continues the row, or starts the next line if `width` does not fit.
void next_in_row(const UiContext& ui, float width);

// Puts the name for the current choice into its field, unless the user has typed another name.
void propose_name(ExportDialogState& state);
// Sets the rows and columns to those that the large picture shows.
void take_part_in_sight(const UiContext& ui, StageChoice& part);
// Sets the texts of the number fields from the options.
void show_options(ExportDialogState& state);
// Checks all fields and stores the first fault.
void check_fields(const UiContext& ui, ExportDialogState& state);

void draw_choice_rows(UiContext& ui, ExportDialogState& state);  // what, and in which format
void draw_page_rows(UiContext& ui, ExportDialogState& state);    // preset, size, type, ground
void draw_look_rows(UiContext& ui, ExportDialogState& state);    // colours, titles, parts
void draw_file_rows(UiContext& ui, ExportDialogState& state);    // name and folder

// Draws the preview, with its facts below, in the remaining region.
void draw_export_preview(UiContext& ui, ExportDialogState& state);

}  // namespace headlight
