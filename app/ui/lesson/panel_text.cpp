#include "app/ui/lesson/panel_text.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <imgui.h>

#include "app/figure/plan/heatmap_figure.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/widgets/text_entry.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kSliderWidth = 150;  // planned pixels, with the number beside it

// The number of heads nearest to `wanted` that divides the width.
Index dividing(Index width, double wanted) {
  Index best = 1;
  for (Index heads = 1; heads <= width; ++heads)
    if (width % heads == 0 &&
        std::abs(static_cast<double>(heads) - wanted) < std::abs(static_cast<double>(best) - wanted))
      best = heads;
  return best;
}

void send_scale(UiContext& ui, double value, std::uint64_t gesture) {
  AttentionSettings attention = ui.layer().attention;
  attention.scale = {ScaleKind::Number, std::round(value * 100) / 100};
  if (attention != ui.layer().attention) ui.send(SetAttention{attention, gesture});
}

void send_dropout(UiContext& ui, double value, std::uint64_t gesture) {
  AttentionSettings attention = ui.layer().attention;
  attention.dropout.probability = std::round(value * 100) / 100;
  if (attention != ui.layer().attention) ui.send(SetAttention{attention, gesture});
}

void send_d_out(UiContext& ui, double value, std::uint64_t gesture) {
  const Index heads = ui.layer().head_count();
  const auto columns = static_cast<Index>(std::lround(value / static_cast<double>(heads)));
  const Index width = std::max<Index>(1, columns) * heads;
  if (width != ui.layer().d_out()) ui.send(SetDOut{width, gesture});
}

void send_heads(UiContext& ui, double value, std::uint64_t gesture) {
  const Index heads = dividing(ui.layer().d_out(), value);
  if (heads != ui.layer().head_count()) ui.send(SetNumHeads{heads, gesture});
}

// The values that the arrow keys lead to: `by` is 1 or -1.
double scale_beside(const Layer& layer, Index by) {
  return layer.scale_factor() + 0.05 * static_cast<double>(by);
}

double dropout_beside(const Layer& layer, Index by) {
  return layer.attention.dropout.probability + 0.05 * static_cast<double>(by);
}

double d_out_beside(const Layer& layer, Index by) {
  return static_cast<double>(layer.d_out() + by * layer.head_count());
}

double heads_beside(const Layer& layer, Index by) {
  Index heads = layer.head_count() + by;
  while (heads > 0 && heads <= layer.d_out() && layer.d_out() % heads != 0)
    heads += by;
  return static_cast<double>(heads);
}

// A setting that a slider in a lesson's text can change.
struct SliderSetting {
  ReferencedSetting setting;
  const char *name, *tip;
  double (*value)(const Layer& layer);
  double (*beside)(const Layer& layer, Index by);
  void (*send)(UiContext& ui, double value, std::uint64_t gesture);
};

constexpr std::array<SliderSetting, 4> kSliderSettings = {
    {{ReferencedSetting::Scale, "scale", "Drag, or ← →: what scores are multiplied by",
      [](const Layer& layer) { return double{layer.scale_factor()}; }, scale_beside, send_scale},
     {ReferencedSetting::Dropout, "dropout", "Drag, or ← →: the probability of dropout",
      [](const Layer& layer) { return layer.attention.dropout.probability; }, dropout_beside, send_dropout},
     {ReferencedSetting::DOut, "d_out",
      "Drag, or ← →: the width of queries, keys and values of all heads together",
      [](const Layer& layer) { return static_cast<double>(layer.d_out()); }, d_out_beside, send_d_out},
     {ReferencedSetting::Heads, "heads", "Drag, or ← →: how many heads share the width",
      [](const Layer& layer) { return static_cast<double>(layer.head_count()); }, heads_beside, send_heads}}};

// Precondition: a slider can change the setting.
const SliderSetting& slider_setting(ReferencedSetting setting) {
  return *std::find_if(kSliderSettings.begin(), kSliderSettings.end(),
                       [&](const SliderSetting& known) { return known.setting == setting; });
}

// The gesture of a slider, the same during a drag.
std::uint64_t gesture_of(const UiContext& ui, ImGuiID slider) {
  // This bit separates the gestures of sliders from those of other widgets. The rest is the document's
  // revision at the beginning of the drag, which is different for the next one.
  constexpr std::uint64_t kSliderGesture = std::uint64_t{1} << 61;
  ImGuiStorage& kept = *ImGui::GetStateStorage();
  if (ImGui::IsItemActivated()) kept.SetInt(slider, static_cast<int>(ui.document.revision()));
  return kSliderGesture | static_cast<std::uint32_t>(kept.GetInt(slider));
}

