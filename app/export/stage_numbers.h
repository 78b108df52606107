// The numbers of a computed session as the bytes of a file.
#pragma once

#include "app/export/figure_choice.h"
#include "app/figure/paint/file_format.h"
#include "engine/arrays/stage_table.h"

namespace headlight {

// The heads of the choice with their labels. Throws Error when there is no such head or sequence, or no room
// for its numbers.
StageTable stage_table_of(const ComputedSession& session, const StageChoice& choice);

// The same of its first head and of at most so many rows and columns, without making the others.
StageTable stage_table_beginning(const ComputedSession& session, const StageChoice& choice, Index rows,
                                 Index columns);

// Precondition: the format is one of numbers.
std::string table_bytes(const StageTable& table, FileFormat format);

// Of a stage as one array: B x H x T x columns, or B x T x columns for stages without heads.
std::vector<Index> whole_shape(const Model& model, Stage stage);
// Every stage as such an array under its name. Throws Error when there is no room for them.
std::vector<NamedArray> every_stage(const ComputedSession& session);

}  // namespace headlight
