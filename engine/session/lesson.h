// A lesson of a session file: where the gaze rests, and the steps that lead through the numbers.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/model.h"
#include "engine/model/stage.h"

namespace headlight {

// The settings that a step needs; what is absent stays as the lesson opens with it.
struct LessonSettings {
  std::optional<Projection> projection;
  std::optional<Index> d_out, num_heads;
  std::optional<bool> qkv_bias, output_projection;
  std::optional<Scale> scale;
  std::optional<MaskKind> mask;  // None or Causal
  std::optional<Normalization> normalization;
  std::optional<double> dropout_probability;
  std::optional<bool> dropout_training;
  std::optional<std::optional<std::int64_t>> dropout_seed;  // none inside: the stream of the weights goes on
  std::optional<std::vector<Index>> disabled_heads;
  bool operator==(const LessonSettings&) const = default;
  bool empty() const { return *this == LessonSettings{}; }
};

// Carries the settings out, shapes first. Throws Error when they do not fit together; the model is then as it
// was.
void apply_settings(const LessonSettings& settings, Model& model);

// What is needed to come from a step's settings to another's: those of `next`, and for what only `before`
// names, that of the lesson as it opened.
LessonSettings settings_between(const LessonSettings& before, const LessonSettings& next,
                                const Model& opened);

// How a step draws its stage at large.
enum class LessonView { Heatmap, Flow, Row, Vectors, Compare };

// A part of a matrix, half open.
struct LessonPart {
  Index row = 0, row_end = 0, column = 0, column_end = 0;
  bool operator==(const LessonPart&) const = default;
};

// A step: what it says and what it points at. All indices count from 0.
struct LessonStep {
  std::string title;
  std::string text;    // with quotes of live numbers; see quote.h
  std::string try_it;  // something to try; may be empty; quotes too
  Stage stage = Stage::Weights;
  std::optional<Index> head;  // none: all heads
  Index sequence = 0;
  // What glows: whole rows, whole columns, or where both are named their crossings; and single cells. With
  // none of them the stage as a whole is pointed at.
  std::vector<Index> rows, columns;
  std::vector<std::array<Index, 2>> cells;       // row and column of each
  std::optional<std::array<Index, 2>> selected;  // the cell that the inspector takes apart
  std::optional<Parameter> weight;               // whose grid comes to the front
  LessonView view = LessonView::Heatmap;
  std::optional<std::array<double, 2>> range;  // of the stage's colours, low and high
  std::optional<LessonPart> part;              // of the stage that is in sight; none: all of it
  // Of Compare: what A is, the lesson as it opens with these settings; none: what the reader has kept.
  std::optional<LessonSettings> against;
  LessonSettings settings;

  bool points_at_cells() const { return !rows.empty() || !columns.empty() || !cells.empty(); }
  bool points_at(Index row, Index column) const;
  Index first_head() const { return head.value_or(0); }
};

// Optional in a session file, as "lesson". The first address is where the gaze rests when it opens and has no
// steps.
struct Lesson {
  int order = 0;        // position in the list of lessons
  std::string chapter;  // heading it stands under
  std::string source;   // where its numbers come from
  Stage stage = Stage::Weights;
  Index head = 0, row = 0, column = 0;
  // What its text counts heads, tokens and dimensions from, 0 or 1: so does the window while it is open.
  // None: as the person has chosen. The fields of the file count from 0 all the same.
  std::optional<Index> count_from;
  std::vector<LessonStep> steps;
};

}  // namespace headlight
