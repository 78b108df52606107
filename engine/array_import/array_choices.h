// The choices for a file of arrays, made by names, by values and by the user: the role of each array, what
// the model becomes, the assumptions, and the questions to be answered first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/array_import/acting_names.h"
#include "engine/array_import/array_file.h"
#include "engine/array_import/array_layers.h"
#include "engine/array_import/array_plan_notes.h"
#include "engine/array_import/array_sets.h"
#include "engine/array_import/given_order.h"

namespace headlight {

struct RoleOption {  // a possible role of the selected array
  RoleProposal proposal;
  std::string outcome;   // what this array changes beyond all other choices
  bool refused = false;  // `outcome` is the reason why it is not possible
};

// Answers to what the arrays do not determine: the options of the command line.
struct ArrayOptions {
  bool causal = false, upper_left = false;  // as in LayerHints
  std::optional<Index> heads, kv_heads, layer;
  std::optional<Index> sequence;  // of a batch: placed alone, without its padding
  std::optional<MaskTruth> mask_true;
  std::optional<AxisOrder> order;  // of queries, keys and values with order_axes axes
  std::size_t order_axes = 4;
  std::optional<std::vector<std::string>> tokens;
  bool any() const {
    return causal || upper_left || heads || kv_heads || layer || sequence || mask_true || order || tokens;
  }
};

// A question that must be answered before arrays are placed.
struct ArrayQuestion {
  // Doubt: the name of the array contradicts how it is used.
  enum class Kind { MaskTruth, GivenOrder, FirstAxis, Fused, Draw, Doubt, Sequence };
  Kind kind = Kind::MaskTruth;
  std::size_t entry = 0;  // the array that it concerns
  std::string what;    // "it cannot be known whether True (1) in the mask m lets a query look there or ..."
  std::string option;  // the command-line option that answers it
};

// Whether the user sees the proposals and can change them.
enum class Choosing { Unseen, Seen };

class ArrayChoices {
 public:
  // Arrays whose names state their roles get them: those of the first layer. facts: by entry, as far as they
  // were read.
  ArrayChoices() = default;
  ArrayChoices(std::vector<ArrayEntry> entries, const Layer& model, LayerHints hints = {},
               std::vector<std::optional<ArrayFacts>> facts = {});

  const std::vector<ArrayEntry>& entries() const { return entries_; }
  // Precondition of all functions with an entry: it exists.
  const std::optional<RoleProposal>& role_of(std::size_t entry) const { return roles_[entry]; }
  std::optional<std::size_t> selected() const { return selected_; }

  // Stores the facts about the array's values; roles that the user did not choose follow them.
  void set_facts(std::size_t entry, ArrayFacts facts, const Layer& model);
  const std::optional<ArrayFacts>& facts(std::size_t entry) const { return facts_[entry]; }
  // The next array whose values must be read before its role is certain; empty when all were.
  std::optional<std::size_t> unread() const;

  // The array that is displayed. Until a choice is made, it gets its likeliest role.
  void select(std::size_t entry, const Layer& model);
  // Gives the selected array the role; an array in the same place loses its own. Empty: it is not used.
  void give_role(std::optional<ArrayRole> role, const Layer& model);
  void set_layout(WeightLayout layout, const Layer& model);
  void set_heads(Index heads, const Layer& model);
  void set_kv_heads(Index heads, const Layer& model);
  void set_theta(double theta, const Layer& model);
  void set_causal(bool causal, const Layer& model);
  // Whether the first axis of the chosen attention weights counts layers rather than sequences; empty if
  // there is no such choice. The first layer is placed.
  std::optional<bool> by_layers() const;
  void set_by_layers(bool by_layers, const Layer& model);
  // The layers that the layer switch offers, and the index of the placed one.
  std::vector<LayerSource> layers() const;
  std::size_t layer() const;

