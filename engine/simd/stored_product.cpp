#include "engine/simd/stored_product.h"

#include <algorithm>
#include <bit>

#include "engine/simd/stored_loops.h"

namespace headlight {

std::ptrdiff_t stored_bytes(StoredType type) {
  return type == StoredType::F32 ? 4 : 2;
}

StoredFactor outputs_of(const StoredFactor& w, std::ptrdiff_t first, std::ptrdiff_t count) {
  StoredFactor part = w;
  part.data += first * (w.transposed ? w.stride : 1) * stored_bytes(w.type);
  part.outputs = count;
  return part;
}

// A product with so few rows that reading the weights from memory takes about as long as multiplying them. A
// block of weights, most of which is contiguous in memory, is multiplied while the next block is on its way.
class StoredProduct {
 public:
  StoredProduct(const MatrixRef& x, const PackedRows& packed, const StoredFactor& w, Workspace& workspace)
      : x_(x),
        packed_(packed),
        loops_(stored_loops(packed.set_)),
        height_(vector_loops(packed.set_).tile_rows),
        width_(vector_loops(packed.set_).tile_columns),
        w_(w),
        by_dots_(w.transposed && x.rows() <= kMostDotted && w.outputs >= loops_.dot_outputs),
        in_place_(!w.transposed && w.type == StoredType::F32 && x.rows() <= 2 * height_),
        depth_(by_dots_       ? w.inputs
               : w.transposed ? PackedRows::kDepth
               : in_place_    ? kInputsInPlace
                              : kPackedInputs),
        outputs_(by_dots_       ? loops_.dot_outputs
                 : w.transposed ? width_
                                : w.outputs),
        room_(workspace, by_dots_ ? outputs_ * depth_ : depth_ * width_) {}

  void multiply(MatrixOut y) {
    Upcoming begin = upcoming_of(block_at(0, 0));
    loops_.request(begin);
    for (Index output = 0; output < w_.outputs; output += outputs_) {
      // The last dots overlap the ones before, which gives the same numbers again.
      const Index first = by_dots_ ? std::min(output, w_.outputs - outputs_) : output;
      for (Index input = 0; input < w_.inputs; input += depth_) {
        const Index end = input + depth_;
        const Upcoming upcoming =
            upcoming_of(end < w_.inputs ? block_at(output, end) : block_at(output + outputs_, 0));
        const StoredFactor block = block_at(first, input);
        MatrixOut made = y.middleCols(first, block.outputs);
        by_dots_ ? multiply_dots(block, upcoming, made) : multiply_panels(block, input, upcoming, made);
      }
    }
  }

 private:
  static constexpr Index kLine = 64;  // bytes of a cache line
  // Of a block whose rows are inputs: few, so that the outputs of a row are long pieces of memory.
  static constexpr Index kInputsInPlace = 64, kPackedInputs = 192;
  static constexpr Index kMostDotted = 32;  // rows; of more, packing with transposition is faster
  static_assert(PackedRows::kDepth % kInputsInPlace == 0 && PackedRows::kDepth % kPackedInputs == 0);

  // Of outputs_ x depth_, or what there is of them.
  StoredFactor block_at(Index output, Index input) const {
    StoredFactor block = outputs_of(w_, output, std::clamp<Index>(w_.outputs - output, 0, outputs_));
    block.data += input * (w_.transposed ? 1 : w_.stride) * stored_bytes(w_.type);
    block.inputs = std::min(depth_, w_.inputs - input);
    return block;
  }

