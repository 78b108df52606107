#include "engine/interpretation/heads_glance.h"

#include "engine/core/parallel.h"
#include "engine/core/stopping.h"
#include "engine/network/layer_model.h"
#include "engine/views/plain_tile.h"

namespace headlight {

HeadsOverview overview_of_heads(NetworkPass& pass, Index side,
                                const std::function<void(Index, Index)>& seen) {
  const NetworkConfig& config = pass.network().config();
  const std::vector<std::string> labels = token_labels(pass);
  const TokenMatches matches(labels, labels);
  HeadsOverview glance{config.layers, config.heads, {}};
  glance.all.resize(static_cast<std::size_t>(config.layers * config.heads));
  for (Index layer = 0; layer < config.layers; ++layer) {
    throw_if_stopped();
    pass.queries(layer);  // computes the layer before several threads read its heads
    const std::stop_token stop = stop_token_here();
    const double work = static_cast<double>(config.heads) * static_cast<double>(pass.token_count()) *
                        static_cast<double>(pass.token_count());
    for_each_index(config.heads, work, [&](Index head) {
      if (stop.stop_requested()) throw Stopped();
      const Matrix weights = pass.weights_there(layer, head);
      HeadOverview& one = glance.all[static_cast<std::size_t>(layer * config.heads + head)];
      one.measures = measured(HeadMeasuring(RowSource(weights), matches, {}));
      TileRequest request;
      request.head = head;
      request.max_rows = request.max_columns = side;
      one.picture = marked_tile(request, RowSource(weights), {pass.layer_frame(layer).open_cells(0, head)});
    });
    seen(layer + 1, config.layers);
  }
  return glance;
}

}  // namespace headlight
