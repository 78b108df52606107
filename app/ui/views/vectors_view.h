// The vectors view: tokens as points in a plane, with arrows from each value to its context.
#pragma once

#include <memory>
#include <optional>

#include "app/figure/plan/vector_plan.h"
#include "app/ui/widgets/area.h"
#include "engine/views/point_cloud.h"

namespace headlight {

// The stages that are drawn together: their rows are vectors of the same space.
enum class VectorSpace { Embeddings, QueriesKeys, ValuesContext, EmbeddingsOutput };

// A token's embedding that is being dragged over the plane.
struct VectorDrag {
  Index token = 0;
  std::uint64_t gesture = 0;
  VectorScale scale;  // fixed during the drag, so that the point stays under the pointer
};

// State of the view across frames.
struct VectorsViewState {
  std::optional<VectorDrag> drag;
  std::optional<VectorSpace> space;   // nullopt: the default of the chosen stage
  Stage chosen_for = Stage::Weights;  // the large stage when `space` was chosen
  PlaneKind plane = PlaneKind::FirstTwo;
  std::shared_ptr<const PointCloud> cloud;  // the newest; null before the first
  std::uint64_t layer_revision = 0;         // Document::layer_revision of the cloud
};

void draw_vectors_view(UiContext& ui, VectorsViewState& state, const Area& area);

}  // namespace headlight
