#include "engine/array_import/array_choices.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/array_import/array_names.h"
#include "engine/core/ascii.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

// The notes in words, except for those among `known`.
std::string in_words(const PlanNotes& notes, const PlanNotes& known = {}) {
  std::string text;
  const auto holds = [](const std::vector<std::string>& list, const std::string& note) {
    return std::find(list.begin(), list.end(), note) != list.end();
  };
  const auto add = [&](const std::string& note, const char* between) {
    if (!holds(known.cautions, note) && !holds(known.changes, note) && !holds(known.replaced, note))
      text += (text.empty() ? "" : between) + note;
  };
  for (const std::string& caution : notes.cautions)
    add(caution, "; ");
  for (std::size_t i = 0; i < notes.changes.size(); ++i)
    add(notes.changes[i], i == 0 ? "; " : ", ");
  for (const std::string& replaced : notes.replaced)
    add(replaced, "; ");
  return text.empty() ? "no shape changes" : text;
}

// Heads that were chosen for another d_out may not divide this one: then the choice is reset.
ArrayPlan plan_with_heads(const std::vector<ArrayChoice>& choices, std::optional<Index>& heads,
                          const Layer& layer, const LayerHints& hints) {
  if (!heads) return plan_arrays(choices, std::nullopt, layer, hints);
  try {
    return plan_arrays(choices, heads, layer, hints);
  } catch (const Error&) {
    ArrayPlan plan = plan_arrays(choices, std::nullopt, layer, hints);
    heads.reset();
    return plan;
  }
}

// The plan with the sizes of the placed sequence.
ArrayPlan plan_of_part(ArrayPlan plan, const std::optional<SequencePart>& part) {
  if (!part) return plan;
  plan.sequences = 1;
  if (part->count > 0) plan.tokens = part->count;
  return plan;
}

// Whether the role makes up a layer, rather than describing or masking one.
bool makes_up_layer(ArrayRole role) {
  return role != ArrayRole::Tokens && role != ArrayRole::Mask && role != ArrayRole::KeyMask &&
         role != ArrayRole::ScoreBias && role != ArrayRole::RelativeBias && role < ArrayRole::Sinks;
}

// By StatedSetting, without None.
constexpr std::array kSettings = {
    &StatedSettings::heads,  &StatedSettings::kv_heads, &StatedSettings::scale,  &StatedSettings::softcap,
    &StatedSettings::causal, &StatedSettings::window,   &StatedSettings::dropout};

bool is_row_of_tokens(const ArrayEntry& entry) {
  const bool rows = entry.shape.size() == 2 && (entry.shape[0] == 1 || entry.shape[0] != entry.shape[1]);
  return entry.shape.size() == 1 || (rows && lowered(entry.name).ends_with("attention_mask"));
}

bool is_of_pairs(ArrayRole role) {
  return role == ArrayRole::AttentionWeights || role == ArrayRole::Scores;
}

// Text is proposed as tokens if it is one row.
std::vector<RoleProposal> proposals_of_text(const ArrayEntry& entry) {
  const auto many =
      std::count_if(entry.shape.begin(), entry.shape.end(), [](Index size) { return size > 1; });
  if (many > 1) return {};
  RoleProposal tokens;
  tokens.role = ArrayRole::Tokens;
  tokens.named = tokens.fits = true;
  return {tokens};
}

// Adds a role that the shape alone does not suggest, after the one with the same shape.
void add_behind(std::vector<RoleProposal>& proposals, ArrayRole with, ArrayRole role) {
  const auto at = std::find_if(proposals.begin(), proposals.end(),
                               [=](const RoleProposal& proposal) { return proposal.role == with; });
  const bool there = std::any_of(proposals.begin(), proposals.end(),
                                 [=](const RoleProposal& proposal) { return proposal.role == role; });
  if (at == proposals.end() || there) return;
  RoleProposal proposal = *at;
  proposal.role = role;
  proposal.named = false;
  proposals.insert(at + 1, proposal);
}

