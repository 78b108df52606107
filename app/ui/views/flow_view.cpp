// The flow view: layout of tokens and lines, scrolling, legend and pointer.
#include "app/ui/views/flow_view.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tuple>
#include <utility>

#include "app/figure/plan/share_text.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/context/shown_heads.h"
#include "app/ui/picture/heatmap_view.h"
#include "app/ui/picture/linked_cells.h"
#include "app/ui/views/view_switch.h"
#include "app/ui/widgets/plan_painter.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

// The drawn stage: the weights, or those after dropout if that stage is chosen.
Stage flow_stage(const UiContext& ui) {
  const Stage stage = ui.view.opened_stage.value_or(ui.view.focused_stage);
  return stage == Stage::Dropped ? Stage::Dropped : Stage::Weights;
}

// Gradients have no lines.
TileContent flow_content(const UiContext& ui, Stage stage) {
  return shows_by_value(ui, stage) ? TileContent::ValueWeighted : TileContent::Stage;
}

// Beams are pulled to other weights, not to other products with values.
bool pulls_beams(const UiContext& ui) {
  return BeamPull::offered(ui) && !shows_by_value(ui, flow_stage(ui));
}

void pick_head(UiContext& ui, Index head) {
  if (!flow_picks_heads(ui.layer())) {
    ui.view.head = ui.view.head ? std::nullopt : std::optional<Index>(head);
    return;
  }
  std::vector<Index> picked = flow_heads(ui, Stage::Weights);
  ui.view.head.reset();
  const auto at = std::lower_bound(picked.begin(), picked.end(), head);
  if (at == picked.end() || *at != head)
    picked.insert(at, head);
  else if (picked.size() > 1)
    picked.erase(at);
  ui.view.picture.flow_heads = std::move(picked);
}

Index clamped_begin(Index begin, Index in_sight, Index count) {
  return std::clamp<Index>(begin, 0, std::max<Index>(0, count - in_sight));
}

// Limits the visible tokens to the sequence, and scrolls to a cell that has just been selected.
void follow_selection(const UiContext& ui, FlowViewState& state, Index in_sight) {
  if (ui.view.selection.cell && ui.view.selection.cell != state.followed) {
    const CellTokens tokens = cell_tokens(*ui.view.selection.cell);
    const auto show = [&](Index& begin, Index token) {
      if (token >= 0 && (token < begin || token >= begin + in_sight)) begin = token - in_sight / 2;
    };
    show(state.query_begin, tokens.query);
    show(state.key_begin, tokens.key);
  }
  state.followed = ui.view.selection.cell;
  state.query_begin = clamped_begin(state.query_begin, in_sight, ui.layer().token_count());
  state.key_begin = clamped_begin(state.key_begin, in_sight, ui.layer().key_count());
}

// The wheel scrolls the queries or the keys that it is over, and both between them.
void turn_wheel(FlowViewState& state, const FlowPlan& plan, float x, Index in_sight, const Layer& layer) {
  constexpr float kTokensPerStep = 3;
  const float turned = ImGui::GetIO().MouseWheel * kTokensPerStep;
  if (turned == 0 || in_sight >= std::max(layer.token_count(), layer.key_count())) return;
  const auto turn = [&](float& rest, Index& begin, Index count) {
    rest -= turned;
    const Index whole = static_cast<Index>(rest);
    rest -= static_cast<float>(whole);
    begin = clamped_begin(begin + whole, in_sight, count);
  };
  if (static_cast<double>(x) < plan.between.right())
    turn(state.wheel_queries, state.query_begin, layer.token_count());
  if (static_cast<double>(x) >= plan.between.x) turn(state.wheel_keys, state.key_begin, layer.key_count());
}

