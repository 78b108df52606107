#include "app/cli/commands.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

// "the only head is 0", or "the heads are 0 to 3".
std::string indices_below(Index count, const std::string& thing) {
  return count == 1 ? "the only " + thing + " is 0"
                    : "the " + thing + "s are 0 to " + std::to_string(count - 1);
}

}  // namespace

std::vector<Index> chosen_heads(const StageChoice& choice, const Model& model) {
  if (choice.sequence < 0 || choice.sequence >= model.sequence_count())
    throw Error("there is no sequence " + std::to_string(choice.sequence), "--sequence",
                indices_below(model.sequence_count(), "sequence"));
  const Index count = stage_heads(model, choice.stage);
  std::vector<Index> heads;
  if (!choice.heads) {
    for (Index head = 0; head < count; ++head)
      heads.push_back(head);
    return heads;
  }
  for (const Index head : *choice.heads)
    if (head < 0 || head >= count)
      throw Error(
          "there is no head " + std::to_string(head) + " of " + std::string(stage_info(choice.stage).name),
          "--head", indices_below(count, "head"));
  return *choice.heads;
}

}  // namespace headlight