// Proposes arrays whose rows sum to 1, or to less, as weights first, unless the name states another role.
void put_weights_first(std::vector<RoleProposal>& proposals, const ArrayEntry& entry,
                       const ArrayFacts& facts) {
  const std::size_t axes = entry.shape.size();
  const bool named = !proposals.empty() && proposals.front().named;
  const bool square = axes > 1 && entry.shape[axes - 1] == entry.shape[axes - 2];
  const bool part = facts.part_of_weights && !facts.mask.zero_one && (axes > 2 || square);
  if (named || (!facts.weights && !part) || axes < 2 || axes > 5) return;
  if (axes == 2 && facts.mask.zero_one) return;
  RoleProposal weights;
  weights.role = ArrayRole::AttentionWeights;
  weights.fits = true;
  std::erase_if(proposals, [](const RoleProposal& p) { return p.role == ArrayRole::AttentionWeights; });
  proposals.insert(proposals.begin(), weights);
}

}  // namespace

ArrayChoices::ArrayChoices(std::vector<ArrayEntry> entries, const Layer& layer, LayerHints hints,
                           std::vector<std::optional<ArrayFacts>> facts)
    : entries_(std::move(entries)),
      facts_(std::move(facts)),
      sets_(find_array_sets(entries_, layer)),
      roles_(entries_.size()),
      by_hand_(entries_.size()),
      left_out_(entries_.size()),
      hints_(std::move(hints)) {
  facts_.resize(entries_.size());
  for (const ArrayEntry& entry : entries_)
    hints_.names.push_back(entry.name);
  if (!sets_.empty()) {
    take_set(sets_.front(), layer);
    add_likeliest(layer);
    select(sets_.front().members.front().entry, layer);
    return;
  }
  const auto readable =
      std::find_if(entries_.begin(), entries_.end(), [](const ArrayEntry& entry) { return !entry.problem; });
  if (!entries_.empty())
    select(readable == entries_.end() ? 0 : static_cast<std::size_t>(readable - entries_.begin()), layer);
}

// If names state only tokens or a mask, the first other array is the one to which they belong.
void ArrayChoices::add_likeliest(const Layer& layer) {
  if (std::any_of(chosen_.begin(), chosen_.end(),
                  [this](std::size_t entry) { return makes_up_layer(roles_[entry]->role); }))
    return;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (roles_[i] || entries_[i].problem) continue;
    const std::vector<RoleProposal> proposals = proposals_for(i, layer);
    if (proposals.empty() || proposals.front().named) continue;
    roles_[i] = by_values(i, proposals.front(), layer);
    return work_out(layer);
  }
}

// The likeliest first: a table with row labels is one of embeddings.
std::vector<RoleProposal> ArrayChoices::proposals_for(std::size_t at, const Layer& layer) const {
  const ArrayEntry& entry = entries_[at];
  if (entry.text) return proposals_of_text(entry);
  std::vector<RoleProposal> proposals = propose_roles(entry.name, entry.shape, layer);
  if (facts_[at]) put_weights_first(proposals, entry, *facts_[at]);
  add_behind(proposals, ArrayRole::AttentionWeights, ArrayRole::Scores);
  add_behind(proposals, ArrayRole::Scores, ArrayRole::AttentionWeights);
  add_behind(proposals, ArrayRole::Mask, ArrayRole::ScoreBias);
  add_behind(proposals, ArrayRole::KeyMask, ArrayRole::ScoreBias);
  const bool weights = !proposals.empty() && proposals.front().role == ArrayRole::AttentionWeights;
  if (!entry.row_labels.empty() && !weights)
    std::stable_partition(proposals.begin(), proposals.end(), [](const RoleProposal& proposal) {
      return proposal.role == ArrayRole::Embeddings;
    });
  return proposals;
}