void ask_tiles(UiContext& ui, FlowViewState& state, Stage stage, Index in_sight) {
  const Index count = ui.layer().token_count(), keys = ui.layer().key_count();
  std::vector<std::shared_ptr<const Tile>> found;
  for (const Index head : flow_heads(ui, stage)) {
    TileRequest request;
    request.stage = stage;
    request.sequence = ui.view.sequence;
    request.head = head;
    request.row_begin = state.query_begin;
    request.row_end = std::min(count, state.query_begin + in_sight);
    request.column_begin = state.key_begin;
    request.column_end = std::min(keys, state.key_begin + in_sight);
    request.max_rows = request.max_columns = in_sight;
    request.content = flow_content(ui, stage);
    ui.requested.tiles.push_back(request);
    found.push_back(ui.answer ? ui.answer->find(request) : nullptr);
  }
  if (std::exchange(state.layer_revision, ui.document.layer_revision()) != ui.document.layer_revision())
    state.tiles.clear();
  if (std::all_of(found.begin(), found.end(), [](const auto& tile) { return tile != nullptr; }))
    state.tiles = std::move(found);
  const auto& shown = state.tiles;
  if (!shown.empty() && (shown[0]->request.stage != stage || shown[0]->request.sequence != ui.view.sequence ||
                         shown[0]->request.content != flow_content(ui, stage)))
    state.tiles.clear();
}

// What stands out for a cell.
FlowMarks marks_of(const UiContext& ui, const CellAddress& cell, bool hovered) {
  const CellTokens tokens = cell_tokens(cell);
  // A selected token is marked only if it was selected as a token, in queries or keys.
  const bool token_only = tokens.query < 0 || tokens.key < 0;
  if (token_only && !hovered && cell.stage != Stage::Queries && cell.stage != Stage::Keys) return {};
  FlowMarks marks{tokens.query, tokens.key, cell.head};
  if (token_only || hovered || !ui.view.lesson.spotlight) return marks;
  // For a complete row or column of a lesson step, its token is marked, with all its numbers.
  const auto& [rows, columns] = std::tie(ui.view.lesson.spotlight->rows, ui.view.lesson.spotlight->columns);
  const auto has = [](const auto& list, Index token) {
    return std::find(list.begin(), list.end(), token) != list.end();
  };
  if (rows.empty() && has(columns, tokens.key))
    marks.query = -1;
  else if (columns.empty() && has(rows, tokens.query))
    marks.key = -1;
  return marks;
}

// Marks the hovered cell, else the selected one.
void mark_cell(const UiContext& ui, const FlowViewState& state, FlowFigure& figure) {
  const TileRequest& shown = state.tiles[0]->request;
  const auto inside = [](Index token, Index begin, Index end) {
    return token >= begin && token < end ? token - begin : Index{-1};
  };
  const auto& cell = ui.view.selection.hovered.last ? ui.view.selection.hovered.last : ui.view.selection.cell;
  if (!cell || cell->sequence != shown.sequence) return;
  const FlowMarks marks = marks_of(ui, *cell, ui.view.selection.hovered.last.has_value());
  figure.query = inside(marks.query, shown.row_begin, shown.row_end);
  figure.key = inside(marks.key, shown.column_begin, shown.column_end);
  const bool one_line = marks.query >= 0 && marks.key >= 0;
  if (one_line && (figure.query < 0 || figure.key < 0)) figure.query = figure.key = -1;
  for (std::size_t i = 0; i < state.tiles.size(); ++i)
    if (state.tiles[i]->request.head == marks.head) figure.head = i;
}

