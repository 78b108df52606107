// The choice of what to export from a session: which figure or which numbers, of which stage and heads.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/export/stage_picture.h"

namespace headlight {

// The exported part of a session.
struct StageChoice {
  Stage stage = Stage::Weights;
  std::optional<std::vector<Index>> heads;  // none: all
  Index sequence = 0;
  std::string rows = {}, columns = {};  // of its matrices, in the syntax of read_part; "": all
  HeadPool pool = HeadPool::Each;  // Mean, Maximum: one matrix of all heads together, whatever `heads` is
  bool by_value = false;       // each weight times the length of what its value adds; not of heads together
  bool without_first = false;  // weights without the first key, whose rows sum to 1 again; of each head
  TileContent content() const {
    if (pool != HeadPool::Each) return content_of(pool);
    return by_value        ? TileContent::ValueWeighted
           : without_first ? TileContent::WithoutFirst
                           : TileContent::Stage;
  }
  bool operator==(const StageChoice&) const = default;
};

// The heads of the choice; of heads together the first one. Throws Error unless the layer has the sequence
// and every head, or if the choice puts together the heads of a stage that has none.
std::vector<Index> chosen_heads(const StageChoice& choice, const Layer& layer);

// The rows and columns of the choice. Throws Error if they do not exist.
FigurePart chosen_part(const StageChoice& choice, const Layer& layer);

// The choice for another stage: all heads if that stage has none, all columns unless both have keys.
StageChoice choice_for(StageChoice choice, Stage stage);

enum class FigureKind { Heads, Pipeline, Compare, Flow, Row };

struct FigureKindInfo {
  FigureKind kind;
  std::string_view word;     // of --kind and in the dialog
  StageSet stages;           // those that it can be drawn of
  bool cells = false;        // it consists of heatmaps
  bool own_maps = false;     // they are the stage's alone: of heads together too, and without the first key
  bool by_value = false;     // weights can be shown times the length of what their value adds
  bool one_head = false;     // it shows stages of one head
  bool every_stage = false;  // each with colours of its own
  bool query = false;        // one query can be chosen
  bool one_row = false;      // it shows that query's row only
  bool lines = false;        // a line for each weight
  bool kept = false;         // it shows the kept state beside the present one
};
inline constexpr StageSet kWeightStages = stage_bit(Stage::Weights) | stage_bit(Stage::Dropped);
inline constexpr auto kFigureKinds = std::to_array<FigureKindInfo>({
    {.kind = FigureKind::Heads,
     .word = "heads",
     .stages = kAllStages,
     .cells = true,
     .own_maps = true,
     .by_value = true},
    {.kind = FigureKind::Pipeline,
     .word = "pipeline",
     .stages = stage_bit(Stage::Weights),
     .cells = true,
     .one_head = true,
     .every_stage = true},
    {.kind = FigureKind::Compare,
     .word = "compare",
     .stages = kAllStages,
     .cells = true,
     .by_value = true,
     .kept = true},
    {.kind = FigureKind::Flow,
     .word = "flow",
     .stages = kWeightStages,
     .by_value = true,
     .query = true,
     .lines = true},
    {.kind = FigureKind::Row,
     .word = "row",
     .stages = stage_bit(Stage::Weights),
     .by_value = true,
     .one_head = true,
     .query = true,
     .one_row = true},
});
static_assert(static_cast<std::size_t>(FigureKind::Row) + 1 == kFigureKinds.size());
constexpr const FigureKindInfo& figure_kind_info(FigureKind kind) {
  return kFigureKinds[static_cast<std::size_t>(kind)];
}
// `stage` if the kind of figure can be drawn of it, else the weights.
constexpr Stage stage_for(FigureKind kind, Stage stage) {
  return (figure_kind_info(kind).stages & stage_bit(stage)) != 0 ? stage : Stage::Weights;
}

// Which lines a flow has, and which one stands out.
struct FlowLines {
  std::optional<Index> key;  // the lines to this key stand out; with a query: one line, of `head`
  Index head = 0;
  // Weaker weights have no line, but the strongest of each query; by value: times the strongest. nullopt:
  // kLeastOfMany where is_tangle, else 0.
  std::optional<double> least;
  bool operator==(const FlowLines&) const = default;
};

struct FigureChoice {
  FigureKind kind = FigureKind::Heads;
  StageChoice part;            // a pipeline or a row shows its first head
  std::optional<Index> query;  // of a flow or a row; none: no highlighted lines, or the row of query 0
  FlowLines lines = {};        // of a flow
  bool operator==(const FigureChoice&) const = default;
};

// The stages that the figure or the numbers require.
StageSet stages_in(const FigureChoice& choice);

// The choice in a file name: "weights", "weights-head0", "pipeline", "weights-flow-query2",
// "scores-compared", "weights-rows29-69".
std::string choice_name(const FigureChoice& choice);

// The file name of the choice of the session "two": "two-weights-head0.png". `ending`: without the dot.
std::string export_name(const std::string& session, const FigureChoice& choice, std::string_view ending);

// The size of a page in planned pixels, for a file of this format.
SheetSize sheet_size(const FigureOptions& options, FigureFormat format);

// Sets the figure's background as the options require.
void set_background(FigureGrid& figure, const FigureOptions& options);

// The figure that the choice and the options describe. `compared`: the state B to show beside the session, A,
// for FigureKind::Compare; else null. Throws Error if there is no such head or query, or no room.
FigureGrid make_figure(const FigureChoice& choice, const ComputedSession& session,
                       const ComputedSession* compared, const FigureOptions& options, FigureFormat format);

}  // namespace headlight
