#include "app/ui/views/head_captions.h"

#include <algorithm>
#include <cmath>

#include "app/figure/plan/share_text.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/context/shown_heads.h"
#include "app/ui/views/head_sorting.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kEye = 18;  // width of the eye as a button, planned pixels

// An eye, crossed out unless `open`, about a point.
void draw_eye(ImDrawList& list, ImVec2 middle, float half, float line, ImU32 color, bool open) {
  const ImVec2 left = {middle.x - half, middle.y}, right = {middle.x + half, middle.y};
  for (const float lid : {-0.9f * half, 0.9f * half})
    list.AddBezierCubic(left, {middle.x - half / 2, middle.y + lid}, {middle.x + half / 2, middle.y + lid},
                        right, color, line);
  list.AddCircleFilled(middle, half * 0.32f, color);
  if (!open)
    list.AddLine({middle.x - half * 0.8f, middle.y + half * 0.8f},
                 {middle.x + half * 0.8f, middle.y - half * 0.8f}, color, line);
}

// The button that switches a head on and off.
bool eye_button(const UiContext& ui, const std::string& name, bool on, ImVec2 at, const std::string& tip) {
  const ImVec2 size = {ui.theme.px(kEye), font_size(ui.theme.fonts.label) + ui.theme.px(3)};
  ImGui::SetCursorScreenPos(at);
  const bool pressed = click_area(name.c_str(), size);
  ui.probe.mark(name, on ? "on" : "off");
  const Color color = ImGui::IsItemHovered() ? ui.theme.text : ui.theme.quiet_text;
  draw_eye(*ImGui::GetWindowDrawList(), {at.x + size.x / 2, at.y + size.y / 2}, ui.theme.px(6),
           std::max(1.0f, ui.theme.px(1.25f)), to_imgui(color), on);
  tooltip(ui, tip);
  return pressed;
}

// Strikes through the name of a disabled head, which stays readable.
void strike_through(const UiContext& ui, ImFont* font, ImVec2 at, const std::string& text) {
  const float y = std::floor(at.y + font_size(font) * 0.55f), line = std::max(1.0f, ui.theme.px(1));
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, y}, {at.x + text_width(font, text), y + line},
                                            to_imgui(ui.theme.quiet_text));
}

void send_disabled(UiContext& ui, std::vector<Index> disabled) {
  AttentionSettings settings = ui.layer().attention;
  settings.disabled_heads = std::move(disabled);
  ui.send(SetAttention{settings});
}

// The mean over no rows is undefined.
std::string why_no_summary(const HeadSummary& summary) {
  if (summary.rows > 0) return "";
  return summary.left_out > 0 ? "no entropy: weights are NaN" : "no row attends to anything";
}

std::string rows_left_out(const HeadSummary& summary) {
  if (summary.left_out == 0) return "";
  return " · without " + std::to_string(summary.left_out) + (summary.left_out == 1 ? " row" : " rows") +
         " of NaN";
}

// From the most detailed to the shortest.
std::vector<std::string> summaries(const HeadSummary& summary, bool of_one_text, bool percent) {
  const auto number = [](float value, int decimals) { return number_text(value, decimals); };
  const auto bits = [&](int decimals) { return number(summary.entropy_bits, decimals) + " bits"; };
  if (!of_one_text) return {"entropy " + bits(3) + rows_left_out(summary), bits(1)};
  const auto first = [&](int decimals) {
    return percent ? share_text(double{summary.first_weight}, std::max(decimals - 2, 0))
                   : number(summary.first_weight, decimals);
  };
  const auto away = [&](int decimals) { return number(summary.mean_distance, decimals); };
  return {
      "entropy " + bits(3) + " · distance " + away(3) + " · first token " + first(3) + rows_left_out(summary),
      bits(3) + " · distance " + away(3) + " · first " + first(3),
      bits(2) + " · distance " + away(2) + " · first " + first(2),
      bits(1) + " · " + away(1) + " away · first " + first(2),
      bits(1) + " · first " + first(2),
      bits(1)};
}

// The width that the number of the sort measure takes in a caption: equal for all heads that have one.
float measure_room(UiContext& ui, Index head) {
  constexpr float kWidest = 88.888f;
  if (!ui.view.heads.sorting.by) return 0;
  const HeadMeasure measure = *ui.view.heads.sorting.by;
  const MeasuredHeadValue measured = request_measure(ui, head, measure);
  const bool share = measure != HeadMeasure::Entropy && measure != HeadMeasure::Distance;
  const std::optional<float> widest = share ? kWidest / 100 : kWidest;
  return text_width(ui.theme.fonts.label,
                    measure_text(measure, measured.value ? widest : std::nullopt, ui.percent())) +
         ui.theme.px(8);
}

