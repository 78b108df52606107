#include "app/ui/model/set_table.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <numeric>
#include <optional>
#include <utility>

#include <imgui.h>

#include "app/figure/plan/heatmap_figure.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/model/row_text.h"
#include "app/ui/widgets/flow_layout.h"
#include "app/ui/widgets/widgets.h"
#include "engine/analysis/set_analysis.h"
#include "engine/core/digits.h"

namespace headlight {
namespace {

constexpr std::size_t kRowsInSight = 5;
constexpr float kWidestCell = 320, kMetricBox = 150;  // planned pixels
constexpr int kDecimals = 4;
constexpr int kFirstCell = 2;  // behind the switch and the number of the row

const ReadSet* read_set(const UiContext& ui) {
  return ui.view.model.set.read.get();
}

bool is_on(const ChosenSet& set, std::size_t row) {
  return !std::binary_search(set.off.begin(), set.off.end(), static_cast<Index>(row));
}

float row_height() {
  return ImGui::GetFrameHeight() + 2 * ImGui::GetStyle().CellPadding.y;
}

void choose(UiContext& ui, ChosenSet set) {
  ui.send(EditOpenModel{ChooseSet{std::move(set)}, "Rows of the data set"});
}

void switch_row(UiContext& ui, std::size_t row, bool on) {
  ChosenSet set = *ui.view.model.work->set;
  const auto at = std::lower_bound(set.off.begin(), set.off.end(), static_cast<Index>(row));
  if (on)
    set.off.erase(at);
  else
    set.off.insert(at, static_cast<Index>(row));
  choose(ui, std::move(set));
}

// The row is the text of the moment, with its target; its other text is A where that of the row before was.
void take_row(UiContext& ui, const DataSet& set, std::size_t at) {
  const DataRow& row = set.rows[at];
  ModelView& model = ui.view.model;
  if (keeps_other_text(ui) && !row.from.empty()) keep_other_text(ui, row);
  ui.send(EditOpenModel{model.work->network->tokenizer()
                            ? OpenModelEdit(SetModelText{set.cell(row, "text"), Side::Own})
                            : OpenModelEdit(SetModelIds{row.text, Side::Own}),
                        "Text"});
  model.target = row.target;
  model.against = row.against;
  model.set.opened = RowTarget{row.target, row.against};
  model.set.opened_row = at;
}

// Of the rows that are on: "7.5942 ± 0.6647".
std::string mean_text(const UiContext& ui, const ReadSet& read) {
  std::vector<Matrix> numbers;
  for (std::size_t row = 0; row < read.metrics.size(); ++row)
    if (read.metrics[row] && is_on(*ui.view.model.work->set, row))
      numbers.push_back(Matrix::Constant(1, 1, static_cast<float>(*read.metrics[row])));
  if (numbers.empty()) return ui.view.model.set.reading ? "…" : "";
  const MeanWithError all = mean_with_error(numbers);
  const std::string mean = number_text(double{all.mean(0)}, kDecimals);
  return numbers.size() == 1 ? mean : mean + " ± " + number_text(double{all.error(0)}, kDecimals);
}

std::string title_of(const UiContext& ui) {
  const ChosenSet& set = *ui.view.model.work->set;
  std::string name = visible_label(std::filesystem::path(set.path).filename().string());
  const ReadSet* const read = read_set(ui);
  if (!read || !read->all) return name;
  const std::size_t all = read->all->rows.size();
  std::size_t on = 0;
  for (std::size_t row = 0; row < all; ++row)
    on += is_on(set, row) ? 1 : 0;
  const std::string rows = counted(static_cast<std::int64_t>(all), "row", "rows");
  return name + " · " + (on == all ? rows : std::to_string(on) + " of " + rows);
}

// "logit difference"; "target loss", as the loss of a text can stand in the same place.
std::string metric_label(Metric metric) {
  return metric == Metric::Loss ? "target loss" : metric_in_words(metric);
}

// As metric_label(); of a set without targets "loss of the text".
std::string metric_name(const ReadSet& read) {
  return read.all->has("target") ? metric_label(read.metric) : "loss of the text";
}

// The numbers of a target that the set can have.
std::vector<Metric> metrics_of(const DataSet& set) {
  std::vector<Metric> metrics;
  for (std::size_t i = 0; set.has("target") && i < kMetricNames.size(); ++i)
    if (static_cast<Metric>(i) != Metric::LogitDifference || set.has("against"))
      metrics.push_back(static_cast<Metric>(i));
  return metrics;
}

void metric_box(UiContext& ui, Flow& flow, const ReadSet& read) {
  const std::vector<Metric> metrics = metrics_of(*read.all);
  if (metrics.empty()) return;
  std::vector<Choice> choices;
  std::size_t current = 0;
  const Metric now = ui.view.model.set.metric.value_or(read.metric);
  for (const Metric metric : metrics) {
    if (metric == now) current = choices.size();
    choices.push_back(
        {std::string(kMetricNames[static_cast<std::size_t>(metric)]), metric_label(metric), ""});
  }
  const float width = std::min(ui.theme.px(kMetricBox), flow.width());
  flow.control(width, ui.theme.px(8));
  if (const auto chosen =
          choice_box(ui, "model.set.metric", choices, current, width,
                     "The number of each row's target, and what questions about the set read"))
    ui.view.model.set.metric = metrics[*chosen];
}

// The name of the file, the metric with its mean, and how the table is folded and closed.
void header_line(UiContext& ui, float width) {
  DataSetView& view = ui.view.model.set;
  const float gap = ui.theme.px(8), close = button_width("Close");
  const ReadSet* const read = read_set(ui);
  const std::string mean = read && read->all ? mean_text(ui, *read) : "";
  const float numbers = text_width(ui.theme.fonts.label, mean) + ui.theme.px(kMetricBox) + 2 * gap;
  Flow flow(ui, width);
  const float title = std::max(ui.theme.px(80), width - numbers - close - 2 * gap);
  flow.control(std::min(title, width), gap);
  ImGui::BeginChild("##set title", {std::min(title, width), ImGui::GetFrameHeight()}, false,
                    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoBackground);
  if (fold_title(ui, "model.set.fold", title_of(ui), !view.folded, "Shows the rows, or this line alone"))
    view.folded = !view.folded;
  ImGui::EndChild();
  if (read && read->all) {
    metric_box(ui, flow, *read);
    flow.control(text_width(ui.theme.fonts.label, mean), gap);
    ImGui::AlignTextToFramePadding();
    quiet_text(ui, mean);
    ui.probe.mark("model.set.mean", mean);
    tooltip(ui, "The mean over the rows that are on, with its standard error");
  }
  flow.to_end(close);
  flow.control(close, 0);
  if (tool_button(ui, "model.set.close", "Close", "Closes the data set; its file stays"))
    ui.send(EditOpenModel{ChooseSet{}, "Data set"});
}

// What a row is sorted by and shows in a column of the table.
std::string cell_text(const ReadSet& read, std::size_t row, int column) {
  const std::vector<std::string>& cells = read.all->rows[row].cells;
  const auto cell = static_cast<std::size_t>(column - kFirstCell);
  if (cell < cells.size()) return cells[cell];
  const bool known = row < read.metrics.size() && read.metrics[row];
  return known ? number_text(*read.metrics[row], read.metric == Metric::Rank ? 0 : kDecimals) : "";
}

bool comes_before(const ReadSet& read, int column, std::size_t a, std::size_t b) {
  const auto cell = static_cast<std::size_t>(std::max(column - kFirstCell, 0));
  if (column < kFirstCell) return a < b;
  if (cell < read.all->columns.size()) return read.all->rows[a].cells[cell] < read.all->rows[b].cells[cell];
  if (a >= read.metrics.size() || b >= read.metrics.size()) return a < b;
  return read.metrics[a] < read.metrics[b];
}

// Returns whether the user has chosen another order.
bool follow_order(SetTableState& state, const std::shared_ptr<const ReadSet>& read) {
  int column = -1;
  bool descending = false;
  if (ImGuiTableSortSpecs* const wanted = ImGui::TableGetSortSpecs(); wanted && wanted->SpecsCount > 0) {
    column = wanted->Specs[0].ColumnIndex;
    descending = wanted->Specs[0].SortDirection == ImGuiSortDirection_Descending;
    wanted->SpecsDirty = false;
  }
  const bool same = state.column == column && state.descending == descending;
  if (state.of == read && same) return false;
  const bool chosen = state.of && !same;
  state = {read, std::vector<std::size_t>(read->all->rows.size()), column, descending};
  std::iota(state.order.begin(), state.order.end(), std::size_t{0});
  if (column < 0) return chosen;
  std::stable_sort(state.order.begin(), state.order.end(), [&](std::size_t a, std::size_t b) {
    return descending ? comes_before(*read, column, b, a) : comes_before(*read, column, a, b);
  });
  return chosen;
}

// Which row of the set is open.
std::optional<std::size_t> open_index(const UiContext& ui, const DataSet& set) {
  const DataRow* const row = open_row(ui);
  return row ? std::optional(static_cast<std::size_t>(row - set.rows.data())) : std::nullopt;
}

// Scrolls the open row into the middle of the table.
void show_open_row(UiContext& ui, std::size_t open, const std::vector<std::size_t>& order) {
  const auto at = std::find(order.begin(), order.end(), open);
  const float above = static_cast<float>(at - order.begin()) * row_height(),
              room = static_cast<float>(kRowsInSight - 1) * row_height();
  ImGui::SetScrollY(std::max(0.0f, above - room / 2));
  ui.wake_within(0);
}

void draw_row(UiContext& ui, const ReadSet& read, std::size_t row, bool open, int columns) {
  const OpenModel& work = *ui.view.model.work;
  const std::string number = std::to_string(row + 1);
  ImGui::TableNextRow(ImGuiTableRowFlags_None, row_height());
  ImGui::TableNextColumn();
  bool on = is_on(*work.set, row);
  if (check_box(ui, "model.set.on." + number, "", on, "Whether the row counts in means over the set"))
    switch_row(ui, row, on);
  ImGui::TableNextColumn();
  ImGui::AlignTextToFramePadding();
  if (ImGui::Selectable(("##row" + number).c_str(), open, ImGuiSelectableFlags_SpanAllColumns,
                        {0, ImGui::GetFrameHeight()}))
    take_row(ui, *read.all, row);
  ui.probe.mark("model.set.row." + number, open ? "open" : "");
  tooltip(ui, visible_label(read.all->cell(read.all->rows[row], "text")));
  ImGui::SameLine(0, 0);
  ImGui::TextUnformatted(number.c_str());
  ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(on ? ui.theme.text : ui.theme.quiet_text));
  for (int column = kFirstCell; column < columns; ++column) {
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    const std::string text = drawn_text(visible_label(cell_text(read, row, column)));
    ImGui::TextUnformatted(elided(text, ui.theme.px(kWidestCell)).c_str());
    if (column + 1 == columns) ui.probe.mark("model.set.number." + number, text);
  }
  ImGui::PopStyleColor();
}

// A click on a header sorts by it.
void draw_headers(UiContext& ui, const std::vector<std::string>& names) {
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (std::size_t column = 0; column < names.size(); ++column) {
    if (!ImGui::TableSetColumnIndex(static_cast<int>(column))) continue;
    ImGui::TableHeader((names[column] + "##" + std::to_string(column)).c_str());
    if (!names[column].empty()) ui.probe.mark("model.set.column." + names[column]);
  }
}

void draw_rows(UiContext& ui, SetTableState& state, const Area& area) {
  const std::shared_ptr<const ReadSet>& read = ui.view.model.set.read;
  std::vector<std::string> names = {"", "row"};
  for (const std::string& column : read->all->columns)
    names.push_back(drawn_text(column));
  names.push_back(metric_name(*read));
  const int columns = static_cast<int>(names.size());
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY |
                                     ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit |
                                     ImGuiTableFlags_Sortable | ImGuiTableFlags_SortTristate;
  ImGui::SetCursorScreenPos(area.at);
  if (!ImGui::BeginTable("##data set", columns, kFlags, area.size)) return;
  ImGui::TableSetupScrollFreeze(kFirstCell, 1);
  for (std::size_t column = 0; column < names.size(); ++column)
    ImGui::TableSetupColumn((names[column] + "##" + std::to_string(column)).c_str(),
                            column == 0 ? ImGuiTableColumnFlags_NoSort : ImGuiTableColumnFlags_None);
  draw_headers(ui, names);
  const std::optional<std::size_t> open = open_index(ui, *read->all);
  if (follow_order(state, read) && open) show_open_row(ui, *open, state.order);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(state.order.size()), row_height());
  while (clipper.Step())
    for (int at = clipper.DisplayStart; at < clipper.DisplayEnd; ++at) {
      const std::size_t row = state.order[static_cast<std::size_t>(at)];
      draw_row(ui, *read, row, row == open, columns);
    }
  ImGui::EndTable();
}

}  // namespace

