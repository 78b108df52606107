// Where the numbers of a result come from, for each kind of analysis of a whole model.
#pragma once

#include "app/ui/context/number_place.h"

namespace headlight {

// Of a cell of result.tables[table]. Tokens of texts that are not the open one are left out: then the place
// is the head or the layer alone. Precondition: the answer is of the open model.
NumberPlace answer_place(const UiContext& ui, const AnalysisRun& answer, std::size_t table, Index row,
                         Index column);

// Shows it; the answer stays, also where what it asks followed the shown layer and head.
void show_answer_place(UiContext& ui, const AnalysisRun& answer, const NumberPlace& place);

}  // namespace headlight
