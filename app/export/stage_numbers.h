// The numbers of a computed session as the bytes of a file.
#pragma once

#include "app/export/figure_choice.h"
#include "app/figure/paint/file_format.h"
#include "engine/arrays/stage_table.h"

namespace headlight {

// The heads of the choice with their labels. Throws Error if there is no such head or sequence, or no memory
// for the numbers.
StageTable stage_table_of(const ComputedSession& session, const StageChoice& choice);

// stage_table_of() for the first head and at most so many rows and columns, without reading the others.
StageTable stage_table_beginning(const ComputedSession& session, const StageChoice& choice, Index rows,
                                 Index columns);

// Precondition: `format` is a format of numbers.
std::string table_bytes(const StageTable& table, FileFormat format);

// The shape of a stage as one array: B x H x T x columns, or B x T x columns for stages without heads.
std::vector<Index> whole_shape(const Layer& layer, Stage stage);
// Every stage as such an array under its name. Throws Error if there is no memory for them.
std::vector<NamedArray> every_stage(const ComputedSession& session);

}  // namespace headlight