FlowFigure flow_figure(const UiContext& ui, const FlowViewState& state) {
  FlowFigure figure;
  const TileRequest& shown = state.tiles[0]->request;
  const auto labels = [](const std::vector<std::string>& of, Index begin, Index end) {
    return std::vector<std::string>(of.begin() + begin, of.begin() + end);
  };
  figure.queries = labels(ui.layer().tokens, shown.row_begin, shown.row_end);
  figure.keys = labels(ui.layer().key_labels(), shown.column_begin, shown.column_end);
  double strongest = 0;
  for (const auto& tile : state.tiles) {
    const std::size_t head = static_cast<std::size_t>(tile->request.head);
    figure.heads.push_back({head_name(static_cast<Index>(head), ui.counting()),
                            head % ui.theme.figure.series.size(), tile->values, tile->marks,
                            is_head_off(ui.layer(), Stage::Weights, tile->request.head)});
    // The strongest visible weight: later rows distribute their weight over hundreds of keys.
    for (const float weight : tile->values.reshaped())
      if (std::isfinite(weight)) strongest = std::max(strongest, std::abs(static_cast<double>(weight)));
  }
  figure.strongest = strongest > 0 ? strongest : 1;
  figure.percent = ui.percent() && is_share(ui.layer(), shown.stage, shown.content);
  // The threshold of products is a share of the strongest: they may all be small, or above 1.
  const bool by_value = is_by_value(state.tiles[0]->request.content);
  if (flow_picks_heads(ui.layer()))
    figure.least = static_cast<double>(ui.view.picture.flow_least) * (by_value ? figure.strongest : 1.0);
  mark_cell(ui, state, figure);
  return figure;
}

std::string caption(const UiContext& ui, const FlowViewState& state, Stage stage, std::size_t hidden) {
  const TileRequest& shown = state.tiles[0]->request;
  const Index count = ui.layer().token_count(), keys = ui.layer().key_count();
  std::string text = stage == Stage::Dropped     ? "weights after dropout"
                     : shows_by_value(ui, stage) ? "weights × |value|"
                                                 : "weights";
  text += ": the stronger, the thicker";
  if (flow_picks_heads(ui.layer()) && ui.view.picture.flow_least > 0)
    text += "; from " +
            (ui.percent() ? share_text(double{ui.view.picture.flow_least})
                          : number_text(ui.view.picture.flow_least, 2)) +
            (is_by_value(shown.content) ? " of the strongest" : "") + " on, and the strongest of each query";
  if (shown.row_end - shown.row_begin < count || shown.column_end - shown.column_begin < keys) {
    const Counting counting = ui.counting();
    const std::string of_queries = count == keys ? "" : " of " + std::to_string(count);
    text = "queries " + counting.range(shown.row_begin, shown.row_end) + of_queries + ", keys " +
           counting.range(shown.column_begin, shown.column_end) + " of " + std::to_string(keys) +
           "; the wheel shows others";
  }
  if (hidden > 0) text += "; the " + std::to_string(hidden) + " weakest lines are left out";
  return text;
}

std::string legend_tip(const UiContext& ui, const std::string& number, bool shown) {
  if (flow_picks_heads(ui.layer()))
    return shown ? "Leave the lines of head " + number + " out"
                 : "Draw the lines of head " + number + " as well";
  return ui.view.head ? "Show all heads again" : "Show head " + number + " alone";
}

// "■ head 1": a click shows that head alone, and a second click all heads; with many heads a click picks or
// unpicks it. Returns where the next entry begins.
float legend_entry(UiContext& ui, FlowViewState& state, Index head, ImVec2 at, bool full_name) {
  ImFont* font = ui.theme.fonts.label;
  const bool shown = std::any_of(state.tiles.begin(), state.tiles.end(),
                                 [head](const auto& tile) { return tile->request.head == head; });
  const std::string number = ui.counting().number(head),
                    text = full_name ? head_name(head, ui.counting()) : number;
  const float swatch = ui.theme.px(10), gap = ui.theme.px(5), height = ImGui::GetFrameHeight();
  const float width = swatch + gap + text_width(font, text);
  ImGui::SetCursorScreenPos(at);
  const std::string name = "flow.head.h" + std::to_string(head);
  if (click_area(name.c_str(), {width, height})) pick_head(ui, head);
  ui.probe.mark(name, text);
  const bool hot = ImGui::IsItemHovered();
  tooltip(ui, legend_tip(ui, number, shown));
  const FigureStyle& style = ui.theme.figure;
  const Color color = is_head_off(ui.layer(), Stage::Weights, head)
                          ? style.quiet_text
                          : style.series[static_cast<std::size_t>(head) % style.series.size()];
  const float y = at.y + (height - swatch) / 2;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (shown)
    list.AddRectFilled({at.x, y}, {at.x + swatch, y + swatch}, to_imgui(color), ui.theme.px(2));
  else
    list.AddRect({at.x, y}, {at.x + swatch, y + swatch}, to_imgui(color), ui.theme.px(2), 0, ui.theme.px(1));
  list.AddText(font, font_size(font), {at.x + swatch + gap, at.y + (height - font_size(font)) / 2},
               to_imgui(hot || (shown && flow_picks_heads(ui.layer())) ? ui.theme.text : ui.theme.quiet_text),
               text.c_str());
  return at.x + width + ui.theme.px(full_name ? 12 : 7);
}

