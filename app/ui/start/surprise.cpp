#include "app/ui/start/surprise.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figure/color/colormap.h"
#include "app/figure/plan/names.h"
#include "app/figure/plan/share_text.h"
#include "app/ui/widgets/area.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr double kLeast = 0.001;  // the probability from which on the colour stays the same

const std::vector<TokenLoss>& losses_of(const ModelView& model) {
  static const std::vector<TokenLoss> none;
  return model.answer && model.answers_text() ? model.answer->losses : none;
}

Color color_of(const UiContext& ui, double probability) {
  const double share = std::log(std::clamp(probability, kLeast, 1.0)) / std::log(kLeast);
  return Colormap::of(ColormapKind::BlueGreen, ui.theme.figure.neutral)
      .at(ui.theme.kind == ThemeKind::Dark ? share : 1 - share);
}

// "100 %", the colours, "0.1 %".
void draw_scale(UiContext& ui, ImVec2 at, float width) {
  constexpr int kSteps = 32;
  ImFont* const font = ui.theme.fonts.label;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const std::string low = share_text(1.0), high = share_text(kLeast);
  const float gap = ui.theme.px(6), begin = at.x + text_width(font, low) + gap,
              end = at.x + width - text_width(font, high) - gap, line = font_size(font);
  list.AddText(font, line, at, to_imgui(ui.theme.quiet_text), low.c_str());
  list.AddText(font, line, {end + gap, at.y}, to_imgui(ui.theme.quiet_text), high.c_str());
  const float step = (end - begin) / kSteps;
  for (int i = 0; i < kSteps; ++i) {
    const float left = begin + step * static_cast<float>(i);
    list.AddRectFilled({left, at.y + ui.theme.px(2)}, {left + step, at.y + line - ui.theme.px(2)},
                       to_imgui(color_of(ui, std::pow(kLeast, (i + 0.5) / kSteps))));
  }
  ui.probe.mark_rect("line.surprise.scale", {at.x, at.y, width, line}, low + " to " + high);
}

std::string loss_text(const std::vector<TokenLoss>& losses) {
  char number[32];
  std::snprintf(number, sizeof number, "%.2f", mean_loss(losses));
  return "loss " + std::string(number) + " per token";
}

}  // namespace

std::optional<WordColors> surprise_colors(const UiContext& ui, Index token) {
  const std::vector<TokenLoss>& losses = losses_of(ui.view.model);
  if (token < 1 || token > static_cast<Index>(losses.size())) return std::nullopt;
  const double probability = losses[static_cast<std::size_t>(token - 1)].probability;
  if (!std::isfinite(probability)) return std::nullopt;
  const Color ground = color_of(ui, probability);
  return WordColors{ground, text_on(ground)};
}

std::optional<Index> most_surprising(const ModelView& model) {
  const std::vector<TokenLoss>& losses = losses_of(model);
  if (losses.empty()) return std::nullopt;
  const auto most = std::max_element(losses.begin(), losses.end(),
                                     [](const TokenLoss& a, const TokenLoss& b) { return a.loss < b.loss; });
  return static_cast<Index>(most - losses.begin()) + 1;
}

std::optional<Index> surprise_lines(UiContext& ui, ImVec2 at, float width) {
  const auto most = most_surprising(ui.view.model);
  if (!most) return std::nullopt;
  const std::vector<TokenLoss>& losses = losses_of(ui.view.model);
  ImFont* const font = ui.theme.fonts.label;
  const float line = font_size(font), next = at.y + line + ui.theme.px(4);
  if (ui.preferences.surprise) {
    draw_scale(ui, at, width);
  } else {
    const std::string loss = loss_text(losses);
    fitted_text(font, at, width, ui.theme.quiet_text, loss);
    ui.probe.mark_rect("line.loss", {at.x, at.y, width, line}, loss);
  }
  const std::string share = share_text(losses[static_cast<std::size_t>(*most - 1)].probability),
                    word = spoken_label(token_label(*ui.view.model.work, *most)),
                    text = "most surprised by: " + word + " (" + share + ")";
  const float shown = std::min(width, text_width(font, text));
  ImGui::SetCursorScreenPos({at.x, next});
  const bool clicked = click_area("line.surprise", {shown, line});
  ui.probe.mark("line.surprise", text);
  const Color ink = ImGui::IsItemHovered() ? ui.theme.text : ui.theme.quiet_text;
  tooltip(ui, "The model gave “" + word + "” " + share +
                  " before it was read. Loss: the mean of −ln of these " +
                  "probabilities. A click asks the word before it what it expected");
  fitted_text(font, {at.x, next}, width, ink, text);
  return clicked ? std::optional<Index>(*most - 1) : std::nullopt;
}

float surprise_lines_height(const UiContext& ui) {
  return 2 * font_size(ui.theme.fonts.label) + ui.theme.px(4);
}

}  // namespace headlight
