#include "engine/interpretation/open_model.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/nearest.h"

namespace headlight {
namespace {

constexpr std::array kPatchNames = {"stream",  "X",       "queries",         "keys",     "values",
                                    "weights", "context", "attention added", "MLP added"};

bool same_place(const Patch& a, const Patch& b) {
  return a.stage == b.stage && a.side == b.side && a.layer == b.layer && a.head == b.head && a.row == b.row &&
         a.column == b.column && a.values.rows() == b.values.rows() && a.values.cols() == b.values.cols();
}

HeadState state_in(const HeadStates& heads, Index head) {
  const auto at = static_cast<std::size_t>(head);
  return at < heads.size() ? heads[at] : HeadState::On;
}

void give_state(HeadStates& heads, Index head, HeadState state) {
  const auto at = static_cast<std::size_t>(head);
  if (heads.size() <= at) heads.resize(at + 1, HeadState::On);
  heads[at] = state;
  while (!heads.empty() && heads.back() == HeadState::On)
    heads.pop_back();
}

void forget_empty(ModelChanges& changes) {
  std::erase_if(changes.layers, [](const auto& layer) { return layer.second == LayerChanges{}; });
}

ModelChanges& side(OpenModel& work, bool on) {
  return on ? work.on : work.off;
}

// Moves the change from `from` to `to`, or removes it if `to` is null.
void move_layer_change(ModelChanges& from, ModelChanges* to, const ChangeEntry& entry) {
  LayerChanges none;
  LayerChanges& there = from.layers[entry.layer];
  LayerChanges& here = to ? to->layers[entry.layer] : none;
  const auto at = static_cast<std::size_t>(entry.at);
  switch (entry.kind) {
    case ChangeKind::Head:
      give_state(here.heads, entry.at, state_in(there.heads, entry.at));
      give_state(there.heads, entry.at, HeadState::On);
      break;
    case ChangeKind::Setting:
      here.settings[at] = std::exchange(there.settings[at], nullptr);
      break;
    case ChangeKind::Weights:
      here.weights[at] = std::exchange(there.weights[at], nullptr);
      break;
    case ChangeKind::Patch:
    case ChangeKind::Intervention:
    case ChangeKind::Adapter:
      break;
  }
}

void put_patch(std::vector<Patch>& patches, Patch patch) {
  const auto same = [&](const Patch& other) { return same_place(other, patch); };
  if (const auto found = std::find_if(patches.begin(), patches.end(), same); found != patches.end())
    *found = std::move(patch);
  else
    patches.push_back(std::move(patch));
}

void put_intervention(Interventions& interventions, std::shared_ptr<const Intervention> added) {
  const auto behind =
      std::upper_bound(interventions.begin(), interventions.end(), added, [](const auto& a, const auto& b) {
        return std::pair(a->layer, a->order) < std::pair(b->layer, b->order);
      });
  interventions.insert(behind, std::move(added));
}

void switch_adapter(OpenModel& work) {
  const bool added = work.network->adapter() == AdapterUse::Added;
  if (!work.switched)
    work.switched = std::make_shared<const Network>(work.network->checkpoint().folder(),
                                                    added ? AdapterUse::LeftOut : AdapterUse::Added);
  std::swap(work.network, work.switched);
}

void move_change(OpenModel& work, const ChangeEntry& entry, bool keeps) {
  if (entry.kind == ChangeKind::Adapter) {
    if (keeps || entry.on) switch_adapter(work);
    return;
  }
  ModelChanges &from = side(work, entry.on), &to = side(work, !entry.on);
  if (entry.kind == ChangeKind::Patch) {
    const auto at = from.patches.begin() + entry.at;
    if (keeps) put_patch(to.patches, *at);
    from.patches.erase(at);
  } else if (entry.kind == ChangeKind::Intervention) {
    const auto at = from.interventions.begin() + entry.at;
    if (keeps) put_intervention(to.interventions, *at);
    from.interventions.erase(at);
  } else {
    move_layer_change(from, keeps ? &to : nullptr, entry);
  }
  forget_empty(work.on);
  forget_empty(work.off);
}

void list_layer(const LayerChanges& changes, LayerPlace layer, bool on, std::vector<ChangeEntry>& entries) {
  for (std::size_t head = 0; head < changes.heads.size(); ++head)
    if (changes.heads[head] != HeadState::On)
      entries.push_back({ChangeKind::Head, layer, static_cast<Index>(head), on});
  for (std::size_t i = 0; i < changes.settings.size(); ++i)
    if (changes.settings[i]) entries.push_back({ChangeKind::Setting, layer, static_cast<Index>(i), on});
  for (std::size_t p = 0; p < changes.weights.size(); ++p)
    if (changes.weights[p]) entries.push_back({ChangeKind::Weights, layer, static_cast<Index>(p), on});
}

void list_side(const ModelChanges& changes, bool on, std::vector<ChangeEntry>& entries) {
  for (const auto& [layer, of_layer] : changes.layers)
    list_layer(of_layer, layer, on, entries);
  for (std::size_t i = 0; i < changes.patches.size(); ++i)
    entries.push_back(
        {ChangeKind::Patch, {changes.patches[i].side, changes.patches[i].layer}, static_cast<Index>(i), on});
  for (std::size_t i = 0; i < changes.interventions.size(); ++i)
    entries.push_back({ChangeKind::Intervention, changes.interventions[i]->layer, static_cast<Index>(i), on});
}

// Sort key in the list, the same whether the change is on or off.
std::array<Index, 7> list_place(const OpenModel& work, const ChangeEntry& entry) {
  if (entry.kind == ChangeKind::Adapter) return {-1, 0, 0, 0, 0, 0, 0};
  const auto kind = static_cast<Index>(entry.kind), side = static_cast<Index>(entry.layer.side);
  if (entry.kind == ChangeKind::Intervention)
    return {side, entry.layer.layer,
            kind, (entry.on ? work.on : work.off).interventions[static_cast<std::size_t>(entry.at)]->order,
            0,    0,
            0};
  if (entry.kind != ChangeKind::Patch) return {side, entry.layer.layer, kind, entry.at, 0, 0, 0};
  const Patch& patch = (entry.on ? work.on : work.off).patches[static_cast<std::size_t>(entry.at)];
  return {side,       entry.layer.layer, kind,        static_cast<Index>(patch.stage),
          patch.head, patch.row,         patch.column};
}

std::string patch_text(const OpenModel& work, const Patch& patch, Counting counting) {
  const Index last = patch.row + patch.values.rows() - 1;
  std::string text = kPatchNames[static_cast<std::size_t>(patch.stage)];
  const bool of_head = patch.stage >= PatchStage::Queries && patch.stage <= PatchStage::Context;
  if (of_head) text += " of head " + counting.number(patch.head);
  text += patch.values.rows() == 1
              ? " at token " + counting.number(patch.row)
              : " at tokens " + counting.number(patch.row) + " to " + counting.number(last);
  if (patch.values.rows() == 1 && patch.row < token_count(work, patch.side))
    text += " “" + token_label(work, patch.row, patch.side) + "”";
  if (!of_head && patch.values.cols() < config_of(work.network->config(), patch.side).width)
    text += ", " + std::to_string(patch.values.cols()) + (patch.values.cols() == 1 ? " number" : " numbers");
  return text + " overwritten";
}

// Switches off the changes that do not fit the new length.
void fit_changes(OpenModel& work) {
  for (std::size_t i = work.on.patches.size(); i-- > 0;) {
    const Patch& patch = work.on.patches[i];
    const Index tokens = token_count(work, patch.side);
    const bool keys_go = patch.stage == PatchStage::Weights && patch.column + patch.values.cols() > tokens;
    if (patch.row + patch.values.rows() > tokens || keys_go)
      switch_change(work, {ChangeKind::Patch, {patch.side, patch.layer}, static_cast<Index>(i), true});
  }
  for (std::size_t i = work.on.interventions.size(); i-- > 0;) {
    const Intervention& one = *work.on.interventions[i];
    if (!fits(work.network->config(), one, token_count(work)))
      switch_change(work, {ChangeKind::Intervention, one.layer, static_cast<Index>(i), true});
  }
  for (const ChangeEntry& entry : list_changes(work)) {
    if (entry.kind != ChangeKind::Setting || !entry.on) continue;
    const Layer& value = *work.on.layers[entry.layer].settings[static_cast<std::size_t>(entry.at)];
    const Side keys = entry.layer.side == Side::Cross ? Side::Encoder : entry.layer.side;
    if (!setting_fits(value, token_count(work, entry.layer.side), token_count(work, keys)))
      switch_change(work, entry);
  }
}

const Network& network_of(const OpenModel& work, Side side) {
  if (side == Side::Encoder && !work.network->encoder())
    throw Error("the model has one side", work.network->name(), "give its only text");
  return side == Side::Encoder ? *work.network->encoder() : *work.network;
}

void require_texts(const OpenModel& work) {
  if (work.network->reads_images())
    throw Error("the model reads images", work.network->name(), "give an image instead");
}

// Sets the tokens of a side and what they were typed as.
void take_tokens(OpenModel& work, Side side, std::vector<std::int32_t> ids, std::string text) {
  (side == Side::Encoder ? work.source_ids : work.ids) = std::move(ids);
  (side == Side::Encoder ? work.source_text : work.text) = std::move(text);
  fit_changes(work);
}

}  // namespace

ModelState state_of(const OpenModel& work) {
  return {work, work.network, work.on.layers, work.on.patches, work.on.interventions};
}

bool is_state_of(const ModelState& state, const OpenModel& work) {
  return state.network == work.network && same_input(state, work) && state.layers == work.on.layers &&
         state.patches == work.on.patches && state.interventions == work.on.interventions;
}

const std::vector<std::int32_t>& ids_of(const OpenModel& work, Side side) {
  return side == Side::Encoder ? work.source_ids : work.ids;
}

Index token_count(const OpenModel& work, Side side) {
  return static_cast<Index>(ids_of(work, side).size());
}

std::string token_label(const OpenModel& work, Index token, Side side) {
  return work.network->token_label(ids_of(work, side)[static_cast<std::size_t>(token)]);
}

bool same_architecture(const Network& a, const Network& b) {
  const NetworkConfig &x = a.config(), &y = b.config();
  return x.family == y.family && x.width == y.width && x.layers == y.layers && x.heads == y.heads &&
         x.kv_heads == y.kv_heads && x.head_width == y.head_width && x.mlp_width == y.mlp_width &&
         x.vocabulary == y.vocabulary && x.positions == y.positions && x.image == y.image &&
         (!a.encoder() || same_architecture(*a.encoder(), *b.encoder()));
}

void set_network(OpenModel& work, std::shared_ptr<const Network> network) {
  if (!same_architecture(*work.network, *network))
    throw Error("it is another model: its family, its sizes or its vocabulary differ",
                network->checkpoint().folder().string(), "open it by itself");
  if (!work.path.empty()) {
    const std::filesystem::path from = work.network->checkpoint().folder(),
                                way = network->checkpoint().folder().lexically_relative(from);
    work.path = (work.path / way).lexically_normal().string();
  }
  work.network = std::move(network);
  work.switched.reset();
}

void set_ids(OpenModel& work, const std::vector<std::int32_t>& ids, Side side) {
  require_texts(work);
  const Network& network = network_of(work, side);
  network.require_ids(ids);
  take_tokens(work, side, ids, network.decode(ids));
}

void set_text(OpenModel& work, const std::string& text, Side side) {
  require_texts(work);
  take_tokens(work, side, network_of(work, side).encode(text), text);
}

void set_image(OpenModel& work, OpenImage image) {
  if (!work.network->reads_images())
    throw Error("the model reads texts", work.network->name(), "give a text, or open a model of images");
  if (image.picture.bytes.empty())
    image = image_of_numbers(std::move(image.pixels), *work.network, std::move(image.path));
  work.ids = image_ids(*work.network);
  work.image = std::make_shared<const OpenImage>(std::move(image));
}

std::vector<std::int32_t> ids_from_text(const std::string& text) {
  constexpr const char* kBetween = ", \t\r\n";
  std::vector<std::int32_t> ids;
  for (std::size_t begin = text.find_first_not_of(kBetween); begin != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBetween, begin), text.size());
    std::int32_t id = 0;
    const auto [stop, failure] = std::from_chars(text.data() + begin, text.data() + end, id);
    if (failure != std::errc() || stop != text.data() + end)
      throw Error("\"" + text.substr(begin, end - begin) + "\" is no id of a token", "ids",
                  "give whole numbers with commas between them, as 464, 3797");
    ids.push_back(id);
    begin = text.find_first_not_of(kBetween, end);
  }
  return ids;
}