// The slider for the least weight that gets a line. Returns its width.
float draw_threshold(UiContext& ui, const Area& area) {
  if (!flow_picks_heads(ui.layer())) return 0;
  const float width = std::min(ui.theme.px(140), area.size.x / 3);
  ImGui::SetCursorScreenPos({area.end().x - width, area.at.y});
  ImGui::SetNextItemWidth(width);
  const bool by_value = shows_by_value(ui, flow_stage(ui)), percent = ui.percent();
  const float whole = percent ? 100 : 1;
  float least = ui.view.picture.flow_least * whole;
  const char* const format = percent    ? by_value ? "from %.0f %% of max" : "from %.0f %%"
                             : by_value ? "from %.2f × max"
                                        : "from %.2f";
  if (ImGui::SliderFloat("##flow.threshold", &least, 0, whole, format))
    ui.view.picture.flow_least = least / whole;
  char value[16];
  std::snprintf(value, sizeof value, percent ? "%.0f %%" : "%.2f", static_cast<double>(least));
  ui.probe.mark("flow.threshold", value);
  tooltip(ui,
          by_value
              ? "From this share of the strongest on there are lines, and the strongest of each query always"
              : "Weights from here on have a line, and the strongest of each query always");
  return width + ui.theme.px(12);
}

// The present weight of a cell, if it is in the picture.
std::optional<float> shown_weight(const FlowViewState& state, const CellAddress& cell) {
  for (const auto& tile : state.tiles) {
    const TileRequest& shown = tile->request;
    if (shown.head != cell.head || shown.sequence != cell.sequence || cell.row < shown.row_begin ||
        cell.row >= shown.row_end || cell.column < shown.column_begin || cell.column >= shown.column_end)
      continue;
    return tile->values(cell.row - shown.row_begin, cell.column - shown.column_begin);
  }
  return std::nullopt;
}

// "": the caption of the lines is shown.
std::string pull_words(const UiContext& ui, const FlowViewState& state) {
  if (!pulls_beams(ui)) return "";
  const auto wanted = state.pull.wanted();
  return wanted ? state.pull.words(ui, shown_weight(state, *wanted)) : "";
}

// The button for what pulling may move, at the right end. Returns its width.
float draw_pull_parts(UiContext& ui, FlowViewState& state, const Area& area) {
  if (!pulls_beams(ui) || ui.document.session().lesson) return 0;
  const float width = text_width(ui.theme.fonts.text, "May move…") + ui.theme.px(20);
  if (area.size.x < 3 * width) return 0;
  ImGui::SetCursorScreenPos({area.end().x - width, area.at.y});
  state.pull.choose_parts(ui);
  return width + ui.theme.px(12);
}

std::vector<Index> legend_heads(const UiContext& ui, const FlowViewState& state) {
  std::vector<Index> heads;
  if (flow_picks_heads(ui.layer())) {
    for (Index head = 0; head < ui.layer().head_count(); ++head)
      heads.push_back(head);
    return heads;
  }
  for (const auto& tile : state.tiles)
    heads.push_back(tile->request.head);
  return heads;
}

