#include "app/export/figure_choice.h"

#include <utility>

#include "app/export/drawing_figure.h"
#include "app/figure/paint/cairo_painter.h"
#include "app/figure/plan/row_plan.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

// "the only head is 0", or "the heads are 0 to 3".
std::string indices_below(Index count, const std::string& thing) {
  return count == 1 ? "the only " + thing + " is 0"
                    : "the " + thing + "s are 0 to " + std::to_string(count - 1);
}

Index first_of(const std::vector<Index>& heads) {
  return heads.empty() ? 0 : heads.front();
}

}  // namespace

std::vector<Index> chosen_heads(const StageChoice& choice, const Layer& layer) {
  if (choice.sequence < 0 || choice.sequence >= layer.sequence_count())
    throw Error("there is no sequence " + std::to_string(choice.sequence), "--sequence",
                indices_below(layer.sequence_count(), "sequence"));
  const Index count = stage_heads(layer, choice.stage);
  std::vector<Index> heads;
  if (choice.pool != HeadPool::Each) {
    if (stage_info(choice.stage).per_head) return {0};
    throw Error(std::string(stage_info(choice.stage).name) + " has no heads that could be put together",
                "--head", "choose a stage with heads, or leave it out");
  }
  if (!choice.heads) {
    for (Index head = 0; head < count; ++head)
      heads.push_back(head);
    return heads;
  }
  for (const Index head : *choice.heads)
    if (head < 0 || head >= count)
      throw Error(
          "there is no head " + std::to_string(head) + " of " + std::string(stage_info(choice.stage).name),
          "--head", indices_below(count, "head"));
  return *choice.heads;
}

FigurePart chosen_part(const StageChoice& choice, const Layer& layer) {
  return read_part(choice.rows, choice.columns, layer, choice.stage);
}

StageChoice choice_for(StageChoice choice, Stage stage) {
  if (!is_pair(stage) || !is_pair(choice.stage)) choice.columns.clear();
  choice.stage = stage;
  if (stage != Stage::Weights && stage != Stage::Dropped) choice.by_value = false;
  if (stage != Stage::Weights) choice.without_first = false;
  if (!stage_info(stage).per_head) {
    choice.heads.reset();
    choice.pool = HeadPool::Each;
  }
  return choice;
}

namespace {

std::string figure_name(FigureKind kind, Stage stage) {
  std::string of_stage(stage_info(stage).name);
  switch (kind) {
    case FigureKind::Heads:
      return of_stage;
    case FigureKind::Flow:
      return of_stage + "-flow";
    case FigureKind::Compare:
      return of_stage + "-compared";
    case FigureKind::Pipeline:
    case FigureKind::Row:
      break;
  }
  return std::string(figure_kind_info(kind).word);
}

}  // namespace

std::string choice_name(const FigureChoice& choice) {
  const Stage stage = choice.part.stage;
  std::string name = figure_name(choice.kind, stage);
  if (choice.query) name += "-query" + std::to_string(*choice.query);
  if (choice.part.sequence > 0) name += "-sequence" + std::to_string(choice.part.sequence);
  if (choice.part.pool != HeadPool::Each) {
    name += choice.part.pool == HeadPool::Mean ? "-head-mean" : "-head-max";
  } else if (choice.part.heads && stage_info(stage).per_head) {
    name += "-head";
    for (std::size_t i = 0; i < choice.part.heads->size(); ++i)
      name += (i == 0 ? "" : "-") + std::to_string((*choice.part.heads)[i]);
  }
  if (choice.part.content() == TileContent::ValueWeighted) name += "-by-value";
  if (choice.part.content() == TileContent::WithoutFirst) name += "-without-first";
  return name + part_name(choice.part.rows, choice.part.columns);
}

std::string export_name(const std::string& session, const FigureChoice& choice, std::string_view ending) {
  return session + "-" + choice_name(choice) + "." + std::string(ending);
}

