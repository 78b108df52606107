#include "app/ui/picture/movement_text.h"

#include "app/figure/plan/heatmap_figure.h"

namespace headlight {

std::string part_label(TrainedPart part) {
  return part == TrainedPart::Embeddings ? "embeddings"
                                         : std::string("W_") + parameter_name(weights_of(part));
}

const char* part_tip(TrainedPart part) {
  return part == TrainedPart::Embeddings ? "The embeddings of the tokens" : "The matrix and its bias";
}

std::string most_moved_text(const std::vector<Movement>& movements, Counting counting) {
  if (movements.empty() || movements.front().distance == 0) return "";
  const Movement& most = movements.front();
  const bool embeddings = most.name.starts_with("embeddings");
  return std::string(embeddings ? "" : "W_") + most.name + "[" + counting.number(most.row) + ", " +
         counting.number(most.column) + "] " + number_text(most.from, 2) + " → " + number_text(most.to, 2);
}

}  // namespace headlight