// With many heads, and with words about a pulled beam, the caption has its own line.
bool caption_below(const UiContext& ui) {
  return flow_picks_heads(ui.layer()) || BeamPull::offered(ui);
}

// The height of the lines above the picture.
float legend_height(const UiContext& ui) {
  const float line = ImGui::GetFrameHeight();
  return line + ui.theme.px(4) + (caption_below(ui) ? font_size(ui.theme.fonts.label) + ui.theme.px(4) : 0);
}

// The entries of the heads, by their numbers behind the word "head" where there is no room for whole names,
// as many as fit. Returns where the last one ends.
float draw_legend_heads(UiContext& ui, FlowViewState& state, const Area& area, bool many) {
  ImFont* const font = ui.theme.fonts.label;
  const std::vector<Index> heads = legend_heads(ui, state);
  const std::string last = ui.counting().number(heads.back());
  const float named = text_width(font, "head " + last) + ui.theme.px(27);
  const bool full = named * static_cast<float>(heads.size()) < area.size.x * (many ? 1.0f : 0.5f);
  const float next = full ? named : text_width(font, last) + ui.theme.px(15);
  const float end = area.at.x + area.size.x * (many ? 1.0f : 0.7f);
  float x = area.at.x;
  if (!full) {
    ImGui::GetWindowDrawList()->AddText(font, font_size(font),
                                        {x, area.at.y + (ImGui::GetFrameHeight() - font_size(font)) / 2},
                                        to_imgui(ui.theme.quiet_text), "head");
    x += text_width(font, "head") + ui.theme.px(7);
  }
  for (const Index head : heads) {
    if (x + next > end) break;
    x = legend_entry(ui, state, head, {x, area.at.y}, full);
  }
  return x;
}

// Draws the lines above the picture: its caption, and the colour of each head.
void draw_legend(UiContext& ui, FlowViewState& state, Stage stage, const Area& whole, std::size_t hidden) {
  ImFont* font = ui.theme.fonts.label;
  const bool many = flow_picks_heads(ui.layer()), below = caption_below(ui);
  Area area = whole;
  area.size.x -= draw_threshold(ui, whole);
  area.size.x -= draw_pull_parts(ui, state, area);
  const float height = below ? font_size(font) : ImGui::GetFrameHeight();
  float x = area.at.x;
  if (ui.layer().head_count() > 1) x = draw_legend_heads(ui, state, area, many);
  if (below) {
    area = {{whole.at.x, whole.at.y + ImGui::GetFrameHeight() + ui.theme.px(2)}, whole.size};
    x = area.at.x;
  }
  const std::string pulled = pull_words(ui, state),
                    text = pulled.empty() ? caption(ui, state, stage, hidden) : pulled;
  fitted_text(font, {x, area.at.y + (height - font_size(font)) / 2}, area.end().x - x,
              pulled.empty() ? ui.theme.quiet_text : ui.theme.text, text);
  ui.probe.mark_rect(pulled.empty() ? "flow.caption" : "flow.pull", {x, area.at.y, area.end().x - x, height},
                     text);
}

// The cell that a click at this point selects; nullopt outside of all tokens and lines.
std::optional<CellAddress> cell_under(const UiContext& ui, const FlowViewState& state, const FlowPlan& plan,
                                      double x, double y) {
  const TileRequest& shown = state.tiles[0]->request;
  // With given weights there are no queries and keys to select.
  const bool known = stage_exists(ui.layer(), Stage::Queries);
  if (const Index query = plan.query_at(x, y); query >= 0 && known)
    return CellAddress{Stage::Queries, shown.sequence, shown.head, shown.row_begin + query, 0};
  if (const Index key = plan.key_at(x, y); key >= 0 && known)
    return CellAddress{Stage::Keys, shown.sequence, ui.layer().kv_head_of(shown.head),
                       shown.column_begin + key, 0};
  const Index at = plan.line_at(x, y, ui.theme.px(5));
  if (at < 0) return std::nullopt;
  const FlowPlan::Line& line = plan.lines[static_cast<std::size_t>(at)];
  return CellAddress{shown.stage, shown.sequence, state.tiles[line.head]->request.head,
                     shown.row_begin + line.query, shown.column_begin + line.key};
}