// Corrects the role by the values: an additive mask, scores that are named weights, and the reverse. Also
// GLM's query_key_value, which is not split by heads.
RoleProposal ArrayChoices::by_values(std::size_t entry, RoleProposal proposal, const Layer& layer) const {
  const bool plain = hints_.config && hints_.config->model_type == "chatglm";
  if (plain && proposal.role == ArrayRole::FusedHeadsWeight) proposal.role = ArrayRole::FusedWeight;
  if (plain && proposal.role == ArrayRole::FusedHeadsBias) proposal.role = ArrayRole::FusedBias;
  if (!facts_[entry]) return proposal;
  const ArrayFacts& facts = *facts_[entry];
  const ArrayRole role = proposal.role;
  const bool of_mask = role == ArrayRole::Mask || role == ArrayRole::KeyMask;
  if (of_mask && facts.mask.added && (proposal.named || !facts.positive))
    proposal.role = ArrayRole::ScoreBias;
  // A number for each token, beyond 0 and 1: those of texts that are packed into one row.
  const bool numbered = facts.tokens.whole && facts.tokens.most > 1 && !facts.mask.zero_one;
  if (of_mask && numbered && proposal.named && is_row_of_tokens(entries_[entry]))
    proposal.role = ArrayRole::Segments;
  if (role == ArrayRole::Scores && facts.weights) proposal.role = ArrayRole::AttentionWeights;
  if (role != ArrayRole::AttentionWeights || facts.weights || facts.undefined) return proposal;
  if (facts.part_of_weights && !facts.mask.zero_one) return proposal;
  if (proposal.named && (facts.part_of_weights || facts.dropped_weights || facts.difference)) return proposal;
  // Weights after dropout sum to 1 on average.
  constexpr double kMostOfWeights = 1.5;
  const bool closing = facts.not_finite.has_value();
  const bool unnamed = !proposal.named && facts.mean_row > 0;
  if (!facts.negative && !closing && facts.mean_row <= kMostOfWeights && !unnamed) return proposal;
  const bool as_mask = closing && facts.mask.added && facts.mean_row == 0 && !facts.negative;
  const auto& shape = entries_[entry].shape;
  // An array of only 0 and minus infinity is an additive mask.
  const bool fits = as_mask && shape.back() == layer.key_count() && !proposal.named;
  proposal.role = fits ? ArrayRole::ScoreBias : ArrayRole::Scores;
  return proposal;
}

void ArrayChoices::set_facts(std::size_t entry, ArrayFacts facts, const Layer& layer) {
  facts_[entry] = std::move(facts);
  if (roles_[entry] && !by_hand_[entry]) roles_[entry] = by_values(entry, *roles_[entry], layer);
  work_out(layer);
}

std::optional<std::size_t> ArrayChoices::unread() const {
  for (const std::size_t entry : chosen_)
    if (!facts_[entry]) return entry;
  return std::nullopt;
}

void ArrayChoices::select(std::size_t entry, const Layer& layer) {
  selected_ = entry;
  if (!touched_) {
    std::fill(roles_.begin(), roles_.end(), std::nullopt);
    const ArrayEntry& chosen = entries_[entry];
    if (!chosen.problem) {
      const std::vector<RoleProposal> proposals = proposals_for(entry, layer);
      if (!proposals.empty()) roles_[entry] = by_values(entry, proposals.front(), layer);
    }
  }
  work_out(layer);
}

void ArrayChoices::give_role(std::optional<ArrayRole> role, const Layer& layer) {
  if (!selected_) return;
  touched_ = true;
  if (!role) roles_[*selected_].reset();
  for (const RoleOption& option : options_)
    if (option.proposal.role == role) assign(*selected_, option.proposal);
  by_hand_[*selected_] = role.has_value();
  left_out_[*selected_] = !role;
  work_out(layer);
}

void ArrayChoices::set_layout(WeightLayout layout, const Layer& layer) {
  if (!selected_ || !roles_[*selected_]) return;
  touched_ = true;
  roles_[*selected_]->layout = layout;
  by_hand_[*selected_] = true;
  work_out(layer);
}

void ArrayChoices::set_heads(Index heads, const Layer& layer) {
  heads_ = heads;
  work_out(layer);
  if (plan_ || !hints_.kv_heads) return;
  heads_ = heads;
  hints_.kv_heads.reset();
  work_out(layer);
}

