#include "engine/simd/panel_product.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "engine/simd/stored_loops.h"

namespace headlight {
namespace {

// Numbers of two bytes stay as they are.
using Half = std::uint16_t;

void pack_halves(const StoredFactor& w, Index width, Half* to) {
  const auto at = [&](Index input, Index output) {
    Half half = 0;
    if (output < w.outputs)
      std::memcpy(&half,
                  w.data + (w.transposed ? output * w.stride + input : input * w.stride + output) *
                               static_cast<Index>(sizeof half),
                  sizeof half);
    return half;
  };
  const Index count = parts_of(w.outputs, width) * width;
  for (Index column = 0; column < count; column += width)
    for (Index input = 0; input < w.inputs; ++input)
      for (Index i = 0; i < width; ++i)
        to[column * w.inputs + input * width + i] = at(input, column + i);
}

}  // namespace

// All rows meet a block of a panel while the next block, which follows in memory, is on its way.
class PanelProduct {
 public:
  PanelProduct(const PackedRows& packed, const StoredPanels& panels, Workspace& workspace, InstructionSet set)
      : packed_(packed),
        panels_(panels),
        loops_(stored_loops(set)),
        height_(vector_loops(set).tile_rows),
        width_(vector_loops(set).tile_columns),
        bytes_(stored_bytes(panels.type)),
        most_steps_(panels.type == StoredType::F32 ? PackedRows::kDepth : kWidenedSteps),
        room_(workspace) {}

  void multiply(MatrixOut y) {
    const Index tiles = parts_of(y.rows(), height_);
    const char* const end = panels_.data + parts_of(y.cols(), width_) * width_ * panels_.depth * bytes_;
    const char* block = panels_.data;
    for (Index column = 0; column < y.cols(); column += width_)
      for (Index begin = 0; begin < panels_.depth; begin += most_steps_) {
        const Index steps = std::min(most_steps_, panels_.depth - begin),
                    packed = begin / PackedRows::kDepth * PackedRows::kDepth;
        const char* const next = block + steps * width_ * bytes_;
        const Index ahead = std::min<Index>(end - next, steps * width_ * bytes_);
        Upcoming upcoming = upcoming_of(next, ahead, tiles * steps);
        const float* const numbers = widened(block, steps * width_);
        for (Index row = 0; row < y.rows(); row += height_)
          loops_.multiply_panel(
              packed_.tiles_.data() + packed_.tile_at(row, packed) + (begin - packed) * height_, numbers,
              steps,
              {y.data() + row * y.outerStride() + column, y.outerStride(), std::min(height_, y.rows() - row),
               std::min(width_, y.cols() - column), begin > 0},
              upcoming);
        block = next;
      }
  }

  // With more rows, whole strips of panels stay in the cache.
  void multiply_strips(MatrixOut y) {
    const Index strip = strip_columns(panels_.depth, packed_.set_);
    for (Index first = 0; first < y.cols(); first += strip) {
      const Index count = std::min(strip, y.cols() - first);
      const float* const numbers = widened(panels_.data + first * panels_.depth * bytes_,
                                           parts_of(count, width_) * width_ * panels_.depth);
      multiply_tiles(packed_, {numbers, panels_.depth, count}, y.middleCols(first, count), false);
    }
  }

 private:
  static constexpr Index kWidenedSteps = 192;  // a widened block stays in the first-level cache
  static_assert(PackedRows::kDepth % kWidenedSteps == 0);

  // So many numbers, in the room unless they are float32.
  const float* widened(const char* from, Index count) {
    if (panels_.type == StoredType::F32) return reinterpret_cast<const float*>(from);
    room_.resize(count);
    loops_.widen(panels_.type, from, count, room_.data());
    return room_.data();
  }

  // So many bytes from `next` on, requested evenly in that many steps.
  static Upcoming upcoming_of(const char* next, Index bytes, Index steps) {
    constexpr Index kLine = 64;  // bytes of a cache line
    const Index lines = bytes / kLine;
    if (lines == 0) return {};
    Upcoming upcoming;
    upcoming.next = next;
    upcoming.rows = 1;
    upcoming.row_lines = upcoming.in_row = lines;
    upcoming.lines = static_cast<int>(parts_of(lines, steps));
    upcoming.interval =
        static_cast<int>(std::bit_floor(static_cast<std::size_t>(std::max<Index>(1, steps / lines))));
    return upcoming;
  }

  const PackedRows& packed_;
  const StoredPanels& panels_;
  const StoredLoops& loops_;
  Index height_, width_;  // of a tile
  Index bytes_;           // of a number
  Index most_steps_;      // of a block
  Scratch room_;
};

std::size_t panel_bytes(StoredType type, Index depth, Index columns, InstructionSet set) {
  return static_cast<std::size_t>(panel_count(columns, set) * tile_columns(set) * depth * stored_bytes(type));
}

void pack_stored_panels(const StoredFactor& w, char* to, InstructionSet set) {
  if (w.type == StoredType::F32) return pack_panels(w, reinterpret_cast<float*>(to), set);
  pack_halves(w, tile_columns(set), reinterpret_cast<Half*>(to));
}

void multiply_panels(const PackedRows& packed, const StoredPanels& panels, MatrixOut y, Workspace& workspace,
                     InstructionSet set) {
  constexpr Index kReadingRows = 400;  // up to so many, reading the panels from memory matters
  if (panels.depth == 0) {
    y.setZero();
    return;
  }
  PanelProduct product(packed, panels, workspace, set);
  y.rows() <= kReadingRows ? product.multiply(y) : product.multiply_strips(y);
}

}  // namespace headlight
