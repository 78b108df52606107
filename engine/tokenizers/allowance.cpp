#include "engine/tokenizers/allowance.h"

#include <algorithm>

#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

}  // namespace

Allowance::Allowance(std::size_t bytes)
    : longest_(std::min(16 * kMiB, kMiB + 16 * std::min(bytes, kMiB))),
      left_(16 * kMiB + 128 * std::min(bytes, 16 * kMiB)) {}

void Allowance::require_room(std::size_t bytes, const std::string& place) const {
  if (bytes > longest_)
    throw Error("the text grows beyond " + std::to_string(longest_ / kMiB) + " MiB", place,
                "use a shorter text");
}

void Allowance::spend(std::size_t bytes, std::size_t parts, const std::string& place) {
  constexpr std::size_t kBytesOfPart = 16;  // overhead of one part
  require_room(bytes, place);
  const std::size_t cost = bytes + kBytesOfPart * parts;
  if (cost > left_)
    throw Error("the steps make ever more of the text", place,
                "use a shorter text, or save the tokenizer with fewer steps");
  left_ -= cost;
}

SearchBudget::SearchBudget(std::size_t bytes, const std::string& place)
    : left_((std::size_t{1} << 16) + 256 * bytes), place_(place) {}

void SearchBudget::refuse() const {
  throw Error("too many long words begin alike: the text would be read over and over", place_,
              "use a shorter text, or a tokenizer with shorter words");
}

void require_few_steps(std::size_t count, const std::string& place) {
  constexpr std::size_t kMost = 1000;
  if (count > kMost)
    throw Error("there are more than " + std::to_string(kMost) + " steps", place,
                "save the tokenizer with fewer");
}

}  // namespace headlight
