// A model that is open in a window: a text in it, the layer that is shown, and what was changed, each of
// which can be switched off and stays listed.
#pragma once

#include <string>

#include "engine/core/counting.h"
#include "engine/interpretation/model_state.h"

namespace headlight {

struct ModelChanges {
  std::map<Index, LayerChanges> layers;  // those that are changed
  std::vector<Patch> patches;
  bool operator==(const ModelChanges&) const = default;
};

struct ModelWork {
  std::shared_ptr<const Network> network;
  std::string path;  // of the folder, as a session's file names it; empty: where it is
  std::string text;  // as it was typed; empty where ids are given
  std::vector<std::int32_t> ids;
  Index layer = 0;       // that is shown
  ModelChanges on, off;  // what counts, and what waits
  bool operator==(const ModelWork&) const = default;
};

ModelState state_of(const ModelWork& work);

// Another text, or tokens of it. Patches that lie beyond its end, and masks of another length, are switched
// off. Throws Error as Network::encode and Network::require_ids; the work is then as it was.
void set_text(ModelWork& work, const std::string& text);
void set_ids(ModelWork& work, const std::vector<std::int32_t>& ids);

// Ids as one types them, with commas or blanks between two: "464, 3797". Throws Error for what is no id.
std::vector<std::int32_t> ids_from_text(const std::string& text);
std::string ids_text(const std::vector<std::int32_t>& ids);

// One thing that was changed.
enum class ChangeKind { Head, Temperature, Mask, Weights, Patch };
struct ChangeEntry {
  ChangeKind kind = ChangeKind::Head;
  Index layer = 0;
  Index at = 0;  // Head: which; Weights: the Parameter; Patch: its place among those that are on, or off
  bool on = true;
  bool operator==(const ChangeEntry&) const = default;
};

// By layer and kind; each keeps its place when it is switched.
std::vector<ChangeEntry> list_changes(const ModelWork& work);
// "layer 3, head 5 switched off". Precondition: of list_changes().
std::string change_text(const ModelWork& work, const ChangeEntry& entry, Counting counting);
// Switches it off or on, in the place of what is there of the same kind; or takes it away.
void switch_change(ModelWork& work, const ChangeEntry& entry);
void remove_change(ModelWork& work, const ChangeEntry& entry);
// Of a head of a layer; On takes the change away.
void set_head(ModelWork& work, Index layer, Index head, HeadState state);
// In the place of one of the same block of numbers.
void add_patch(ModelWork& work, Patch patch);

}  // namespace headlight
