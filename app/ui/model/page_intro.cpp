#include "app/ui/model/page_intro.h"

#include <algorithm>
#include <cmath>

#include <imgui.h>

#include "app/figure/plan/names.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/context/shown_layer.h"
#include "app/ui/model/model_pages.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr const char* kRead = "Got it";
constexpr float kLeastPage = 190, kMostExample = 860;  // planned pixels

// What the page keeps below its introduction: the map of few layers all of its rows, so that no head is out
// of sight for the sake of an example.
float least_page(const UiContext& ui) {
  constexpr float kRow = 50, kSide = 32;  // a row of readable pictures, and what stands above those of a side
  constexpr std::size_t kFewLayers = 8;
  const NetworkConfig& config = ui.view.model.work->network->config();
  const std::size_t rows = layer_places(config).size(), sides = config.cross ? 3 : 1;
  if (ui.view.model.page != ModelPage::Heads || rows > kFewLayers) return ui.theme.px(kLeastPage);
  return ui.theme.px(
      std::max(kLeastPage, static_cast<float>(rows) * kRow + static_cast<float>(sides) * kSide));
}

// The text in lines of that width, in which a number keeps its percent sign.
std::string wrapped(std::string text, float width) {
  constexpr std::string_view kPercent = " %", kUnbroken = "\u00A0%";
  for (std::size_t at = text.find(kPercent); at != std::string::npos; at = text.find(kPercent, at))
    text.replace(at, kPercent.size(), kUnbroken);
  return broken_at_spaces(drawn_text(text), width);
}

float wrapped_height(const std::string& text, float width) {
  return text.empty() ? 0 : ImGui::CalcTextSize(wrapped(text, width).c_str()).y;
}

void wrapped_text(const std::string& text, ImVec2 at, float width) {
  ImGui::SetCursorScreenPos(at);
  ImGui::TextUnformatted(wrapped(text, width).c_str());
}

// The button that brings back the example that is hidden: above the page, or where there is no room in a
// popup.
void example_button(UiContext& ui, ModelPagesState& state, const char* id, const std::string& example,
                    const Area& area, bool fits) {
  constexpr const char* kPopup = "model.example.popup";
  ImGui::SetCursorScreenPos({area.end().x - ImGui::GetFrameHeight(), area.at.y});
  if (tool_button(ui, "model.example.open", "?", "How this page is read, by an example")) {
    state.examples_read.erase(id);
    if (!fits) ImGui::OpenPopup(kPopup);
  }
  ImGui::SetNextWindowPos({area.end().x, ImGui::GetItemRectMax().y}, ImGuiCond_Always, {1, 0});
  if (!ImGui::BeginPopup(kPopup)) return;
  ImGui::TextUnformatted(wrapped(example, area.size.x - 2 * ImGui::GetStyle().WindowPadding.x).c_str());
  ui.probe.mark("model.example", example);
  ImGui::EndPopup();
}

// The sentence, if there is one, with the room of that button at its right.
void draw_sentence(UiContext& ui, const PageIntro& intro, const Area& area, bool whole) {
  if (intro.sentence.empty()) return;
  const float button = intro.example.empty() ? 0 : ImGui::GetFrameHeight() + ui.theme.px(8);
  const float width = area.size.x - button;
  if (whole) {
    wrapped_text(intro.sentence, area.at, width);
  } else {
    ImGui::SetCursorScreenPos(area.at);
    ImGui::TextUnformatted(elided(intro.sentence, width).c_str());
    tooltip(ui, intro.sentence);
  }
  ui.probe.mark("model.sentence", intro.sentence);
}

void draw_example(UiContext& ui, ModelPagesState& state, const char* id, const std::string& text,
                  const Area& area) {
  const float pad = ui.theme.px(10), button = button_width(kRead);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(area.at, area.end(), to_imgui(ui.theme.raised), ui.theme.px(6));
  wrapped_text(text, {area.at.x + pad, area.at.y + pad}, area.size.x - 3 * pad - button);
  ui.probe.mark_rect("model.example", {area.at.x, area.at.y, area.size.x, area.size.y}, text);
  ImGui::SetCursorScreenPos({area.end().x - pad - button, area.end().y - pad - ImGui::GetFrameHeight()});
  if (tool_button(ui, "model.example.close", kRead, "Not shown again; “?” brings it back"))
    state.examples_read.insert(id);
}

}  // namespace