void ArrayChoices::set_kv_heads(Index heads, const Layer& layer) {
  hints_.kv_heads = heads;
  work_out(layer);
}

void ArrayChoices::set_causal(bool causal, const Layer& layer) {
  hints_.causal = causal;
  work_out(layer);
}

void ArrayChoices::set_theta(double theta, const Layer& layer) {
  hints_.theta = theta;
  work_out(layer);
}

const ArraySet* ArrayChoices::other_set() const {
  if (!selected_) return nullptr;
  for (const ArraySet& set : sets_) {
    const auto of_selected = [this](const ArraySet::Member& member) { return member.entry == *selected_; };
    if (std::none_of(set.members.begin(), set.members.end(), of_selected)) continue;
    const std::vector<std::size_t> kept = compatible_with_set(set);
    if (std::any_of(set.members.begin(), set.members.end(), [&](const ArraySet::Member& member) {
          return !roles_[member.entry] && fills(member, kept);
        }))
      return &set;
  }
  return nullptr;
}

// Arrays to which the user gave a role and that suit the set: those of no other layer.
std::vector<std::size_t> ArrayChoices::compatible_with_set(const ArraySet& set) const {
  std::vector<std::size_t> kept;
  for (const std::size_t entry : chosen_) {
    const std::string_view layer = layer_of(entries_[entry].name);
    if (by_hand_[entry] && (set.layer.empty() || layer.empty() || layer == set.layer)) kept.push_back(entry);
  }
  return kept;
}

// Whether the member has a place beside the `kept` arrays.
bool ArrayChoices::fills(const ArraySet::Member& member, const std::vector<std::size_t>& kept) const {
  return std::none_of(kept.begin(), kept.end(), [&](std::size_t entry) {
    return entry == member.entry || roles_collide(roles_[entry]->role, member.proposal.role);
  });
}

void ArrayChoices::take_set(const ArraySet& set, const Layer& layer) {
  touched_ = true;
  const std::vector<std::size_t> kept = compatible_with_set(set);
  std::vector<std::optional<RoleProposal>> roles(entries_.size());
  std::vector<bool> by_hand(entries_.size());
  for (const std::size_t entry : kept) {
    roles[entry] = roles_[entry];
    by_hand[entry] = true;
  }
  for (const ArraySet::Member& member : set.members)
    if (fills(member, kept) && !idle(member.entry))
      roles[member.entry] = by_values(member.entry, member.proposal, layer);
  roles_ = std::move(roles);
  by_hand_ = std::move(by_hand);
  follow_fused_layout();
  work_out(layer);
}

// In names like nanoGPT's the layout differs from the one that the fused matrix's shape shows: then a square
// output matrix has the fused matrix's layout.
void ArrayChoices::follow_fused_layout() {
  const auto named_layout = [this](std::size_t entry) {
    return read_array_name(entries_[entry].name, entries_[entry].shape.size()).layout;
  };
  bool contradicted = false;
  for (std::size_t i = 0; i < roles_.size(); ++i)
    if (roles_[i] && roles_[i]->role == ArrayRole::FusedWeight && named_layout(i))
      contradicted = *named_layout(i) != roles_[i]->layout;
  if (!contradicted) return;
  for (std::size_t i = 0; i < roles_.size(); ++i)
    if (roles_[i] && roles_[i]->role == ArrayRole::OutputWeight && roles_[i]->flippable && !by_hand_[i] &&
        named_layout(i) == roles_[i]->layout)
      roles_[i]->layout = other_layout(roles_[i]->layout);
}

std::optional<RoleProposal> ArrayChoices::proposal() const {
  if (!selected_) return std::nullopt;
  if (roles_[*selected_]) return roles_[*selected_];
  return options_.empty() ? std::nullopt : std::optional(options_.front().proposal);
}

std::string ArrayChoices::outcome() const {
  if (!plan_) return {};
  const std::string heads =
      plan_->heads_reason.empty()
          ? ""
          : "; " + std::to_string(plan_->num_heads) +
                (plan_->num_heads == 1 ? " head is proposed: " : " heads are proposed: ") +
                plan_->heads_reason;
  std::string read;
  for (const std::string& line : how_read())
    read += line + "; ";
  return layers_mixed() + read + in_words(notes_) + heads + unused_words();
}

