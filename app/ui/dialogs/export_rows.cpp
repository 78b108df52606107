// The rows for what is exported, its format and its file.
#include "app/ui/dialogs/export_rows.h"

#include <algorithm>

#include <imgui.h>

#include "app/figure/plan/row_plan.h"
#include "app/ui/picture/map_view.h"
#include "app/ui/widgets/text_entry.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr float kLabelColumn = 68, kShowWidth = 104, kStageWidth = 108, kHeadsWidth = 92,
                kSequenceWidth = 108, kPartChoiceWidth = 132, kPartWidth = 104;
constexpr Index kMostListed = 400;  // queries in the list; a later one that is chosen is added

void show_kind(ExportDialogState& state, FigureKind kind) {
  FigureChoice& choice = state.choice;
  choice.kind = kind;
  choice.part.pool = HeadPool::Each;
  const FigureKindInfo& info = figure_kind_info(kind);
  if (!info.by_value) choice.part.by_value = false;
  if (!info.own_maps) choice.part.without_first = false;
  choice.part = choice_for(choice.part, stage_for(kind, state.stage));
  if (!info.query) choice.query.reset();
}

Choice kind_entry(const FigureKindInfo& info) {
  const std::string word(info.word);
  switch (info.kind) {
    case FigureKind::Heads:
      return {"heatmaps", "heatmaps", "The stage, head by head"};
    case FigureKind::Pipeline:
      return {word, word, "Every stage of one head on one page"};
    case FigureKind::Compare:
      return {word, word, "The kept state, the present one, and their difference"};
    case FigureKind::Flow:
      return {word, word, "Weights as lines from queries to keys"};
    case FigureKind::Row:
      break;
  }
  return {word, word, "One query's way through the stages, as bars"};
}

void kind_choice(UiContext& ui, ExportDialogState& state) {
  std::vector<Choice> choices;
  std::vector<FigureKind> kinds;
  for (const FigureKindInfo& info : kFigureKinds) {
    if (info.kept && !ui.view.baseline.layer && state.choice.kind != info.kind) continue;
    choices.push_back(kind_entry(info));
    kinds.push_back(info.kind);
  }
  const auto now = std::find(kinds.begin(), kinds.end(), state.choice.kind);
  const auto chosen = choice_box(ui, "dialog.show", choices, static_cast<std::size_t>(now - kinds.begin()),
                                 ui.theme.px(kShowWidth), "What the file shows");
  if (!chosen) return;
  show_kind(state, kinds[*chosen]);
}

bool stage_is_free(const ExportDialogState& state, Stage stage) {
  return stage_for(state.choice.kind, stage) == stage;
}

void stage_choice(UiContext& ui, ExportDialogState& state) {
  std::vector<Choice> choices;
  std::vector<Stage> stages;
  for (const Stage stage : stages_in_use(ui.layer()))
    if (stage_is_free(state, stage)) {
      const std::string name(stage_info(stage).name);
      choices.push_back({name, name, ""});
      stages.push_back(stage);
    }
  const auto now = std::find(stages.begin(), stages.end(), state.choice.part.stage);
  next_in_row(ui, ui.theme.px(kStageWidth));
  const auto chosen = choice_box(ui, "dialog.stage", choices, static_cast<std::size_t>(now - stages.begin()),
                                 ui.theme.px(kStageWidth), "Of which stage");
  if (!chosen) return;
  state.stage = stages[*chosen];
  state.choice.part = choice_for(state.choice.part, state.stage);
}

// The heads, in ascending order, with one added or removed; nullopt: all heads.
std::optional<std::vector<Index>> toggled(const std::optional<std::vector<Index>>& heads, Index head) {
  std::vector<Index> chosen = heads.value_or(std::vector<Index>());
  const auto at = std::lower_bound(chosen.begin(), chosen.end(), head);
  if (at != chosen.end() && *at == head)
    chosen.erase(at);
  else
    chosen.insert(at, head);
  if (chosen.empty()) return std::nullopt;
  return chosen;
}

