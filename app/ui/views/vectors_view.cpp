// The vectors view: embeddings, queries and keys, values and contexts as points.
#include "app/ui/views/vectors_view.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figure/plan/share_text.h"
#include "app/figure/plan/vector_plan.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/picture/linked_cells.h"
#include "app/ui/views/view_switch.h"
#include "app/ui/widgets/plan_painter.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

struct SpaceInfo {
  VectorSpace space;
  const char* id;
  const char* label;
  const char* tip;
  const char* note;  // meaning of the arrows, or what to look for
};

constexpr std::array<SpaceInfo, 4> kSpaces = {{
    {VectorSpace::Embeddings, "embeddings", "embeddings", "The tokens as they come in",
     "the same way: large dot products, the larger the longer; a point can be dragged"},
    {VectorSpace::QueriesKeys, "queries_keys", "queries, keys",
     "Queries and keys: the score of a pair is their dot product",
     "a query and a key in the same direction from the origin have a high score"},
    {VectorSpace::ValuesContext, "values_context", "values → context", "What attention made of the values",
     "arrow: from a token's own value to its context, the weighted sum of values"},
    {VectorSpace::EmbeddingsOutput, "embeddings_output", "embeddings → output",
     "What the whole layer made of the embeddings",
     "arrow: from a token's embedding to its output, after all heads"},
}};

const SpaceInfo& info_of(VectorSpace space) {
  return kSpaces[static_cast<std::size_t>(space)];
}

// Of queries and keys those that meet: with rotary positions, the rotated ones.
std::vector<Stage> stages_of(const Layer& layer, VectorSpace space) {
  switch (space) {
    case VectorSpace::Embeddings:
      return {Stage::Embeddings};
    case VectorSpace::QueriesKeys:
      if (stage_exists(layer, Stage::RotatedQueries)) return {Stage::RotatedQueries, Stage::RotatedKeys};
      return {Stage::Queries, Stage::Keys};
    case VectorSpace::ValuesContext:
      return {Stage::Values, Stage::Context};
    case VectorSpace::EmbeddingsOutput:
      break;
  }
  return {Stage::Embeddings, Stage::Output};
}

bool are_keys(Stage stage) {
  return stage == Stage::Keys || stage == Stage::RotatedKeys;
}

VectorSpace suggested(Stage stage) {
  switch (stage) {
    case Stage::Embeddings:
      return VectorSpace::Embeddings;
    case Stage::Queries:
    case Stage::Keys:
    case Stage::RotatedQueries:
    case Stage::RotatedKeys:
    case Stage::Scores:
    case Stage::Scaled:
    case Stage::Capped:
    case Stage::Biased:
    case Stage::Masked:
      return VectorSpace::QueriesKeys;
    case Stage::Values:
    case Stage::Weights:
    case Stage::Dropped:
    case Stage::Context:
    case Stage::Concat:
    case Stage::Output:
      break;
  }
  return VectorSpace::ValuesContext;
}

bool possible(const UiContext& ui, VectorSpace space) {
  const Layer& layer = ui.layer();
  const std::vector<Stage> stages = stages_of(layer, space);
  const bool there =
      std::all_of(stages.begin(), stages.end(), [&](Stage stage) { return stage_exists(layer, stage); });
  // Both stages need one row per token and the same width.
  const auto shape = [&](Stage stage) {
    return std::pair(stage_rows(layer, stage), stage_columns(layer, stage));
  };
  return there && std::all_of(stages.begin(), stages.end(),
                              [&](Stage stage) { return shape(stage) == shape(stages.front()); });
}

// nullopt if no space has stages of equal shape.
std::optional<VectorSpace> shown_space(const UiContext& ui, VectorsViewState& state) {
  const Stage stage = ui.view.opened_stage.value_or(ui.view.focused_stage);
  if (state.space && (state.chosen_for != stage || !possible(ui, *state.space))) state.space.reset();
  const VectorSpace wanted = state.space.value_or(suggested(stage));
  if (possible(ui, wanted)) return wanted;
  for (const SpaceInfo& info : kSpaces)
    if (possible(ui, info.space)) return info.space;
  return std::nullopt;
}

Index dimensions_of(const Layer& layer, VectorSpace space) {
  const bool of_head = space == VectorSpace::QueriesKeys || space == VectorSpace::ValuesContext;
  if (!of_head) return layer.d_in();
  return space == VectorSpace::QueriesKeys ? layer.d_k() : layer.d_v();
}