// The arrow keys go on by a step, Home and End to the ends: each key is a step of undo.
void slide_by_keys(UiContext& ui, const TextSlider& slider, const SliderSetting& setting) {
  std::optional<double> wanted;
  if (key_pressed(Key::Left, true)) wanted = setting.beside(ui.layer(), -1);
  if (key_pressed(Key::Right, true)) wanted = setting.beside(ui.layer(), 1);
  if (key_pressed(Key::Home)) wanted = slider.low;
  if (key_pressed(Key::End)) wanted = slider.high;
  if (wanted) setting.send(ui, std::clamp(*wanted, double{slider.low}, double{slider.high}), 0);
}

void draw_slider(UiContext& ui, const TextSlider& slider, const EvaluatedRun& run, ImFont* font, ImVec2 at,
                 float width) {
  const SliderSetting& setting = slider_setting(slider.setting);
  const Theme& theme = ui.theme;
  const float number = theme.px(50), height = font_size(font), x = at.x + number;
  const float track = width - number - theme.px(8);
  const std::string name = std::string("lesson.slider.") + setting.name;
  const float radius = theme.px(7);  // of the knob, which reaches over both ends
  ImGui::SetCursorScreenPos({x - radius, at.y});
  click_area(("##" + name).c_str(), {track + 2 * radius, height});
  ui.probe.mark(name, run.text);
  tooltip(ui, setting.tip);
  const bool held = ImGui::IsItemActive();
  if (held) {
    const double part = std::clamp((ImGui::GetIO().MousePos.x - x) / track, 0.0f, 1.0f);
    setting.send(ui, slider.low + part * (slider.high - slider.low),
                 gesture_of(ui, ImGui::GetID(("##" + name).c_str())));
  }
  if (ui.view.keyboard.at == name && !ImGui::GetIO().WantTextInput) slide_by_keys(ui, slider, setting);
  const double value = setting.value(ui.layer());
  const double part = std::clamp((value - slider.low) / (slider.high - slider.low), 0.0, 1.0);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float y = at.y + height / 2, knob = x + static_cast<float>(part) * track;
  list.AddText(font, font_size(font), at, to_imgui(theme.text), run.text.c_str());
  list.AddLine({x, y}, {x + track, y}, to_imgui(theme.quiet_text), std::max(1.0f, theme.px(2)));
  list.AddCircleFilled({knob, y}, held || ImGui::IsItemHovered() ? radius : theme.px(6),
                       to_imgui(theme.primary));
}

// For the run under the pointer: highlights its cell or weight; a click selects it.
void follow_words(UiContext& ui, const EvaluatedRun& run) {
  const bool clicked = ImGui::IsMouseClicked(ImGuiMouseButton_Left);
  if (run.cell) {
    ui.view.selection.hovered.now = *run.cell;
    if (clicked) ui.view.selection.cell = *run.cell;
  } else {
    ui.view.selection.pointed.now = *run.input;
    if (clicked) ui.view.selection.asked = *run.input;
  }
}

constexpr const char* kMeaning = "##lesson.meaning";

void underline_with_dots(const Theme& theme, const Rect& place, Color color) {
  const auto y = static_cast<float>(std::floor(place.bottom() + double{theme.px(1)}));
  const float dot = std::max(1.0f, theme.px(1));
  for (auto x = static_cast<float>(place.x); x < static_cast<float>(place.right()); x += 3 * dot)
    ImGui::GetWindowDrawList()->AddRectFilled({x, y}, {x + dot, y + dot}, to_imgui(color));
}

// A glossary term: a dotted line below it; its meaning as a tooltip, or on a click as a popup.
void draw_term(UiContext& ui, const std::string& word, const EvaluatedRun& run, const Rect& place,
               bool pointed) {
  const Theme& theme = ui.theme;
  underline_with_dots(theme, place, pointed ? theme.text : theme.quiet_text);
  ui.probe.mark_rect("lesson.term." + word, place, run.meaning);
  if (!pointed) return;
  if (!ImGui::IsPopupOpen(kMeaning)) show_tooltip(ui, run.meaning);
  if (!ImGui::IsMouseClicked(ImGuiMouseButton_Left)) return;
  ui.view.lesson.explained = run.meaning;
  ImGui::OpenPopup(kMeaning);
}

// The names of controls stand on plates as buttons do. One behind all words of a name in the same line.
void draw_plates(const UiContext& ui, const PanelText& text, float height, ImVec2 origin) {
  const std::vector<PlacedText>& pieces = text.plan.pieces;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (text.runs[pieces[i].run].control.empty()) continue;
    std::size_t last = i;
    while (last + 1 < pieces.size() && pieces[last + 1].run == pieces[i].run &&
           pieces[last + 1].y == pieces[i].y)
      ++last;
    const float pad = ui.theme.px(2), y = origin.y + text.y + pieces[i].y;
    const ImVec2 low = {origin.x + pieces[i].x - pad, y - pad / 2};
    const ImVec2 high = {origin.x + pieces[last].x + pieces[last].width + pad, y + height + pad / 2};
    ImGui::GetWindowDrawList()->AddRectFilled(low, high, to_imgui(ui.theme.raised), ui.theme.px(4));
    ImGui::GetWindowDrawList()->AddRect(low, high, to_imgui(ui.theme.line), ui.theme.px(4));
    i = last;
  }
}

}  // namespace

