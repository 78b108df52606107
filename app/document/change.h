// What a step of the history holds, and what that weighs.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/edit.h"

namespace headlight {

struct OpenModel;

struct Labels {  // the texts of a session, which no stage depends on
  std::vector<std::string> tokens, key_tokens;
  std::string title, notes;
};

// Any part may be missing.
struct Change {
  std::optional<Edit> edit;
  std::optional<Labels> labels;
  std::optional<bool> weights_edited;  // Weights::edited after the change: undo brings drawn weights back
  std::shared_ptr<const OpenModel> work = {};  // of the whole model that is open
};

// The memory that the change keeps from being freed: every number and every text in it.
std::size_t bytes_of(const Change& change);

}  // namespace headlight
