// The names of arrays that act on attention beside inputs, weights and masks: what each does, and how it is
// read, or what to do where it is not. app/manual/arrays.md shows the table.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/array_import/array_roles.h"

namespace headlight {

// A single number that is a setting of the layer.
enum class StatedSetting { None, Heads, KvHeads, Scale, Softcap, Causal, Window, Dropout };

struct ActingName {
  // Last parts of names in lower case, without ".weight", ".bias" and ".kernel"; separated by blanks.
  // "*lora_*" is found anywhere in a name.
  std::string_view names;
  std::string_view shape;              // "" for any
  std::string_view does;               // "keys and values are made by way of fewer numbers (low-rank)"
  std::string_view how;                // how it is read, or how to mend it
  std::optional<ArrayRole> role = {};  // as which it is read
  StatedSetting setting = StatedSetting::None;
  // When else it changes nothing.
  enum class Unless { Never, WithoutCausal, Rotary, Zero } unless = Unless::Never;
  bool before_scores = false;  // it acts on queries and keys: not where scores are given

  bool read() const { return role || setting != StatedSetting::None; }
};

std::span<const ActingName> acting_names();

// The row of an array's name; null if there is none.
const ActingName* acting_name(std::string_view name);

// The table as a list in Markdown, for the manual.
std::string acting_names_markdown();

}  // namespace headlight
