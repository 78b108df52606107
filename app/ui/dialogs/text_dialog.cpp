#include "app/ui/dialogs/text_dialog.h"

#include <algorithm>
#include <charconv>

#include <imgui.h>

#include "app/ui/widgets/dialog_frame.h"
#include "app/ui/widgets/text_entry.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"
#include "engine/array_import/token_table.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr float kTextWidth = 560, kTextHeight = 452, kInputHeight = 120;
constexpr std::size_t kManyTokens = 1024, kPreviewed = 200;
constexpr Index kLargestDimension = 4096;

template <class Number>
Number whole_number(const std::string& text, const std::string& name, const std::string& hint) {
  Number number = 0;
  const char* end = text.data() + text.size();
  const auto [at, failed] = std::from_chars(text.data(), end, number);
  if (failed != std::errc() || at != end) throw Error("\"" + text + "\" is no whole number", name, hint);
  return number;
}

void split_again(TextDialogState& state) {
  if (state.split_text == state.text) return;
  state.split_text = state.text;
  state.tokens = split_into_tokens(state.text);
  state.distinct = distinct_tokens(state.tokens).size();
  state.message.clear();
}

std::string count_text(const TextDialogState& state) {
  const std::size_t count = state.tokens.size();
  if (count == 0) return "No tokens yet";
  std::string text = std::to_string(count) + (count == 1 ? " token" : " tokens");
  if (state.distinct < count) text += ", " + std::to_string(state.distinct) + " different";
  return text;
}

// The tokens as boxes side by side, so that the splits are visible.
void preview(const UiContext& ui, const TextDialogState& state, float height) {
  const Theme& theme = ui.theme;
  if (begin_child("tokens", {0, height}, false, ImGuiWindowFlags_NoBackground)) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float line = ImGui::GetFontSize() + theme.px(6), pad = theme.px(5), gap = theme.px(4);
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    float x = 0, y = 0;
    const std::size_t shown = std::min(state.tokens.size(), kPreviewed);
    for (std::size_t i = 0; i < shown; ++i) {
      const std::string label = elided(visible_label(state.tokens[i]), width - 2 * pad);
      const float box = ImGui::CalcTextSize(label.c_str()).x + 2 * pad;
      if (x > 0 && x + box > width) {
        x = 0;
        y += line + gap;
      }
      const ImVec2 min = {origin.x + x, origin.y + y};
      list.AddRectFilled(min, {min.x + box, min.y + line}, to_imgui(theme.raised), theme.px(3));
      list.AddText({min.x + pad, min.y + theme.px(3)}, to_imgui(theme.text), label.c_str());
      x += box + gap;
    }
    ImGui::Dummy({width, y + line});
    if (shown < state.tokens.size())
      quiet_text(ui, "and " + std::to_string(state.tokens.size() - shown) + " more");
  }
  ImGui::EndChild();
}

void field(const UiContext& ui, const char* name, const char* label, std::string& text, float width,
           const char* tip, const char* hint = "") {
  ImGui::AlignTextToFramePadding();
  quiet_text(ui, label);
  ImGui::SameLine(0, ui.theme.px(6));
  ImGui::SetNextItemWidth(width);
  text_entry(ui, name, text, kMostPath, hint, ImGuiInputTextFlags_AutoSelectAll);
  ui.probe.mark(name, text);
  tooltip(ui, tip);
}

void vector_fields(const UiContext& ui, TextDialogState& state) {
  const float gap = ui.theme.px(14);
  ImGui::BeginDisabled(!state.table_path.empty());  // a table contains the vectors
  field(ui, "text.seed", "seed", state.seed_text, ui.theme.px(72),
        "One vector for each different token, in the order in which they appear: torch.manual_seed(seed + "
        "2**31), torch.rand(different tokens, d_in). The seed itself is for weights: the same one would make "
        "the first vectors of W_query");
  ImGui::SameLine(0, gap);
  field(ui, "text.d_in", "d_in", state.d_in_text, ui.theme.px(52), "Numbers in each embedding");
  ImGui::EndDisabled();
  ImGui::SameLine(0, gap);
  field(ui, "text.table", "or table", state.table_path, -1,
        "A CSV or TSV file with known vectors: each line a token and its numbers. Empty: vectors are drawn",
        "path of a CSV or TSV file");
}