// The weight with its whole row, if it can be pulled: the row has to be in the picture.
std::optional<TakenBeam> pullable(const UiContext& ui, const FlowViewState& state, const CellAddress& cell) {
  if (cell.stage != Stage::Weights || !pulls_beams(ui)) return std::nullopt;
  for (const auto& tile : state.tiles) {
    const TileRequest& shown = tile->request;
    if (shown.head != cell.head || shown.column_end - shown.column_begin != ui.layer().key_count()) continue;
    TakenBeam beam = {cell, tile->values.row(cell.row - shown.row_begin)};
    if (can_be_pulled(ui.layer(), beam)) return beam;
  }
  return std::nullopt;
}

void press_line(UiContext& ui, FlowViewState& state, const FlowPlan& plan, const CellAddress& cell,
                ImVec2 origin) {
  auto beam = pullable(ui, state, cell);
  if (!beam) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto query = static_cast<double>(cell.row - state.tiles[0]->request.row_begin);
  const ImVec2 from = {origin.x + static_cast<float>(plan.between.x),
                       origin.y + static_cast<float>(plan.queries.y + plan.pitch * (query + 0.5))};
  const bool from_end = mouse.x > origin.x + static_cast<float>(plan.between.x + plan.between.width / 2);
  state.pull.press(std::move(*beam), mouse, from, from_end);
}

BeamGeometry beam_geometry(const FlowViewState& state, const FlowPlan& plan, ImVec2 origin) {
  const auto first = static_cast<double>(state.tiles[0]->request.column_begin);
  return {origin.y + static_cast<float>(plan.keys.y + plan.pitch * (0.5 - first)),
          static_cast<float>(plan.pitch), origin.x + static_cast<float>(plan.between.right())};
}

void tell_line(const UiContext& ui, const FlowViewState& state, const CellAddress& cell) {
  if (!is_pair(cell.stage)) return;
  for (const auto& tile : state.tiles) {
    if (tile->request.head != cell.head) continue;
    const float weight =
        tile->values(cell.row - tile->request.row_begin, cell.column - tile->request.column_begin);
    std::string text = token_name(ui.layer().tokens, cell.row, ui.counting()) + " → " +
                       token_name(ui.layer().key_labels(), cell.column, ui.counting()) + ": " +
                       number_text(weight, ui.view.picture.decimals) +
                       (is_by_value(tile->request.content) ? " (weight × |value|)" : "");
    if (ui.layer().head_count() > 1) text += "  ·  " + head_name(cell.head, ui.counting());
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    ui.probe.mark_rect("flow.pointed", {mouse.x - 1, mouse.y - 1, 2, 2}, text);
    if (pullable(ui, state, cell)) text += "\nDrag its end to another key, or its beginning up and down";
    ImGui::SetTooltip("%s", drawn_text(text).c_str());
  }
}

void handle_pointer(UiContext& ui, FlowViewState& state, const FlowPlan& plan, ImVec2 origin,
                    Index in_sight) {
  state.pull.follow(ui, beam_geometry(state, plan, origin), ImGui::IsItemActive());
  if (!ImGui::IsItemHovered() || state.pull.pulls()) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const double x = mouse.x - origin.x, y = mouse.y - origin.y;
  turn_wheel(state, plan, static_cast<float>(x), in_sight, ui.layer());
  const auto cell = cell_under(ui, state, plan, x, y);
  if (cell) {
    ui.view.selection.hovered.now = cell;
    tell_line(ui, state, *cell);
  }
  if (!ImGui::IsItemClicked()) return;
  ui.view.selection.cell = cell;
  if (cell) press_line(ui, state, plan, *cell, origin);
}