// The number of the sort measure at the right end of the caption, if there is room after `left`.
void measure_mark(UiContext& ui, Index head, ImVec2 at, float width, float left) {
  if (!ui.view.heads.sorting.by) return;
  const HeadMeasure measure = *ui.view.heads.sorting.by;
  const MeasuredHeadValue measured = request_measure(ui, head, measure);
  if (!measured.known) return;
  const std::string text = measure_text(measure, measured.value, ui.percent());
  ImFont* font = ui.theme.fonts.label;
  const HeadMeasureInfo& info = head_measure_info(measure);
  const std::string label = measure == HeadMeasure::LikePicture ? picture_text(ui) : std::string(info.label);
  const float end = at.x + width - ui.theme.px(4), named = text_width(font, label + "  ");
  const float needed = measure_room(ui, head);
  const std::string shown = left + named + needed <= at.x + width ? label + "  " + text
                            : left + needed <= at.x + width       ? text
                                                                  : "";
  ImGui::GetWindowDrawList()->AddText(
      font, font_size(font), {end - text_width(font, shown), at.y + ui.theme.px(1.5f)},
      to_imgui(measured.value ? ui.theme.text : ui.theme.quiet_text), shown.c_str());
  ImGui::SetCursorScreenPos({std::min(left, end), at.y});
  ImGui::Dummy({std::max(ui.theme.px(4), at.x + width - left), font_size(font) + ui.theme.px(3)});
  ui.probe.mark("focus.head.h" + std::to_string(head) + ".measure", text);
  tooltip(ui, label + ": " + text + "\n" + std::string(info.what));
}

void measure_bar(UiContext& ui, Index head, ImVec2 at, float width) {
  if (!ui.view.heads.sorting.by) return;
  const HeadMeasure measure = *ui.view.heads.sorting.by;
  const float share = measure_share(ui, measure, request_measure(ui, head, measure).value);
  draw_measure_bar(ui, {at.x - ui.theme.px(4), at.y - ui.theme.px(1)},
                   {width + ui.theme.px(4), font_size(ui.theme.fonts.label) + ui.theme.px(5)}, share);
}

// The menu of a right click on the caption, which is `width` wide.
void caption_menu(UiContext& ui, Index head, ImVec2 at, float width) {
  const AttentionSettings& settings = ui.layer().attention;
  const std::string name = "focus.head.h" + std::to_string(head);
  const ImVec2 end = {at.x + width, at.y + font_size(ui.theme.fonts.label) + ui.theme.px(3)};
  if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(at, end) &&
      ImGui::IsMouseClicked(ImGuiMouseButton_Right))
    ImGui::OpenPopup(name.c_str());
  if (!ImGui::BeginPopup(name.c_str())) return;
  const bool solo = is_solo(settings, head);
  if (ImGui::MenuItem(solo ? "All heads" : "Only this head", nullptr, solo, settings.num_heads > 1))
    send_disabled(ui, soloed_head(settings, head));
  ui.probe.mark(name + ".solo", solo ? "on" : "off");
  tooltip(ui, solo ? "Switch all heads on again" : "Switch all heads off but this one");
  ImGui::EndPopup();
}

// The switch "solo", where the text of a lesson names it. Returns where it ends.
float named_solo(UiContext& ui, Index head, ImVec2 at, float end) {
  const AttentionSettings& settings = ui.layer().attention;
  ImFont* const font = ui.theme.fonts.label;
  const std::string label = "solo", name = "focus.head.h" + std::to_string(head) + ".solo";
  const float gap = ui.theme.px(8), width = text_width(font, label);
  if (!ui.view.offered.names("focus.head.h1.solo") || settings.num_heads < 2 || at.x + gap + width > end)
    return at.x;
  const bool solo = is_solo(settings, head);
  ImGui::SetCursorScreenPos({at.x + gap, at.y});
  if (click_area(name.c_str(), {width, font_size(font) + ui.theme.px(3)}))
    send_disabled(ui, soloed_head(settings, head));
  ui.probe.mark(name, solo ? "on" : "off");
  tooltip(ui, solo ? "Switch all heads on again" : "Switch all heads off but this one");
  const Color color = solo || ImGui::IsItemHovered() ? ui.theme.text : ui.theme.link;
  ImGui::GetWindowDrawList()->AddText(font, font_size(font), {at.x + gap, at.y + ui.theme.px(1.5f)},
                                      to_imgui(color), label.c_str());
  return at.x + gap + width;
}

