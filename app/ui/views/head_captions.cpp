#include "app/ui/views/head_captions.h"

#include <algorithm>
#include <cstdio>

#include "app/ui/kit/text_fit.h"
#include "app/ui/kit/widgets.h"

namespace headlight {
namespace {

bool is_solo(const AttentionSettings& settings, Index head) {
  return settings.num_heads > 1 && settings.head_enabled(head) &&
         static_cast<Index>(settings.disabled_heads.size()) == settings.num_heads - 1;
}

// A word on a small raised surface that takes clicks. Moves `x` behind itself.
bool pill(const UiContext& ui, const std::string& name, const char* word, bool accent, bool value, float& x,
          float y, const std::string& tip) {
  ImFont* font = ui.theme.fonts.label;
  const float pad = ui.theme.px(5), width = text_width(font, word) + 2 * pad;
  const float height = font_size(font) + ui.theme.px(3);
  ImGui::SetCursorScreenPos({x, y});
  const bool pressed = ImGui::InvisibleButton(name.c_str(), {width, height});
  ui.probe.mark(name, value ? "on" : "off");
  const bool hot = ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled({x, y}, {x + width, y + height}, to_imgui(ui.theme.raised), ui.theme.px(4));
  if (hot) list.AddRect({x, y}, {x + width, y + height}, to_imgui(ui.theme.line), ui.theme.px(4));
  const Color color = accent ? ui.theme.accent : hot ? ui.theme.text : ui.theme.quiet_text;
  list.AddText(font, font_size(font), {x + pad, y + ui.theme.px(1.5f)}, to_imgui(color), word);
  tooltip(ui, tip);
  x += width + ui.theme.px(4);
  return pressed;
}

void send_disabled(UiContext& ui, std::vector<Index> disabled) {
  AttentionSettings settings = ui.model().attention;
  settings.disabled_heads = std::move(disabled);
  ui.send(SetAttention{settings});
}

std::string summary_text(const HeadSummary& summary, const char* form) {
  char text[128];
  std::snprintf(text, sizeof text, form, static_cast<double>(summary.entropy_bits),
                static_cast<double>(summary.mean_distance), static_cast<double>(summary.first_weight));
  return text;
}

// The most telling first; each in less room than the one before.
std::vector<std::string> shorter_summaries(const HeadSummary& summary) {
  const auto number = [](float value, int decimals) { return number_text(value, decimals); };
  const std::string bits = number(summary.entropy_bits, 1) + " bits";
  return {summary_text(summary, "%.3f bits · distance %.3f · first %.3f"),
          summary_text(summary, "%.2f bits · distance %.2f · first %.2f"),
          summary_text(summary, "%.1f bits · %.1f away · first %.2f"),
          bits + " · first " + number(summary.first_weight, 2), bits};
}

std::shared_ptr<const HeadSummary> ask_summary(UiContext& ui, Index head) {
  const HeadRequest request{ui.view.sequence, head};
  if (std::find(ui.wish.heads.begin(), ui.wish.heads.end(), request) == ui.wish.heads.end())
    ui.wish.heads.push_back(request);
  return ui.answer ? ui.answer->find(request) : nullptr;
}

float measure_of(const HeadSummary& summary, HeadOrder order) {
  switch (order) {
    case HeadOrder::Entropy:
      return summary.entropy_bits;
    case HeadOrder::Distance:
      return summary.mean_distance;
    case HeadOrder::FirstToken:
      return summary.first_weight;
    case HeadOrder::Number:
      break;
  }
  return 0;
}

}  // namespace

std::vector<Index> toggled_head(const AttentionSettings& settings, Index head) {
  std::vector<Index> disabled = settings.disabled_heads;
  const auto at = std::lower_bound(disabled.begin(), disabled.end(), head);
  if (at != disabled.end() && *at == head)
    disabled.erase(at);
  else
    disabled.insert(at, head);
  return disabled;
}

std::vector<Index> soloed_head(const AttentionSettings& settings, Index head) {
  std::vector<Index> disabled;
  if (is_solo(settings, head)) return disabled;
  for (Index other = 0; other < settings.num_heads; ++other)
    if (other != head) disabled.push_back(other);
  return disabled;
}

void head_caption(UiContext& ui, Index head, ImVec2 at, float width) {
  ImFont* font = ui.theme.fonts.label;
  const AttentionSettings& settings = ui.model().attention;
  const bool on = settings.head_enabled(head), solo = is_solo(settings, head);
  const std::string name = "focus.head.h" + std::to_string(head), number = ui.counting().number(head);
  // Where pictures are narrow the number says it, of all heads alike.
  const std::string longest = head_name(settings.num_heads - 1, ui.counting());
  const std::string title =
      text_width(font, longest) + ui.theme.px(88) <= width ? head_name(head, ui.counting()) : number;
  ImGui::GetWindowDrawList()->AddText(font, font_size(font), {at.x, at.y + ui.theme.px(1.5f)},
                                      to_imgui(ui.theme.quiet_text), title.c_str());
  float x = at.x + text_width(font, title) + ui.theme.px(8);
  if (pill(ui, name + ".on", on ? "on" : "off", !on, on, x, at.y,
           on ? "Switch head " + number + " off: zeros stand in its place in concat"
              : "Switch head " + number + " on again"))
    send_disabled(ui, toggled_head(settings, head));
  const bool room_for_solo = x + text_width(font, "solo") + ui.theme.px(10) <= at.x + width;
  if (!room_for_solo && !solo) return;  // where pictures are narrow one switches the others off
  if (pill(ui, name + ".solo", "solo", solo, solo, x, at.y,
           solo ? "Switch all heads on again" : "Switch all heads off but this one"))
    send_disabled(ui, soloed_head(settings, head));
}

void head_summary_line(UiContext& ui, Index head, ImVec2 at, float width) {
  const std::shared_ptr<const HeadSummary> summary = ask_summary(ui, head);
  if (!summary) return;
  ImFont* font = ui.theme.fonts.label;
  const std::string full = summary_text(*summary, "entropy %.3f bits · distance %.3f · first token %.3f");
  std::string shown = full;
  for (const std::string& shorter : shorter_summaries(*summary))
    if (text_width(font, shown) > width) shown = shorter;
  push_font(font);
  shown = elided(shown, width);
  ImGui::PopFont();
  ImGui::SetCursorScreenPos(at);
  quiet_text(ui, shown);
  ui.probe.mark("focus.head.h" + std::to_string(head) + ".summary", full);
  tooltip(ui,
          full +
              "\nMeans over the rows: entropy in bits (0: one token each), how many tokens away the query "
              "looks, and the weight on the first token");
}

std::vector<Index> ordered_heads(UiContext& ui, std::vector<Index> heads) {
  if (ui.view.head_order == HeadOrder::Number || heads.size() < 2) return heads;
  std::vector<float> measures(static_cast<std::size_t>(ui.model().head_count()), 0.0f);
  bool complete = true;
  for (Index head : heads) {
    const auto summary = ask_summary(ui, head);
    complete &= summary != nullptr;
    if (summary) measures[static_cast<std::size_t>(head)] = measure_of(*summary, ui.view.head_order);
  }
  if (!complete) return heads;  // half an answer would make them jump
  std::stable_sort(heads.begin(), heads.end(), [&](Index a, Index b) {
    return measures[static_cast<std::size_t>(a)] > measures[static_cast<std::size_t>(b)];
  });
  return heads;
}

}  // namespace headlight