// A click adds or removes a head; the list stays open.
void several_heads(const UiContext& ui, ExportDialogState& state, Index count) {
  auto& heads = state.choice.part.heads;
  next_in_row(ui, ui.theme.px(kHeadsWidth));
  ImGui::SetNextItemWidth(ui.theme.px(kHeadsWidth));
  HeadPool& pool = state.choice.part.pool;
  const bool may_pool =
      figure_kind_info(state.choice.kind).own_maps && stage_info(state.choice.part.stage).per_head;
  const std::string text = may_pool && pool != HeadPool::Each
                               ? (pool == HeadPool::Mean ? "mean of heads" : "max of heads")
                           : heads ? heads_name(*heads, ui.counting())
                                   : "all heads";
  if (!ImGui::BeginCombo("##dialog.heads", text.c_str(), ImGuiComboFlags_HeightLarge)) {
    ui.probe.mark("dialog.heads", text);
    return tooltip(ui, "Which heads, side by side");
  }
  const auto all = [&](const char* name, const char* label, HeadPool how) {
    const bool on = !heads && pool == how;
    if (ImGui::Selectable(label, on)) {
      heads.reset();
      pool = how;
      if (how != HeadPool::Each) state.choice.part.by_value = state.choice.part.without_first = false;
    }
    ui.probe.mark(std::string("dialog.heads.") + name, on ? "on" : "");
  };
  all("all", "all heads", HeadPool::Each);
  if (may_pool) {
    all("mean", "mean of heads", HeadPool::Mean);
    all("max", "max of heads", HeadPool::Maximum);
  }
  for (Index head = 0; head < count; ++head) {
    const bool on = heads && std::find(heads->begin(), heads->end(), head) != heads->end();
    if (ImGui::Selectable(head_name(head, ui.counting()).c_str(), on, ImGuiSelectableFlags_DontClosePopups))
      heads = toggled(heads, head), pool = HeadPool::Each;
    ui.probe.mark("dialog.heads." + std::to_string(head), on ? "on" : "");
  }
  ImGui::EndCombo();
}

void heads_choice(UiContext& ui, ExportDialogState& state) {
  const bool one = figure_kind_info(state.choice.kind).one_head;
  const Index count = one ? ui.layer().head_count() : stage_heads(ui.layer(), state.choice.part.stage);
  if (count < 2) return;
  if (!one) return several_heads(ui, state, count);
  std::vector<Choice> choices;
  for (Index head = 0; head < count; ++head)
    choices.push_back({std::to_string(head), head_name(head, ui.counting()), ""});
  const auto& heads = state.choice.part.heads;
  const std::size_t now = heads && !heads->empty() ? static_cast<std::size_t>(heads->front()) : 0;
  next_in_row(ui, ui.theme.px(kHeadsWidth));
  const auto chosen = choice_box(ui, "dialog.heads", choices, std::min(now, choices.size() - 1),
                                 ui.theme.px(kHeadsWidth), "Which heads");
  if (chosen) state.choice.part.heads = {static_cast<Index>(*chosen)};
}

void sequence_choice(UiContext& ui, ExportDialogState& state) {
  const Index count = ui.layer().sequence_count();
  if (count < 2) return;
  std::vector<Choice> choices;
  for (Index sequence = 0; sequence < count; ++sequence)
    choices.push_back({std::to_string(sequence), "sequence " + ui.counting().number(sequence), ""});
  next_in_row(ui, ui.theme.px(kSequenceWidth));
  const auto chosen =
      choice_box(ui, "dialog.sequence", choices, static_cast<std::size_t>(state.choice.part.sequence),
                 ui.theme.px(kSequenceWidth), "Which sequence of the batch");
  if (chosen) state.choice.part.sequence = static_cast<Index>(*chosen);
}

void query_row(UiContext& ui, ExportDialogState& state) {
  const FigureKindInfo& info = figure_kind_info(state.choice.kind);
  if (!info.query) return;
  std::vector<Choice> choices;
  std::vector<std::optional<Index>> queries;
  const auto offer = [&](Index query) {
    choices.push_back({std::to_string(query), token_name(ui.layer().tokens, query, ui.counting()), ""});
    queries.push_back(query);
  };
  if (info.lines) {
    choices.push_back({"none", "all alike", "No query stands out"});
    queries.push_back(std::nullopt);
  }
  for (Index query = 0; query < std::min(kMostListed, ui.layer().token_count()); ++query)
    offer(query);
  if (state.choice.query && *state.choice.query >= kMostListed) offer(*state.choice.query);
  const std::optional<Index> now =
      info.lines ? state.choice.query : std::optional<Index>(state.choice.query.value_or(0));
  const auto at = std::find(queries.begin(), queries.end(), now);
  row_label(ui, "query");
  const auto chosen = choice_box(
      ui, "dialog.query", choices, at == queries.end() ? 0 : static_cast<std::size_t>(at - queries.begin()),
      ui.theme.px(180), info.lines ? "Whose lines stand out" : "Whose row is shown");
  if (!chosen) return;
  state.choice.query = queries[*chosen];
  state.choice.lines.key.reset();
}

