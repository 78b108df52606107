#include "app/export/computed_session.h"

#include "engine/attention/difference.h"

namespace headlight {

Tile ComputedSession::difference_from(const ComputedSession& before, const TileRequest& request) const {
  if (evaluator_) return difference_tile(*before.evaluator_, *evaluator_, request);
  std::optional<Tile> tile;
  (*elsewhere_)([&](const Evaluator& evaluator, const Evaluator* kept) {
    tile.emplace(difference_tile(*kept, evaluator, request));
  });
  return std::move(*tile);
}

}  // namespace headlight