float set_table_height(const UiContext& ui) {
  const ModelView& model = ui.view.model;
  if (!model.work || !model.work->set) return 0;
  const float line = ImGui::GetFrameHeight() + ui.theme.px(8);
  if (model.set.folded) return line;
  const ReadSet* const read = read_set(ui);
  if (!read || !read->all) return 2 * line;
  const std::size_t rows = std::min(read->all->rows.size(), kRowsInSight);
  const float failed = read->failure ? line : 0;
  return line + failed + row_height() * static_cast<float>(rows + 1) + ImGui::GetStyle().ScrollbarSize +
         ui.theme.px(8);
}

void set_table(UiContext& ui, SetTableState& state, const Area& area) {
  if (area.size.y <= 0) return;
  const ReadSet* const read = read_set(ui);
  ui.probe.mark_rect("model.set", {area.at.x, area.at.y, area.size.x, area.size.y}, title_of(ui));
  ImGui::SetCursorScreenPos(area.at);
  header_line(ui, area.size.x);
  if (ui.view.model.set.folded) return;
  Area below = {{area.at.x, area.at.y + ImGui::GetFrameHeight() + ui.theme.px(8)}, area.size};
  below.size.y -= below.at.y - area.at.y + ui.theme.px(8);
  if (!read || read->failure) {
    const std::string note = read ? read->failure->what() : "Reading…";
    wrapped_text(ui.theme.fonts.label, below.at, below.size.x, ui.theme.quiet_text, visible_label(note), 2,
                 font_size(ui.theme.fonts.label) + ui.theme.px(4));
    ui.probe.mark_rect("model.set.note", {below.at.x, below.at.y, below.size.x, below.size.y}, note);
    const float line = ImGui::GetFrameHeight() + ui.theme.px(8);
    below.at.y += line;
    below.size.y -= line;
  }
  if (read && read->all) draw_rows(ui, state, below);
}

}  // namespace headlight
