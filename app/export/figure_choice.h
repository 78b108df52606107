// What is taken out of a session for a file: which figure or which numbers, of which stage and heads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/export/stage_picture.h"

namespace headlight {

// Which part of a session is shown.
struct StageChoice {
  Stage stage = Stage::Weights;
  std::optional<std::vector<Index>> heads;  // none: all
  Index sequence = 0;
  std::string rows = {}, columns = {};  // of its matrices, as read_part reads them; "": all
  bool operator==(const StageChoice&) const = default;
};

// The heads of the choice, checked: throws Error unless the model has the sequence and every head.
std::vector<Index> chosen_heads(const StageChoice& choice, const Model& model);

// The rows and columns of the choice, checked: throws Error when they are not there.
FigurePart chosen_part(const StageChoice& choice, const Model& model);

// The choice for another stage, which has all heads where it has no choice of them, and all its columns where
// those of either are no keys.
StageChoice choice_for(StageChoice choice, Stage stage);

enum class FigureKind { Heads, Pipeline, Compare, Flow, Row };

struct FigureChoice {
  FigureKind kind = FigureKind::Heads;
  StageChoice part;            // of a pipeline or a row its first head
  std::optional<Index> query;  // of a flow or a row; none: no line stands out, or the first query's row
  bool operator==(const FigureChoice&) const = default;
};

// The stages that its figure or its numbers are taken from.
StageSet stages_in(const FigureChoice& choice);

// As file names say it: "weights", "weights-head0", "pipeline", "weights-flow-query2", "scores-compared",
// "weights-rows29-69".
std::string choice_name(const FigureChoice& choice);

// "two-weights-head0.png": how a file is called that holds the choice of the session "two".
std::string export_name(const std::string& session, const FigureChoice& choice, std::string_view ending);

// The size of a page in planned pixels, for a file of this format.
SheetSize sheet_size(const FigureOptions& options, FigureFormat format);

// What is behind the figure, as the options say.
void give_ground(FigureGrid& figure, const FigureOptions& options);

// The figure that the choice and the options describe. `compared`: the state B to show beside the session, A,
// for FigureKind::Compare; else null. Throws Error when there is no such head, query or room.
FigureGrid make_figure(const FigureChoice& choice, const ComputedSession& session,
                       const ComputedSession* compared, const FigureOptions& options, FigureFormat format);

}  // namespace headlight