// Whether the switch of a head that is on is drawn: of many heads only of the chosen one and of the one whose
// name is pointed at.
bool eye_in_sight(const UiContext& ui, Index head, ImVec2 at, float width) {
  constexpr Index kMostEyes = 2;
  const ImVec2 end = {at.x + width, at.y + font_size(ui.theme.fonts.label) + ui.theme.px(3)};
  return ui.layer().head_count() <= kMostEyes || ui.view.head == head ||
         (ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) &&
          ImGui::IsMouseHoveringRect(at, end));
}

// The head's name and its switch. Returns where they end.
float draw_switches(UiContext& ui, Index head, ImVec2 at, float width) {
  ImFont* font = ui.theme.fonts.label;
  const AttentionSettings& settings = ui.layer().attention;
  const bool on = settings.head_enabled(head);
  const std::string own = head_name(head, ui.counting());
  const Layer& layer = ui.layer();
  const bool grouped = layer.kv_head_count() != layer.head_count();
  const std::string shared = grouped ? " · kv " + ui.counting().number(layer.kv_head_of(head)) : "";
  const float eye = ui.theme.px(kEye + 2);
  const std::string title = text_width(font, own + shared) + eye <= width ? own + shared : own;
  // Heads that share keys and values have one colour.
  const auto& series = ui.theme.figure.series;
  const Color color = !on       ? ui.theme.quiet_text
                      : grouped ? series[static_cast<std::size_t>(layer.kv_head_of(head)) % series.size()]
                                : ui.theme.text;
  const ImVec2 place = {at.x, at.y + ui.theme.px(1.5f)};
  fitted_text(font, place, width, color, title);
  const float end = at.x + std::min(width, text_width(font, title));
  if (!on) strike_through(ui, font, place, title);
  caption_menu(ui, head, at, width);
  const bool few = on && ui.view.offered.few;  // while a lesson is read, a switch that is on is in the menu
  if (few) return named_solo(ui, head, {end, at.y}, at.x + width);
  if (on && (end + eye > at.x + width || !eye_in_sight(ui, head, at, width))) return end;
  const std::string tip = on ? "Switch " + own +
                                   " off: zeros stand in its place in concat. A right click: "
                                   "only this head"
                             : "Switch " + own + " on again";
  if (eye_button(ui, "focus.head.h" + std::to_string(head) + ".on", on, {end + ui.theme.px(2), at.y}, tip))
    send_disabled(ui, toggled_head(settings, head));
  return named_solo(ui, head, {end + eye, at.y}, at.x + width);
}

}  // namespace

bool is_solo(const AttentionSettings& settings, Index head) {
  return settings.num_heads > 1 && settings.head_enabled(head) &&
         static_cast<Index>(settings.disabled_heads.size()) == settings.num_heads - 1;
}

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
  measure_bar(ui, head, at, width);
  const float x = draw_switches(ui, head, at, width);
  measure_mark(ui, head, at, width, x);
}

void head_switches(UiContext& ui, Index head, ImVec2 at, float width) {
  draw_switches(ui, head, at, width);
}

void head_summary_line(UiContext& ui, Index head, ImVec2 at, float width) {
  const std::shared_ptr<const HeadSummary> summary = request_summary(ui, head);
  if (!summary || width < ui.theme.px(40)) return;
  ImFont* font = ui.theme.fonts.label;
  const bool of_one_text = ui.layer().queries_among_keys();
  const std::string none = why_no_summary(*summary);
  const std::vector<std::string> texts =
      none.empty() ? summaries(*summary, of_one_text, ui.percent()) : std::vector<std::string>{none};
  std::string shown = texts.front();
  for (const std::string& shorter : texts)
    if (text_width(font, shown) > width) shown = shorter;
  push_font(font);
  shown = elided(shown, width);
  ImGui::PopFont();
  ImGui::SetCursorScreenPos(at);
  quiet_text(ui, shown);
  ui.probe.mark("focus.head.h" + std::to_string(head) + ".summary", texts.front());
  const std::string what =
      of_one_text
          ? "Entropy: how widely a row spreads its attention. 0 bits: all on one token; 1 bit: as over two "
            "alike; 2 bits: as over four.\nDistance: how many tokens away the query looks.\nFirst token: its "
            "weight.\nEach is the mean over the rows"
          : "Entropy: how widely a row spreads its attention. 0 bits: all on one token; 1 bit: as over two "
            "alike; 2 bits: as over four. This is the mean over the rows. Queries and keys are of two texts: "
            "no query has a distance to a key";
  tooltip(ui, texts.front() + "\n" + what);
}

}  // namespace headlight
