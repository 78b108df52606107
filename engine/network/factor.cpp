#include "engine/network/factor.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/core/stopping.h"
#include "engine/simd/panel_product.h"
#include "engine/simd/product.h"
#include "engine/simd/stored_loops.h"
#include "engine/simd/stored_product.h"

namespace headlight {
namespace {

constexpr Index kPieceNumbers = 1 << 21;    // that one thread multiplies by before it can be stopped
constexpr Index kWidenedNumbers = 1 << 22;  // of a strip that all threads multiply by together

// View of a strip, with `stride` numbers from one row of the tensor to the next.
using Strided = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;

// Whether the tensor, as it is stored, has one row per output.
bool has_output_rows(const Factor& w) {
  return w.transposed != w.tensor->turned;
}

std::optional<StoredType> stored_type(TensorType type) {
  switch (type) {
    case TensorType::F32:
      return StoredType::F32;
    case TensorType::BF16:
      return StoredType::BF16;
    case TensorType::F16:
      return StoredType::F16;
    case TensorType::Q8_0:
    case TensorType::Q4_0:
    case TensorType::Q4_K:
    case TensorType::Q6_K:
      break;
  }
  return std::nullopt;
}

// Outputs [begin, begin + count) of W, which lie in one group, in the file; none if products cannot read them
// there.
std::optional<StoredFactor> stored_in_place(const Factor& w, Index begin, Index count) {
  const std::optional<StoredType> type = stored_type(w.tensor->type);
  if (!type || !w.tensor->order.is_plain()) return std::nullopt;
  const bool rows = has_output_rows(w);
  const Index columns = w.tensor->turned ? w.tensor->rows() : w.tensor->columns();
  const Index first = w.place(begin) * (rows ? columns : 1);
  return StoredFactor{
      w.tensor->bytes.data() + static_cast<std::uint64_t>(first) * block_bytes(w.tensor->type),
      *type,
      columns,
      rows,
      w.inputs,
      count};
}

// Columns of W in memory: one row each if the tensor has one per output, else one column each.
struct Strip {
  const float* data = nullptr;
  Index stride = 0;
};

// Outputs [begin, begin + count) of W, which lie in one group; widened into `room` unless they are aligned
// float32.
Strip strip_of(const Factor& w, Index begin, Index count, Scratch& room) {
  const Index columns = w.tensor->turned ? w.tensor->rows() : w.tensor->columns(), place = w.place(begin);
  const bool rows = has_output_rows(w);
  if (const float* numbers = as_floats(*w.tensor))
    return rows ? Strip{numbers + place * columns, columns} : Strip{numbers + place, columns};
  room.resize(w.inputs * count);
  const Index lines = rows ? count : w.inputs, line = rows ? columns : count;
  if (const std::optional<StoredFactor> stored = stored_in_place(w, begin, count)) {
    const StoredLoops& loops = stored_loops(best_instruction_set());
    for (Index i = 0; i < lines; ++i)
      loops.widen(stored->type, stored->data + i * stored->stride * stored_bytes(stored->type), line,
                  room.data() + i * line);
  } else if (rows) {
    widen_stored(*w.tensor, place * columns, count * columns, room.data());
  } else {
    for (Index row = 0; row < w.inputs; ++row)
      widen_stored(*w.tensor, row * columns + place, count, room.data() + row * count);
  }
  return {room.data(), line};
}

void add_bias(const Factor& w, Index begin, MatrixOut y) {
  Eigen::RowVectorXf bias(y.cols());
  widen(*w.bias, w.place(begin), y.cols(), bias.data());
  y.rowwise() += bias;
}

// Call after everything was read.
void require_unchanged(const Factor& w) {
  require_unchanged(*w.tensor);
  if (w.bias) require_unchanged(*w.bias);
}

// y = x times the outputs from `begin` on, which lie in one group. packed_rows: x in packed form, unless x
// has few rows. Runs on the calling thread.
void multiply_piece(const MatrixRef& x, const PackedRows& packed_rows, const Factor& w, Index begin,
                    MatrixOut y, Workspace& workspace) {
  if (const std::optional<StoredFactor> stored = stored_in_place(w, begin, y.cols())) {
    multiply_stored(x, packed_rows, *stored, y, workspace);
  } else {
    Scratch room(workspace);
    const Index most = strip_columns(w.inputs);
    for (Index first = 0; first < y.cols(); first += most) {
      const Index count = std::min(most, y.cols() - first);
      const Strip strip = strip_of(w, begin + first, count, room);
      multiply_stored(x, packed_rows,
                      {reinterpret_cast<const char*>(strip.data), StoredType::F32, strip.stride,
                       has_output_rows(w), w.inputs, count},
                      y.middleCols(first, count), workspace);
    }
  }
  if (w.bias) add_bias(w, begin, y);
}

// The kept panels of the outputs from `first` on, which lie in one group and begin a panel; `kept`: all. A
// group's panels follow one another.
StoredPanels panels_of(const Factor& w, const char* kept, Index first, Index count) {
  const StoredType type = *stored_type(w.tensor->type);
  const Index width = tile_columns(),
              before = first / w.group * panel_count(w.group) + first % w.group / width;
  return {kept + static_cast<std::size_t>(before) * panel_bytes(type, w.inputs, width), type, w.inputs,
          count};
}

struct Piece {
  Index begin, count;
};

// Adds pieces of outputs [begin, end), which lie in one group: of whole panels and nearly equal size, as many
// as threads or a multiple of that, and of about `numbers` weights at most.
void add_pieces(std::vector<Piece>& pieces, const Factor& w, Index begin, Index end, Index numbers) {
  const Index width = tile_columns(), panels = (end - begin + width - 1) / width;
  const Index most = std::max<Index>(1, numbers / std::max<Index>(1, w.inputs) / width);
  const Index threads = thread_count(), least = (panels + most - 1) / most;
  const Index count = std::min(panels, (least + threads - 1) / threads * threads);
  for (Index i = 0; i < count; ++i) {
    const Index from = begin + panels * i / count * width;
    pieces.push_back({from, std::min(end, begin + panels * (i + 1) / count * width) - from});
  }
}

}  // namespace

bool gains_by_panels(const Factor& w) {
  constexpr Index kLeastNumbers = 1 << 16;  // fewer are read quickly from anywhere
  return w.inputs * w.outputs >= kLeastNumbers && stored_in_place(w, 0, 1).has_value();
}

bool keep_panels(const Factor& w) {
  const Index width = tile_columns(), in_group = panel_count(w.group), count = w.outputs / w.group * in_group;
  const std::size_t of_one = panel_bytes(*stored_type(w.tensor->type), w.inputs, width);
  return w.panels->fill(static_cast<std::size_t>(count) * of_one, [&](char* to) {
    const std::stop_token stop = stop_token_here();
    for_each_index(count, static_cast<double>(w.inputs * w.outputs), [&](Index panel) {
      if (stop.stop_requested()) return;
      const Index column = panel % in_group * width;
      pack_stored_panels(
          *stored_in_place(w, panel / in_group * w.group + column, std::min(width, w.group - column)),
          to + static_cast<std::size_t>(panel) * of_one);
    });
    throw_if_stopped();
    require_unchanged(w);
    if (w.tensor->file) w.tensor->file->drop_pages(w.tensor->bytes);
  });
}

double bytes_of_panels(const Factor& w) {
  return static_cast<double>(w.inputs * w.outputs * stored_bytes(*stored_type(w.tensor->type)));
}

void multiply_columns(const MatrixRef& x, const Factor& w, Index first, MatrixOut y, Workspace& workspace) {
  std::vector<Piece> pieces;
  for (Index begin = first, end = first + y.cols(); begin < end;) {
    const Index next = std::min(end, begin + w.group - begin % w.group);
    add_pieces(pieces, w, begin, next, kPieceNumbers);
    begin = next;
  }
  const char* const panels = w.panels ? w.panels->data() : nullptr;
  PackedRows packed_rows(workspace);
  if (panels || !takes_few_rows(x.rows())) packed_rows.take(x, PackedRows::Threads::Several);
  const double work = static_cast<double>(w.inputs) * static_cast<double>(y.cols());
  const std::stop_token stop = stop_token_here();
  for_each_index(static_cast<Index>(pieces.size()), work, [&](Index i) {
    if (stop.stop_requested()) throw Stopped();
    const Piece& piece = pieces[static_cast<std::size_t>(i)];
    MatrixOut made = y.middleCols(piece.begin - first, piece.count);
    if (panels && piece.begin % w.group % tile_columns() == 0) {
      multiply_panels(packed_rows, panels_of(w, panels, piece.begin, piece.count), made, workspace);
      if (w.bias) add_bias(w, piece.begin, made);
    } else {
      multiply_piece(x, packed_rows, w, piece.begin, made, workspace);
    }
  });
  require_unchanged(w);
}

void multiply(const MatrixRef& x, const Factor& w, MatrixOut y, Workspace& workspace) {
  multiply_columns(x, w, 0, y, workspace);
}

void add_multiplied_back(const MatrixRef& y, const Factor& w, MatrixOut x, Workspace& workspace) {
  const bool rows = has_output_rows(w);
  const Index most = as_floats(*w.tensor) ? w.group : std::max<Index>(1, kWidenedNumbers / w.inputs);
  Scratch room(workspace);
  for (Index begin = 0, end = 0; begin < w.outputs; begin = end) {
    throw_if_stopped();
    end = std::min({w.outputs, begin + w.group - begin % w.group, begin + most});
    const Index count = end - begin;
    const Strip strip = strip_of(w, begin, count, room);
    const Strided map(strip.data, rows ? count : w.inputs, rows ? w.inputs : count,
                      Eigen::OuterStride<>(strip.stride));
    add_product({y.middleCols(begin, count)}, {map, !rows}, x, workspace);
  }
  require_unchanged(*w.tensor);
}

Matrix widened(const Factor& w) {
  Workspace workspace;
  Matrix whole(w.inputs, w.outputs);
  std::vector<Piece> pieces;
  for (Index begin = 0; begin < w.outputs; begin += w.group)
    add_pieces(pieces, w, begin, std::min(w.outputs, begin + w.group), kStripNumbers);
  for_each_index(static_cast<Index>(pieces.size()), static_cast<double>(whole.size()), [&](Index i) {
    const auto [begin, count] = pieces[static_cast<std::size_t>(i)];
    Scratch room(workspace);
    const Strip strip = strip_of(w, begin, count, room);
    if (has_output_rows(w))
      best_vector_loops().transpose(strip.data, strip.stride, count, w.inputs, whole.data() + begin,
                                    whole.outerStride());
    else
      whole.middleCols(begin, count) =
          Strided(strip.data, w.inputs, count, Eigen::OuterStride<>(strip.stride));
  });
  require_unchanged(*w.tensor);
  return whole;
}

Matrix widened_bias(const Factor& w) {
  if (!w.bias) return {};
  Matrix bias(1, w.outputs);
  for (Index begin = 0; begin < w.outputs; begin += w.group)
    widen(*w.bias, w.place(begin), std::min(w.group, w.outputs - begin), bias.data() + begin);
  require_unchanged(*w.bias);
  return bias;
}

}  // namespace headlight
