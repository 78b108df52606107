#include "engine/array_import/array_sets.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "engine/array_import/array_names.h"
#include "engine/array_import/array_plan.h"
#include "engine/array_import/layer_settings.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

void add(ArraySet& set, const ArraySet::Member& member) {
  const bool filled = std::any_of(set.members.begin(), set.members.end(), [&](const ArraySet::Member& other) {
    return roles_collide(other.proposal.role, member.proposal.role);
  });
  if (!filled) set.members.push_back(member);
}

bool has_token_rows(ArrayRole role) {
  return role == ArrayRole::Embeddings || (role >= ArrayRole::Queries && role < ArrayRole::Sinks);
}

// The model with the shapes of the set's embeddings, queries, keys and values, or with its own shapes.
Layer with_tokens_of(const ArraySet& set, const std::vector<ArrayEntry>& entries, const Layer& layer) {
  std::vector<ArrayChoice> rows;
  for (const ArraySet::Member& member : set.members) {
    const ArrayEntry& entry = entries[member.entry];
    if (has_token_rows(member.proposal.role))
      rows.push_back({entry.name, entry.shape, member.proposal.role, {}, false});
  }
  try {
    return shapes_of(plan_arrays(rows, std::nullopt, layer));
  } catch (const Error&) {  // too many tokens: an error when the arrays are applied
    return shapes_of(plan_arrays({}, std::nullopt, layer));
  }
}

// Proposes the roles again with the set's own embeddings, which determine the layout of its matrices. Removes
// a mask buffer of a longer text.
void settle(ArraySet& set, const std::vector<ArrayEntry>& entries, const Layer& layer) {
  const Layer shapes = with_tokens_of(set, entries, layer);
  for (ArraySet::Member& member : set.members) {
    const ArrayEntry& entry = entries[member.entry];
    member.proposal = propose_roles(entry.name, entry.shape, shapes).front();
  }
  std::erase_if(set.members, [&](const ArraySet::Member& member) {
    return member.proposal.role == ArrayRole::Mask && !member.proposal.fits &&
           is_mask_buffer(entries[member.entry].name);
  });
}

// The name of an array in the set's layer, without the layer's number:
// "encoder.block..layer.0.SelfAttention.".
std::string stack_of(const ArraySet& set) {
  const std::string name = set.layer + ".";
  const std::string_view layer = numbered_layer_of(name);
  const std::size_t number = layer.find_last_not_of("0123456789") + 1;
  return name.substr(0, number) + name.substr(layer.size());
}

const ArraySet::Member* relative_bias_in(const ArraySet& set) {
  const auto at = std::find_if(set.members.begin(), set.members.end(), [](const ArraySet::Member& member) {
    return member.proposal.role == ArrayRole::RelativeBias;
  });
  return at == set.members.end() ? nullptr : &*at;
}

// T5 has one bias for all layers of its encoder or decoder, in the first of them.
void share_relative_bias(std::vector<ArraySet>& sets) {
  for (ArraySet& set : sets)
    for (const ArraySet& other : sets)
      if (const ArraySet::Member* bias = relative_bias_in(other); bias && stack_of(set) == stack_of(other))
        add(set, ArraySet::Member(*bias));
}

}  // namespace

std::vector<ArraySet> find_array_sets(const std::vector<ArrayEntry>& entries, const Layer& model) {
  std::vector<ArraySet> sets;
  std::unordered_map<std::string, std::size_t> by_layer;
  ArraySet everywhere;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const ArrayEntry& entry = entries[i];
    if (entry.problem) continue;
    const std::vector<RoleProposal> proposals = propose_roles(entry.name, entry.shape, model);
    if (proposals.empty() || !proposals.front().named) continue;
    const std::string layer(layer_of(entry.name));
    // What says the tokens' texts is of all layers, as BERT's embeddings.position_ids.
    const bool of_all = says_texts(proposals.front().role) && numbered_layer_of(entry.name).empty();
    if (layer.empty() || of_all) {
      add(everywhere, {i, proposals.front()});
      continue;
    }
    const auto [at, is_new] = by_layer.emplace(layer, sets.size());
    if (is_new) sets.push_back({layer, {}});
    add(sets[at->second], {i, proposals.front()});
  }
  share_relative_bias(sets);
  // Embeddings of the keys are only for layers of cross-attention, if there are any.
  const bool any_cross = std::any_of(sets.begin(), sets.end(),
                                     [](const ArraySet& set) { return names_cross_attention(set.layer); });
  for (ArraySet& set : sets)
    for (const ArraySet::Member& member : everywhere.members)
      if (member.proposal.role != ArrayRole::KeyEmbeddings || !any_cross || names_cross_attention(set.layer))
        add(set, member);
  if (sets.empty() && !everywhere.members.empty()) sets.push_back(std::move(everywhere));
  for (ArraySet& set : sets)
    settle(set, entries, model);
  std::erase_if(sets, [](const ArraySet& set) { return set.members.empty(); });
  return sets;
}

}  // namespace headlight
