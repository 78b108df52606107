#include "app/ui/dialogs/recovery_dialog.h"

#include <algorithm>
#include <cmath>

#include "app/ui/widgets/dialog_frame.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

using MaybeChoice = std::optional<RecoveryChoice>;

constexpr float kRecoveryWidth = 600, kPad = 10, kLineGap = 3;
constexpr std::size_t kMostInSight = 4;  // the others are reached by scrolling

float row_height(const UiContext& ui) {
  const Fonts& fonts = ui.theme.fonts;
  return std::ceil(font_size(fonts.text) + 2 * font_size(fonts.label) + ui.theme.px(2 * kPad + 2 * kLineGap));
}

// Draws three lines of text, elided to the width. Returns whether none was cut.
bool words(const UiContext& ui, const RecoveryEntry& entry, ImVec2 at, float width) {
  const Theme& theme = ui.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  bool whole = true;
  const auto line = [&](ImFont* font, const std::string& text, Color color) {
    push_font(font);
    const std::string shown = elided(text, width);
    whole &= shown == drawn_text(text);
    list.AddText(at, to_imgui(color), shown.c_str());
    ImGui::PopFont();
    at.y += font_size(font) + theme.px(kLineGap);
  };
  line(theme.fonts.text, entry.title, theme.text);
  line(theme.fonts.label, entry.when + "  ·  " + entry.place, theme.quiet_text);
  line(theme.fonts.label, entry.changes, theme.text);
  return whole;
}

MaybeChoice row(const UiContext& ui, const RecoveryEntry& entry, std::size_t number) {
  const Theme& theme = ui.theme;
  const std::string n = std::to_string(number);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = row_height(ui), pad = theme.px(kPad);
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  const float buttons = button_width("Recover") + button_width("Look") + button_width("Discard") + 2 * gap;
  ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + width, at.y + height}, to_imgui(theme.raised),
                                            theme.px(4));
  const float room = width - buttons - 3 * pad;
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({room + pad, height});
  ui.probe.mark("recovery.item." + n, entry.title + " | " + entry.place + " | " + entry.changes);
  if (!words(ui, entry, {at.x + pad, at.y + pad}, room))
    tooltip(ui, entry.title + "\n" + entry.place + "\n" + entry.when + ": " + entry.changes);
  ImGui::SetCursorScreenPos(
      {at.x + width - pad - buttons, at.y + std::floor((height - ImGui::GetFrameHeight()) / 2)});
  MaybeChoice chosen;
  const std::string recover = "recovery.recover." + n, tip = "Open it with these changes, not saved yet";
  if (number == 0 ? primary_button(ui, recover, "Recover", tip + ": Enter")
                  : tool_button(ui, recover, "Recover", tip))
    chosen = {RecoveryChoice::Kind::Recover, entry.name};
  ImGui::SameLine();
  if (tool_button(ui, "recovery.look." + n, "Look", "Open a copy of it; what was kept stays here"))
    chosen = {RecoveryChoice::Kind::Look, entry.name};
  ImGui::SameLine();
  if (tool_button(ui, "recovery.discard." + n, "Discard",
                  "Lose these changes for good; the file stays as it is"))
    chosen = {RecoveryChoice::Kind::Discard, entry.name};
  ImGui::SetCursorScreenPos({at.x, at.y + height + ImGui::GetStyle().ItemSpacing.y});
  return chosen;
}

MaybeChoice rows(const UiContext& ui, const std::vector<RecoveryEntry>& entries) {
  MaybeChoice chosen;
  const float spacing = ImGui::GetStyle().ItemSpacing.y, step = row_height(ui) + spacing;
  const float room = ImGui::GetIO().DisplaySize.y - ui.theme.px(200);
  const auto in_sight = static_cast<float>(std::min(entries.size(), kMostInSight));
  const float height = std::max(step, std::min(in_sight * step, std::floor(room / step) * step));
  if (begin_child("kept", {0, height}, false, ImGuiWindowFlags_NoBackground)) {
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (const MaybeChoice picked = row(ui, entries[i], i)) chosen = picked;
    ImGui::Dummy({0, 0});  // the cursor was set by hand: ImGui takes the height from an item
  }
  ImGui::EndChild();
  return chosen;
}

}  // namespace

std::optional<RecoveryChoice> recovery_dialog(const UiContext& ui, RecoveryDialogState& state) {
  const float width = std::min(kRecoveryWidth, ImGui::GetIO().DisplaySize.x / ui.theme.scale - 32);
  const std::string title =
      state.entries.size() == 1 ? "A session that was not saved" : "Sessions that were not saved";
  if (!begin_dialog(ui, "##recovery", state.open && !state.entries.empty(), {width, 0}, title))
    return std::nullopt;
  quiet_text(ui, state.entries.size() == 1
                     ? "The program ended before its changes were saved. They were kept."
                     : "The program ended before their changes were saved. They were kept.");
  ImGui::Dummy({0, ui.theme.px(4)});
  const MaybeChoice in_row = rows(ui, state.entries);
  ImGui::Dummy({0, ui.theme.px(2)});
  ImGui::AlignTextToFramePadding();
  quiet_text(ui, "What is left here is offered again, and stands in the palette (Ctrl+K).");
  ImGui::SameLine();
  align_right(button_width("Later"));
  const bool later = tool_button(ui, "recovery.later", "Later", "Decide at the next start: Escape") ||
                     dialog_key(Key::Escape);
  MaybeChoice chosen = in_row;
  if (!chosen && !state.entries.empty() && dialog_key(Key::Enter))
    chosen = {RecoveryChoice::Kind::Recover, state.entries.front().name};
  if (later || (chosen && chosen->kind != RecoveryChoice::Kind::Discard)) close_dialog(state.open);
  end_dialog();
  return chosen;
}

}  // namespace headlight