// The range as read_part parses it; "" for all.
std::string range_text(Index begin, Index end, Index count) {
  return begin == 0 && end == count ? "" : std::to_string(begin) + ":" + std::to_string(end);
}

}  // namespace

void take_part_in_sight(const UiContext& ui, StageChoice& part) {
  const MapShape whole = stage_shape(ui.layer(), part.stage);
  const CellBlock region = fitted(region_of(ui, part.stage), whole);
  part.rows = range_text(region.row, region.row_end, whole.rows);
  part.columns = range_text(region.column, region.column_end, whole.columns);
}

namespace {

// Sets the chosen rows and columns for the current kind and stage.
void apply_part(const UiContext& ui, ExportDialogState& state) {
  StageChoice& part = state.choice.part;
  part.rows = part.columns = "";
  if (state.part == ExportPart::Own) {
    part.rows = state.texts.rows;
    part.columns = state.texts.columns;
  } else if (state.part == ExportPart::InSight) {
    take_part_in_sight(ui, part);
  }
  if (figure_kind_info(state.choice.kind).one_row) part.rows.clear();
}

void part_entry(const UiContext& ui, const ExportDialogState& state, const char* name, const char* field,
                std::string& text, const char* what) {
  const bool bad = state.fault.field == field;
  ImGui::SetNextItemWidth(ui.theme.px(kPartWidth));
  if (bad) ImGui::PushStyleColor(ImGuiCol_Border, to_imgui(ui.theme.error));
  text_entry(ui, name, text, kMostLabel, field);
  if (bad) ImGui::PopStyleColor();
  ui.probe.mark(name, text);
  tooltip(ui, bad ? state.fault.text
                  : std::string(what) +
                        ": 29:69 is 29 to 68, counted from 0; or a token, or two: Your:one; empty: all");
}

void part_row(UiContext& ui, ExportDialogState& state) {
  const bool zoomed = is_zoomed(ui, state.choice.part.stage);
  std::vector<Choice> choices = {{"whole", "whole matrix", "All rows and columns"},
                                 {"own", "part", "Rows and columns of your own"}};
  std::vector<ExportPart> parts = {ExportPart::Whole, ExportPart::Own};
  if (zoomed || state.part == ExportPart::InSight) {
    choices.insert(choices.begin() + 1,
                   {"sight", "what is in sight", "The part that the large picture shows"});
    parts.insert(parts.begin() + 1, ExportPart::InSight);
  }
  row_label(ui, "part");
  const auto now = std::find(parts.begin(), parts.end(), state.part);
  const auto chosen = choice_box(ui, "dialog.part", choices, static_cast<std::size_t>(now - parts.begin()),
                                 ui.theme.px(kPartChoiceWidth), "Which rows and columns");
  if (chosen) state.part = parts[*chosen];
  if (state.part == ExportPart::Own) {
    if (!figure_kind_info(state.choice.kind).one_row) {
      next_in_row(ui, ui.theme.px(kPartWidth));
      part_entry(ui, state, "dialog.rows", "rows", state.texts.rows, "Rows");
    }
    next_in_row(ui, ui.theme.px(kPartWidth));
    part_entry(ui, state, "dialog.columns", "columns", state.texts.columns, "Columns");
  }
  apply_part(ui, state);
}

// The stages that a row figure shows; an empty choice means all.
void row_stages_row(UiContext& ui, ExportDialogState& state) {
  if (!figure_kind_info(state.choice.kind).one_row) return;
  std::vector<Stage>& chosen = state.settings.options.row_stages;
  row_label(ui, "stages");
  bool first = true;
  std::vector<Stage> after;
  const std::vector<Stage> stages = row_stages(ui.layer());
  for (const Stage stage : stages) {
    const std::string name(stage_info(stage).name);
    if (!first) next_in_row(ui, button_width(name));
    first = false;
    bool on = chosen.empty() || std::find(chosen.begin(), chosen.end(), stage) != chosen.end();
    if (tool_button(ui, "dialog.row." + name, name,
                    on ? "Shown; a click leaves it out" : "Left out; a click shows it", true, on))
      on = !on;
    if (on) after.push_back(stage);
  }
  if (after.size() == stages.size()) after.clear();
  chosen = after;
}

// "" if the format can hold the numbers of the choice.
std::string why_no_numbers(const ExportDialogState& state, const FileFormatInfo& info) {
  switch (state.choice.kind) {
    case FigureKind::Heads:
      return "";
    case FigureKind::Pipeline:
      if (info.format == FileFormat::Npz) return "";
      return "Every stage at once is saved as .npz; other formats hold one stage: choose heatmaps";
    case FigureKind::Compare:
    case FigureKind::Flow:
    case FigureKind::Row:
      break;
  }
  return "This figure has no numbers of its own: choose heatmaps";
}

void choose_format(ExportDialogState& state, const FileFormatInfo& info) {
  state.settings.format = info.format;
  const fs::path name = state.name_text;
  state.name_text = (file_format(name) ? name.stem().string() : state.name_text) + "." + std::string(info.id);
}

void format_row(UiContext& ui, ExportDialogState& state, const char* label, bool figures) {
  row_label(ui, label);
  const FileFormat now = export_format(state);
  bool first = true;
  for (const FileFormatInfo& info : file_format_table()) {
    if (info.figure.has_value() != figures) continue;
    const std::string name(info.name);
    if (!first) next_in_row(ui, button_width(name));
    first = false;
    const std::string why_not = figures ? "" : why_no_numbers(state, info);
    if (tool_button(ui, "dialog.format." + std::string(info.id), name,
                    why_not.empty() ? std::string(info.what) : why_not, why_not.empty(), info.format == now))
      choose_format(state, info);
  }
}

}  // namespace

