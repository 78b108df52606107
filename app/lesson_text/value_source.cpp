#include "app/lesson_text/value_source.h"

#include "engine/core/error.h"

namespace headlight {

SourceGradients PassValues::gradients() const {
  if (goal_ && !std::exchange(tried_, true)) {
    try {
      validate_goal(pass_.layer(), *goal_);
      gradients_ = std::make_unique<Gradients>(headlight::gradients(pass_.layer(), *goal_));
    } catch (const Error&) {
      gradients_.reset();
    }
  }
  return {false, gradients_.get()};
}

}  // namespace headlight