// Whether the array changes nothing by its numbers, whatever it is for.
bool ArrayChoices::idle(std::size_t entry) const {
  const ArrayEntry& array = entries_[entry];
  if (!facts_[entry] || !acting_name(array.name)) return false;
  const TokenFacts& tokens = facts_[entry]->tokens;
  const auto role = read_array_name(array.name, array.shape.size()).role;
  if (role == ArrayRole::Positions) return tokens.straight;
  if (role == ArrayRole::Segments) return !tokens.several;
  return role == ArrayRole::HeadMask && !tokens.several && tokens.most == 1;
}

// Takes the settings that single numbers state.
void ArrayChoices::read_settings() {
  StatedSettings& stated = hints_.stated = {};
  for (std::size_t entry = 0; entry < entries_.size(); ++entry) {
    const ActingName* acting = acting_name(entries_[entry].name);
    if (!acting || acting->setting == StatedSetting::None || left_out_[entry]) continue;
    if (!facts_[entry] || !facts_[entry]->single) continue;
    std::optional<StatedSettings::Number>& number =
        stated.*kSettings[static_cast<std::size_t>(acting->setting) - 1];
    if (!number) number = {*facts_[entry]->single, entries_[entry].name};
  }
}

// Whether the array is a setting that is used.
bool ArrayChoices::is_setting(std::size_t entry) const {
  const StatedSettings& stated = plan_ ? plan_->stated : hints_.stated;
  return std::any_of(kSettings.begin(), kSettings.end(), [&](auto setting) {
    const std::optional<StatedSettings::Number>& number = stated.*setting;
    return number && number->name == entries_[entry].name;
  });
}

// Arrays of other layers do not count: the layer switch selects them.
std::vector<std::size_t> ArrayChoices::unused() const {
  const std::vector<LayerSource> sources = layers();
  const auto used = [&](std::size_t entry) {
    return roles_[entry] || is_setting(entry) ||
           std::any_of(sources.begin(), sources.end(), [&](const LayerSource& source) {
             return std::find(source.names.begin(), source.names.end(), entries_[entry].name) !=
                    source.names.end();
           });
  };
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (!used(i)) left.push_back(i);
  return left;
}

// "; not used: wte.weight and 3 more", "" when all are used.
std::string ArrayChoices::unused_words() const {
  constexpr std::size_t kMostNames = 6;
  std::string names;
  const std::vector<std::size_t> left = unused();
  for (std::size_t i = 0; i < std::min(left.size(), kMostNames); ++i)
    names += (names.empty() ? "" : ", ") + entries_[left[i]].name;
  if (left.size() > kMostNames) names += " and " + std::to_string(left.size() - kMostNames) + " more";
  return names.empty() ? names : "; not used: " + names;
}

std::optional<std::size_t> ArrayChoices::attention() const {
  for (std::size_t i = 0; i < roles_.size(); ++i)
    if (roles_[i] && is_of_pairs(roles_[i]->role)) return i;
  return std::nullopt;
}

std::optional<std::size_t> ArrayChoices::entry_with(ArrayRole role) const {
  for (const std::size_t entry : chosen_)
    if (roles_[entry]->role == role) return entry;
  return std::nullopt;
}

std::optional<bool> ArrayChoices::by_layers() const {
  const auto entry = attention();
  if (!entry || !layers_possible(entries_[*entry].shape)) return std::nullopt;
  return sliced_by_layers(entries_[*entry]);
}

// If values or embeddings have as many sequences as its first axis has entries, that axis counts sequences.
bool ArrayChoices::sliced_by_layers(const ArrayEntry& array) const {
  if (array.shape.size() == 5) return true;
  if (by_layers_) return *by_layers_;
  if (sequence_ || !layers_likely(array.name, array.shape)) return false;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!roles_[i]) continue;
    const std::vector<Index>& shape = entries_[i].shape;
    const bool rows = roles_[i]->role == ArrayRole::Values || roles_[i]->role == ArrayRole::Embeddings;
    if (rows && shape.size() > 2 && shape[0] > 1 && shape[0] == array.shape[0]) return false;
  }
  return true;
}

