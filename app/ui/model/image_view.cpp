#include "app/ui/model/image_view.h"

#include <algorithm>
#include <cmath>

#include <imgui.h>

#include "app/figure/plan/names.h"
#include "app/figure/plan/share_text.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/context/shown_heads.h"
#include "app/ui/widgets/area.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kLeastSide = 72;   // planned pixels
constexpr double kDarkest = 0.78;  // of a patch that gets nothing

// The patches need not fill the image: what lies beside them is not read.
struct Patches {
  ImVec2 at, size;  // of one, in screen pixels
  Index columns = 0;
  Area area_of(Index token) const {
    const Index patch = token - 1, row = patch / columns;
    return {{at.x + size.x * static_cast<float>(patch % columns), at.y + size.y * static_cast<float>(row)},
            size};
  }
};

Patches patches_in(const ImageShape& shape, const Area& area) {
  const float x = area.size.x / static_cast<float>(shape.width),
              y = area.size.y / static_cast<float>(shape.height);
  return {area.at,
          {x * static_cast<float>(shape.patch_width), y * static_cast<float>(shape.patch_height)},
          shape.columns()};
}

// The token whose weights are drawn: under the pointer, else of the selected cell, else the class token.
Index asking_token(const UiContext& ui, const ImageViewState& state) {
  const Index last = ui.layer().token_count() - 1;
  if (state.pointed >= 0 && state.pointed <= last) return state.pointed;
  const auto& cell = ui.view.selection.cell;
  const bool of_token = cell && stage_info(cell->stage).rows == StageRows::Queries;
  return of_token ? std::clamp<Index>(cell->row, 0, last) : 0;
}

// What the token gives to each token: of the chosen head, else of all heads together. Empty until computed.
std::vector<float> weights_of(UiContext& ui, const ImageViewState& state, Index query) {
  const Index tokens = ui.layer().key_count();
  std::vector<float> weights =
      weights_of_query(ui, query, tokens, state.largest ? HeadPool::Maximum : HeadPool::Mean);
  if (static_cast<Index>(weights.size()) != tokens) weights.clear();
  return weights;
}

void take_pixels(ImageViewState& state, const std::shared_ptr<const OpenImage>& image) {
  if (state.drawn == image) return;
  state.drawn = image;
  ++state.version;
  const Picture& picture = image->picture;
  state.pixels.clear();
  for (Index row = 0; row < picture.height; ++row)
    for (Index column = 0; column < picture.width; ++column) {
      const auto channel = [&](Index at) { return picture.at(row, column, picture.channels == 3 ? at : 0); };
      state.pixels.push_back({channel(0), channel(1), channel(2)});
    }
}

// A cell of the token in a stage, as its own key where the stage has pairs.
CellAddress own_cell(const UiContext& ui, Stage stage, Index token) {
  return {stage, ui.view.sequence, stage_head(ui.layer(), stage, ui.shown_head()), token,
          is_pair(stage) ? token : 0};
}

void select_token(UiContext& ui, Index token) {
  const CellAddress cell = own_cell(ui, ui.view.opened_stage.value_or(ui.view.focused_stage), token);
  if (address_exists(ui.layer(), cell)) ui.view.selection.cell = cell;
}

void outline(const Area& area, Color color, float width) {
  ImGui::GetWindowDrawList()->AddRect(area.at, area.end(), to_imgui(color), 0, 0, width);
}

// The token that the pointer rests on in another picture.
Index hovered_elsewhere(const UiContext& ui) {
  const auto& cell = ui.view.selection.hovered.last;
  if (!cell) return -1;
  if (stage_info(cell->stage).columns == StageColumns::Tokens) return cell->column;
  return stage_info(cell->stage).rows == StageRows::Queries ? cell->row : -1;
}

