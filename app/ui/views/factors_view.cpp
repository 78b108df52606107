#include "app/ui/views/factors_view.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <imgui.h>

#include "app/figure/plan/heatmap_figure.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/context/shown_heads.h"
#include "app/ui/picture/cell_outline.h"
#include "app/ui/views/heads_grid.h"
#include "app/ui/widgets/plan_painter.h"
#include "app/ui/widgets/widgets.h"
#include "engine/views/matrix_tile.h"

namespace headlight {
namespace {

constexpr float kOperator = 28, kLeastFactorCell = 12, kMostCell = 240;  // planned pixels

// The left factor, and the right factor: a parameter or, without one, a stage.
struct Factors {
  Stage left = Stage::Embeddings;
  std::optional<Parameter> parameter;
  Stage right = Stage::Values;
};

std::optional<Factors> factors_of(const Layer& layer, Stage stage) {
  if (const auto parameter = parameter_of(layer, stage))
    return Factors{stage == Stage::Output ? Stage::Concat : Stage::Embeddings, parameter, stage};
  if (stage == Stage::Context) return Factors{Stage::Dropped, std::nullopt, Stage::Values};
  return std::nullopt;
}

// In cross-attention, keys and values are computed from the other sequence's embeddings, which have no
// picture.
bool has_picture(const Layer& layer, Stage stage, const Factors& factors) {
  if (!stage_exists(layer, factors.left) || (!factors.parameter && !stage_exists(layer, factors.right)))
    return false;
  return factors.left != Stage::Embeddings || layer.self_attention() ||
         stage_info(stage).rows == StageRows::Queries;
}

// The matrix as the right factor: one row for each column of the left one.
Matrix multiplied(const Layer& layer, Parameter parameter) {
  const InputId weight{InputKind::Weight, 0, parameter};
  const Matrix& stored = input_matrix(layer, weight);
  return layer.weights.layout == WeightLayout::OutIn ? Matrix(stored.transpose()) : stored;
}

Index right_columns(const Layer& layer, const Factors& factors) {
  return factors.parameter ? stage_heads(layer, factors.right) * stage_columns(layer, factors.right)
                           : stage_columns(layer, factors.right);
}

// The width of a cell that shows its number.
float numbers_width(const UiContext& ui) {
  return number_width(ui) + ui.theme.px(6);
}

// The width taken by labels, colour bar and the gaps between the heads.
float beside_cells(const UiContext& ui, Stage stage) {
  const int gaps = static_cast<int>(shown_heads(ui, stage).size()) - 1;
  return row_labels_width(ui, stage) + colorbar_width(ui) + ui.theme.px(12) * static_cast<float>(gaps);
}

// The width of a cell if so many columns share the remaining width of `area`.
float cell_width(const UiContext& ui, Stage stage, const Area& area, Index columns, float between) {
  const float room = (area.size.x - beside_cells(ui, stage) - between) / static_cast<float>(columns);
  const float high = area.size.y / static_cast<float>(stage_rows(ui.layer(), stage));
  return std::min({room, ui.theme.px(kMostCell), std::max(high, numbers_width(ui))});
}

// The cell whose row and column are outlined: under the pointer, else the selected one.
std::optional<CellAddress> cell_of(const UiContext& ui, Stage stage) {
  for (const auto& cell : {ui.view.selection.hovered.last, ui.view.selection.cell})
    if (cell && cell->stage == stage && cell->sequence == ui.view.sequence) return cell;
  return std::nullopt;
}

Index head_of(const UiContext& ui, Stage stage) {
  const auto cell = cell_of(ui, stage);
  return cell ? cell->head : ui.shown_head();
}

// As in the formula: "X", "concat".
std::string left_name(Stage stage) {
  return stage == Stage::Embeddings ? "X" : stage == Stage::Dropped ? "α" : "concat";
}

std::string right_name(const UiContext& ui, const Factors& factors) {
  if (!factors.parameter) return "V";
  const std::string letter(1, parameter_name(*factors.parameter)[0]);
  const bool turned = ui.layer().weights.layout == WeightLayout::OutIn;
  return "W_" + letter + (turned ? "ᵀ" : "") +
         (ui.layer().uses_bias(*factors.parameter) ? "  + b_" + letter : "");
}

void draw_operator(const UiContext& ui, const std::string& text, ImVec2 middle) {
  ImFont* const font = ui.theme.fonts.title;
  ImGui::GetWindowDrawList()->AddText(font, font_size(font),
                                      {middle.x - text_width(font, text) / 2, middle.y - font_size(font) / 2},
                                      to_imgui(ui.theme.quiet_text), text.c_str());
}

void draw_name(const UiContext& ui, const std::string& text, ImVec2 below) {
  ImFont* const font = ui.theme.fonts.label;
  ImGui::GetWindowDrawList()->AddText(font, font_size(font),
                                      {below.x, below.y - font_size(font) - ui.theme.px(4)},
                                      to_imgui(ui.theme.quiet_text), text.c_str());
}

HeatmapSpot spot_of(Stage stage, Index head, const std::string& name, ImVec2 cells) {
  HeatmapSpot spot;
  spot.stage = stage;
  spot.head = head;
  spot.name = name;
  spot.row_labels = spot.column_labels = false;
  spot.like.cells = {0, 0, cells.x, cells.y};
  return spot;
}

// The matrix of a parameter. A click on a cell moves the cursor of the parameter's grid to it.
void draw_parameter(UiContext& ui, Parameter parameter, const Area& cells, const LinkedCells& lit) {
  const Layer& layer = ui.layer();
  const Matrix matrix = multiplied(layer, parameter);
  HeatmapFigure figure;
  figure.tile = std::make_shared<const Tile>(matrix_tile(matrix, matrix.rows(), matrix.cols()));
  const StageColors colors = picture_colors({}, Stage::Embeddings, figure.tile->range);
  figure.colormap = colormap_of(colors, Stage::Embeddings);
  figure.range = color_range({figure.tile->range, {}}, colors, Stage::Embeddings);
  figure.show_colorbar = false;
  figure.decimals = ui.view.picture.decimals;
  PlanLimits limits;
  limits.cell_px = double{cells.size.x} / static_cast<double>(matrix.cols());
  limits.cell_height_px = double{cells.size.y} / static_cast<double>(matrix.rows());
  limits.show_title = limits.show_labels = false;
  const HeatmapPlan plan = plan_heatmap(figure, ui.theme.figure, limits, imgui_measure(ui.theme));
  const std::string name = "focus.factor.right";
  ImGui::SetCursorScreenPos(cells.at);
  const bool pressed = click_area(name.c_str(), cells.size);
  ui.probe.mark(name, std::string("W_") + parameter_name(parameter));
  paint_plan(plan, cells.at, *ImGui::GetWindowDrawList(), ui.theme, ui.textures, name,
             ui.document.revision());
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const HeatmapPlan::Cell cell = plan.cell_at(mouse.x - cells.at.x, mouse.y - cells.at.y);
  if (lit.column >= 0) outline_cells(ui, plan, lit, cells.at, 1.0);
  if (!ImGui::IsItemHovered() || cell.row < 0) return;
  outline_cells(ui, plan, {cell.row, cell.column}, cells.at, 1.0);
  const bool turned = layer.weights.layout == WeightLayout::OutIn;
  const InputCell input = {
      {InputKind::Weight, 0, parameter}, turned ? cell.column : cell.row, turned ? cell.row : cell.column};
  ui.view.selection.pointed.now = input;
  if (pressed) ui.view.selection.asked = input;
}

}  // namespace

float factors_width(const UiContext& ui, Stage stage, const Area& area) {
  const Layer& layer = ui.layer();
  const auto factors = factors_of(layer, stage);
  if (!factors || !has_picture(layer, stage, *factors) || is_mapped(ui) || is_zoomed(ui, stage)) return 0;
  const Index own = static_cast<Index>(shown_heads(ui, stage).size()) * stage_columns(layer, stage);
  const Index theirs = stage_columns(layer, factors->left) + right_columns(layer, *factors);
  const float between = 2 * ui.theme.px(kOperator);
  const float alone = cell_width(ui, stage, area, own, 0),
              cell = cell_width(ui, stage, area, own + theirs, between);
  // Numbers in the cells take precedence over the factors, which the derivation also shows.
  const float least = alone >= numbers_width(ui) ? numbers_width(ui) : ui.theme.px(kLeastFactorCell);
  return cell < least ? 0 : std::ceil(cell * static_cast<float>(theirs) + between);
}

void draw_factors(UiContext& ui, HeatmapCache& cache, Stage stage, const LargePicture& result,
                  const Area& area) {
  const Layer& layer = ui.layer();
  const Factors factors = *factors_of(layer, stage);
  const Index inner = stage_columns(layer, factors.left), columns = right_columns(layer, factors);
  const float between = ui.theme.px(kOperator);
  const float width = std::floor(std::min(static_cast<float>(result.cell_width),
                                          (area.size.x - 2 * between) / static_cast<float>(inner + columns)));
  const float top = static_cast<float>(result.cells.y), high = static_cast<float>(result.cells.height);
  const float row =
      std::min(static_cast<float>(result.cell_height), (area.end().y - top) / static_cast<float>(inner));
  const Area left = {{area.at.x + between, top}, {width * static_cast<float>(inner), high}};
  const Area right = {{left.end().x + between, top},
                      {width * static_cast<float>(columns), row * static_cast<float>(inner)}};
  const float middle = top + std::min(left.size.y, right.size.y) / 2;
  draw_operator(ui, "=", {left.at.x - ui.theme.px(11), middle});  // away from the bar's numbers
  draw_operator(ui, "·", {right.at.x - between / 2, middle});
  const bool of_head = stage == Stage::Context && layer.head_count() > 1;
  const Index head = of_head ? head_of(ui, stage) : 0;
  draw_name(ui, left_name(factors.left) + (of_head ? ", " + head_name(head, ui.counting()) : ""), left.at);
  draw_name(ui, right_name(ui, factors), right.at);
  ImGui::SetCursorScreenPos(left.at);
  heatmap_view(ui, cache, spot_of(factors.left, head, "focus.factor.left", left.size), left.size);
  LinkedCells lit;
  if (const auto cell = cell_of(ui, stage)) lit.column = cell->column;
  if (factors.parameter) {
    if (lit.column >= 0 && stage_info(stage).per_head)
      lit.column += head_of(ui, stage) * stage_columns(layer, stage);
    return draw_parameter(ui, *factors.parameter, right, lit);
  }
  HeatmapSpot spot =
      spot_of(factors.right, stage_head(layer, factors.right, head), "focus.factor.right", right.size);
  if (lit.column >= 0) spot.lit = lit;
  ImGui::SetCursorScreenPos(right.at);
  heatmap_view(ui, cache, spot, right.size);
}

}  // namespace headlight