void draw_choices(UiContext& ui, VectorsViewState& state, VectorSpace space) {
  std::vector<Choice> choices;
  std::vector<VectorSpace> spaces;
  std::size_t current = 0;
  for (const SpaceInfo& info : kSpaces) {
    if (!possible(ui, info.space)) continue;
    if (info.space == space) current = spaces.size();
    choices.push_back({info.id, info.label, info.tip});
    spaces.push_back(info.space);
  }
  const auto chosen = choice_box(ui, "vectors.space", choices, current, ui.theme.px(176),
                                 "Which vectors are shown as points");
  if (chosen) {
    state.space = spaces[*chosen];
    state.chosen_for = ui.view.opened_stage.value_or(ui.view.focused_stage);
  }
  if (dimensions_of(ui.layer(), space) < 3) return;
  static const std::vector<Choice> kPlanes = {
      {"first", "dimensions 1, 2", "The first two numbers of each vector"},
      {"pca", "PCA", "The two directions in which the points differ most"}};
  ImGui::SameLine(0, ui.theme.px(4));
  if (const auto plane = choice_box(ui, "vectors.plane", kPlanes, static_cast<std::size_t>(state.plane),
                                    ui.theme.px(140), "The two directions that are seen"))
    state.plane = static_cast<PlaneKind>(*plane);
}

void ask_points(UiContext& ui, VectorsViewState& state, VectorSpace space) {
  PointsRequest request;
  request.stages = stages_of(ui.layer(), space);
  request.sequence = ui.view.sequence;
  request.head = view_head(ui);
  if (dimensions_of(ui.layer(), space) >= 3) request.plane = state.plane;
  ui.requested.points.push_back(request);
  if (std::exchange(state.layer_revision, ui.document.layer_revision()) != ui.document.layer_revision())
    state.cloud.reset();
  if (const auto found = ui.answer ? ui.answer->find(request) : nullptr) state.cloud = found;
  if (state.cloud && state.cloud->request.sequence != ui.view.sequence) state.cloud.reset();
}

std::string axis_name(const UiContext& ui, const PointCloud& cloud, std::size_t axis) {
  const std::string number = ui.counting().number(static_cast<Index>(axis));
  if (cloud.dimensions < 3) return "dimension " + number;
  // Principal components are always numbered from 1.
  const std::string name =
      cloud.request.plane == PlaneKind::Principal ? "PC " + std::to_string(axis + 1) : "dim " + number;
  return name + ": " + share_text(double{cloud.explained[axis]}) + " of variance";
}

// Marks the hovered token, else that of the selected cell; of a query-key pair the query, and the key among
// the keys.
void mark_token(const UiContext& ui, const PointCloud& cloud, VectorFigure& figure) {
  const auto& cell = ui.view.selection.hovered.last ? ui.view.selection.hovered.last : ui.view.selection.cell;
  if (!cell || cell->sequence != cloud.request.sequence) return;
  const auto place = [&](Index token) {
    const auto at = std::lower_bound(cloud.rows.begin(), cloud.rows.end(), token);
    return at != cloud.rows.end() && *at == token ? at - cloud.rows.begin() : Index{-1};
  };
  const CellTokens tokens = cell_tokens(*cell);
  figure.pointed = place(tokens.query >= 0 ? tokens.query : tokens.key);
  const bool of_keys = cloud.request.stages.size() == 2 && are_keys(cloud.request.stages[1]);
  if (of_keys && tokens.query >= 0 && tokens.key >= 0) figure.pointed_second = place(tokens.key);
}

VectorFigure vector_figure(const UiContext& ui, const PointCloud& cloud) {
  VectorFigure figure;
  figure.labels =
      point_names(row_labels(ui.layer(), cloud.request.stages.front()), cloud.rows, ui.counting());
  for (std::size_t i = 0; i < cloud.points.size(); ++i)
    figure.sets.push_back({std::string(stage_info(cloud.request.stages[i]).name), i, cloud.points[i]});
  figure.arrows = cloud.request.stages.size() == 2 && !are_keys(cloud.request.stages[1]);
  figure.line = cloud.dimensions == 1;
  // If the plane is the whole space, its angles are those of the dot products.
  constexpr std::size_t kMostArrows = 12;
  figure.from_origin = !figure.arrows && cloud.dimensions == 2 && cloud.rows.size() <= kMostArrows;
  figure.x_axis = axis_name(ui, cloud, 0);
  figure.y_axis = axis_name(ui, cloud, 1);
  mark_token(ui, cloud, figure);
  return figure;
}

