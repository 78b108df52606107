#include "engine/network/factor.h"

#include <algorithm>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/core/stopping.h"
#include "engine/simd/product.h"

namespace headlight {
namespace {

// Numbers per strip, half a megabyte: a strip is copied and multiplied by every row while it is in the
// processor's cache.
constexpr Index kStripNumbers = 1 << 17;
constexpr Index kWidenedNumbers = 1 << 22;  // of a strip that all threads multiply by together
constexpr Index kFewRows = 4;               // with fewer rows, copying costs more than it gains

// View of a strip, with `stride` numbers from one row of the tensor to the next.
using Strided = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;

// Whether the tensor, as it is stored, has one row per output.
bool has_output_rows(const Factor& w) {
  return w.transposed != w.tensor->turned;
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
  if (rows) {
    widen_stored(*w.tensor, place * columns, count * columns, room.data());
    return {room.data(), columns};
  }
  for (Index row = 0; row < w.inputs; ++row)
    widen_stored(*w.tensor, row * columns + place, count, room.data() + row * count);
  return {room.data(), count};
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

// y = x times the outputs from `begin` on, which lie in one group. packed_rows: x in packed form, used unless
// x has few rows. Runs on the calling thread.
void multiply_strip(const MatrixRef& x, const PackedRows& packed_rows, const Factor& w, Index begin,
                    MatrixOut y, Workspace& workspace) {
  Scratch room(workspace);
  const Strip strip = strip_of(w, begin, y.cols(), room);
  const bool rows = has_output_rows(w);
  const Strided map(strip.data, rows ? y.cols() : w.inputs, rows ? w.inputs : y.cols(),
                    Eigen::OuterStride<>(strip.stride));
  if (x.rows() >= kFewRows) {
    PackedFactor packed(workspace);
    packed.take({map, rows});
    packed.multiply_by(packed_rows, y);
  } else if (rows) {
    y.noalias() = x * map.transpose();
  } else {
    y.noalias() = x * map;
  }
  if (w.bias) add_bias(w, begin, y);
}

struct Piece {
  Index begin, count;
};

// Adds strips for outputs [begin, end), which lie in one group: of whole panels and nearly equal size, as
// many as threads or a multiple of that.
void add_strips(std::vector<Piece>& pieces, const Factor& w, Index begin, Index end) {
  const Index width = tile_columns(), panels = (end - begin + width - 1) / width;
  const Index most = std::max<Index>(1, kStripNumbers / std::max<Index>(1, w.inputs) / width);
  const Index threads = thread_count(), least = (panels + most - 1) / most;
  const Index strips = std::min(panels, (least + threads - 1) / threads * threads);
  for (Index i = 0; i < strips; ++i) {
    const Index from = begin + panels * i / strips * width;
    pieces.push_back({from, std::min(end, begin + panels * (i + 1) / strips * width) - from});
  }
}

}  // namespace

void multiply_columns(const MatrixRef& x, const Factor& w, Index first, MatrixOut y, Workspace& workspace) {
  std::vector<Piece> pieces;
  for (Index begin = first, end = first + y.cols(); begin < end;) {
    const Index next = std::min(end, begin + w.group - begin % w.group);
    add_strips(pieces, w, begin, next);
    begin = next;
  }
  PackedRows packed_rows(workspace);
  if (x.rows() >= kFewRows) packed_rows.take(x, PackedRows::Threads::Several);
  const double work = static_cast<double>(w.inputs) * static_cast<double>(y.cols());
  const std::stop_token stop = stop_token_here();
  for_each_index(static_cast<Index>(pieces.size()), work, [&](Index i) {
    if (stop.stop_requested()) throw Stopped();
    const Piece& piece = pieces[static_cast<std::size_t>(i)];
    multiply_strip(x, packed_rows, w, piece.begin, y.middleCols(piece.begin - first, piece.count), workspace);
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
  const bool rows = has_output_rows(w);
  Workspace workspace;
  Scratch room(workspace);
  Matrix whole(w.inputs, w.outputs);
  for (Index begin = 0; begin < w.outputs; begin += w.group) {
    const Index count = std::min(w.group, w.outputs - begin);
    const Strip strip = strip_of(w, begin, count, room);
    const Strided map(strip.data, rows ? count : w.inputs, rows ? w.inputs : count,
                      Eigen::OuterStride<>(strip.stride));
    if (rows)
      whole.middleCols(begin, count) = map.transpose();
    else
      whole.middleCols(begin, count) = map;
  }
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
