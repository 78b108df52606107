#include "engine/network/layer_attention.h"

#include <algorithm>

#include "engine/attention/pair_rows.h"
#include "engine/core/parallel.h"
#include "engine/core/stopping.h"

namespace headlight {
namespace {

// Queries per task: their scores stay in the second-level cache for up to a thousand tokens.
constexpr Index kQueries = 96;

// The range of keys that any of the queries [first, first + rows) may attend to; all keys if there is a mask
// matrix.
struct Keys {
  Index begin = 0, end = 0;
};

Keys keys_of(const OpenCells& open, Index first, Index rows, Index count) {
  if (open.allowed) return {0, count};
  const Index begin = std::min(open.band.begin(first), count);
  return {begin, std::clamp(open.band.end(first + rows - 1), begin, count)};
}

// Weights for a range of keys; `first` is relative to its first key, since a band depends on the distance
// alone. Each stage takes the place of the one before it.
void weights_of(const Layer& layer, Index head, StageSet existing, const OpenCells& open, const MatrixRef& q,
                const MatrixRef& k, Index first, MatrixOut weights, Workspace& workspace) {
  const auto same_place = [&](Stage /*stage*/) { return weights; };
  compute_pair_rows(layer, {0, head, first, existing, existing}, open, q, k, same_place, workspace);
}

}  // namespace

void attend(const Layer& layer, const MatrixRef& q, const MatrixRef& k, const MatrixRef& v, Index first,
            MatrixOut concat, Workspace& workspace, const OverwriteWeights& overwrite) {
  const Index heads = layer.head_count(), d_k = layer.d_k(), d_v = layer.d_v();
  const Index blocks = (q.rows() + kQueries - 1) / kQueries;
  const double work =
      static_cast<double>(heads) * static_cast<double>(q.rows()) * static_cast<double>(k.rows());
  const StageSet existing = existing_stages(layer);
  const bool biased = (existing & stage_bit(Stage::Biased)) != 0;  // a bias has a number for each key
  const std::stop_token stop = stop_token_here();
  for_each_index(heads * blocks, work, [&](Index i) {
    if (stop.stop_requested()) throw Stopped();
    const Index head = i / blocks, begin = i % blocks * kQueries, group = layer.kv_head_of(head);
    const Index rows = std::min(kQueries, q.rows() - begin);
    OpenCells open = layer.open_cells(0, head);
    const bool all_keys = overwrite || biased;
    const Keys keys = all_keys ? Keys{0, k.rows()} : keys_of(open, first + begin, rows, k.rows());
    const Index count = keys.end - keys.begin;
    MatrixOut context = concat.block(begin, head * d_v, rows, d_v);
    if (count == 0) {
      context.setZero();
      return;
    }
    open.band.keys = std::min(open.band.keys - keys.begin, count);  // from the range's first key on
    ScratchMatrix weights(workspace, rows, count);
    weights_of(layer, head, existing, open, q.block(begin, head * d_k, rows, d_k),
               k.block(keys.begin, group * d_k, count, d_k), first + begin - keys.begin, *weights, workspace);
    if (overwrite) {
      overwrite(head, first + begin, *weights);
      // The mask no longer determines which weights are zero: multiplies all of them.
      multiply(*weights, v.middleCols(group * d_v, d_v), context, workspace);
      return;
    }
    weighted_sum(*weights, v.block(keys.begin, group * d_v, count, d_v), open.band,
                 first + begin - keys.begin, context, workspace);
  });
}

void attend_weights(const Layer& layer, Index head, const MatrixRef& q, const MatrixRef& k, Index first,
                    MatrixOut weights, Workspace& workspace) {
  weights_of(layer, head, existing_stages(layer), layer.open_cells(0, head), q, k, first, weights, workspace);
}

}  // namespace headlight
