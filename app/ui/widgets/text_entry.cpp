#include "app/ui/widgets/text_entry.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>

#include "app/platform/imgui_compat.h"
#include "app/platform/text_glyphs.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kNoteSeconds = 6;

bool pastes_now() {
  return (ctrl_held() && key_pressed(Key::V, true)) || (shift_held() && key_pressed(Key::Insert, true));
}

// The number of bytes that Ctrl+V would put in; nothing if the clipboard does not answer.
std::optional<std::size_t> pasted_bytes() {
  const char* const text = ImGui::GetClipboardText();
  if (!text && clipboard_failed()) return std::nullopt;
  return text ? std::strlen(text) : 0;
}

// The time until which the note below a field is shown, and the number of bytes that it states: stored in the
// state of the field's window under ids derived from the field's id.
struct RefusedNote {
  explicit RefusedNote(ImGuiID field) : until_id(field ^ 0x5eed0001u), bytes_id(field ^ 0x5eed0002u) {}

  void begin(std::size_t bytes) const {
    ImGui::GetStateStorage()->SetFloat(until_id, static_cast<float>(ImGui::GetTime()) + kNoteSeconds);
    ImGui::GetStateStorage()->SetInt(bytes_id, static_cast<int>(std::min<std::size_t>(bytes, 1u << 30)));
  }
  void show(const UiContext& ui, const std::string& name, std::size_t most) const {
    const float left = ImGui::GetStateStorage()->GetFloat(until_id, 0) - static_cast<float>(ImGui::GetTime());
    if (left <= 0) return;
    const auto bytes = static_cast<std::size_t>(ImGui::GetStateStorage()->GetInt(bytes_id, 0));
    const std::string note = "Not pasted: the clipboard holds " + amount_of_text(bytes) +
                             " of text, and this field takes at most " + amount_of_text(most) + ".";
    ImGui::SetNextWindowPos({ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + ui.theme.px(4)});
    show_tooltip(ui, note);
    ui.probe.mark(name + ".refused", note);
    ui.wake_within(static_cast<double>(left));
  }

  ImGuiID until_id, bytes_id;
};

// Shows a field that edits a buffer of fixed size.
template <class Field>
bool limited_entry(const UiContext& ui, const std::string& name, std::string& text, std::size_t most,
                   Field field) {
  const std::string label = "##" + name;
  const ImGuiID id = ImGui::GetID(label.c_str());
  std::string buffer = field_text(text_head(text, most), ImGui::GetFont());
  buffer.resize(most + 1, '\0');
  const bool pastes = is_item_active(id) && pastes_now();
  const std::optional<std::size_t> answer = pastes ? pasted_bytes() : 0;
  const std::size_t pasted = answer.value_or(0);
  bool changed = false;
  if (!answer || pasted > most) {
    // Otherwise ImGui deletes the selected text though the paste is refused, or waits for an answer again.
    const EmptyClipboard hidden;
    changed = field(label.c_str(), buffer);
  } else {
    changed = field(label.c_str(), buffer);
  }
  const RefusedNote note(id);
  if (pasted > most || (pasted > 0 && !changed && text.size() + pasted > most)) note.begin(pasted);
  note.show(ui, name, most);
  if (changed) text = text_head(typed_text(buffer.c_str()), most);
  return changed;
}

// A field clips its text at its border, in the middle of a letter. Text that continues beyond a side fades
// out there instead.
void fade_edges(const UiContext& ui, const std::string& name, ImGuiID field, const std::string& text) {
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  const float pad = ImGui::GetStyle().FramePadding.x, line = std::max(1.0f, ui.theme.px(1));
  const float scroll = field_scroll(field), width = ImGui::CalcTextSize(text.c_str()).x;
  const ImVec4 frame = ImGui::GetStyleColorVec4(ImGuiCol_FrameBg);  // in every state of a text field
  const ImU32 full = ImGui::GetColorU32(frame), none = ImGui::GetColorU32({frame.x, frame.y, frame.z, 0});
  const float fade = std::min(ui.theme.px(18), (high.x - low.x) / 4);
  const auto cover = [&](const char* side, float from, float to) {  // from the border inwards
    const float middle = from + (to - from) / 3;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float rounding = ImGui::GetStyle().FrameRounding;
    list.AddRectFilled({std::min(from, middle), low.y}, {std::max(from, middle), high.y}, full, rounding,
                       from < to ? ImDrawFlags_RoundCornersLeft : ImDrawFlags_RoundCornersRight);
    const bool left = from < to;
    list.AddRectFilledMultiColor({std::min(middle, to), low.y + line}, {std::max(middle, to), high.y - line},
                                 left ? full : none, left ? none : full, left ? none : full,
                                 left ? full : none);
    if (ImGui::GetStyle().FrameBorderSize > 0)
      list.AddRect(low, high, ImGui::GetColorU32(ImGuiCol_Border), rounding);
    ui.probe.mark_rect(name + side, {std::min(from, to), low.y, std::abs(to - from), high.y - low.y});
  };
  if (scroll > 0) cover(".more_before", low.x, low.x + fade);
  if (width - scroll > high.x - low.x - 2 * pad + 1) cover(".more_behind", high.x, high.x - fade);
}

// Called while the field has the keyboard; its data is the part that is to be selected.
int select_part(ImGuiInputTextCallbackData* field) {
  auto& part = *static_cast<std::optional<ByteRange>*>(field->UserData);
  if (!part) return 0;
  const auto length = static_cast<std::size_t>(field->BufTextLen);
  field->SelectionStart = static_cast<int>(std::min(part->begin, length));
  field->CursorPos = field->SelectionEnd = static_cast<int>(std::min(part->end, length));
  part.reset();
  return 0;
}

bool one_line(const UiContext& ui, const std::string& name, std::string& text, std::size_t most,
              const char* hint, ImGuiInputTextFlags flags, std::optional<ByteRange>* select) {
  return limited_entry(ui, name, text, most, [&](const char* label, std::string& buffer) {
    const bool changed = ImGui::InputTextWithHint(label, hint, buffer.data(), buffer.size(), flags,
                                                  select ? select_part : nullptr, select);
    fade_edges(ui, name, ImGui::GetID(label), buffer.c_str());
    return changed;
  });
}

}  // namespace

bool text_entry(const UiContext& ui, const std::string& name, std::string& text, std::size_t most,
                const char* hint, ImGuiInputTextFlags flags) {
  return one_line(ui, name, text, most, hint, flags, nullptr);
}

bool text_entry(const UiContext& ui, const std::string& name, std::string& text, std::size_t most,
                const char* hint, std::optional<ByteRange>* select) {
  return one_line(ui, name, text, most, hint, ImGuiInputTextFlags_CallbackAlways, select);
}

bool lines_entry(const UiContext& ui, const std::string& name, std::string& text, std::size_t most,
                 ImVec2 size, ImGuiInputTextFlags flags) {
  return limited_entry(ui, name, text, most, [&](const char* label, std::string& buffer) {
    return ImGui::InputTextMultiline(label, buffer.data(), buffer.size(), size, flags);
  });
}

std::string text_head(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end;  // not the first byte of a character
  return text.substr(0, end);
}

std::string amount_of_text(std::size_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + " bytes";
  const bool large = bytes >= 1'000'000;
  char text[32];
  std::snprintf(text, sizeof text, large ? "%.1f MB" : "%.1f KB",
                static_cast<double>(bytes) / (large ? 1e6 : 1e3));
  return text;
}

}  // namespace headlight
