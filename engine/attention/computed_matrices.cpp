#include "engine/attention/computed_matrices.h"

#include <string>

#include "engine/attention/storage_choice.h"
#include "engine/core/error.h"

namespace headlight {

const Matrix& ComputedMatrices::get(Stage stage, Index sequence, Index head, const RowSource& rows) {
  const std::lock_guard lock(mutex_);
  const auto found = matrices_.find({stage, sequence, head});
  if (found != matrices_.end()) return found->second;
  const double bytes = sizeof(float) * static_cast<double>(rows.rows()) * static_cast<double>(rows.cols());
  if (bytes > most_of_one_ || bytes * static_cast<double>(matrices_.size() + 1) > most_of_all_)
    throw Error("the whole matrix takes " + gigabytes_text(bytes) + ", which is more than there is room for",
                std::string(stage_info(stage).name), "ask for a part of it");
  return matrices_[{stage, sequence, head}] = rows.whole();
}

}  // namespace headlight
