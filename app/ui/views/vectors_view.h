// Tokens as points in a plane, with arrows from each value to its context.
#pragma once

#include <memory>
#include <optional>

#include "app/figure/diagrams/vector_plan.h"
#include "app/ui/kit/area.h"
#include "engine/views/point_cloud.h"

namespace headlight {

// Which stages are seen together: those whose rows live in one and the same space.
enum class VectorSpace { Embeddings, QueriesKeys, ValuesContext, EmbeddingsOutput };

// A token's embedding that is dragged over the plane.
struct VectorDrag {
  Index token = 0;
  std::uint64_t gesture = 0;
  VectorScale scale;  // stays as it is, so that the point stays under the pointer
};

// What the view remembers from frame to frame.
struct VectorsViewState {
  std::optional<VectorDrag> drag;
  std::optional<VectorSpace> space;   // none: as the chosen stage suggests
  Stage chosen_for = Stage::Weights;  // the stage that was the large one when `space` was chosen
  PlaneKind plane = PlaneKind::FirstTwo;
  std::shared_ptr<const PointCloud> cloud;  // the newest; null before the first
  std::uint64_t model_revision = 0;         // of the model that it is of
};

void draw_vectors_view(UiContext& ui, VectorsViewState& state, const Area& area);

}  // namespace headlight
