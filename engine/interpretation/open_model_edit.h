// Changes of an open model as values.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "engine/interpretation/open_model.h"

namespace headlight {

struct SetModelText {
  std::string text;
  Side side = Side::Own;
};
struct SetModelIds {
  std::vector<std::int32_t> ids;
  Side side = Side::Own;
};
struct SetModelIdsText {  // ids as typed: see ids_from_text
  std::string text;
  Side side = Side::Own;
};
struct SetModelImage {
  std::shared_ptr<const OpenImage> image;
};
struct ShowLayer {
  LayerPlace layer;
};
struct SetHead {
  LayerPlace layer;
  Index head = 0;
  HeadState state = HeadState::On;
};
struct KeepOnlyHead {  // switches off the other heads of its layer
  LayerPlace layer;
  Index head = 0;
};
struct AddPatch {
  Patch patch;
};
struct AddIntervention {
  Intervention intervention;
};
struct ReplaceIntervention {  // a listed one
  ChangeEntry entry;
  Intervention intervention;
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

struct ChooseSet {  // none: closes it
  std::optional<ChosenSet> set;
};

using OpenModelEdit = std::variant<SetModelText, SetModelIds, SetModelIdsText, SetModelImage, ShowLayer,
                                   SetHead, KeepOnlyHead, AddPatch, AddIntervention, ReplaceIntervention,
                                   SwitchChange, RemoveChange, ShowCheckpoint, ChooseSet>;

// Throws Error for a text or an image that the model does not accept (see set_text), for a layer, a head or a
// listed change that it does not have, for an intervention that does not fit (add_intervention), and for a
// checkpoint of another model; `work` then does not change.
void apply_open_model_edit(const OpenModelEdit& edit, OpenModel& work);

}  // namespace headlight