IntroPlan plan_intro(float height, const IntroSizes& sizes) {
  const auto with_gap = [&](float part) { return part > 0 ? part + sizes.gap : 0; };
  const float room = height - sizes.least_page;
  IntroPlan plan;
  if (with_gap(sizes.sentence) <= room)
    plan.sentence = sizes.sentence;
  else if (with_gap(sizes.line) <= room)
    plan.sentence = std::min(sizes.line, sizes.sentence);
  const bool whole = plan.sentence == sizes.sentence;
  if (whole && with_gap(sizes.sentence) + with_gap(sizes.example) <= room) plan.example = sizes.example;
  plan.page = with_gap(plan.sentence) + with_gap(plan.example);
  return plan;
}

SentenceNames sentence_names(const UiContext& ui) {
  const Network& network = *ui.view.model.work->network;
  return {[&network](std::int32_t id) { return spoken_label(network.label(id)); }, names_of_layers(ui)};
}

std::vector<std::string> spoken_tokens(const OpenModel& work) {
  std::vector<std::string> tokens;
  for (const std::int32_t id : work.ids)
    tokens.push_back(spoken_label(work.network->token_label(id)));
  return tokens;
}

PageIntro lens_intro(const UiContext& ui) {
  const auto* lens = ui.view.model.work ? ui.view.model.current_lens() : nullptr;
  if (!lens || lens->empty()) return {};
  const SentenceNames names = sentence_names(ui);
  return {lens_sentence(*lens, names), lens_example(*lens, names)};
}

PageIntro parts_intro(const UiContext& ui) {
  const Attribution* parts = ui.view.model.work ? ui.view.model.current_parts() : nullptr;
  if (!parts) return {};
  const SentenceNames names = sentence_names(ui);
  return {parts_sentence(*parts, names), parts_example(*parts, names)};
}

Area draw_intro(UiContext& ui, ModelPagesState& state, const char* id, const PageIntro& intro,
                const Area& area) {
  const float pad = ui.theme.px(10), line = std::max(ImGui::GetTextLineHeight(), ImGui::GetFrameHeight());
  const float button = intro.example.empty() ? 0 : ImGui::GetFrameHeight() + ui.theme.px(8);
  const float example_width = std::min(area.size.x, ui.theme.px(kMostExample));
  const bool has_example = !intro.example.empty(), read = state.examples_read.contains(id);
  IntroSizes sizes;
  if (!intro.sentence.empty() || (has_example && read)) {
    sizes.line = line;
    sizes.sentence = std::max(line, wrapped_height(intro.sentence, area.size.x - button));
  }
  if (has_example)
    sizes.example = std::max(ImGui::GetFrameHeight(),
                             wrapped_height(intro.example, example_width - 3 * pad - button_width(kRead))) +
                    2 * pad;
  sizes.gap = ui.theme.px(8);
  sizes.least_page = least_page(ui);
  const bool fits = plan_intro(area.size.y, sizes).example > 0;
  if (read) sizes.example = 0;
  const IntroPlan plan = plan_intro(area.size.y, sizes);
  float y = area.at.y;
  if (plan.sentence > 0) {
    const Area words = {{area.at.x, y}, {area.size.x, plan.sentence}};
    draw_sentence(ui, intro, words, plan.sentence == sizes.sentence);
    if (has_example && plan.example == 0) example_button(ui, state, id, intro.example, words, fits);
    y += plan.sentence + sizes.gap;
  }
  if (plan.example > 0)
    draw_example(ui, state, id, intro.example, {{area.at.x, y}, {example_width, plan.example}});
  return {{area.at.x, area.at.y + plan.page}, {area.size.x, area.size.y - plan.page}};
}

}  // namespace headlight