  // The sequence that is placed alone, without its padding where the tokens' names, lengths or a mask of keys
  // say how many tokens it has; empty: the whole batch is placed.
  std::optional<Index> sequence() const { return sequence_; }
  void set_sequence(std::optional<Index> sequence, const Layer& model);
  // The number of sequences of the batch; 0 without a plan.
  Index batch() const { return batch_; }
  // The number of sequences if the first axis of attention weights of four axes counts sequences, not layers.
  Index possible_batch() const;

  // Answers to questions; each stays until it is replaced.
  void set_mask_truth(std::size_t entry, MaskTruth truth, const Layer& model);
  void set_given_order(AxisOrder order, const Layer& model);
  void set_averaged(bool averaged, const Layer& model);
  void allow_drawing(const Layer& model);
  // The array stays used or unused, whatever its name states.
  void dismiss_doubt(std::size_t entry, const Layer& model);
  // Applies the command line's options. Throws `Error` for options that contradict the arrays.
  void answer(const ArrayOptions& answers, const Layer& model);

  // The meaning of 1 in the mask; empty if unknown.
  std::optional<MaskTruth> mask_truth(std::size_t entry) const;
  // Whether the mask's numbers are floats, which may also be added.
  bool of_floats(std::size_t entry) const;
  // Queries, keys and values, or inputs that may have time first: the possible orders, and the one in use;
  // empty without them.
  const std::vector<AxisOrder>& given_orders() const { return given_orders_; }
  std::optional<AxisOrder> given_order() const { return order_; }
  // Attention weights with three axes: whether the first counts sequences; empty if there are none.
  std::optional<bool> averaged() const;
  // Whether something would be drawn, or taken from the model, in place of arrays of unknown role.
  bool draws() const { return draws_; }
  const std::vector<ArrayQuestion>& questions() const { return questions_; }

  // The other layer of the selected array; null if there is none or it is chosen already.
  const ArraySet* other_set() const;
  // Chooses the set's arrays; roles chosen by the user stay, except for arrays of another layer.
  void take_set(const ArraySet& set, const Layer& model);

  // The possible roles of the selected array, the likeliest first.
  const std::vector<RoleOption>& options() const { return options_; }
  // Of the selected array: for its role, else for the likeliest.
  std::optional<RoleProposal> proposal() const;

  bool empty() const { return choices_.empty(); }
  std::uint64_t revision() const { return revision_; }                // differs after every change
  const std::vector<std::size_t>& chosen() const { return chosen_; }  // entries that have a role
  // What all chosen arrays make of the model; empty if they are incompatible.
  const std::optional<ArrayPlan>& plan() const { return plan_; }
  const PlanNotes& notes() const { return notes_; }
  // In words, with the assumptions and the names of unused arrays; "" without a plan.
  std::string outcome() const;
  std::string problem() const { return problem_ ? problem_->what() : ""; }  // why there is no plan
  // Why the choices cannot be placed: incompatible arrays, invalid values, open questions; it names the
  // arrays. Unseen: also arrays whose names state a role but that cannot be read, and a number of heads that
  // no array determines although values depend on it. Empty if they can be placed.
  std::optional<Error> refusal(Choosing choosing = Choosing::Unseen) const;
  // Whether the values were read of all arrays whose role depends on them.
  bool values_known() const;
  // Whether an array has an axis of heads.
  bool heads_stated() const;
  // The numbers of key heads that are possible with the heads; empty if there is no choice.
  std::vector<Index> possible_kv_heads() const;
  // The assumptions, one line each.
  std::vector<std::string> assumed() const;
  std::optional<Index> heads() const { return heads_; }
  const LayerHints& hints() const { return hints_; }
  // What to read, and where to put it. Precondition: there is a plan.
  PlacementRequest order_for(const std::filesystem::path& path, std::shared_ptr<const Layer> model) const;

