#include "engine/core/error.h"

#include <utility>

namespace headlight {

Error::Error(std::string what, std::string where, std::string hint)
    : summary_(std::move(what)), where_(std::move(where)), hint_(std::move(hint)) {
  line_ = where_.empty() ? summary_ : where_ + ": " + summary_;
  if (!hint_.empty()) line_ += " (" + hint_ + ")";
}

Error Error::inside(const std::string& outer) const {
  return Error(summary_, where_.empty() ? outer : outer + ": " + where_, hint_);
}

}  // namespace headlight
