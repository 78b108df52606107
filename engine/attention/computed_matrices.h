// Cache of whole matrices of stages that are not stored: computed on request, valid until the next edit.
#pragma once

#include <limits>
#include <map>
#include <mutex>
#include <tuple>

#include "engine/layer/stage.h"
#include "engine/views/row_source.h"

namespace headlight {

class ComputedMatrices {
 public:
  // Limits in bytes: of one matrix, and of all together.
  explicit ComputedMatrices(double most_of_one, double most_of_all = std::numeric_limits<double>::infinity())
      : most_of_one_(most_of_one), most_of_all_(most_of_all) {}

  // The matrix of these rows; the reference is valid until clear(). May run on several threads. Throws Error
  // if it exceeds a limit.
  const Matrix& get(Stage stage, Index sequence, Index head, const RowSource& rows);
  void clear() { matrices_.clear(); }

 private:
  double most_of_one_, most_of_all_;
  std::mutex mutex_;
  std::map<std::tuple<Stage, Index, Index>, Matrix> matrices_;
};

}  // namespace headlight
