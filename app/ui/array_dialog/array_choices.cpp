#include "app/ui/array_dialog/array_choices.h"

#include <algorithm>
#include <utility>

#include "engine/core/error.h"
#include "engine/placing/array_names.h"

namespace headlight {
namespace {

// The notes but for those that are among `known`.
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

// The likeliest first: a table with names for its rows is one of embeddings.
std::vector<RoleProposal> proposals_for(const ArrayEntry& entry, const Model& model) {
  std::vector<RoleProposal> proposals = propose_roles(entry.name, entry.shape, model);
  if (!entry.row_labels.empty())
    std::stable_partition(proposals.begin(), proposals.end(), [](const RoleProposal& proposal) {
      return proposal.role == ArrayRole::Embeddings;
    });
  return proposals;
}

// Heads that were chosen for another d_out may not divide this one: then there are none chosen.
ArrayPlan plan_with_heads(const std::vector<ArrayChoice>& choices, std::optional<Index>& heads,
                          const Model& model, const LayerHints& hints) {
  ArrayPlan plan = plan_arrays(choices, std::nullopt, model, hints);
  if (!heads) return plan;
  try {
    return plan_arrays(choices, heads, model, hints);
  } catch (const Error&) {
    heads.reset();
    return plan;
  }
}

}  // namespace

ArrayChoices::ArrayChoices(std::vector<ArrayEntry> entries, const Model& model, LayerHints hints)
    : entries_(std::move(entries)),
      sets_(find_array_sets(entries_, model)),
      roles_(entries_.size()),
      by_hand_(entries_.size()),
      hints_(std::move(hints)) {
  for (const ArrayEntry& entry : entries_)
    hints_.names.push_back(entry.name);
  if (!sets_.empty()) {
    take_set(sets_.front(), model);
    select(sets_.front().members.front().entry, model);
    return;
  }
  const auto readable =
      std::find_if(entries_.begin(), entries_.end(), [](const ArrayEntry& entry) { return !entry.problem; });
  if (!entries_.empty())
    select(readable == entries_.end() ? 0 : static_cast<std::size_t>(readable - entries_.begin()), model);
}

void ArrayChoices::select(std::size_t entry, const Model& model) {
  selected_ = entry;
  if (!touched_) {
    std::fill(roles_.begin(), roles_.end(), std::nullopt);
    const ArrayEntry& chosen = entries_[entry];
    if (!chosen.problem) {
      const std::vector<RoleProposal> proposals = proposals_for(chosen, model);
      if (!proposals.empty()) roles_[entry] = proposals.front();
    }
  }
  work_out(model);
}

void ArrayChoices::give_role(std::optional<ArrayRole> role, const Model& model) {
  if (!selected_) return;
  touched_ = true;
  if (!role) roles_[*selected_].reset();
  for (const RoleOption& option : options_)
    if (option.proposal.role == role) assign(*selected_, option.proposal);
  by_hand_[*selected_] = role.has_value();
  work_out(model);
}

void ArrayChoices::set_layout(WeightLayout layout, const Model& model) {
  if (!selected_ || !roles_[*selected_]) return;
  touched_ = true;
  roles_[*selected_]->layout = layout;
  by_hand_[*selected_] = true;
  work_out(model);
}

void ArrayChoices::set_heads(Index heads, const Model& model) {
  heads_ = heads;
  work_out(model);
}

void ArrayChoices::set_theta(double theta, const Model& model) {
  hints_.theta = theta;
  work_out(model);
}

const ArraySet* ArrayChoices::other_set() const {
  if (!selected_) return nullptr;
  for (const ArraySet& set : sets_) {
    const auto of_selected = [this](const ArraySet::Member& member) { return member.entry == *selected_; };
    if (std::none_of(set.members.begin(), set.members.end(), of_selected)) continue;
    const std::vector<std::size_t> kept = kept_beside(set);
    if (std::any_of(set.members.begin(), set.members.end(), [&](const ArraySet::Member& member) {
          return !roles_[member.entry] && fills(member, kept);
        }))
      return &set;
  }
  return nullptr;
}

// Arrays that somebody gave a role, and that may stand beside the set: those of no other layer.
std::vector<std::size_t> ArrayChoices::kept_beside(const ArraySet& set) const {
  std::vector<std::size_t> kept;
  for (const std::size_t entry : chosen_) {
    const std::string_view layer = layer_of(entries_[entry].name);
    if (by_hand_[entry] && (set.layer.empty() || layer.empty() || layer == set.layer)) kept.push_back(entry);
  }
  return kept;
}

// Whether the member has a place beside those that are kept.
bool ArrayChoices::fills(const ArraySet::Member& member, const std::vector<std::size_t>& kept) const {
  return std::none_of(kept.begin(), kept.end(), [&](std::size_t entry) {
    return entry == member.entry || roles_collide(roles_[entry]->role, member.proposal.role);
  });
}

void ArrayChoices::take_set(const ArraySet& set, const Model& model) {
  touched_ = true;
  const std::vector<std::size_t> kept = kept_beside(set);
  std::vector<std::optional<RoleProposal>> roles(entries_.size());
  std::vector<bool> by_hand(entries_.size());
  for (const std::size_t entry : kept) {
    roles[entry] = roles_[entry];
    by_hand[entry] = true;
  }
  for (const ArraySet::Member& member : set.members)
    if (fills(member, kept)) roles[member.entry] = member.proposal;
  roles_ = std::move(roles);
  by_hand_ = std::move(by_hand);
  work_out(model);
}

std::optional<RoleProposal> ArrayChoices::proposal() const {
  if (!selected_) return std::nullopt;
  if (roles_[*selected_]) return roles_[*selected_];
  return options_.empty() ? std::nullopt : std::optional(options_.front().proposal);
}

std::string ArrayChoices::outcome() const {
  if (!plan_) return {};
  const std::string heads =
      plan_->heads_why.empty()
          ? ""
          : "; " + std::to_string(plan_->num_heads) +
                (plan_->num_heads == 1 ? " head is proposed: " : " heads are proposed: ") + plan_->heads_why;
  return layers_mixed() + in_words(notes_) + heads + unused();
}

// "; not used: wte.weight and 3 more", "" when all are. Those of other layers are a switch away.
std::string ArrayChoices::unused() const {
  constexpr std::size_t kMostNames = 6;
  const std::vector<LayerSource> sources = layers();
  const auto used = [&](std::size_t entry) {
    return roles_[entry] || std::any_of(sources.begin(), sources.end(), [&](const LayerSource& source) {
             return std::find(source.names.begin(), source.names.end(), entries_[entry].name) !=
                    source.names.end();
           });
  };
  std::string names;
  std::size_t count = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (!used(i) && ++count <= kMostNames) names += (names.empty() ? "" : ", ") + entries_[i].name;
  if (count > kMostNames) names += " and " + std::to_string(count - kMostNames) + " more";
  return names.empty() ? names : "; not used: " + names;
}

std::optional<std::size_t> ArrayChoices::attention() const {
  for (std::size_t i = 0; i < roles_.size(); ++i)
    if (roles_[i] && roles_[i]->role == ArrayRole::AttentionWeights) return i;
  return std::nullopt;
}

std::optional<bool> ArrayChoices::by_layers() const {
  const auto entry = attention();
  if (!entry || !layers_possible(entries_[*entry].shape)) return std::nullopt;
  return entries_[*entry].shape.size() == 5 ||
         by_layers_.value_or(layers_likely(entries_[*entry].name, entries_[*entry].shape));
}

void ArrayChoices::set_by_layers(bool by_layers, const Model& model) {
  by_layers_ = by_layers;
  work_out(model);
}

std::vector<LayerSource> ArrayChoices::layers() const {
  const auto entry = attention();
  return layers_of(entries_, chosen_, by_layers().value_or(false) ? entry : std::nullopt, entry.has_value());
}

std::size_t ArrayChoices::layer() const {
  const std::vector<LayerSource> sources = layers();
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

ArrayChoice ArrayChoices::choice_of(std::size_t entry, const RoleProposal& proposal) const {
  const ArrayEntry& array = entries_[entry];
  const bool sliced =
      proposal.role == ArrayRole::AttentionWeights && layers_possible(array.shape) &&
      (array.shape.size() == 5 || by_layers_.value_or(layers_likely(array.name, array.shape)));
  return {array.name, sliced ? layer_shape(array.shape) : array.shape, proposal.role, proposal.layout,
          !array.row_labels.empty()};
}

void ArrayChoices::assign(std::size_t entry, const RoleProposal& proposal) {
  for (std::size_t other = 0; other < roles_.size(); ++other)
    if (roles_[other] && same_place(roles_[other]->role, proposal.role)) {
      roles_[other].reset();
      by_hand_[other] = false;
    }
  roles_[entry] = proposal;
}

// All that is chosen but for `entry` and for what stands in the way of `role`.
std::vector<ArrayChoice> ArrayChoices::choices_without(std::optional<std::size_t> entry,
                                                       std::optional<ArrayRole> role) const {
  std::vector<ArrayChoice> choices;
  for (const std::size_t other : chosen_)
    if (other != entry && !(role && same_place(roles_[other]->role, *role)))
      choices.push_back(choice_of(other, *roles_[other]));
  return choices;
}

void ArrayChoices::work_out(const Model& model) {
  chosen_.clear();
  for (std::size_t i = 0; i < roles_.size(); ++i)
    if (roles_[i]) chosen_.push_back(i);
  choices_ = choices_without(std::nullopt, std::nullopt);
  plan_.reset();
  problem_.clear();
  if (!choices_.empty()) {
    try {
      plan_ = plan_with_heads(choices_, heads_, model, hints_);
      notes_ = plan_notes(*plan_, model);
    } catch (const Error& error) {
      problem_ = error.what();
    }
  }
  work_out_options(model);
}

void ArrayChoices::work_out_options(const Model& model) {
  options_.clear();
  if (!selected_ || entries_[*selected_].problem) return;
  const ArrayEntry& entry = entries_[*selected_];
  // Against the shapes that the other arrays make.
  ArrayPlan others;
  try {
    others = plan_arrays(choices_without(selected_, std::nullopt), std::nullopt, model, hints_);
  } catch (const Error&) {
    others = plan_arrays({}, std::nullopt, model);
  }
  const Model shapes = shapes_of(others);
  const PlanNotes known = plan_notes(others, model);
  for (RoleProposal proposal : proposals_for(entry, shapes)) {
    const std::optional<RoleProposal>& chosen = roles_[*selected_];
    if (chosen && chosen->role == proposal.role) proposal.layout = chosen->layout;
    RoleOption option{proposal, {}, false};
    std::vector<ArrayChoice> choices = choices_without(selected_, proposal.role);
    choices.push_back(choice_of(*selected_, proposal));
    try {
      option.outcome = in_words(plan_notes(plan_arrays(choices, std::nullopt, model, hints_), model), known);
    } catch (const Error& error) {
      option.outcome = error.summary();
      option.refused = true;
    }
    options_.push_back(std::move(option));
  }
}

}  // namespace headlight