void draw_brightness(const UiContext& ui, const ImageShape& shape, const Patches& patches,
                     const std::vector<float>& weights) {
  const std::vector<float> brightness = patch_brightness(weights);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Index count = shape.rows() * shape.columns();
  for (Index token = 1; token <= count && token < static_cast<Index>(brightness.size()); ++token) {
    const Area patch = patches.area_of(token);
    const auto dark = kDarkest * (1.0 - static_cast<double>(brightness[static_cast<std::size_t>(token)]));
    // Whole pixels: neighbours neither overlap nor leave a gap.
    list.AddRectFilled({std::round(patch.at.x), std::round(patch.at.y)},
                       {std::round(patch.end().x), std::round(patch.end().y)},
                       to_imgui(Color{0, 0, 0}, dark));
  }
  if (patches.size.x < ui.theme.px(12)) return;
  for (Index token = 1; token <= count; ++token)
    outline(patches.area_of(token), Color{0, 0, 0, 60}, 1);
}

std::string share_of(const std::vector<float>& weights, Index token) {
  const auto at = static_cast<std::size_t>(token);
  return at < weights.size() ? share_text(static_cast<double>(weights[at])) : "";
}

// Two lines: of which token and of which heads the brightness is.
std::string caption_of(const UiContext& ui, const ImageViewState& state, Index query,
                       const std::vector<float>& weights) {
  const std::string name = token_name(ui.layer().tokens, query, ui.counting());
  if (state.plain) return name + "\n";
  if (weights.empty()) return "Bright: where " + name + " looks\ncomputing…";
  const auto largest = std::max_element(weights.begin() + 1, weights.end());
  const std::string heads = ui.view.head    ? head_name(*ui.view.head, ui.counting())
                            : state.largest ? "the largest of all heads"
                                            : "the mean of all heads";
  return "Bright: where " + name + " looks\n" + heads + " · most " +
         share_text(static_cast<double>(*largest));
}

void tools(UiContext& ui, ImageViewState& state) {
  const float gap = ui.theme.px(4);
  if (tool_button(ui, "model.image.open", "Open image…",
                  "Another image: a PNG or JPEG picture, or a .npy array. Dropping a picture works too"))
    ui.act(Action::ChooseImage);
  ImGui::SameLine(0, gap);
  if (tool_button(ui, "model.image.weights", "Weights", "The picture is dark where the token does not look",
                  true, !state.plain))
    state.plain = !state.plain;
  ImGui::SameLine(0, gap);
  if (tool_button(ui, "model.image.heads", state.largest ? "largest" : "mean",
                  "Of all heads: their mean, or the largest of them. A chosen head is drawn alone",
                  !state.plain && !ui.view.head))
    state.largest = !state.largest;
}

// The token that is no patch, beside the picture's name.
void class_line(UiContext& ui, ImageViewState& state, Index query, const std::vector<float>& weights) {
  const OpenImage& image = *ui.view.model.work->image;
  const std::string share = share_of(weights, 0);
  if (tool_button(ui, "model.image.class", "class",
                  "The class token, which stands for the whole image: the classes are read from it", true,
                  query == 0)) {
    select_token(ui, 0);
  }
  if (ImGui::IsItemHovered()) state.pointed = 0;
  ImGui::SameLine(0, ui.theme.px(6));
  if (!share.empty()) {
    quiet_text(ui, "gets " + share);
    ImGui::SameLine(0, ui.theme.px(12));
  }
  const std::string name = image.path.empty() ? "a picture made by the program"
                                              : std::filesystem::path(image.path).filename().string();
  elided_quiet_text(ui, name, ImGui::GetContentRegionAvail().x);
  ui.probe.mark("model.image.name", name);
  tooltip(ui, image.path.empty() ? name : image.path);
}

}  // namespace

