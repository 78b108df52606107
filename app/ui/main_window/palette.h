// The command palette: everything that the window can do, found by a few letters of its name.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/ui/context/focus_request.h"
#include "app/ui/context/ui_context.h"

namespace headlight {

struct WorkbenchState;

struct PaletteEntry {
  std::string group;     // "setting"
  std::string text;      // "mask: causal"
  std::string keys;      // "Ctrl+S", or "now" for the choice that is in force
  std::string keywords;  // found as well, never shown
  std::function<void(UiContext&, WorkbenchState&)> run;
};

enum class PaletteKind { Everything, Tokens };

struct PaletteState {
  bool open = false;
  PaletteKind kind = PaletteKind::Everything;
  bool fresh = false;  // opened since the last frame
  std::string query;
  std::string ranked_query;  // that the selection belongs to
  std::size_t selected = 0;  // among those that match
  bool reveal = false;
  FocusRequest focus;
};

void open_palette(PaletteState& state, PaletteKind kind);

// All that can be done now, in the order in which an empty query lists it.
std::vector<PaletteEntry> palette_entries(const UiContext& ui, const WorkbenchState& state);
// The tokens that a query finds, at most `most`: those that begin with it first, then those that hold it, in
// the order of the sequence; a number finds the token at that place as well.
std::vector<Index> matching_tokens(const Model& model, const std::string& query, std::size_t most,
                                   Counting counting);
// Selects the token's embedding, and its row in the pictures of the focused stage.
void go_to_token(UiContext& ui, WorkbenchState& state, Index token);

// The choices of every setting. A part of the above.
void add_setting_entries(const Model& model, std::vector<PaletteEntry>& entries);

// Heads to show, switch and sort. A part of the above.
void add_head_entries(const UiContext& ui, std::vector<PaletteEntry>& entries);

// The entries that match, best first.
std::vector<const PaletteEntry*> matching_entries(const std::vector<PaletteEntry>& entries,
                                                  const std::string& query);

// Draws the palette while it is open. Names: "palette.query", "palette.item.<n>" from 0, "palette.none".
void palette(UiContext& ui, WorkbenchState& state);

}  // namespace headlight