// The legend, "● queries ● keys  head 2", after the choices.
void draw_legend(UiContext& ui, const VectorFigure& figure, const PointCloud& cloud, const Area& line) {
  ImFont* font = ui.theme.fonts.label;
  const float y = line.at.y + (line.size.y - font_size(font)) / 2, r = ui.theme.px(4);
  float x = line.at.x;
  for (const VectorSet& set : figure.sets) {
    ImGui::GetWindowDrawList()->AddCircleFilled({x + r, line.at.y + line.size.y / 2}, r,
                                                to_imgui(ui.theme.figure.series[set.series]));
    x += 2 * r + ui.theme.px(5);
    fitted_text(font, {x, y}, line.end().x - x, ui.theme.text, set.name);
    x += text_width(font, set.name) + ui.theme.px(12);
  }
  const bool of_head = stage_info(cloud.request.stages[0]).per_head && ui.layer().head_count() > 1;
  if (of_head)
    fitted_text(font, {x, y}, line.end().x - x, ui.theme.quiet_text,
                head_name(cloud.request.head, ui.counting()));
}

// The note of the space, preceded by how many tokens are shown if not all are; may be "".
std::string note_text(const PointCloud& cloud, VectorSpace space) {
  std::string text = info_of(space).note;
  if (static_cast<Index>(cloud.rows.size()) < cloud.total)
    text = std::to_string(cloud.rows.size()) + " of " + std::to_string(cloud.total) + " tokens" +
           (text.empty() ? "" : "   ·   ") + text;
  return text;
}

void handle_pointer(UiContext& ui, const VectorPlan& plan, const PointCloud& cloud, ImVec2 origin) {
  if (!ImGui::IsItemHovered()) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const Index at = plan.point_at(mouse.x - origin.x, mouse.y - origin.y, ui.theme.px(12));
  if (at < 0) return;
  const VectorPlan::Point& point = plan.points[static_cast<std::size_t>(at)];
  const Stage stage = cloud.request.stages[point.set];
  const Index head = stage_head(ui.layer(), stage, cloud.request.head);
  const CellAddress cell = {stage, cloud.request.sequence, head,
                            cloud.rows[static_cast<std::size_t>(point.token)], 0};
  ui.view.selection.hovered.now = cell;
  if (ImGui::IsItemClicked()) ui.view.selection.cell = cell;
  std::string text = token_name(row_labels(ui.layer(), stage), cell.row, ui.counting()) + ", " +
                     std::string(stage_info(stage).name) + ": ";
  const Matrix& points = cloud.points[point.set];
  text += number_text(points(point.token, 0), ui.view.picture.decimals);
  if (cloud.dimensions > 1) text += ", " + number_text(points(point.token, 1), ui.view.picture.decimals);
  ImGui::SetTooltip("%s", drawn_text(text).c_str());
}

// Embeddings can be dragged in the plane of the first two dimensions.
bool draggable(const PointCloud& cloud, std::size_t set) {
  return cloud.request.stages[set] == Stage::Embeddings && cloud.request.stages.size() == 1 &&
         cloud.dimensions >= 2 && cloud.request.plane == PlaneKind::FirstTwo;
}

constexpr std::uint64_t kVectorGesture = std::uint64_t{1} << 60;  // no gesture of grids or mask

// Rounds to steps suited to the scale: 0.01 if a unit is about 30 to 300 pixels.
float dragged_value(double px, double px_per_unit) {
  const double step = std::pow(10.0, std::floor(-std::log10(px_per_unit) + 0.48));
  return static_cast<float>(std::round(px / px_per_unit / step) * step);
}

