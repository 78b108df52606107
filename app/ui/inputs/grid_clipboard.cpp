#include "app/ui/inputs/grid_clipboard.h"

#include <algorithm>

#include "app/ui/inputs/matrix_grid_parts.h"
#include "app/ui/widgets/dialog_frame.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"
#include "engine/arrays/stage_table.h"
#include "engine/arrays/table_file.h"
#include "engine/arrays/table_text.h"
#include "engine/core/error.h"

namespace headlight::grid {
namespace {

constexpr float kOfferWidth = 440, kOfferHeight = 128;

std::string size_text(Index rows, Index columns) {
  return std::to_string(rows) + " × " + std::to_string(columns);
}

// A pasted table: numbers, and the words of its first column.
struct PastedTable {
  Matrix values;
  std::vector<std::string> tokens;
};

bool has_tokens(InputKind kind) {
  return kind == InputKind::Embeddings || kind == InputKind::KeyEmbeddings;
}

// A table with words in its first column is read as a file of a table is.
PastedTable pasted_table(const std::string& text, InputKind kind) {
  try {
    return {parse_table_text(text), {}};
  } catch (const Error&) {
    if (!has_tokens(kind)) throw;
    TableFile table;
    try {
      table = parse_table_file(text, "");
    } catch (const Error&) {
    }
    if (table.row_labels.empty() || table.values.size() == 0) throw;
    return {std::move(table.values), std::move(table.row_labels)};
  }
}

// Writes a table into the matrix, with its tokens, and selects it.
void put(Frame& frame, Index row, Index column, PastedTable table) {
  Matrix& values = table.values;
  frame.selection().select_range({row, column, values.rows(), values.cols()});
  frame.state.notice.clear();
  if (table.tokens.empty())
    frame.send(row, column, std::move(values));
  else
    frame.ui.send(PasteGrowing{frame.options.input, row, column, std::move(values), std::move(table.tokens)});
}

void offer(Frame& frame, const GridRange& from, PastedTable table) {
  Matrix& values = table.values;
  PasteOffer& offer = frame.state.offer;
  offer.open = true;
  offer.row = from.row;
  offer.column = from.column;
  offer.room_rows = frame.matrix.rows() - from.row;
  offer.room_columns = frame.matrix.cols() - from.column;
  offer.why_not_resize = growth_obstacle(frame.ui.layer(), frame.options.input, from.row + values.rows(),
                                         from.column + values.cols());
  offer.values = std::move(values);
  offer.tokens = std::move(table.tokens);
}

void resize(Frame& frame) {
  PasteOffer& offer = frame.state.offer;
  frame.selection().select_range({offer.row, offer.column, offer.values.rows(), offer.values.cols()});
  frame.state.reveal = true;
  frame.ui.send(PasteGrowing{frame.options.input, offer.row, offer.column, std::move(offer.values),
                             std::move(offer.tokens)});
}

void crop(Frame& frame) {
  PasteOffer& offer = frame.state.offer;
  const Matrix fitting = offer.values.topLeftCorner(std::min(offer.values.rows(), offer.room_rows),
                                                    std::min(offer.values.cols(), offer.room_columns));
  if (!offer.tokens.empty()) offer.tokens.resize(static_cast<std::size_t>(fitting.rows()));
  put(frame, offer.row, offer.column, {fitting, offer.tokens});
}

std::vector<std::string> labels_in(std::span<const std::string> labels, Index first, Index count) {
  std::vector<std::string> part;
  for (Index i = first; i < first + count; ++i)
    part.push_back(labels.empty() ? std::to_string(i) : labels[static_cast<std::size_t>(i)]);
  return part;
}

// The selected cells with their labels, for formats with labels.
StageTable labelled_block(const Frame& frame) {
  const GridRange range = frame.range();
  StageTable table;
  table.heads = {0};
  table.rows = labels_in(frame.options.row_labels, range.row, range.rows);
  table.columns = labels_in(frame.options.column_labels, range.column, range.columns);
  table.values.emplace_back(frame.block(range));
  return table;
}

std::string copied_text(const Frame& frame, CopyFormat format) {
  switch (format) {
    case CopyFormat::Csv:
      return stage_csv(labelled_block(frame));
    case CopyFormat::Latex:
      return stage_latex(labelled_block(frame));
    case CopyFormat::Markdown:
      return stage_markdown(labelled_block(frame));
    case CopyFormat::Numpy:
      return numpy_text(frame.block(frame.range()));
    case CopyFormat::Torch:
      return torch_text(frame.block(frame.range()));
    case CopyFormat::Tsv:
      break;
  }
  return tsv_text(frame.block(frame.range()));
}

}  // namespace

void copy(const Frame& frame, CopyFormat format) {
  ImGui::SetClipboardText(copied_text(frame, format).c_str());
}

void cut(Frame& frame) {
  copy(frame, CopyFormat::Tsv);
  set_all(frame, 0);
}

void paste(Frame& frame) {
  MatrixGridState& state = frame.state;
  PastedTable table;
  try {
    table = pasted_table(clipboard_text(), frame.options.input.kind);
  } catch (const Error& error) {
    state.notice = std::string("Not pasted: ") + error.what() + ".";
    return;
  }
  const Matrix& values = table.values;
  if (frame.options.input.kind == InputKind::Mask &&
      !((values.array() == 0.0f) || (values.array() == 1.0f)).all()) {
    state.notice = "Not pasted: a mask holds 0 (blocked) or 1 (may attend).";
    return;
  }
  const GridRange range = frame.range();
  if (values.size() == 1 && table.tokens.empty())
    return put(frame, range.row, range.column, {values.replicate(range.rows, range.columns), {}});
  const bool fits =
      range.row + values.rows() <= frame.matrix.rows() && range.column + values.cols() <= frame.matrix.cols();
  if (fits)
    put(frame, range.row, range.column, std::move(table));
  else
    offer(frame, range, std::move(table));
}

void paste_offer(Frame& frame) {
  PasteOffer& offer = frame.state.offer;
  const UiContext& ui = frame.ui;
  if (!begin_dialog(ui, "##offer", offer.open, {kOfferWidth, kOfferHeight}, "The table does not fit")) return;
  const std::string room = size_text(offer.room_rows, offer.room_columns);
  const std::string question = "The pasted table is " + size_text(offer.values.rows(), offer.values.cols()) +
                               "; from here there is room for " + room + ".";
  ImGui::TextUnformatted(question.c_str());
  ui.probe.mark(frame.name("offer"), question);
  const bool can_resize = offer.why_not_resize.empty();
  ImGui::SetCursorPosY(ImGui::GetWindowHeight() - ImGui::GetStyle().WindowPadding.y -
                       ImGui::GetFrameHeight());
  const std::string crop_label = "Crop to the room";
  align_right(button_width(crop_label) + button_width("Resize the matrix") + button_width("Cancel") +
              2 * ImGui::GetStyle().ItemSpacing.x);
  const bool cancel =
      tool_button(ui, frame.name("offer.cancel"), "Cancel", "Escape") || dialog_key(Key::Escape);
  ImGui::SameLine();
  bool cropped =
      tool_button(ui, frame.name("offer.crop"), crop_label, "Paste what fits and leave the rest out");
  ImGui::SameLine();
  bool resized =
      tool_button(ui, frame.name("offer.resize"), "Resize the matrix",
                  can_resize ? "The matrix grows first, and every matrix that shares its size with it"
                             : offer.why_not_resize,
                  can_resize);
  if (dialog_key(Key::Enter)) (can_resize ? resized : cropped) = true;
  if (resized) resize(frame);
  if (cropped) crop(frame);
  if (cancel || resized || cropped) {
    close_dialog(offer.open);
    offer.values.resize(0, 0);
  }
  end_dialog();
}

}  // namespace headlight::grid