std::vector<float> patch_brightness(const std::vector<float>& weights) {
  std::vector<float> brightness = weights;
  for (float& one : brightness)
    if (!std::isfinite(one) || one < 0) one = 0;
  if (brightness.size() < 2) return {};
  const float most = *std::max_element(brightness.begin() + 1, brightness.end());
  for (float& one : brightness)
    one = most > 0 ? std::min(one / most, 1.0f) : 0;
  return brightness;
}

Index patch_at(const ImageShape& shape, float x, float y) {
  const auto column = static_cast<Index>(
                 std::floor(x * static_cast<float>(shape.width) / static_cast<float>(shape.patch_width))),
             row = static_cast<Index>(
                 std::floor(y * static_cast<float>(shape.height) / static_cast<float>(shape.patch_height)));
  const bool inside = column >= 0 && column < shape.columns() && row >= 0 && row < shape.rows();
  return inside ? 1 + row * shape.columns() + column : -1;
}

void image_view(UiContext& ui, ImageViewState& state, float height) {
  const ImageShape& shape = ui.view.model.work->network->config().image;
  tools(ui, state);
  const Index query = asking_token(ui, state);
  const std::vector<float> weights = state.plain ? std::vector<float>() : weights_of(ui, state, query);
  state.pointed = -1;
  constexpr float kCaptionLine = 1.25f;
  const float lines =
      3 * ImGui::GetFrameHeightWithSpacing() + 2 * kCaptionLine * font_size(ui.theme.fonts.label);
  const float width = ImGui::GetContentRegionAvail().x,
              room = std::max(ui.theme.px(kLeastSide), height - lines);
  const float scale =
      std::min(width / static_cast<float>(shape.width), room / static_cast<float>(shape.height));
  const Area area = {ImGui::GetCursorScreenPos(),
                     {std::max(1.0f, std::floor(scale * static_cast<float>(shape.width))),
                      std::max(1.0f, std::floor(scale * static_cast<float>(shape.height)))}};
  const Patches patches = patches_in(shape, area);
  take_pixels(state, ui.view.model.work->image);
  if (click_area("model.image", area.size)) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const Index token =
        patch_at(shape, (mouse.x - area.at.x) / area.size.x, (mouse.y - area.at.y) / area.size.y);
    if (token > 0) select_token(ui, token);
  }
  if (ImGui::IsItemHovered()) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    state.pointed = patch_at(shape, (mouse.x - area.at.x) / area.size.x, (mouse.y - area.at.y) / area.size.y);
  }
  const Index pointed = state.pointed;
  if (pointed >= 0) ui.view.selection.hovered.now = own_cell(ui, Stage::Weights, pointed);
  ui.probe.mark("model.image", pointed >= 0 ? token_label(*ui.view.model.work, pointed) : "");
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddImage(ui.textures.texture("model.image", state.version, static_cast<int>(shape.width),
                                    static_cast<int>(shape.height), state.pixels),
                area.at, area.end());
  if (!state.plain && !weights.empty()) draw_brightness(ui, shape, patches, weights);
  if (query > 0) outline(patches.area_of(query), ui.theme.accent, ui.theme.px(2));
  const Index other = hovered_elsewhere(ui);
  if (other > 0 && other != query && other <= shape.rows() * shape.columns())
    outline(patches.area_of(other), ui.theme.text, ui.theme.px(1.5f));
  const std::string caption = caption_of(ui, state, query, weights);
  ImFont* const font = ui.theme.fonts.label;
  const ImVec2 below = ImGui::GetCursorScreenPos();
  const std::size_t first = caption.find('\n');
  fitted_text(font, below, width, ui.theme.quiet_text, caption.substr(0, first));
  fitted_text(font, {below.x, below.y + kCaptionLine * font_size(font)}, width, ui.theme.quiet_text,
              caption.substr(first + 1));
  ImGui::Dummy({width, 2 * kCaptionLine * font_size(font)});
  ui.probe.mark("model.image.caption", caption);
  tooltip(ui, caption);
  class_line(ui, state, query, weights);
}

}  // namespace headlight