void ArrayChoices::set_by_layers(bool by_layers, const Layer& layer) {
  by_layers_ = by_layers;
  work_out(layer);
}

std::vector<LayerSource> ArrayChoices::layers() const {
  const auto entry = attention();
  const bool sliced = by_layers().value_or(false);
  std::vector<LayerSource> sources =
      layers_of(entries_, chosen_, sliced ? entry : std::nullopt, entry.has_value());
  if (sources.size() > 1 || !entry || sliced || chosen_.size() == 1) return sources;
  // Arrays of its shape are its layers; the other chosen arrays belong to each.
  sources = layers_of(entries_, {*entry}, std::nullopt, true);
  std::erase_if(sources, [&](const LayerSource& source) {
    return std::any_of(chosen_.begin(), chosen_.end(), [&](std::size_t other) {
      return other != *entry && entries_[other].name == source.names.front();
    });
  });
  for (LayerSource& source : sources) {
    const std::string own = source.names.front();
    source.names.clear();
    for (const std::size_t other : chosen_)
      source.names.push_back(other == *entry ? own : entries_[other].name);
  }
  return sources;
}

std::size_t ArrayChoices::layer() const {
  const std::vector<LayerSource> sources = layers();
  const auto of_slice = std::find_if(sources.begin(), sources.end(),
                                     [this](const LayerSource& source) { return source.slice == slice_; });
  if (by_layers().value_or(false) && of_slice != sources.end())
    return static_cast<std::size_t>(of_slice - sources.begin());
  const auto is_chosen = [this](const LayerSource& source) {
    return std::equal(source.names.begin(), source.names.end(), chosen_.begin(), chosen_.end(),
                      [this](const std::string& name, std::size_t at) { return entries_[at].name == name; });
  };
  const auto at = std::find_if(sources.begin(), sources.end(), is_chosen);
  return at == sources.end() ? 0 : static_cast<std::size_t>(at - sources.begin());
}

// "W_query is of h.1, W_output of h.0; ", "" when all are of one layer.
std::string ArrayChoices::layers_mixed() const {
  std::vector<std::size_t> by_role = chosen_;
  std::stable_sort(by_role.begin(), by_role.end(),
                   [this](std::size_t a, std::size_t b) { return roles_[a]->role < roles_[b]->role; });
  std::vector<std::pair<std::string, std::string>> layers;  // with the roles of their arrays
  for (const std::size_t entry : by_role) {
    const std::string layer(numbered_layer_of(entries_[entry].name));
    if (layer.empty()) continue;
    const auto at =
        std::find_if(layers.begin(), layers.end(), [&](const auto& l) { return l.first == layer; });
    if (at == layers.end())
      layers.emplace_back(layer, role_name(roles_[entry]->role));
    else
      at->second += std::string(" and ") + role_name(roles_[entry]->role);
  }
  if (layers.size() < 2) return {};
  const bool several_first = layers.front().second.find(" and ") != std::string::npos;
  std::string text;
  for (const auto& [layer, roles] : layers)
    if (text.empty())
      text.append(roles).append(several_first ? " are of " : " is of ").append(layer);
    else
      text.append(", ").append(roles).append(" of ").append(layer);
  return text + "; ";
}

// With the order of axes in use.
RoleProposal ArrayChoices::as_placed(std::size_t entry, RoleProposal proposal) const {
  const std::size_t axes = entries_[entry].shape.size();
  const bool is_mask = proposal.role == ArrayRole::Mask || proposal.role == ArrayRole::KeyMask;
  if (is_mask && mask_truth(entry) == MaskTruth::Added) proposal.role = ArrayRole::ScoreBias;
  const bool inputs = proposal.role == ArrayRole::Embeddings || proposal.role == ArrayRole::KeyEmbeddings;
  if (inputs && axes == 3 && inputs_with_time() && order_ == AxisOrder::TimeFirst) proposal.order = *order_;
  const bool given = proposal.role >= ArrayRole::Queries && proposal.role <= ArrayRole::Values;
  const bool of_order = order_ && entry_with(ArrayRole::Queries) &&
                        axes == entries_[*entry_with(ArrayRole::Queries)].shape.size();
  if (given && of_order) proposal.order = *order_;
  if (proposal.role == ArrayRole::AttentionWeights && averaged().value_or(false))
    proposal.order = AxisOrder::Sequences;
  return proposal;
}

