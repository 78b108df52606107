// The lines of PyTorch that compute each step, below its formula.
#include <algorithm>
#include <cmath>

#include "app/platform/imgui_compat.h"
#include "app/ui/inspector/inspector_parts.h"
#include "app/ui/widgets/widgets.h"

namespace headlight::inspector {

void add_code(UiContext& ui, InspectorState& state, Derivation& derived, Stage last) {
  ShownCode& code = state.code;
  if (!code.shown || derived.steps.empty()) return;
  if (code.revision != ui.document.revision() || code.last != last || code.lines.empty()) {
    code.lines = stage_code(ui.layer(), last, ProgramKind::PyTorch);
    code.revision = ui.document.revision();
    code.last = last;
  }
  const auto of = [&](Stage stage) {
    if (stage == Stage::RotatedKeys) stage = Stage::RotatedQueries;  // one block of code computes both
    const auto found = std::find_if(code.lines.begin(), code.lines.end(),
                                    [&](const StageCode& lines) { return lines.stage == stage; });
    return found == code.lines.end() ? std::string() : found->text;
  };
  for (std::size_t i = 0; i < derived.steps.size(); ++i)  // a stage with several steps: below the last one
    if (i + 1 == derived.steps.size() || derived.steps[i + 1].stage != derived.steps[i].stage)
      derived.steps[i].code = of(derived.steps[i].stage);
}

float code_height(const UiContext& ui, const std::string& code, float width) {
  ImFont* const font = ui.theme.fonts.cell;
  const ImVec2 size = font->CalcTextSizeA(font_size(font), FLT_MAX, width, code.c_str());
  return std::ceil(size.y + ui.theme.px(8));
}

void draw_code(const UiContext& ui, const std::string& name, const std::string& code, ImVec2 at,
               float width) {
  const Theme& theme = ui.theme;
  ImFont* const font = theme.fonts.cell;
  ImGui::GetWindowDrawList()->AddText(font, font_size(font), {at.x, at.y + theme.px(1)}, to_imgui(theme.text),
                                      code.c_str(), nullptr, width);
  ui.probe.mark_rect(name, {at.x, at.y, width, code_height(ui, code, width)}, code);
}

float code_switch_width(const UiContext& ui) {
  return text_width(ui.theme.fonts.label, "PyTorch");
}

void code_switch(UiContext& ui, InspectorState& state, ImVec2 at, float height) {
  const Theme& theme = ui.theme;
  ImFont* const font = theme.fonts.label;
  const std::string label = "PyTorch";
  const ImVec2 size = {code_switch_width(ui), height};
  ImGui::SetCursorScreenPos(at);
  if (click_area("inspector.code", size)) state.code.shown = !state.code.shown;
  ui.probe.mark("inspector.code", state.code.shown ? "on" : "");
  tooltip(ui, state.code.shown ? "Hide the code" : "The line of PyTorch that makes each step");
  const bool hot = ImGui::IsItemHovered();
  const float y = std::floor(at.y + (height - font_size(font)) * 0.7f);
  text_at(font, {at.x, y}, state.code.shown || hot ? theme.text : theme.link, label);
}

void copy_switch(UiContext& ui, Stage stage) {
  const Theme& theme = ui.theme;
  ImFont* const font = theme.fonts.label;
  const std::string label = "Copy the program";
  ImGui::Dummy({0, theme.px(2)});
  const ImVec2 at = ImGui::GetCursorScreenPos(), size = {text_width(font, label), font_size(font)};
  if (click_area("inspector.code.copy", size)) ui.actions.push_back({Action::CopyPyTorch, {}, stage});
  ui.probe.mark("inspector.code.copy", label);
  tooltip(ui, "Tokens, numbers, weights and all steps: it runs as it stands, and prints this stage");
  text_at(font, at, ImGui::IsItemHovered() ? theme.text : theme.link, label);
}

}  // namespace headlight::inspector
