// Blocks of both factors are packed into contiguous memory for the innermost loop, as in Goto and van de
// Geijn, "Anatomy of high-performance matrix multiplication" (2008).
#include "engine/simd/product.h"

#include <algorithm>

#include "engine/core/parallel.h"
#include "engine/simd/stored_loops.h"
#include "engine/simd/vector_loops.h"

namespace headlight {
namespace {

// Block sizes by cache level. A block of the right factor, kSteps x all its columns, fits the second or third
// level; a block of the left factor, whole panels of about kBlockRows rows and kSteps steps, the second; one
// panel of each, the first.
constexpr Index kBlockRows = 120;
constexpr Index kSteps = 384;  // a divisor of PackedRows::kDepth

Index block_rows_of(Index tile_rows) {
  return parts_of(kBlockRows, tile_rows) * tile_rows;
}

// The tile height of all instruction sets but AVX-512.
constexpr Index kCommonTileRows = 6;

// Copies `steps` rows of kWidth numbers. With a fixed width no function is called for each.
template <Index kWidth>
void copy_rows(const float* from, Index stride, Index steps, float* to) {
  for (Index step = 0; step < steps; ++step)
    std::memcpy(to + step * kWidth, from + step * stride, kWidth * sizeof(float));
}

// Copies rows of `there` numbers and pads them with zeros to `width`.
void copy_rows(const float* from, Index stride, Index there, Index steps, float* to, Index width) {
  for (Index step = 0; step < steps; ++step) {
    std::copy_n(from + step * stride, there, to + step * width);
    std::fill_n(to + step * width + there, width - there, 0.0f);
  }
}

StoredFactor stored(const RightFactor& b) {
  const Index inputs = b.transposed ? b.matrix.cols() : b.matrix.rows(),
              outputs = b.transposed ? b.matrix.rows() : b.matrix.cols();
  return {reinterpret_cast<const char*>(b.matrix.data()),
          StoredType::F32,
          b.matrix.outerStride(),
          b.transposed,
          inputs,
          outputs};
}

// A product of few rows that is large: one token's scores with many keys, say.
bool few_rows(const MatrixRef& a, const MatrixRef& c) {
  constexpr Index kLeastProducts = 1 << 12;  // below, Eigen is as fast
  return a.rows() > 0 && a.rows() <= kMostFewRows && c.cols() * a.cols() >= kLeastProducts;
}

void multiply_few(const MatrixRef& a, const RightFactor& b, MatrixOut c) {
  stored_loops(best_instruction_set())
      .multiply_few({a.data(), a.outerStride(), c.data(), c.outerStride(), a.rows()}, stored(b));
}

}  // namespace

// For a vector or very few numbers, packing costs more than it saves.
bool small_product(Index rows, Index columns, Index depth) {
  constexpr Index kFewRows = 4, kFewProducts = Index{16} * 16 * 16;
  return rows < kFewRows || columns < kFewRows || rows * columns * depth < kFewProducts;
}

Index tile_columns(InstructionSet set) {
  return vector_loops(set).tile_columns;
}

Index strip_columns(Index depth, InstructionSet set) {
  const Index width = tile_columns(set);
  return std::max<Index>(1, kStripNumbers / std::max<Index>(1, depth) / width) * width;
}

Index panel_count(Index columns, InstructionSet set) {
  return parts_of(columns, tile_columns(set));
}

void pack_panels(const StoredFactor& w, float* to, InstructionSet set) {
  const StoredLoops& loops = stored_loops(set);
  const Index width = tile_columns(set);
  for (Index column = 0; column < w.outputs; column += width)
    loops.pack(outputs_of(w, column, std::min(width, w.outputs - column)), to + column * w.inputs);
}

// A tile's blocks are contiguous, each followed by the kInterleaveRoom numbers that interleave may write.
Index PackedRows::tile_at(Index row, Index begin) const {
  const Index height = vector_loops(set_).tile_rows;
  const Index tile = height * depth_ + parts_of(depth_, kDepth) * kInterleaveRoom;
  return row / height * tile + begin * height + begin / kDepth * kInterleaveRoom;
}

void PackedRows::take(const MatrixRef& a, Threads threads) {
  const VectorLoops& loops = vector_loops(set_);
  const Index height = loops.tile_rows, count = parts_of(a.rows(), height);
  depth_ = a.cols();
  tiles_.resize(tile_at(count * height, 0));
  const double work = threads == Threads::Several ? static_cast<double>(a.size()) : 0;
  for_each_index(count, work, [&](Index tile) {
    const Index row = tile * height;
    for (Index begin = 0; begin < depth_; begin += kDepth)
      loops.interleave(a.data() + row * a.outerStride() + begin, a.outerStride(),
                       std::min(height, a.rows() - row), std::min(kDepth, depth_ - begin),
                       tiles_.data() + tile_at(row, begin));
  });
}

void PackedRows::take_transposed(const MatrixRef& a) {
  const Index height = vector_loops(set_).tile_rows;
  depth_ = a.rows();
  tiles_.resize(tile_at(parts_of(a.cols(), height) * height, 0));
  for (Index row = 0; row < a.cols(); row += height) {
    const Index there = std::min(height, a.cols() - row);
    for (Index begin = 0; begin < depth_; begin += kDepth) {
      const Index steps = std::min(kDepth, depth_ - begin);
      const float* from = a.data() + begin * a.outerStride() + row;
      float* to = tiles_.data() + tile_at(row, begin);
      if (there == height && height == kCommonTileRows)
        copy_rows<kCommonTileRows>(from, a.outerStride(), steps, to);
      else
        copy_rows(from, a.outerStride(), there, steps, to, height);
    }
  }
}

void PackedFactor::take(const RightFactor& b) {
  take(stored(b));
}

void PackedFactor::take(const StoredFactor& b) {
  depth_ = b.inputs;
  columns_ = b.outputs;
  const Index width = tile_columns(set_), count = panel_count(columns_, set_);
  panels_.resize(count * width * depth_);
  for_each_index(count, static_cast<double>(count * width * depth_), [&](Index i) {
    pack_panels(outputs_of(b, i * width, std::min(width, columns_ - i * width)),
                panels_.data() + i * width * depth_, set_);
  });
}

Index PackedFactor::block_rows() const {
  return block_rows_of(vector_loops(set_).tile_rows);
}

void PackedFactor::multiply_by(const MatrixRef& a, MatrixOut c) const {
  const Index most = block_rows();
  PackedRows block(panels_.workspace(), set_);
  for (Index first = 0; first < c.rows(); first += most) {
    const Index rows = std::min(most, c.rows() - first);
    block.take(a.middleRows(first, rows), PackedRows::Threads::One);
    multiply_by(block, c.middleRows(first, rows));
  }
}

void PackedFactor::multiply_by(const PackedRows& a, MatrixOut c) const {
  if (depth_ == 0) c.setZero();
  multiply_tiles(a, panels(), c, false);
}

void PackedFactor::add_multiplied_by(const PackedRows& a, MatrixOut c) const {
  multiply_tiles(a, panels(), c, true);
}

void PackedFactor::add_multiplied_by(const MatrixRef& a, MatrixOut c) const {
  PackedRows rows(panels_.workspace(), set_);
  rows.take(a, PackedRows::Threads::One);
  multiply_tiles(rows, panels(), c, true);
}

void multiply_tiles(const PackedRows& a, const Panels& b, MatrixOut c, bool add) {
  const VectorLoops& loops = vector_loops(a.set_);
  const Index height = loops.tile_rows, width = loops.tile_columns, most_rows = block_rows_of(height);
  const Index columns = std::min(b.columns, c.cols());
  for (Index first = 0; first < c.rows(); first += most_rows)
    for (Index begin = 0; begin < a.depth_; begin += kSteps) {
      const Index steps = std::min(kSteps, a.depth_ - begin), end = std::min(first + most_rows, c.rows()),
                  packed = begin / PackedRows::kDepth * PackedRows::kDepth;
      for (Index column = 0; column < columns; column += width)
        for (Index row = first; row < end; row += height)
          loops.multiply(a.tiles_.data() + a.tile_at(row, packed) + (begin - packed) * height,
                         b.numbers + column * b.depth + begin * width, steps,
                         {c.data() + row * c.outerStride() + column, c.outerStride(),
                          std::min(height, end - row), std::min(width, columns - column), add || begin > 0});
    }
}

void multiply_by_blocks(InstructionSet set, const MatrixRef& a, const RightFactor& b, MatrixOut c,
                        Workspace& workspace) {
  PackedFactor factor(workspace, set);
  factor.take(b);
  factor.multiply_by(a, c);
}

void add_product(const LeftFactor& a, const RightFactor& b, MatrixOut c, Workspace& workspace) {
  const Index depth = a.transposed ? a.matrix.rows() : a.matrix.cols();
  if (small_product(c.rows(), c.cols(), depth)) {
    const auto add = [&](const auto& left) {
      if (b.transposed)
        c.noalias() += left * b.matrix.transpose();
      else
        c.noalias() += left * b.matrix;
    };
    a.transposed ? add(a.matrix.transpose()) : add(a.matrix);
    return;
  }
  PackedFactor factor(workspace);
  factor.take(b);
  // As many blocks for each thread, of whole tiles.
  const Index height = best_vector_loops().tile_rows, threads = thread_count();
  const Index blocks = parts_of(parts_of(c.rows(), factor.block_rows()), threads) * threads;
  const Index most = parts_of(parts_of(c.rows(), blocks), height) * height;
  const double products = static_cast<double>(c.size()) * static_cast<double>(depth);
  for_each_index(parts_of(c.rows(), most), products / 16, [&](Index block) {
    const Index first = block * most, rows = std::min(most, c.rows() - first);
    PackedRows packed(workspace);
    if (a.transposed)
      packed.take_transposed(a.matrix.middleCols(first, rows));
    else
      packed.take(a.matrix.middleRows(first, rows), PackedRows::Threads::One);
    factor.add_multiplied_by(packed, c.middleRows(first, rows));
  });
}

void multiply(const MatrixRef& a, const MatrixRef& b, MatrixOut c, Workspace& workspace) {
  if (few_rows(a, c))
    multiply_few(a, {b}, c);
  else if (small_product(a.rows(), b.cols(), a.cols()))
    c.noalias() = a * b;
  else
    multiply_by_blocks(best_instruction_set(), a, {b}, c, workspace);
}

void multiply_transposed(const MatrixRef& a, const MatrixRef& b, MatrixOut c, Workspace& workspace) {
  if (few_rows(a, c))
    multiply_few(a, {b, true}, c);
  else if (small_product(a.rows(), b.rows(), a.cols()))
    c.noalias() = a * b.transpose();
  else
    multiply_by_blocks(best_instruction_set(), a, {b, true}, c, workspace);
}

}  // namespace headlight
