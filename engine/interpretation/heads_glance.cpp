#include "engine/interpretation/heads_glance.h"

#include "engine/core/parallel.h"
#include "engine/core/stopping.h"
#include "engine/network/layer_at.h"
#include "engine/views/plain_tile.h"

namespace headlight {

namespace {

// The tokens that the layers of a side compare.
TokenMatches matches_of(NetworkPass& pass, Side side) {
  const std::vector<std::string> queries = token_labels(pass.of_side(side));
  if (side == Side::Cross) return {queries, token_labels(*pass.encoder()), std::nullopt};
  return {queries, queries};
}

// The heads of one row.
void look_at(NetworkPass& whole, LayerPlace place, const TokenMatches& matches, Index picture_side,
             HeadOverview* heads) {
  NetworkPass& pass = whole.of_side(place.side);
  const bool cross = place.side == Side::Cross;
  // Computes the layer before several threads read its heads.
  if (cross)
    pass.need_cross(place.layer);
  else
    pass.queries(place.layer);
  const Layer& frame = cross ? pass.cross_frame(place.layer) : pass.layer_frame(place.layer);
  const std::stop_token stop = stop_token_here();
  const double work = static_cast<double>(frame.head_count()) * static_cast<double>(frame.token_count()) *
                      static_cast<double>(frame.key_count());
  for_each_index(frame.head_count(), work, [&](Index head) {
    if (stop.stop_requested()) throw Stopped();
    const Matrix weights =
        cross ? pass.cross_weights_there(place.layer, head) : pass.weights_there(place.layer, head);
    heads[head].measures = measured(HeadMeasuring(RowSource(weights), matches, {}));
    TileRequest request;
    request.head = head;
    request.max_rows = request.max_columns = picture_side;
    heads[head].picture = marked_tile(request, RowSource(weights), {frame.open_cells(0, head)});
  });
}

}  // namespace

HeadsOverview overview_of_heads(NetworkPass& pass, Index side,
                                const std::function<void(Index, Index)>& seen) {
  const NetworkConfig& config = pass.network().config();
  HeadsOverview glance;
  glance.places = layer_places(config);
  glance.layers = static_cast<Index>(glance.places.size());
  for (const LayerPlace place : glance.places)
    glance.counts.push_back(config_of(config, place.side).heads);
  glance.heads = most_heads(config);
  glance.all.resize(static_cast<std::size_t>(glance.layers * glance.heads));
  std::optional<TokenMatches> matches;
  for (Index row = 0; row < glance.layers; ++row) {
    throw_if_stopped();
    const LayerPlace place = glance.place(row);
    if (row == 0 || place.side != glance.place(row - 1).side) matches.emplace(matches_of(pass, place.side));
    look_at(pass, place, *matches, side, &glance.all[static_cast<std::size_t>(row * glance.heads)]);
    seen(row + 1, glance.layers);
  }
  return glance;
}

}  // namespace headlight
