#include "app/ui/inputs/inputs_panel.h"

#include <algorithm>
#include <cmath>

#include "app/lesson_text/lesson_labels.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/widgets/area.h"
#include "app/ui/widgets/stepper.h"
#include "app/ui/widgets/text_fit.h"

namespace headlight {
namespace {

constexpr Index kMostSequenceTabs = 5;   // more sequences get a stepper
constexpr float kLeastGridHeight = 116;  // the header and four rows

std::string sequence_label(Index count) {
  return "sequence of " + std::to_string(count);
}

std::string tokens_title(const UiContext& ui) {
  return label_text(language_of(ui.document.session()), LessonLabel::Inputs);
}

std::string weights_title(const UiContext& ui) {
  switch (ui.layer().attention.projection) {
    case Projection::Given:
      return "Queries, keys, values";
    case Projection::Weights:
      return "Weights of attention";
    case Projection::None:
    case Projection::Linear:
      break;
  }
  const LessonLanguage& language = language_of(ui.document.session());
  if (has_label(language, LessonLabel::Matrices)) return label_text(language, LessonLabel::Matrices);
  return "Weight matrices";
}

// The title of a section; in a lesson a click on it folds the section or unfolds it.
void draw_section_title(const UiContext& ui, const InputFolds& folds, LessonFold& fold, const char* name,
                        const std::string& title) {
  if (!fold.offered) {
    ImGui::AlignTextToFramePadding();
    return quiet_text(ui, title);
  }
  // Where all is folded, a low panel does not scroll for the last title.
  if (folds.all_folded() && ImGui::GetContentRegionAvail().y < ImGui::GetFrameHeight()) return;
  fold_title(ui, fold, name, title, "Fold: " + title,
             "Show the numbers: this step does not use them\n" + title);
}

// At the right of the title's line.
void draw_recipe(const UiContext& ui) {
  if (ui.layer().attention.projection != Projection::Linear) return;
  const std::string text = recipe_text(ui.layer().weights);
  ImGui::SameLine();
  align_right(text_width(ui.theme.fonts.label, text));
  quiet_text(ui, text);
  ui.probe.mark("inputs.recipe", text);
}

void draw_sequence_tabs(UiContext& ui, InputsPanelState& state) {
  const Index count = ui.layer().sequence_count();
  Index& shown = ui.view.sequence;
  if (count > kMostSequenceTabs) {
    const Index first = ui.counting().first;
    if (const auto chosen = stepper(ui, state.sequence, "inputs.sequence", sequence_label(count),
                                    shown + first, unit_steps(shown + first, first, count - 1 + first),
                                    "The sequence of the batch that is shown", first)) {
      shown = std::clamp<Index>(*chosen - first, 0, count - 1);
    }
    return;
  }
  ImGui::AlignTextToFramePadding();
  quiet_text(ui, "sequence");
  for (Index i = 0; i < count; ++i) {
    ImGui::SameLine(0, ui.theme.px(4));
    const std::string number = ui.counting().number(i);
    if (tool_button(ui, "inputs.sequence." + std::to_string(i), number,
                    "Show sequence " + number + " of the batch", true, i == shown)) {
      shown = i;
    }
  }
}

float sequence_row_width(const UiContext& ui, Index count) {
  if (count == 1) return more_menu_width();
  float width = ui.theme.px(12) + more_menu_width();
  if (count > kMostSequenceTabs) return width + stepper_width(ui, sequence_label(count));
  width += text_width(ui.theme.fonts.label, "sequence");
  for (Index i = 0; i < count; ++i)
    width += ui.theme.px(4) + button_width(ui.counting().number(i));
  return width;
}

void change_sequences(UiContext& ui, InputsPanelState& state) {
  const Index count = ui.layer().sequence_count();
  if (count > 1) {
    if (tool_button(ui, "inputs.remove_sequence", "−", "Remove the sequence shown from the batch")) {
      ui.send(RemoveSequence{ui.view.sequence});
      ui.view.sequence = std::clamp<Index>(ui.view.sequence, 0, count - 2);
    }
    ImGui::SameLine(0, ui.theme.px(4));
  }
  if (tool_button(ui, "inputs.add_sequence", count > 1 ? "+" : "+ sequence",
                  "Add a sequence to the batch: a copy of the last one")) {
    ui.send(AddSequence{});
    state.awaited_sequence = count;
  }
}

void draw_token_buttons(UiContext& ui, InputsPanelState& state) {
  if (tool_button(ui, "inputs.add_token", "+ token", "Add a token at the end, with an embedding of zeros")) {
    append_token(ui, state.tokens);
  }
  ImGui::SameLine(0, ui.theme.px(4));
  if (tool_button(ui, "inputs.text", "Text…", "Replace the tokens by the words of a sentence"))
    state.text_asked = true;
}

void draw_d_in(UiContext& ui, InputsPanelState& state) {
  const Index d_in = ui.layer().d_in();
  if (state.tokens.of_keys) return;
  if (const auto chosen = stepper(ui, state.d_in, "inputs.d_in", "d_in", d_in,
                                  unit_steps(d_in, 1, kLargestDimension), "Numbers in each embedding")) {
    ui.send(SetDIn{*chosen});
  }
}

void more_of_tokens(UiContext& ui, InputsPanelState& state) {
  if (ui.layer().sequence_count() > 1) {
    ImGui::AlignTextToFramePadding();
    quiet_text(ui, "sequence");
    ImGui::SameLine(0, ui.theme.px(8));
  }
  change_sequences(ui, state);
  if (ui.layer().embeddings.empty()) return;
  if (ui.view.offered.few) {
    draw_token_buttons(ui, state);
    ImGui::SameLine(0, ui.theme.px(12));
  }
  draw_d_in(ui, state);
}

// What is used seldom, or in a lesson is not named by its text, of the open sections: behind a button at the
// right end of the first title.
void more_button(UiContext& ui, InputsPanelState& state) {
  if (!begin_more_menu(ui, "inputs.more",
                       "More tokens and sequences, another text, other widths, matrices drawn anew"))
    return;
  const bool whole = ui.view.model.work != nullptr;  // its text determines the tokens
  if (!whole && !state.folds.tokens.folded()) more_of_tokens(ui, state);
  if (!state.folds.weights.folded()) more_of_weights(ui, state.weights);
  ImGui::EndPopup();
}

void more_button_at_right(UiContext& ui, InputsPanelState& state) {
  if (!has_more_of_weights(ui, state.weights)) return;
  ImGui::SameLine();
  align_right(more_menu_width());
  more_button(ui, state);
}

void draw_sequence_row(UiContext& ui, InputsPanelState& state) {
  const Index count = ui.layer().sequence_count();
  align_right(sequence_row_width(ui, count));
  if (count > 1) {
    draw_sequence_tabs(ui, state);
    ImGui::SameLine(0, ui.theme.px(12));
  }
  more_button(ui, state);
}

// Shows the side of a derivation's highlighted factor; while a grid is being edited only that of a clicked
// factor.
void follow_side(const UiContext& ui, TokenListState& tokens) {
  const auto& cell = ui.view.selection.asked || ui.view.selection.input ? ui.view.selection.asked
                                                                        : ui.view.selection.pointed.last;
  if (!cell) return;
  if (cell->input.kind == InputKind::Embeddings) tokens.of_keys = false;
  if (cell->input.kind == InputKind::KeyEmbeddings) tokens.of_keys = true;
}

// The choice between query and key tokens, where keys come from other tokens.
void draw_sides(UiContext& ui, InputsPanelState& state) {
  const bool named_alone = ui.layer().embeddings.empty() && !ui.layer().self_attention();
  if (ui.layer().key_embeddings.empty() && !named_alone) {
    state.tokens.of_keys = false;
    return;
  }
  follow_side(ui, state.tokens);
  for (const bool of_keys : {false, true}) {
    if (of_keys) ImGui::SameLine(0, ui.theme.px(4));
    const char* label = of_keys ? "key tokens" : "query tokens";
    if (tool_button(ui, of_keys ? "inputs.side.keys" : "inputs.side.queries", label,
                    of_keys ? "The tokens that are attended to: keys and values are made of them"
                            : "The tokens that ask: queries are made of them",
                    true, of_keys == state.tokens.of_keys))
      state.tokens.of_keys = of_keys;
  }
}

// The divider between the sections; it can be dragged only while the two grids must share the height.
void draw_divider(UiContext& ui, InputsPanelState& state, const SharedHeights& heights) {
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float y = std::floor(at.y + ui.theme.px(4));
  ImGui::GetWindowDrawList()->AddLine({at.x, y}, {at.x + width, y}, to_imgui(ui.theme.line));
  if (!heights.tight) return ImGui::Dummy({width, ui.theme.px(8)});
  const float room = heights.first + heights.second;
  float size = heights.first;
  splitter(ui, "inputs.splitter", false, width, size, 0, room);
  if (size != heights.first && room > 0) state.embeddings_share = std::clamp(size / room, 0.1f, 0.9f);
}

// The tokens with their embeddings, at most `height` high, below the section's title.
void draw_tokens(UiContext& ui, InputsPanelState& state, float height) {
  const bool whole = ui.view.model.work != nullptr;  // a whole model: its text determines the tokens
  if (!whole) {
    ImGui::SameLine();
    draw_sequence_row(ui, state);
  } else if (!ui.view.offered.few) {
    more_button_at_right(ui, state);
  }
  draw_sides(ui, state);
  if (!ui.layer().embeddings.empty()) {
    token_list(ui, state.tokens, ui.view.sequence, height);
    if (!whole && !ui.view.offered.few) draw_token_buttons(ui, state);
    return;
  }
  ImGui::PushTextWrapPos(0);
  quiet_text(ui, "The embeddings are not known: attention begins with what is given below.");
  ImGui::PopTextWrapPos();
  token_names(ui, state.names, state.tokens.of_keys, height);
}

// The heights in which the two grids do not scroll.
struct GridNeeds {
  float first = 0, second = 0;
};
GridNeeds grid_needs(const UiContext& ui, const InputsPanelState& state) {
  const Index rows = state.tokens.of_keys ? ui.layer().key_count() : ui.layer().token_count();
  GridNeeds needs;
  if (!state.folds.tokens.folded())
    needs.first = ui.layer().embeddings.empty() ? token_names_height(rows)
                                                : matrix_grid_height(ui.theme, state.tokens.grid, rows);
  if (!state.folds.weights.folded()) needs.second = weights_grid_height(ui, state.weights);
  return needs;
}

// Unfolds the section of a clicked factor, whose grid gets the cursor.
void unfold_asked(const UiContext& ui, InputFolds& folds) {
  if (!ui.view.selection.asked) return;
  const InputKind kind = ui.view.selection.asked->input.kind;
  const bool tokens = kind == InputKind::Embeddings || kind == InputKind::KeyEmbeddings;
  (tokens ? folds.tokens : folds.weights).chosen = true;
}

}  // namespace

float inputs_height(const UiContext& ui, const InputsPanelState& state) {
  if (state.folds.all_folded()) return ImGui::GetFrameHeight();
  const GridNeeds needs = grid_needs(ui, state);
  return std::ceil(state.whole_px + needs.first + needs.second);
}

SharedHeights share_heights(float room, float first_needs, float second_needs, float share, float least) {
  if (first_needs + second_needs <= room) return {first_needs, second_needs, false};
  const float first_least = std::min(least, first_needs), second_least = std::min(least, second_needs);
  float first = std::min(room * share, first_needs);
  float second = std::min(room - first, second_needs);
  first = std::min(room - second, first_needs);
  first = std::max(first_least, std::min(first, room - second_least));
  second = std::max(second_least, room - first);
  return {std::floor(first), std::floor(std::min(second, second_needs)), true};
}

void inputs_panel(UiContext& ui, InputsPanelState& state) {
  if (state.awaited_sequence && *state.awaited_sequence < ui.layer().sequence_count()) {
    ui.view.sequence = *state.awaited_sequence;
  }
  state.awaited_sequence.reset();
  ui.view.sequence = std::clamp<Index>(ui.view.sequence, 0, ui.layer().sequence_count() - 1);
  const float top = ImGui::GetCursorPosY();
  const float height = ImGui::GetContentRegionAvail().y, room = height - state.fixed_height_px;
  unfold_asked(ui, state.folds);
  const auto [first, second] = grid_needs(ui, state);
  const SharedHeights heights =
      share_heights(room, first, second, state.embeddings_share, ui.theme.px(kLeastGridHeight));
  const bool tokens = !state.folds.tokens.folded(), weights = !state.folds.weights.folded();
  draw_section_title(ui, state.folds, state.folds.tokens, "inputs.fold.tokens", tokens_title(ui));
  if (!tokens && weights && ui.view.offered.few) more_button_at_right(ui, state);
  if (tokens) draw_tokens(ui, state, heights.first);
  if (tokens || weights)
    draw_divider(ui, state, heights);
  else
    ImGui::SameLine(0, ui.theme.px(16));  // both names on one line
  draw_section_title(ui, state.folds, state.folds.weights, "inputs.fold.weights", weights_title(ui));
  if (weights) {
    draw_recipe(ui);
    weights_tabs(ui, state.weights, heights.second, state.brief);
  }
  ui.view.selection.asked.reset();  // drops a request for a matrix that is not shown here

  const float fixed = ImGui::GetCursorPosY() - top - heights.first - heights.second;
  // The description of the layout is the first thing omitted for lack of height; the tabs' tooltips contain
  // it too.
  state.whole_px = fixed + (state.brief ? state.weights.words_px : 0);
  const bool brief = state.whole_px + first + second > height;
  const bool same = brief == state.brief && std::abs(fixed - state.fixed_height_px) < 1;
  state.brief = brief;
  if (same) return;
  // The heights were computed from an outdated value: draws another frame with the measured one.
  state.fixed_height_px = fixed;
  ui.wake_within(0.001);
}

}  // namespace headlight
