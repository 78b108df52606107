// The numbers of a computed session as the bytes of a file.
#pragma once

#include "app/export/figure_choice.h"
#include "app/figure/paint/file_format.h"
#include "engine/arrays/stage_table.h"

namespace headlight {

// The heads of the choice with their labels. Throws Error when there is no such head or sequence.
StageTable stage_table_of(const ComputedSession& session, const StageChoice& choice);

// Precondition: the format is one of numbers.
std::string table_bytes(const StageTable& table, FileFormat format);

// Of a stage as one array: B x H x T x columns, or B x T x columns for stages without heads.
std::vector<Index> whole_shape(const Model& model, Stage stage);
// Every stage as such an array under its name.
std::vector<NamedArray> every_stage(const Evaluator& evaluator);

}  // namespace headlight