 private:
  std::vector<ArrayChoice> choices_without(std::optional<std::size_t> entry,
                                           std::optional<ArrayRole> role) const;
  ArrayChoice choice_of(std::size_t entry, const RoleProposal& proposal) const;
  RoleProposal as_placed(std::size_t entry, RoleProposal proposal) const;
  RoleProposal by_values(std::size_t entry, RoleProposal proposal, const Layer& model) const;
  std::vector<RoleProposal> proposals_for(std::size_t entry, const Layer& model) const;
  void assign(std::size_t entry, const RoleProposal& proposal);
  void add_likeliest(const Layer& model);
  void take_layer(Index layer, const Layer& model);
  void require_heads(const ArrayOptions& answers, const Layer& model) const;
  std::vector<std::size_t> compatible_with_set(const ArraySet& set) const;
  bool fills(const ArraySet::Member& member, const std::vector<std::size_t>& kept) const;
  std::string layers_mixed() const;
  std::vector<std::size_t> unused() const;
  std::string unused_words() const;
  std::vector<std::string> how_read() const;
  std::vector<std::string> square_layouts() const;
  std::optional<std::size_t> attention() const;
  void read_settings();
  std::optional<ArrayRole> role_or_name(std::size_t entry) const;
  std::optional<Index> token_names(std::size_t entry) const;
  struct NamedTokens {  // the number of names, and where they are
    Index count = 0;
    std::string where;
  };
  std::optional<NamedTokens> named_tokens() const;
  struct Span {  // the tokens of one sequence, and the array that says so
    Index first = 0, count = 0;
    std::string by;
  };
  std::optional<Span> span_by(std::size_t entry) const;
  std::optional<Span> span_of_sequence() const;
  SequencePart part_of_batch() const;
  void take_part();
  std::optional<ArrayQuestion> sequence_unsaid() const;
  std::string part_words() const;
  bool idle(std::size_t entry) const;
  bool is_setting(std::size_t entry) const;
  bool acts(std::size_t entry, const ActingName& acting) const;
  std::optional<std::size_t> inputs_with_time() const;
  void work_out_input_order(std::size_t entry);
  std::optional<std::size_t> entry_with(ArrayRole role) const;
  bool of_keys(std::size_t entry) const;
  MaskMeaning meaning(std::size_t entry) const;
  bool names_average(std::size_t entry) const;
  bool may_be_averaged(std::size_t entry) const;
  KnownSizes known_sizes(bool by_inputs = true) const;
  std::optional<std::size_t> not_understood() const;
  std::optional<std::size_t> needs_heads() const;
  bool of_another_layer(const std::string& name) const;
  void ask_about_doubts();
  std::optional<ArrayQuestion> acting_left_out() const;
  std::optional<ArrayQuestion> whole_weights() const;
  std::optional<ArrayQuestion> band_of_tokens() const;
  std::optional<ArrayQuestion> pairs_left_out() const;
  std::optional<ArrayQuestion> module_left_out() const;
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
  void work_out(const Layer& model);
  void work_out_options(const Layer& model);

  std::vector<ArrayEntry> entries_;
  std::vector<std::optional<ArrayFacts>> facts_;  // by entry
  std::vector<ArraySet> sets_;
  std::vector<std::optional<RoleProposal>> roles_;  // by entry
  std::vector<bool> by_hand_;                       // by entry: the user chose its role
  std::vector<bool> left_out_;                      // by entry: the user excluded it
  std::optional<std::size_t> selected_;
  bool touched_ = false;  // a choice was made, by the user or by names
  std::optional<Index> heads_;
  LayerHints hints_;
  std::optional<bool> by_layers_;  // chosen by the user, like those that follow
  std::map<std::size_t, MaskTruth> truths_;
  std::optional<MaskTruth> all_truths_;
  std::optional<AxisOrder> order_by_hand_;
  std::optional<bool> averaged_;
  bool may_draw_ = false;
  std::optional<std::vector<std::string>> tokens_;
  Index slice_ = 0;  // the placed layer if the first axis counts layers
  std::optional<Index> sequence_;
  Index batch_ = 0;
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
