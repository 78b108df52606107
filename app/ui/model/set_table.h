// The data set of the open model as a table below its sentence: its rows are shown, sorted and switched off,
// and each is the text of the moment when it is clicked. Names: "model.set", "model.set.fold",
// "model.set.metric", "model.set.close", "model.set.row.3", "model.set.on.3", "model.set.column.text"
// (sorts).
#pragma once

#include <memory>
#include <vector>

#include "app/ui/widgets/area.h"

namespace headlight {

struct SetTableState {
  std::shared_ptr<const ReadSet> of;  // whose rows `order` are
  std::vector<std::size_t> order;     // the rows as they are sorted
  int column = -1;                    // by which; -1: none
  bool descending = false;
};

// Height in pixels; 0 if the model has no data set.
float set_table_height(const UiContext& ui);
// Draws nothing without a data set.
void set_table(UiContext& ui, SetTableState& state, const Area& area);

}  // namespace headlight
