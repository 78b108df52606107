// Changes of an open model as values.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "engine/interpretation/open_model.h"

namespace headlight {

struct SetModelText {
  std::string text;
};
struct SetModelIds {
  std::vector<std::int32_t> ids;
};
struct SetModelIdsText {  // ids as typed: see ids_from_text
  std::string text;
};
struct ShowLayer {
  Index layer = 0;
};
struct SetHead {
  Index layer = 0, head = 0;
  HeadState state = HeadState::On;
};
struct KeepOnlyHead {  // switches off the other heads of its layer
  Index layer = 0, head = 0;
};
struct AddPatch {
  Patch patch;
};
struct SwitchChange {
  ChangeEntry entry;
};
struct RemoveChange {
  ChangeEntry entry;
};
struct ShowCheckpoint {  // of the same training
  std::shared_ptr<const Network> network;
};

using OpenModelEdit = std::variant<SetModelText, SetModelIds, SetModelIdsText, ShowLayer, SetHead,
                                   KeepOnlyHead, AddPatch, SwitchChange, RemoveChange, ShowCheckpoint>;

// Throws Error for a text that the model does not accept (see set_text), for a layer, a head or a listed
// change that it does not have, and for a checkpoint of another model; `work` then does not change.
void apply_open_model_edit(const OpenModelEdit& edit, OpenModel& work);

}  // namespace headlight