void accept(UiContext& ui, TextDialogState& state) {
  state.message.clear();
  const std::size_t count = state.tokens.size();
  if (count > kManyTokens && count <= static_cast<std::size_t>(kMostTokens) && state.agreed_count != count) {
    state.agreed_count = count;
    state.message = "These are " + std::to_string(count) + " tokens: every T × T stage then has " +
                    std::to_string(count * count / 1000000) +
                    " million cells a head. Press again to use them all.";
    return;
  }
  try {
    ui.send(tokens_from_text(state));
    close_dialog(state.open);
  } catch (const Error& error) {
    state.message = error.what();
  }
}

}  // namespace

void open_text_dialog(TextDialogState& state, const Layer& layer) {
  const std::string table = state.table_path, seed = state.seed_text;
  state = {};
  state.table_path = table;
  state.seed_text = seed;
  state.d_in_text = std::to_string(layer.d_in());
  constexpr Index kMostTaken = 512;
  for (Index i = 0; i < std::min(layer.token_count(), kMostTaken); ++i) {
    const std::string& token = layer.tokens[static_cast<std::size_t>(i)];
    if (state.text.size() + token.size() >= kMostSentences) break;
    state.text += (i == 0 ? "" : " ") + token;
  }
  state.open = true;
  state.focus.ask();
}

ReplaceTokens tokens_from_text(const TextDialogState& state) {
  ReplaceTokens command{split_into_tokens(state.text), {}};
  const std::size_t count = command.tokens.size();
  if (count == 0) throw Error("the sentence is empty", "text", "type at least one word");
  require_token_count(count);
  if (!state.table_path.empty()) {
    command.embeddings = look_up_token_embeddings(
        command.tokens, read_token_table(path_from_text(state.table_path, home_folder())));
    return command;
  }
  const auto seed = whole_number<std::int64_t>(state.seed_text, "seed", "give a number such as 123");
  const auto d_in = whole_number<Index>(state.d_in_text, "d_in", "give a number such as 3");
  if (d_in < 1 || d_in > kLargestDimension)
    throw Error("d_in is " + state.d_in_text, "d_in", "give 1 to " + std::to_string(kLargestDimension));
  command.embeddings = draw_token_embeddings(command.tokens, seed, d_in);
  return command;
}

void text_dialog(UiContext& ui, TextDialogState& state) {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const ImVec2 size = {std::min(kTextWidth, window.x / ui.theme.scale - 32),
                       std::min(kTextHeight, window.y / ui.theme.scale - 32)};
  if (!begin_dialog(ui, "##text", state.open, size, "Tokens from text")) return;
  state.focus.before_item();
  lines_entry(ui, "text.input", state.text, kMostSentences, {-1, ui.theme.px(kInputHeight)});
  state.focus.after_item();
  ui.probe.mark("text.input", state.text);
  split_again(state);
  vector_fields(ui, state);
  const std::string count = count_text(state);
  quiet_text(ui, count);
  ui.probe.mark("text.count", count);
  const float foot = ImGui::GetFrameHeightWithSpacing() + 2 * font_size(ui.theme.fonts.label) +
                     2 * ImGui::GetStyle().ItemSpacing.y;
  preview(ui, state, std::max(ui.theme.px(24), ImGui::GetContentRegionAvail().y - foot));
  const float message_top = ImGui::GetCursorPosY();
  dialog_message(ui, "text.message", state.message);
  ImGui::SetCursorPosY(message_top + foot - ImGui::GetFrameHeightWithSpacing());
  align_right(button_width("Cancel") + button_width("Replace the tokens") + ImGui::GetStyle().ItemSpacing.x);
  const bool leave = tool_button(ui, "text.cancel", "Cancel", "Escape") || dialog_key(Key::Escape);
  ImGui::SameLine();
  const bool ok =
      primary_button(ui, "text.ok", "Replace the tokens",
                     "All tokens and embeddings are replaced by these; one undo brings them back");
  if (leave)
    close_dialog(state.open);
  else if (ok || (ctrl_held() && dialog_key(Key::Enter)))
    accept(ui, state);
  end_dialog();
}

}  // namespace headlight