void mark_tokens(const UiContext& ui, const FlowPlan& plan, const FlowFigure& figure, ImVec2 origin) {
  const auto mark = [&](const char* side, const Rect& column, const std::vector<std::string>& labels) {
    for (std::size_t i = 0; i < labels.size(); ++i)
      ui.probe.mark_rect(std::string("flow.") + side + "." + std::to_string(i),
                         {origin.x + column.x, origin.y + column.y + plan.pitch * static_cast<double>(i),
                          column.width, plan.pitch},
                         labels[i]);
  };
  mark("query", plan.queries, figure.queries);
  mark("key", plan.keys, figure.keys);
  std::string isolated = "all";
  if (figure.query >= 0 && figure.key < 0) isolated = "query " + std::to_string(figure.query);
  if (figure.key >= 0 && figure.query < 0) isolated = "key " + std::to_string(figure.key);
  if (figure.key >= 0 && figure.query >= 0) isolated = "line";
  ui.probe.mark_rect(
      "flow.lines",
      {origin.x + plan.between.x, origin.y + plan.between.y, plan.between.width, plan.between.height},
      std::to_string(plan.lines.size()) + " lines, " + isolated);
}

// Where the line of the selected cell is, if it has one.
void note_pair(UiContext& ui, const FlowViewState& state, const FlowPlan& plan, ImVec2 origin) {
  const FlowMarks marks = selected_flow(ui);
  const TileRequest& shown = state.tiles[0]->request;
  for (const FlowPlan::Line& line : plan.lines)
    if (line.query + shown.row_begin == marks.query && line.key + shown.column_begin == marks.key &&
        state.tiles[line.head]->request.head == marks.head)
      ui.view.selection.pair =
          Stroke{points_on(moved(line.path(), {double{origin.x}, double{origin.y}}), 0.25), line.width};
}

}  // namespace

std::vector<Index> flow_heads(const UiContext& ui, Stage stage) {
  std::vector<Index>& picked = ui.view.picture.flow_heads;
  if (ui.view.head || !flow_picks_heads(ui.layer())) return shown_heads(ui, stage);
  std::erase_if(picked, [&](Index head) { return head >= ui.layer().head_count(); });
  if (picked.empty()) picked = {std::min(ui.view.heads.large, ui.layer().head_count() - 1)};
  return picked;
}

FlowMarks selected_flow(const UiContext& ui) {
  const auto& cell = ui.view.selection.cell;
  return cell && cell->sequence == ui.view.sequence ? marks_of(ui, *cell, false) : FlowMarks{};
}

bool flow_picks_heads(const Layer& layer) {
  return is_tangle(layer);
}

void draw_flow_view(UiContext& ui, FlowViewState& state, const Area& area) {
  const Stage stage = flow_stage(ui);
  const float top = legend_height(ui);
  const ImVec2 origin = {area.at.x, area.at.y + top}, size = {area.size.x, area.size.y - top};
  constexpr Index kAlwaysAll = 64;
  const Index count = std::max(ui.layer().token_count(), ui.layer().key_count());
  const Index fitting = flow_capacity(size.y, ui.theme.figure);
  const Index in_sight = count <= kAlwaysAll ? std::max(fitting, count) : fitting;
  follow_selection(ui, state, in_sight);
  ask_tiles(ui, state, stage, in_sight);
  if (state.tiles.empty()) return;
  const FlowFigure figure = flow_figure(ui, state);
  const FlowPlan plan = plan_flow(figure, ui.theme.figure, size.x, size.y, imgui_measure(ui.theme));
  draw_legend(ui, state, stage, area, plan.lines_hidden);
  ImGui::SetCursorScreenPos(origin);
  click_area("flow", size);
  handle_pointer(ui, state, plan, origin, in_sight);
  paint_drawing(plan.drawing, origin, *ImGui::GetWindowDrawList(), ui.theme);
  state.pull.draw(ui, beam_geometry(state, plan, origin));
  mark_tokens(ui, plan, figure, origin);
  note_pair(ui, state, plan, origin);
}

}  // namespace headlight