std::string ids_text(const std::vector<std::int32_t>& ids) {
  std::string text;
  for (const std::int32_t id : ids)
    text += (text.empty() ? "" : ", ") + std::to_string(id);
  return text;
}

std::string mean_in_words(const Network& network) {
  return network.reads_images() ? "its mean over this image" : "its mean over this text";
}

std::vector<ChangeEntry> list_changes(const OpenModel& work) {
  std::vector<ChangeEntry> entries;
  if (const auto adapter = work.network->adapter())
    entries.push_back({ChangeKind::Adapter, 0, 0, *adapter == AdapterUse::Added});
  list_side(work.on, true, entries);
  list_side(work.off, false, entries);
  std::stable_sort(entries.begin(), entries.end(), [&](const ChangeEntry& a, const ChangeEntry& b) {
    return list_place(work, a) < list_place(work, b);
  });
  return entries;
}

std::string change_text(const OpenModel& work, const ChangeEntry& entry, Counting counting) {
  if (entry.kind == ChangeKind::Adapter)
    return "the adapter " + in_quotes(work.network->name()) + " added to its base";
  const ModelChanges& changes = entry.on ? work.on : work.off;
  const NetworkConfig& config = work.network->config();
  std::string text = LayerNames(config, counting).text(entry.layer);
  if (entry.layer.layer == config_of(config, entry.layer.side).layers)
    text = std::string("behind the last layer") +
           (config.cross ? std::string(" of the ") + side_name(entry.layer.side) : "");
  if (entry.kind == ChangeKind::Patch)
    return text + ": " + patch_text(work, changes.patches[static_cast<std::size_t>(entry.at)], counting);
  if (entry.kind == ChangeKind::Intervention)
    return text + ": " +
           intervention_text(*changes.interventions[static_cast<std::size_t>(entry.at)], counting);
  const LayerChanges& layer = changes.layers.at(entry.layer);
  switch (entry.kind) {
    case ChangeKind::Head:
      return text + ", head " + counting.number(entry.at) +
             (state_in(layer.heads, entry.at) == HeadState::Off ? " switched off"
                                                                : " at " + mean_in_words(*work.network));
    case ChangeKind::Setting:
      return text + ": " +
             setting_text(static_cast<LayerSetting>(entry.at),
                          *layer.settings[static_cast<std::size_t>(entry.at)]);
    case ChangeKind::Weights:
      return text + ": W_" + parameter_name(static_cast<Parameter>(entry.at)) + " edited";
    case ChangeKind::Patch:
    case ChangeKind::Intervention:
    case ChangeKind::Adapter:
      break;
  }
  return text;
}

