#include "app/ui/context/action_info.h"

namespace headlight {

std::string action_keys(const ActionInfo& info) {
  return info.chords.empty() ? std::string() : chord_text(info.chords.front());
}

std::string all_action_keys(const ActionInfo& info) {
  std::string keys;
  for (const KeyChord& chord : info.chords)
    keys += (keys.empty() ? "" : ", ") + chord_text(chord);
  return keys;
}

std::string action_tip(const ActionInfo& info) {
  const std::string keys = action_keys(info);
  return std::string(info.what) + (keys.empty() ? "" : " (" + keys + ")");
}

}  // namespace headlight