void explain_term(UiContext& ui) {
  if (!ImGui::BeginPopup(kMeaning)) return;
  ImGui::PushTextWrapPos(ui.theme.px(320));
  ImGui::TextUnformatted(ui.view.lesson.explained.data(),
                         ui.view.lesson.explained.data() + ui.view.lesson.explained.size());
  ImGui::PopTextWrapPos();
  ui.probe.mark("lesson.meaning", ui.view.lesson.explained);
  ImGui::EndPopup();
}

std::vector<EvaluatedRun> plain_words(const std::string& text) {
  return {{readable(text)}};
}

const LessonLanguage& lesson_language(const UiContext& ui) {
  return language_of(ui.document.session());
}

std::string label_text(const UiContext& ui, LessonLabel label) {
  return label_text(lesson_language(ui), label);
}

std::string guess_number_text(const UiContext& ui, double number) {
  return localized(lesson_language(ui), number_text(number, 2));
}

std::vector<EvaluatedRun> step_text(UiContext& ui, const LessonGuide& guide, const LessonText& text) {
  EvaluatedTexts& known = guide.texts;
  if (const int frame = ImGui::GetFrameCount(); std::exchange(known.frame, frame) != frame)
    known.runs.clear();
  const auto found = known.runs.find(text.written());
  if (found != known.runs.end()) return found->second;
  return known.runs[text.written()] = live_text(ui, text, guide.walk ? nullptr : guide.own.get());
}

void set_text(const UiContext& ui, PanelText& text, std::vector<EvaluatedRun> runs, ImFont* font, float width,
              float& y) {
  text.runs = std::move(runs);
  text.plan = plan_text(
      text.runs, width, line_height(ui.theme, font),
      [font](const std::string& word) { return text_width(font, word); }, ui.theme.px(kSliderWidth));
  text.y = y;
  y += text.plan.height;
}

float line_height(const Theme& theme, const ImFont* font) {
  return std::floor(font_size(font) + theme.px(font == theme.fonts.reading ? 5 : 3));
}

bool is_whole(const Theme& theme, const ImFont* font, float top, float begin, float end) {
  constexpr float kRounding = 1;
  return top >= begin - kRounding && top + line_height(theme, font) <= end + kRounding;
}

void draw_text(UiContext& ui, const PanelText& text, ImFont* font, Color color, ImVec2 origin,
               const std::string& references) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool here = ImGui::IsWindowHovered();
  const float first = list.GetClipRectMin().y, last = list.GetClipRectMax().y;
  draw_plates(ui, text, font_size(font), origin);
  for (const PlacedText& piece : text.plan.pieces) {
    const EvaluatedRun& run = text.runs[piece.run];
    const ImVec2 at = {origin.x + piece.x, origin.y + text.y + piece.y};
    const ImVec2 end = {at.x + piece.width, at.y + font_size(font)};
    if (!is_whole(ui.theme, font, at.y, first, last)) continue;
    if (run.slider) {
      draw_slider(ui, *run.slider, run, font, at, piece.width);
      continue;
    }
    if (!run.control.empty())
      ui.probe.mark_rect("lesson.control." + std::string(run.control),
                         {at.x, at.y, piece.width, font_size(font)}, run.text);
    const bool pointed = here && mouse.x >= at.x && mouse.x < end.x && mouse.y >= at.y && mouse.y < end.y;
    if (!run.control.empty() && pointed) ui.view.lesson.pointed_control = run.control;
    if (!run.meaning.empty())
      draw_term(ui, piece.text, run, {at.x, at.y, piece.width, font_size(font)}, pointed);
    if ((run.cell || run.input) && pointed) {
      follow_words(ui, run);
      list.AddRectFilled({at.x, end.y + ui.theme.px(1)}, {end.x, end.y + ui.theme.px(2.5f)},
                         to_imgui(ui.theme.pointer));
    } else if (run.cell || run.input)
      underline_with_dots(ui.theme, {at.x, at.y, piece.width, font_size(font)}, ui.theme.quiet_text);
    list.AddText(font, font_size(font), at, to_imgui(color), drawn_text(piece.text, font).c_str());
    if (!references.empty() && run.live)
      ui.probe.mark_rect(references + std::to_string(run.part), {at.x, at.y, piece.width, font_size(font)},
                         run.text);
  }
}

void mark_text(UiContext& ui, const std::string& name, const PanelText& text, ImVec2 origin, float width) {
  if (text.empty()) return;
  ui.probe.mark_rect(name, {origin.x, origin.y + text.y, width, text.plan.height}, plain_text(text.runs));
}

}  // namespace headlight
