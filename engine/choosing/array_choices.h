// What was chosen of a file of arrays, by their names and values and by a person: which of them go where,
// what that makes of the model, what has been assumed, and what has to be asked first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/array_import/array_layers.h"
#include "engine/array_import/array_plan_notes.h"
#include "engine/array_import/array_sets.h"
#include "engine/choosing/array_file.h"
#include "engine/choosing/given_order.h"

namespace headlight {

struct RoleOption {  // a place where the selected array may go
  RoleProposal proposal;
  std::string outcome;   // what this array then changes beyond all that is chosen besides
  bool refused = false;  // `outcome` says why it is not possible
};

// What arrays do not say, as a person says it: the options of the command line.
struct ArrayAnswers {
  bool causal = false;
  std::optional<Index> heads, kv_heads, layer;
  std::optional<MaskTruth> mask_true;
  std::optional<AxisOrder> order;  // of queries, keys and values of order_axes axes
  std::size_t order_axes = 4;
  std::optional<std::vector<std::string>> tokens;
  bool any() const { return causal || heads || kv_heads || layer || mask_true || order || tokens; }
};

// What has to be known before anything is placed.
struct ArrayQuestion {
  // Doubt: what its name says is not what would become of it.
  enum class Kind { MaskTruth, GivenOrder, FirstAxis, Fused, Draw, Doubt };
  Kind kind = Kind::MaskTruth;
  std::size_t entry = 0;  // the array that it is about
  std::string what;    // "it cannot be known whether True (1) in the mask m lets a query look there or ..."
  std::string option;  // what answers it on the command line
};

// Whether somebody has what is proposed in sight, and may change it.
enum class Choosing { Unseen, Seen };

class ArrayChoices {
 public:
  // Arrays that say by their names where they go are given their places: those of the first layer. facts: by
  // entry, as far as they were read.
  ArrayChoices() = default;
  ArrayChoices(std::vector<ArrayEntry> entries, const Model& model, LayerHints hints = {},
               std::vector<std::optional<ArrayFacts>> facts = {});

  const std::vector<ArrayEntry>& entries() const { return entries_; }
  // Precondition of all that take an entry: there is one.
  const std::optional<RoleProposal>& role_of(std::size_t entry) const { return roles_[entry]; }
  std::optional<std::size_t> selected() const { return selected_; }

  // What was read of the array's values; places that nobody chose by hand follow them.
  void set_facts(std::size_t entry, ArrayFacts facts, const Model& model);
  const std::optional<ArrayFacts>& facts(std::size_t entry) const { return facts_[entry]; }
  // The next array whose values have to be read before its place is known to be right; none when all were.
  std::optional<std::size_t> unread() const;

  // The array that is looked at. While nothing was chosen, it goes to its likeliest place.
  void select(std::size_t entry, const Model& model);
  // The selected array goes there; one that had the place loses it. None: it is not used.
  void give_role(std::optional<ArrayRole> role, const Model& model);
  void set_layout(WeightLayout layout, const Model& model);
  void set_heads(Index heads, const Model& model);
  void set_kv_heads(Index heads, const Model& model);
  void set_theta(double theta, const Model& model);
  void set_causal(bool causal, const Model& model);
  // Whether the first axis of the weights of attention that are chosen counts layers or sequences; none where
  // there is no such choice. The first layer is placed.
  std::optional<bool> by_layers() const;
  void set_by_layers(bool by_layers, const Model& model);
  // What the switch of layers goes through once these are placed, and which of them is.
  std::vector<LayerSource> layers() const;
  std::size_t layer() const;

  // Answers to questions, each of which stays until another one is given.
  void set_mask_truth(std::size_t entry, MaskTruth truth, const Model& model);
  void set_given_order(AxisOrder order, const Model& model);
  void set_averaged(bool averaged, const Model& model);
  void allow_drawing(const Model& model);
  // The array stays where it is, used or not, whatever its name says.
  void settle_doubt(std::size_t entry, const Model& model);
  // All that the command line says. Throws Error for what the arrays cannot be, or do not have.
  void answer(const ArrayAnswers& answers, const Model& model);

  // What 1 means in the mask, as far as it is known.
  std::optional<MaskTruth> mask_truth(std::size_t entry) const;
  // Queries, keys and values: the orders that go, and the one that is taken; empty and none without them.
  const std::vector<AxisOrder>& given_orders() const { return given_orders_; }
  std::optional<AxisOrder> given_order() const { return order_; }
  // Weights of attention with three axes: whether the first counts sequences; none where there are no such.
  std::optional<bool> averaged() const;
  // Whether something would be drawn, or taken from the model, in the place of arrays that are not
  // understood.
  bool draws() const { return draws_; }
  const std::vector<ArrayQuestion>& questions() const { return questions_; }

  // The other layer that the selected array belongs to; null when it has none or is chosen already.
  const ArraySet* other_set() const;
  // What was chosen by hand stays, but for arrays of another layer.
  void take_set(const ArraySet& set, const Model& model);

  // The places for the selected array, the likeliest first.
  const std::vector<RoleOption>& options() const { return options_; }
  // Of the selected array: of its role, else of the likeliest.
  std::optional<RoleProposal> proposal() const;

