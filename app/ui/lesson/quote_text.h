// Quotes of a lesson's text as they are read: the engine's numbers in words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/context/ui_context.h"
#include "app/ui/kit/rich_text.h"
#include "engine/session/quote.h"

namespace headlight {

// What the engine must be asked for; nothing where the model itself knows.
struct QuoteNeed {
  std::optional<CellAddress> cell;
  std::optional<RowRequest> row;
};
QuoteNeed quote_need(const Quote& quote, const Model& model);

// The quote's text from the answers to its need. "…" while they have not come, "–" where the model has no
// such place any more. Lists of more than eight numbers are cut short.
std::string quote_text(const Quote& quote, const Model& model, const CellTrace* cell, const RowSummary* row);

// A text with its quotes filled in from the newest answer, which is asked for them. Quotes are accented.
std::vector<TextRun> live_text(UiContext& ui, const std::string& text, Index sequence, Index head);

// The runs as one text.
std::string plain_text(const std::vector<TextRun>& runs);

}  // namespace headlight
