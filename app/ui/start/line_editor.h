// Typing in the line of words itself: a field without a frame, at the place and in the type of the words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/context/focus_request.h"
#include "app/ui/context/ui_context.h"
#include "app/ui/start/sentence_plan.h"
#include "app/ui/widgets/text_entry.h"

namespace headlight {

struct LineEditor {
  bool typing = false;
  std::string typed;
  std::optional<Index> token;       // the one that is renamed; nullopt: the whole text is typed
  std::optional<ByteRange> select;  // is selected as soon as the field has the keyboard
  FocusRequest focus;
  std::uint64_t gesture = 0;  // one undo step for all typing until the field loses the keyboard
};

// Where the labels are in the text, in their order; of one that the tokenizer adds, an empty part. nullopt if
// the text is not that of the labels.
std::optional<std::vector<ByteRange>> parts_of(const std::string& text,
                                               const std::vector<std::string>& labels);

struct LineField {
  bool changed = false, ended = false;
  float scroll = 0;  // by how many pixels the text is shifted to the left
};
// Draws the field. type_px: the em. Enter and Escape end typing and keep what was typed. Probe name:
// "line.text".
LineField line_field(UiContext& ui, LineEditor& editor, const Rect& place, double type_px);

// The words where a field shows them, of those that are inside `place`.
TokenLine line_of_field(const UiContext& ui, const std::string& text, const std::vector<ByteRange>& parts,
                        const Rect& place, double type_px, float scroll);

}  // namespace headlight