  bool empty() const { return choices_.empty(); }
  std::uint64_t revision() const { return revision_; }                // another one after every change
  const std::vector<std::size_t>& chosen() const { return chosen_; }  // entries that have a role
  // What all that is chosen makes of the model; none when it does not go together.
  const std::optional<ArrayPlan>& plan() const { return plan_; }
  const PlanNotes& notes() const { return notes_; }
  // In words, with what was assumed and the arrays that are not used by their names; "" without a plan.
  std::string outcome() const;
  std::string problem() const { return problem_ ? problem_->what() : ""; }  // why there is no plan
  // Why it cannot be placed as it is: what does not go together, values that cannot be, what has to be asked.
  // Unseen: also arrays that say where they go and cannot be read, and heads that no array tells though
  // numbers depend on them. The arrays are named. None when it can.
  std::optional<Error> refusal(Choosing choosing = Choosing::Unseen) const;
  // Whether the values were read of all arrays whose meaning they tell.
  bool values_known() const;
  // Whether an array has an axis of heads.
  bool heads_stated() const;
  // The numbers of heads of keys and values that go with the heads; empty where there is no choice.
  std::vector<Index> possible_kv_heads() const;
  // What has been assumed, a line each.
  std::vector<std::string> assumed() const;
  std::optional<Index> heads() const { return heads_; }
  const LayerHints& hints() const { return hints_; }
  // What to read, and where it goes. Precondition: there is a plan.
  ArrayOrder order_for(const std::filesystem::path& path, std::shared_ptr<const Model> model) const;

 private:
  std::vector<ArrayChoice> choices_without(std::optional<std::size_t> entry,
                                           std::optional<ArrayRole> role) const;
  ArrayChoice choice_of(std::size_t entry, const RoleProposal& proposal) const;
  RoleProposal as_placed(std::size_t entry, RoleProposal proposal) const;
  RoleProposal by_values(std::size_t entry, RoleProposal proposal, const Model& model) const;
  std::vector<RoleProposal> proposals_for(std::size_t entry, const Model& model) const;
  void assign(std::size_t entry, const RoleProposal& proposal);
  void add_likeliest(const Model& model);
  void take_layer(Index layer, const Model& model);
  void require_heads(const ArrayAnswers& answers, const Model& model) const;
  std::vector<std::size_t> held_beside(const ArraySet& set) const;
  bool fills(const ArraySet::Member& member, const std::vector<std::size_t>& kept) const;
  std::string layers_mixed() const;
  std::vector<std::size_t> unused() const;
  std::string unused_words() const;
  std::vector<std::string> how_read() const;
  std::vector<std::string> square_layouts() const;
  std::optional<std::size_t> attention() const;
  std::optional<std::size_t> entry_with(ArrayRole role) const;
  bool of_keys(std::size_t entry) const;
  MaskMeaning meaning(std::size_t entry) const;
  bool names_average(std::size_t entry) const;
  bool may_be_averaged(std::size_t entry) const;
  KnownSizes known_sizes() const;
  std::optional<std::size_t> not_understood() const;
  std::optional<std::size_t> needs_heads() const;
  bool of_another_layer(const std::string& name) const;
  void ask_about_doubts();
  std::optional<ArrayQuestion> mask_left_out() const;
  std::optional<ArrayQuestion> projection_left_out() const;
  std::optional<ArrayQuestion> not_plain_numbers() const;
  std::optional<ArrayQuestion> embeddings_by_guess() const;
  bool sliced_by_layers(const ArrayEntry& array) const;
  void follow_fused_layout();
  void work_out_order();
  void work_out_questions();
  void ask_about_axes();
  void ask_about_weights();
  void work_out(const Model& model);
  void work_out_options(const Model& model);

  std::vector<ArrayEntry> entries_;
  std::vector<std::optional<ArrayFacts>> facts_;  // by entry
  std::vector<ArraySet> sets_;
  std::vector<std::optional<RoleProposal>> roles_;  // by entry
  std::vector<bool> by_hand_;                       // by entry: somebody chose its role
  std::vector<bool> left_out_;                      // by entry: somebody said that it is not used
  std::optional<std::size_t> selected_;
  bool touched_ = false;  // somebody, or the names, have chosen
  std::optional<Index> heads_;
  LayerHints hints_;
  std::optional<bool> by_layers_;  // chosen by somebody, as all that follow
  std::map<std::size_t, MaskTruth> truths_;
  std::optional<MaskTruth> all_truths_;
  std::optional<AxisOrder> order_by_hand_;
  std::optional<bool> averaged_;
  bool may_draw_ = false;
  std::optional<std::vector<std::string>> tokens_;
  Index slice_ = 0;  // the layer that is placed where the first axis counts them
  std::vector<AxisOrder> given_orders_;
  std::optional<AxisOrder> order_;
  bool draws_ = false;
  std::vector<ArrayQuestion> questions_;
  std::uint64_t revision_ = 0;
  std::vector<std::size_t> chosen_;
  std::vector<ArrayChoice> choices_;
  std::vector<RoleOption> options_;
  std::optional<ArrayPlan> plan_;
  PlanNotes notes_;
  std::optional<Error> problem_;
};

}  // namespace headlight
