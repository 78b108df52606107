// The field that finds everything: actions, settings, analyses, lessons, pages and files, by what people call
// them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/document/what_if.h"
#include "app/ui/context/focus_request.h"
#include "app/ui/context/ui_context.h"

namespace headlight {

struct WorkbenchState;

struct PaletteEntry {
  std::string group;     // where it leads, as a quiet word before the text: "setting"
  std::string text;      // "mask: causal"
  std::string keys;      // "Ctrl+S", or "now" for the current choice
  std::string keywords;  // searched, but not shown
  std::function<void(UiContext&, WorkbenchState&)> run;
};

enum class PaletteKind { Everything, Tokens };

struct PaletteState {
  bool open = false;
  PaletteKind kind = PaletteKind::Everything;
  bool fresh = false;  // opened since the last frame
  std::string query;
  std::string ranked_query;  // the query that `selected` belongs to
  std::size_t selected = 0;  // index among the matches
  bool reveal = false;
  FocusRequest focus;
  std::vector<WhatIf> what_ifs;  // of the layer as the field was opened
};

void open_palette(PaletteState& state, PaletteKind kind);

// All entries that are possible now, in the order of an empty query. On the start screen those that change
// nothing behind it.
std::vector<PaletteEntry> palette_entries(const UiContext& ui, const WorkbenchState& state);
// The tokens that match a query, at most `most`: those that begin with it first, then those that contain it,
// each in the order of the sequence; a number also matches the token at that position.
std::vector<Index> matching_tokens(const Layer& layer, const std::string& query, std::size_t most,
                                   Counting counting);
// Selects the token's row in the grid of embeddings and in the pictures of the focused stage.
void go_to_token(UiContext& ui, WorkbenchState& state, Index token);

// The questions that change the open layer; none of a whole model, nor of a layer with too many tokens to try
// each on a copy.
std::vector<WhatIf> possible_what_ifs(const UiContext& ui);

// Adds the choices of every setting; called by palette_entries.
void add_setting_entries(const Layer& layer, std::vector<PaletteEntry>& entries);

// Adds the pages and the questions about a whole model; called by palette_entries. Without an open model they
// open the bundled one.
void add_analysis_entries(const UiContext& ui, const WorkbenchState& state,
                          std::vector<PaletteEntry>& entries);
// Other words for an action, by which it is found: "screenshot" for save_picture.
std::string_view other_words(std::string_view action_id);

// Adds the entries that show, switch and sort heads; called by palette_entries.
void add_head_entries(const UiContext& ui, std::vector<PaletteEntry>& entries);

// The entries that match, best first.
std::vector<const PaletteEntry*> matching_entries(const std::vector<PaletteEntry>& entries,
                                                  const std::string& query);

// Draws the palette while it is open. Names: "palette.query", "palette.item.<n>" from 0, "palette.none".
void palette(UiContext& ui, WorkbenchState& state);

}  // namespace headlight
