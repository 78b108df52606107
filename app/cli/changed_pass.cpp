#include "app/cli/changed_pass.h"

#include <algorithm>

#include "engine/analysis/text_set.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/session/model_folder_field.h"
#include "engine/session/session.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHeadBytes = 64;

bool is_list(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '[';
}

// Where the session's model is not there, it is that of the command.
Session changed_session(const Network& network, const std::string& session) {
  try {
    return load_session(session);
  } catch (const ModelNotFound&) {
    return load_session(session, nullptr, network.checkpoint().folder());
  }
}

std::shared_ptr<const OpenModel> model_of_session(const std::string& session, const Network& network) {
  const Session changed = changed_session(network, session);
  if (!changed.work)
    throw Error("the session has no model's folder, and so no changes of one", session,
                "save it while the model is open");
  if (!same_architecture(network, *changed.work->network))
    throw Error("the session's model is of another kind than the folder's", session,
                "give the session of this model, or of another checkpoint of it");
  return changed.work;
}

// Puts the changes of `more` over those of `work`; of the same place the later one counts.
void put_changes(const ModelChanges& more, ModelChanges& work) {
  for (const auto& [place, layer] : more.layers) {
    LayerChanges& of_layer = work.layers[place];
    of_layer.heads.resize(std::max(of_layer.heads.size(), layer.heads.size()), HeadState::On);
    for (std::size_t head = 0; head < layer.heads.size(); ++head)
      if (layer.heads[head] != HeadState::On) of_layer.heads[head] = layer.heads[head];
    for (std::size_t i = 0; i < layer.settings.size(); ++i)
      if (layer.settings[i]) of_layer.settings[i] = layer.settings[i];
    for (std::size_t i = 0; i < layer.weights.size(); ++i)
      if (layer.weights[i]) of_layer.weights[i] = layer.weights[i];
  }
  work.patches.insert(work.patches.end(), more.patches.begin(), more.patches.end());
}

// Behind those that there are. Of a session they were checked for its text, and are for this one.
void add_interventions(const Interventions& more, OpenModel& work) {
  for (const std::shared_ptr<const Intervention>& one : more)
    add_intervention(work, *one);
}

}  // namespace

ChangedPass::ChangedPass(std::shared_ptr<const Network> network) : network_(std::move(network)) {
  pass_.emplace(network_);
}

void ChangedPass::take_adapter(AdapterUse use) {
  if (!network_->adapter() || network_->adapter() == use) return;
  network_ = open_text_model(network_->checkpoint().folder(), use);
  pass_.emplace(network_);
}

void ChangedPass::take_as_stored() {
  take_adapter(AdapterUse::Added);
  pass_.emplace(network_);
  changes_.clear();
}

void ChangedPass::take(const std::vector<std::string>& sources, const std::vector<std::int32_t>& ids,
                       const std::vector<std::int32_t>& types) {
  OpenModel work;
  work.network = network_;
  work.ids = ids;
  AdapterUse use = AdapterUse::Added;
  for (const std::string& source : sources) {
    const bool inlined = is_list(source);
    if (!inlined) require_file(source, kMostSessionText);
    if (!inlined && !is_list(read_piece(source, 0, kHeadBytes))) {
      const std::shared_ptr<const OpenModel> session = model_of_session(source, *network_);
      use = session->network->adapter().value_or(use);
      put_changes(session->on, work.on);
      add_interventions(session->on.interventions, work);
      continue;
    }
    const std::string text = inlined ? source : read_text_file(source);
    read_change_list(text, inlined ? fs::path(".") : fs::path(source).parent_path(), inlined ? "" : source,
                     work);
    use = work.network->adapter().value_or(use);
  }
  for (const auto& [place, layer] : work.on.layers)
    require_fitting(place.layer, layer.settings, static_cast<Index>(ids.size()));
  take_adapter(use);
  work.network = network_;
  changes_ = changes_in_words(work);
  ModelState state = state_of(work);
  const std::vector<Patch> patches = std::exchange(state.patches, {});
  pass_->set_patches({});
  take_state(*pass_, state);
  take_text(*pass_, ids, patches, types);
}

}  // namespace headlight