std::vector<std::string> changes_in_words(const OpenModel& work) {
  std::vector<std::string> words;
  for (const ChangeEntry& entry : list_changes(work)) {
    const bool of_folder = entry.kind == ChangeKind::Adapter;  // added unless it is switched off
    if (of_folder && !entry.on) words.push_back("without the adapter " + in_quotes(work.network->name()));
    if (!of_folder && entry.on) words.push_back(change_text(work, entry, Counting()));
  }
  return words;
}

void switch_change(OpenModel& work, const ChangeEntry& entry) {
  move_change(work, entry, true);
}

void remove_change(OpenModel& work, const ChangeEntry& entry) {
  move_change(work, entry, false);
}

void set_head(OpenModel& work, LayerPlace layer, Index head, HeadState state) {
  if (layer.side == Side::Cross && state == HeadState::Mean)
    throw Error("a head of cross-attention is not replaced by its mean", "cross", "switch it off instead");
  give_state(work.on.layers[layer].heads, head, state);
  give_state(work.off.layers[layer].heads, head, HeadState::On);
  forget_empty(work.on);
  forget_empty(work.off);
}

void add_patch(OpenModel& work, Patch patch) {
  if (patch.side == Side::Cross)
    throw Error(
        "numbers of cross-attention are not overwritten", "cross",
        "overwrite those of the encoder or of the decoder, edit its weights or its mask, or switch its "
        "heads off");
  std::erase_if(work.off.patches, [&](const Patch& other) { return same_place(other, patch); });
  put_patch(work.on.patches, std::move(patch));
}

void add_intervention(OpenModel& work, Intervention intervention, bool on) {
  if (work.network->encoder())
    throw Error("interventions are of models of one side", intervention.name,
                "overwrite numbers of a stage, or switch heads off");
  if (on) (void)range_of(work.network->config(), intervention, token_count(work));
  for (const Interventions* list : {&work.on.interventions, &work.off.interventions})
    for (const auto& other : *list)
      intervention.order = std::max(intervention.order, other->order + 1);
  put_intervention((on ? work.on : work.off).interventions,
                   std::make_shared<const Intervention>(std::move(intervention)));
}

void replace_intervention(OpenModel& work, const ChangeEntry& entry, Intervention intervention) {
  Interventions& list = (entry.on ? work.on : work.off).interventions;
  const auto at = list.begin() + entry.at;
  if (entry.on) (void)range_of(work.network->config(), intervention, token_count(work));
  intervention.order = (*at)->order;
  if (intervention == **at) return;
  list.erase(at);
  put_intervention(list, std::make_shared<const Intervention>(std::move(intervention)));
}

}  // namespace headlight
