#include "app/cli/commands.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

// "0", or "0 to 3".
std::string indices_below(Index count) {
  return count == 1 ? "0" : "0 to " + std::to_string(count - 1);
}

}  // namespace

std::vector<Index> chosen_heads(const StageChoice& choice, const Model& model) {
  if (choice.sequence < 0 || choice.sequence >= model.sequence_count())
    throw Error("there is no sequence " + std::to_string(choice.sequence), "--sequence",
                "this session has " + indices_below(model.sequence_count()));
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
          "--head", "it has " + indices_below(count));
  return *choice.heads;
}

}  // namespace headlight