FileFormat export_format(const ExportDialogState& state) {
  const FileFormatInfo* named = file_format(state.name_text);
  return named ? named->format : state.settings.format;
}

bool exports_figure(const ExportDialogState& state) {
  return file_format_info(export_format(state)).figure.has_value();
}

void row_label(const UiContext& ui, const char* label) {
  const float left = ImGui::GetCursorPosX();
  ImGui::AlignTextToFramePadding();
  quiet_text(ui, label);
  ImGui::SameLine(left + ui.theme.px(kLabelColumn));
}

void next_in_row(const UiContext& ui, float width) {
  const float gap = ui.theme.px(4);
  const float end = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  if (ImGui::GetItemRectMax().x + gap + width <= end)
    ImGui::SameLine(0, gap);
  else
    ImGui::SetCursorPosX(ImGui::GetCursorStartPos().x + ui.theme.px(kLabelColumn));
}

void propose_name(ExportDialogState& state) {
  const std::string ending(file_format_info(export_format(state)).id);
  const std::string proposed = export_name(state.stem, state.choice, ending);
  const bool untouched =
      state.name_text.empty() || fs::path(state.name_text).stem() == fs::path(state.proposed_name).stem();
  state.proposed_name = proposed;
  if (untouched) state.name_text = proposed;
}

void draw_choice_rows(UiContext& ui, ExportDialogState& state) {
  const FigureChoice before = state.choice;
  row_label(ui, "show");
  kind_choice(ui, state);
  if (!figure_kind_info(state.choice.kind).one_head) stage_choice(ui, state);
  heads_choice(ui, state);
  sequence_choice(ui, state);
  query_row(ui, state);
  row_stages_row(ui, state);
  part_row(ui, state);
  format_row(ui, state, "picture", true);
  format_row(ui, state, "numbers", false);
  if (state.choice == before) return;
  // A choice without numbers is exported as a figure again.
  const FileFormatInfo& format = file_format_info(export_format(state));
  if (!format.figure && !why_no_numbers(state, format).empty())
    choose_format(state, file_format_info(FileFormat::Png));
  propose_name(state);
}

void draw_file_rows(UiContext& ui, ExportDialogState& state) {
  row_label(ui, "name");
  ImGui::SetNextItemWidth(-1);
  if (text_entry(ui, "dialog.name", state.name_text, kMostFileName)) state.message.clear();
  ui.probe.mark("dialog.name", state.name_text);
  row_label(ui, "folder");
  ImGui::SetNextItemWidth(-button_width("Browse") - ImGui::GetStyle().ItemSpacing.x);
  if (text_entry(ui, "dialog.path", state.folder_text, kMostPath)) state.message.clear();
  ui.probe.mark("dialog.path", state.folder_text);
  ImGui::SameLine();
  if (!tool_button(ui, "dialog.browse", "Browse", "Choose the folder and the name")) return;
  ImGui::CloseCurrentPopup();  // reopens when the browser closes
  open_file_browser(state.browser, {FileBrowserMode::Save, "Export to",
                                    "." + std::string(file_format_info(export_format(state)).id),
                                    path_from_text(state.folder_text, home_folder()), state.name_text});
}

}  // namespace headlight
