// What a person has chosen of a file of arrays: which of them go where, and what that makes of the model.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/placing/array_layers.h"
#include "engine/placing/array_plan_notes.h"
#include "engine/placing/array_sets.h"

namespace headlight {

struct RoleOption {  // a place where the selected array may go
  RoleProposal proposal;
  std::string outcome;   // what this array then changes beyond all that is chosen besides
  bool refused = false;  // `outcome` says why it is not possible
};

class ArrayChoices {
 public:
  // Arrays that say by their names where they go are given their places: those of the first layer.
  ArrayChoices() = default;
  ArrayChoices(std::vector<ArrayEntry> entries, const Model& model, LayerHints hints = {});

  const std::vector<ArrayEntry>& entries() const { return entries_; }
  // Precondition of all that take an entry: there is one.
  const std::optional<RoleProposal>& role_of(std::size_t entry) const { return roles_[entry]; }
  std::optional<std::size_t> selected() const { return selected_; }

  // The array that is looked at. While nothing was chosen, it goes to its likeliest place.
  void select(std::size_t entry, const Model& model);
  // The selected array goes there; one that had the place loses it. None: it is not used.
  void give_role(std::optional<ArrayRole> role, const Model& model);
  void set_layout(WeightLayout layout, const Model& model);
  void set_heads(Index heads, const Model& model);
  void set_theta(double theta, const Model& model);
  // Whether the first axis of the weights of attention that are chosen counts layers or sequences; none where
  // there is no such choice. The first layer is placed.
  std::optional<bool> by_layers() const;
  void set_by_layers(bool by_layers, const Model& model);
  // What the switch of layers goes through once these are placed, and which of them is.
  std::vector<LayerSource> layers() const;
  std::size_t layer() const;

  // The other layer that the selected array belongs to; null when it has none or is chosen already.
  const ArraySet* other_set() const;
  // What was chosen by hand stays, but for arrays of another layer.
  void take_set(const ArraySet& set, const Model& model);

  // The places for the selected array, the likeliest first.
  const std::vector<RoleOption>& options() const { return options_; }
  // Of the selected array: of its role, else of the likeliest.
  std::optional<RoleProposal> proposal() const;

  bool empty() const { return choices_.empty(); }
  const std::vector<std::size_t>& chosen() const { return chosen_; }  // entries that have a role
  // What all that is chosen makes of the model; none when it does not go together.
  const std::optional<ArrayPlan>& plan() const { return plan_; }
  // In words, with the arrays that are not used by their names; "" without a plan.
  std::string outcome() const;
  const std::string& problem() const { return problem_; }  // why there is no plan
  std::optional<Index> heads() const { return heads_; }
  const LayerHints& hints() const { return hints_; }

 private:
  std::vector<ArrayChoice> choices_without(std::optional<std::size_t> entry,
                                           std::optional<ArrayRole> role) const;
  ArrayChoice choice_of(std::size_t entry, const RoleProposal& proposal) const;
  void assign(std::size_t entry, const RoleProposal& proposal);
  std::vector<std::size_t> kept_beside(const ArraySet& set) const;
  bool fills(const ArraySet::Member& member, const std::vector<std::size_t>& kept) const;
  std::string layers_mixed() const;
  std::string unused() const;
  std::optional<std::size_t> attention() const;
  void work_out(const Model& model);
  void work_out_options(const Model& model);

  std::vector<ArrayEntry> entries_;
  std::vector<ArraySet> sets_;
  std::vector<std::optional<RoleProposal>> roles_;  // by entry
  std::vector<bool> by_hand_;                       // by entry: somebody chose its role
  std::optional<std::size_t> selected_;
  bool touched_ = false;  // somebody, or the names, have chosen
  std::optional<Index> heads_;
  LayerHints hints_;
  std::optional<bool> by_layers_;  // chosen by somebody
  std::vector<std::size_t> chosen_;
  std::vector<ArrayChoice> choices_;
  std::vector<RoleOption> options_;
  std::optional<ArrayPlan> plan_;
  PlanNotes notes_;
  std::string problem_;
};

}  // namespace headlight
