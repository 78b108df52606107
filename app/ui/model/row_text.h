// A row of the open data set that is the open text, and the other text of that row: A, whose numbers
// *Patches* puts into it.
#pragma once

#include <string>

#include "app/ui/context/ui_context.h"

namespace headlight {

// The row that was opened last, while its text is the open one, else the first with the open text: several
// rows can have one text and differ in the other. null: the open text is no row of the set, or no set is
// open.
const DataRow* open_row(const UiContext& ui);
// "row 2: “Mary and Rosa …”": the other text of the open row; "" if there is none.
std::string other_text_of_row(const UiContext& ui);
// Whether the kept state is the other text of the open row, or of another one with the open text.
bool keeps_other_text(const UiContext& ui);
// Whether the open row has another text, and it is not the kept one.
bool offers_other_text(const UiContext& ui);
// Makes the other text of a row of the open set A, once its layer is computed. Precondition: it has one.
void keep_other_text(UiContext& ui, const DataRow& row);
// A button at the cursor, as wide as other_text_button_width(), that keeps the other text of the open row.
// Name: "model.patches.row". Precondition: offers_other_text().
void other_text_button(UiContext& ui);
float other_text_button_width();

}  // namespace headlight