SheetSize sheet_size(const FigureOptions& options, FigureFormat format) {
  SheetSize size;
  if (options.width) size.width = planned_px(*options.width, options, format);
  if (options.height) size.height = planned_px(*options.height, options, format);
  if (options.cell) size.cell = planned_px(*options.cell, options, format);
  size.pixel = format == FigureFormat::Png ? 96 / options.dpi : 0;
  return size;
}

StageSet stages_in(const FigureChoice& choice) {
  switch (choice.kind) {
    case FigureKind::Pipeline:
      return kAllStages;
    case FigureKind::Row: {
      StageSet pairs = 0;
      for (const StageInfo& info : stage_table())
        if (is_pair(info.stage)) pairs |= stage_bit(info.stage);
      return pairs;
    }
    case FigureKind::Heads:
    case FigureKind::Compare:
    case FigureKind::Flow:
      break;
  }
  return stage_bit(choice.part.stage);
}

void set_background(FigureGrid& figure, const FigureOptions& options) {
  if (options.ground == Ground::White) figure.background = hex("#FFFFFF");
  if (options.ground == Ground::Transparent) figure.background = with_opacity(figure.background, 0);
}

namespace {

// Throws Error if the figure cannot be drawn of this part, or has no cells and is given their size.
void check_part(const FigureChoice& choice, const FigureOptions& options) {
  const StageChoice& part = choice.part;
  const FigureKindInfo& info = figure_kind_info(choice.kind);
  if (part.pool != HeadPool::Each && !info.own_maps)
    throw Error("heads are put together in a stage's own heatmap only", "--head",
                "choose one head, or another kind of figure");
  if (part.by_value && !info.by_value)
    throw Error(
        "a " + std::string(info.word) + " shows the weights themselves, not times the length of values",
        "--by-value", "leave it out, or choose another kind of figure");
  if (part.without_first && !info.own_maps)
    throw Error("weights without their first key are shown as heatmaps only", "--without-first-key",
                "leave it out, or choose --kind heads");
  if (options.cell && !info.cells)
    throw Error("this figure has no cells", "--cell", "give its width or height, or choose heatmaps");
}

}  // namespace

FigureGrid make_figure(const FigureChoice& choice, const ComputedSession& session,
                       const ComputedSession* compared, const FigureOptions& options, FigureFormat format) {
  const FigureStyle style = figure_style(options);
  const MeasureText measure = pango_measure(style.fonts);
  const SheetSize size = sheet_size(options, format);
  const StageChoice& part = choice.part;
  const std::vector<Index> heads = chosen_heads(part, session.layer());
  const FigurePart shown = chosen_part(part, session.layer());
  check_part(choice, options);
  const auto heads_of = [&](Index max_cells) {
    return heads_sheet(session, part.stage, part.sequence, heads, options, max_cells, shown, part.content());
  };
  const auto drawn = [&] {
    switch (choice.kind) {
      case FigureKind::Pipeline:
        return lay_out(
            [&](Index max_cells) {
              return pipeline_sheet(session, part.sequence, first_of(heads), options, max_cells, shown);
            },
            size, style, measure);
      case FigureKind::Compare:
        if (!compared) break;
        return lay_out(
            [&](Index max_cells) {
              return compare_sheet(session, *compared, part.stage, part.sequence, heads, options, max_cells,
                                   shown, part.by_value);
            },
            size, style, measure);
      case FigureKind::Flow:
        return flow_figure(session, part.stage, part.sequence, heads, choice.query, choice.lines, shown, size,
                           options, measure, part.by_value);
      case FigureKind::Row:
        return row_figure(session, part.sequence, first_of(heads), choice.query.value_or(0), shown.columns,
                          size, options, measure, part.by_value);
      case FigureKind::Heads:
        break;
    }
    return lay_out(heads_of, size, style, measure);
  };
  FigureGrid figure = drawn();
  set_background(figure, options);
  return figure;
}

}  // namespace headlight
