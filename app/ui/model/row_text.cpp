#include "app/ui/model/row_text.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "app/figure/plan/names.h"
#include "app/ui/context/shown_layer.h"
#include "app/ui/widgets/widgets.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr const char* kTakeOther = "Take the row's other text";

const DataSet* rows_of(const UiContext& ui) {
  const ModelView& model = ui.view.model;
  const bool read = model.work && model.work->set && model.set.read;
  return read ? model.set.read->all.get() : nullptr;
}

// Whether the kept state is the other text of the row.
bool is_kept(const UiContext& ui, const DataRow& row) {
  const auto& kept = ui.view.baseline.work;
  return kept && !row.from.empty() && kept->ids == row.from && kept->network == ui.view.model.work->network;
}

}  // namespace

const DataRow* open_row(const UiContext& ui) {
  const DataSet* const set = rows_of(ui);
  if (!set) return nullptr;
  const std::vector<DataRow>& rows = set->rows;
  const TokenIds& open = ui.view.model.work->ids;
  const std::optional<std::size_t> opened = ui.view.model.set.opened_row;
  if (opened && *opened < rows.size() && rows[*opened].text == open) return &rows[*opened];
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const DataRow& one) { return one.text == open; });
  return row == rows.end() ? nullptr : &*row;
}

std::string other_text_of_row(const UiContext& ui) {
  const DataRow* const row = open_row(ui);
  if (!row || row->from.empty()) return "";
  const DataSet& set = *rows_of(ui);
  return "row " + std::to_string(row - set.rows.data() + 1) + ": “" + visible_label(set.cell(*row, "from")) +
         "”";
}

bool keeps_other_text(const UiContext& ui) {
  const DataSet* const set = rows_of(ui);
  const TokenIds& open = ui.view.model.work->ids;
  return set && std::any_of(set->rows.begin(), set->rows.end(),
                            [&](const DataRow& row) { return row.text == open && is_kept(ui, row); });
}

bool offers_other_text(const UiContext& ui) {
  const DataRow* const row = open_row(ui);
  return row && !row->from.empty() && !is_kept(ui, *row);
}

void keep_other_text(UiContext& ui, const DataRow& row) {
  auto other = std::make_shared<OpenModel>(*ui.view.model.work);
  // What was put into the open text is no part of the other one.
  other->on.patches.clear();
  other->off.patches.clear();
  try {
    if (other->network->tokenizer())
      set_text(*other, rows_of(ui)->cell(row, "from"));
    else
      set_ids(*other, row.from);
  } catch (const Error& failure) {
    ui.view.model.trouble = failure.what();
    return;
  }
  ui.view.baseline_asked = {nullptr, ui.document.session().title, std::move(other), shown_layer(ui)};
}

float other_text_button_width() {
  return button_width(kTakeOther);
}

void other_text_button(UiContext& ui) {
  if (primary_button(ui, "model.patches.row", kTakeOther,
                     "Keeps it as A, the text whose numbers are put in: " + other_text_of_row(ui)))
    keep_other_text(ui, *open_row(ui));
}

}  // namespace headlight
