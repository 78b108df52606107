#include "app/ui/context/model_view.h"

#include <algorithm>

#include "engine/core/error.h"

namespace headlight {

Index ModelView::shown_position() const {
  const auto last = static_cast<Index>(work->ids.size()) - 1;
  if (position) return std::clamp<Index>(*position, 0, last);
  try {
    return predicted_position(*work->network, work->ids);
  } catch (const Error&) {
    return last;  // of a text in which no word is masked
  }
}

LogitChoice ModelView::logit_choice() const {
  LogitChoice choice;
  choice.position = shown_position();
  choice.other = against;
  if (target)
    choice.id = *target;
  else if (answer && !answer->predictions.empty())
    choice.id = answer->predictions.front().id;
  return choice;
}

}  // namespace headlight