ArrayChoice ArrayChoices::choice_of(std::size_t entry, const RoleProposal& proposal) const {
  const ArrayEntry& array = entries_[entry];
  const bool sliced = is_of_pairs(proposal.role) && layers_possible(array.shape) && sliced_by_layers(array);
  const std::vector<Index> shape = sliced ? layer_shape(array.shape) : array.shape;
  const RoleProposal placed = as_placed(entry, proposal);
  const AxisOrder order = placed.order;
  return {array.name,      ordered_shape(shape, order), placed.role,
          proposal.layout, !array.row_labels.empty(),   heads_in_weights(shape, order)};
}

void ArrayChoices::assign(std::size_t entry, const RoleProposal& proposal) {
  for (std::size_t other = 0; other < roles_.size(); ++other)
    if (roles_[other] && same_place(roles_[other]->role, proposal.role)) {
      roles_[other].reset();
      by_hand_[other] = false;
    }
  roles_[entry] = proposal;
}

// All choices except for `entry` and for those in the place of `role`.
std::vector<ArrayChoice> ArrayChoices::choices_without(std::optional<std::size_t> entry,
                                                       std::optional<ArrayRole> role) const {
  std::vector<ArrayChoice> choices;
  for (const std::size_t other : chosen_)
    if (other != entry && !(role && same_place(roles_[other]->role, *role)))
      choices.push_back(choice_of(other, *roles_[other]));
  return choices;
}

void ArrayChoices::work_out(const Layer& layer) {
  ++revision_;
  read_settings();
  chosen_.clear();
  for (std::size_t i = 0; i < roles_.size(); ++i)
    if (roles_[i]) chosen_.push_back(i);
  work_out_order();
  choices_ = choices_without(std::nullopt, std::nullopt);
  plan_.reset();
  problem_.reset();
  hints_.alone.reset();
  batch_ = 0;
  if (!choices_.empty()) {
    try {
      plan_ = plan_with_heads(choices_, heads_, layer, hints_);
      take_part();
      notes_ = plan_notes(plan_of_part(*plan_, hints_.alone), layer);
    } catch (const Error& error) {
      problem_ = error;
    }
  }
  work_out_questions();
  work_out_options(layer);
}

void ArrayChoices::work_out_options(const Layer& layer) {
  options_.clear();
  if (!selected_ || entries_[*selected_].problem) return;
  // Evaluated against the shapes that the other arrays determine.
  ArrayPlan others;
  try {
    others = plan_arrays(choices_without(selected_, std::nullopt), std::nullopt, layer, hints_);
  } catch (const Error&) {
    others = plan_arrays({}, std::nullopt, layer);
  }
  const Layer shapes = shapes_of(others);
  const PlanNotes known = plan_notes(others, layer);
  for (RoleProposal proposal : proposals_for(*selected_, shapes)) {
    const std::optional<RoleProposal>& chosen = roles_[*selected_];
    if (chosen && chosen->role == proposal.role) proposal.layout = chosen->layout;
    RoleOption option{proposal, {}, false};
    std::vector<ArrayChoice> choices = choices_without(selected_, proposal.role);
    choices.push_back(choice_of(*selected_, proposal));
    try {
      option.outcome = in_words(plan_notes(plan_arrays(choices, std::nullopt, layer, hints_), layer), known);
    } catch (const Error& error) {
      option.outcome = error.summary();
      option.refused = true;
    }
    options_.push_back(std::move(option));
  }
}

}  // namespace headlight