void drag_point(UiContext& ui, VectorsViewState& state, const VectorPlan& plan, ImVec2 origin) {
  const PointCloud& cloud = *state.cloud;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (!ImGui::IsItemActive()) return state.drag.reset();
  if (ImGui::IsItemActivated()) {
    const Index at = plan.point_at(mouse.x - origin.x, mouse.y - origin.y, ui.theme.px(12));
    if (at < 0 || !draggable(cloud, plan.points[static_cast<std::size_t>(at)].set)) return;
    const Index token = cloud.rows[static_cast<std::size_t>(plan.points[static_cast<std::size_t>(at)].token)];
    state.drag = VectorDrag{token, kVectorGesture | ui.document.revision(), plan.scale};
  }
  if (!state.drag || !ImGui::IsMouseDragging(ImGuiMouseButton_Left, 2)) return;
  const Rect& field = plan.field;
  const VectorScale& scale = state.drag->scale;
  const double x = std::max(field.x, std::min(double{mouse.x - origin.x}, field.right())),
               y = std::max(field.y, std::min(double{mouse.y - origin.y}, field.bottom()));
  Matrix place(1, 2);
  place << dragged_value(x - scale.origin_x, scale.px_per_unit),
      dragged_value(scale.origin_y - y, scale.px_per_unit);
  const Index sequence = cloud.request.sequence;
  const Matrix& embeddings = ui.layer().embeddings[static_cast<std::size_t>(sequence)];
  if (state.drag->token >= embeddings.rows() || embeddings.row(state.drag->token).head(2) == place.row(0))
    return;
  ui.send(SetCells{{InputKind::Embeddings, sequence, Parameter::Query},
                   state.drag->token,
                   0,
                   std::move(place),
                   state.drag->gesture});
}

void mark_points(UiContext& ui, const VectorFigure& figure, const VectorPlan& plan, const PointCloud& cloud,
                 ImVec2 origin) {
  constexpr std::size_t kMostMarked = 128;
  const Rect field = {origin.x + plan.field.x, origin.y + plan.field.y, plan.field.width, plan.field.height};
  ui.probe.mark_rect("vectors", field, std::to_string(plan.points.size()) + " points");
  if (plan.points.size() > kMostMarked) return;
  std::string names;
  for (const std::string& label : figure.labels)
    names += (names.empty() ? "" : ", ") + label;
  ui.probe.mark_rect("vectors.names", field, names);
  for (const VectorPlan::Point& point : plan.points) {
    const Matrix& points = cloud.points[point.set];
    ui.probe.mark_rect(
        "vectors." + std::string(stage_info(cloud.request.stages[point.set]).name) + "." +
            std::to_string(cloud.rows[static_cast<std::size_t>(point.token)]),
        {origin.x + point.x - 4, origin.y + point.y - 4, 8, 8},
        number_text(points(point.token, 0), 4) + ", " + number_text(points(point.token, 1), 4));
  }
}

}  // namespace

void draw_vectors_view(UiContext& ui, VectorsViewState& state, const Area& area) {
  const std::optional<VectorSpace> possible_space = shown_space(ui, state);
  ImGui::SetCursorScreenPos(area.at);
  if (!possible_space) {
    quiet_text(ui, "There are no vectors of one width and one list of tokens to compare.");
    return;
  }
  const VectorSpace space = *possible_space;
  draw_choices(ui, state, space);
  ask_points(ui, state, space);
  if (!state.cloud) return;

  const PointCloud& cloud = *state.cloud;
  VectorFigure figure = vector_figure(ui, cloud);
  if (state.drag) figure.held_scale = state.drag->scale;
  const float choices = ImGui::GetFrameHeight() + ui.theme.px(4);
  const float behind = ImGui::GetItemRectMax().x + ui.theme.px(12);
  draw_legend(ui, figure, cloud, {{behind, area.at.y}, {area.end().x - behind, ImGui::GetFrameHeight()}});
  ImFont* font = ui.theme.fonts.label;
  const std::string note = note_text(cloud, space);
  fitted_text(font, {area.at.x, area.at.y + choices}, area.size.x, ui.theme.quiet_text, note);
  ui.probe.mark_rect("vectors.note", {area.at.x, area.at.y + choices, area.size.x, font_size(font)}, note);
  const float top = choices + font_size(font) + ui.theme.px(6);
  const ImVec2 origin = {area.at.x, area.at.y + top}, size = {area.size.x, area.size.y - top};
  const VectorPlan plan = plan_vectors(figure, ui.theme.figure, size.x, size.y, imgui_measure(ui.theme));
  ImGui::SetCursorScreenPos(origin);
  click_area("vectors", size);
  drag_point(ui, state, plan, origin);
  handle_pointer(ui, plan, cloud, origin);
  paint_drawing(plan.drawing, origin, *ImGui::GetWindowDrawList(), ui.theme);
  mark_points(ui, figure, plan, cloud, origin);
}

}  // namespace headlight
