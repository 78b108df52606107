#include "app/lesson_text/lesson_number.h"

namespace headlight {

std::string lesson_number(int order, const std::optional<int>& variation_of) {
  if (!variation_of) return std::to_string(order);
  constexpr int kLetters = 26;
  const std::string place = order >= 1 && order <= kLetters
                                ? std::string(1, static_cast<char>('a' + order - 1))
                                : "." + std::to_string(order);
  return std::to_string(*variation_of) + place;
}

}  // namespace headlight
