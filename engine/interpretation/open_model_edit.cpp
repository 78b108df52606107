#include "engine/interpretation/open_model_edit.h"

#include <algorithm>

#include "engine/core/error.h"

namespace headlight {
namespace {

void require_below(Index number, Index count, const char* noun) {
  if (number >= 0 && number < count) return;
  throw Error("the model has no " + std::string(noun) + " " + std::to_string(number), noun,
              "it has " + std::to_string(count));
}

void require_listed(const OpenModel& work, const ChangeEntry& entry) {
  const std::vector<ChangeEntry> entries = list_changes(work);
  if (std::find(entries.begin(), entries.end(), entry) == entries.end())
    throw Error("this change is no longer listed", "changes", "choose it in the list again");
}

struct Application {
  OpenModel& work;

  void operator()(const SetModelText& edit) const { set_text(work, edit.text, edit.side); }
  void operator()(const SetModelIds& edit) const { set_ids(work, edit.ids, edit.side); }
  void operator()(const SetModelIdsText& edit) const { set_ids(work, ids_from_text(edit.text), edit.side); }
  void operator()(const SetModelImage& edit) const { set_image(work, *edit.image); }
  void operator()(const ShowLayer& edit) const {
    require_layer(edit.layer);
    work.layer = edit.layer;
  }
  void operator()(const SetHead& edit) const {
    require_head(edit.layer, edit.head);
    set_head(work, edit.layer, edit.head, edit.state);
  }
  void operator()(const KeepOnlyHead& edit) const {
    require_head(edit.layer, edit.head);
    for (Index head = 0; head < config_of(work.network->config(), edit.layer.side).heads; ++head)
      set_head(work, edit.layer, head, head == edit.head ? HeadState::On : HeadState::Off);
  }
  void operator()(const AddPatch& edit) const { add_patch(work, edit.patch); }
  void operator()(const AddIntervention& edit) const { add_intervention(work, edit.intervention); }
  void operator()(const ReplaceIntervention& edit) const {
    require_listed(work, edit.entry);
    if (edit.entry.kind != ChangeKind::Intervention)
      throw Error("this change is no intervention", "changes", "choose one in the list");
    replace_intervention(work, edit.entry, edit.intervention);
  }
  void operator()(const SwitchChange& edit) const {
    require_listed(work, edit.entry);
    switch_change(work, edit.entry);
  }
  void operator()(const RemoveChange& edit) const {
    require_listed(work, edit.entry);
    remove_change(work, edit.entry);
  }
  void operator()(const ShowCheckpoint& edit) const { set_network(work, edit.network); }
  void operator()(const ChooseSet& edit) const { work.set = edit.set; }

 private:
  void require_layer(LayerPlace place) const {
    const NetworkConfig& config = work.network->config();
    if (!has_side(config, place.side))
      throw Error("the model has one side", "layer", "choose one of its own layers");
    require_below(place.layer, config_of(config, place.side).layers, "layer");
  }
  void require_head(LayerPlace place, Index head) const {
    require_layer(place);
    require_below(head, config_of(work.network->config(), place.side).heads, "head");
  }
};

}  // namespace

void apply_open_model_edit(const OpenModelEdit& edit, OpenModel& work) {
  std::visit(Application{work}, edit);
}

}  // namespace headlight