  // What the loops over a block request of the next one, evenly.
  Upcoming upcoming_of(const StoredFactor& next) const {
    if (next.outputs == 0) return {};
    const Index bytes = (next.transposed ? next.inputs : next.outputs) * stored_bytes(next.type);
    const Index steps = by_dots_ ? parts_of(x_.rows(), loops_.dot_rows) * depth_ / (width_ / 2)
                                 : parts_of(outputs_, width_) * parts_of(x_.rows(), height_) * depth_;
    Upcoming upcoming;
    upcoming.next = next.data;
    upcoming.rows = next.transposed ? next.outputs : next.inputs;
    upcoming.row_lines = upcoming.in_row = parts_of(bytes, kLine);
    upcoming.gap = next.stride * stored_bytes(next.type) - upcoming.row_lines * kLine;
    const Index lines = upcoming.rows * upcoming.row_lines;
    upcoming.lines = static_cast<int>(parts_of(lines, std::max<Index>(1, steps)));
    upcoming.interval =
        static_cast<int>(std::bit_floor(static_cast<std::size_t>(std::max<Index>(1, steps / lines))));
    return upcoming;
  }

  // y: of the block's outputs, as below.
  void multiply_dots(StoredFactor block, Upcoming upcoming, MatrixOut y) {
    if (block.type != StoredType::F32) {
      for (Index output = 0; output < block.outputs; ++output)
        loops_.widen(block.type, outputs_of(block, output, 1).data, block.inputs,
                     room_.data() + output * block.inputs);
      block = {reinterpret_cast<const char*>(room_.data()),
               StoredType::F32,
               block.inputs,
               true,
               block.inputs,
               block.outputs};
    }
    for (Index row = 0; row < x_.rows(); row += loops_.dot_rows)
      loops_.multiply_dots(
          {x_.data() + row * x_.outerStride(), x_.outerStride(), y.data() + row * y.outerStride(),
           y.outerStride(), std::min<Index>(loops_.dot_rows, x_.rows() - row)},
          block, upcoming);
  }

  void multiply_panels(const StoredFactor& block, Index input, Upcoming upcoming, MatrixOut y) {
    const Index begin = input / PackedRows::kDepth * PackedRows::kDepth;
    for (Index column = 0; column < block.outputs; column += width_) {
      const StoredFactor panel = outputs_of(block, column, std::min<Index>(width_, block.outputs - column));
      const bool in_place = in_place_ && panel.outputs == width_;
      if (!in_place) loops_.pack(panel, room_.data());
      for (Index row = 0; row < x_.rows(); row += height_) {
        const float* left = packed_.tiles_.data() + packed_.tile_at(row, begin) + (input - begin) * height_;
        const TileTarget target = {y.data() + row * y.outerStride() + column, y.outerStride(),
                                   std::min(height_, x_.rows() - row), panel.outputs, input > 0};
        if (in_place)
          loops_.multiply_inputs(left, panel, target, upcoming);
        else
          loops_.multiply_panel(left, room_.data(), panel.inputs, target, upcoming);
      }
    }
  }

  const MatrixRef& x_;
  const PackedRows& packed_;
  const StoredLoops& loops_;
  Index height_, width_;  // of a tile
  StoredFactor w_;
  bool by_dots_, in_place_;
  Index depth_, outputs_;  // of a block
  Scratch room_;           // a panel, or the widened outputs of dots
};

void multiply_stored(const MatrixRef& x, const PackedRows& packed, const StoredFactor& w, MatrixOut y,
                     Workspace& workspace, InstructionSet set) {
  constexpr Index kReadingRows = 160;  // up to so many, reading the weights from memory matters
  if (takes_few_rows(x.rows()))
    return stored_loops(set).multiply_few({x.data(), x.outerStride(), y.data(), y.outerStride(), x.rows()},
                                          w);
  if (w.inputs == 0) {
    y.setZero();
    return;
  }
  if (x.rows() <= kReadingRows) return StoredProduct(x, packed, w, workspace).multiply(y);
  const Index strip = strip_columns(w.inputs, set);
  PackedFactor factor(workspace, set);
  for (Index first = 0; first < w.outputs; first += strip) {
    const Index count = std::min<Index>(strip, w.outputs - first);
    factor.take(outputs_of(w, first, count));
    factor.multiply_by(packed, y.middleCols(first, count));
  }
}

}  // namespace headlight
