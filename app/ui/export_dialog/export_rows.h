// The choices of the export dialog, row by row. Private to its files.
#pragma once

#include "app/ui/export_dialog/export_dialog.h"

namespace headlight {

// The format that the file will have: the ending of its name says so, else the one chosen.
FileFormat export_format(const ExportDialogState& state);
bool exports_figure(const ExportDialogState& state);

// A quiet label, and the cursor behind it on the same line.
void row_label(const UiContext& ui, const char* label);
// On with the row, or with the next one where `width` has no room on it.
void next_in_row(const UiContext& ui, float width);

// Puts the name that suits the choice into its field, unless something else was typed there.
void propose_name(ExportDialogState& state);
// Fields that hold numbers again show those of the options.
void show_options(ExportDialogState& state);
// Looks at all fields and notes the first that no figure can have.
void check_fields(const UiContext& ui, ExportDialogState& state);

void draw_choice_rows(UiContext& ui, ExportDialogState& state);  // what, and in which format
void draw_page_rows(UiContext& ui, ExportDialogState& state);    // preset, size, type, ground
void draw_look_rows(UiContext& ui, ExportDialogState& state);    // colours, titles, parts
void draw_file_rows(UiContext& ui, ExportDialogState& state);    // where to

// The preview with its facts below, in the whole region.
void draw_export_preview(UiContext& ui, ExportDialogState& state);

}  // namespace headlight
