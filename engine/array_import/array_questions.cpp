// Questions about the arrays, and the assumptions made about them.
#include <algorithm>
#include <string_view>
#include <utility>

#include "engine/array_import/array_choices.h"
#include "engine/array_import/array_names.h"
#include "engine/array_import/fused_widths.h"
#include "engine/core/ascii.h"

namespace headlight {
namespace {

bool is_mask(ArrayRole role) {
  return role == ArrayRole::Mask || role == ArrayRole::KeyMask;
}

// "rows 1 to 8 are queries, 9 to 12 keys, 13 to 16 values".
std::string cut_words(const ArrayEntry& entry, const ArrayPlan& plan, bool by_heads) {
  if (by_heads)
    return entry.name + ": each of " +
           std::to_string(plan.num_kv_heads > 0 ? plan.num_kv_heads : plan.num_heads) +
           " heads of keys has its queries, key and value one after the other";
  const auto part = [](Index begin, Index count) {
    return std::to_string(begin + 1) + " to " + std::to_string(begin + count);
  };
  return entry.name + ": " + part(0, plan.width) + " are queries, " + part(plan.width, plan.kv_width) +
         " keys, " + part(plan.width + plan.kv_width, plan.kv_width) + " values";
}

// Whether queries, keys and values do not all come from the arrays.
bool lacks_projection(const ArrayPlan& plan) {
  if (plan.projection == Projection::None) return true;
  if (plan.projection != Projection::Linear) return false;
  return std::any_of(plan.weights.begin(), plan.weights.begin() + 3,
                     [](PartSource fate) { return fate != PartSource::Given; });
}

const char* instead_words(const ArrayPlan& plan) {
  if (plan.projection == Projection::None) return "the embeddings themselves";
  const bool drawn =
      std::find(plan.weights.begin(), plan.weights.end(), PartSource::Drawn) != plan.weights.end();
  return drawn ? "made by weights that are drawn at random" : "made by the weights that are there now";
}

}  // namespace

bool ArrayChoices::of_keys(std::size_t entry) const {
  if (role_or_name(entry) == ArrayRole::KeyMask) return true;
  return plan_ && roles_[entry] ? plan_->key_mask : is_key_mask(entries_[entry].shape);
}

bool ArrayChoices::of_floats(std::size_t entry) const {
  const std::string& type = entries_[entry].type;
  return type.starts_with("F") || type.starts_with("BF") || (type.size() == 3 && type[1] == 'f');
}

MaskMeaning ArrayChoices::meaning(std::size_t entry) const {
  if (!facts_[entry] || !facts_[entry]->mask.zero_one) return {MaskTruth::Allowed, ""};
  return mask_meaning(entries_[entry].name, facts_[entry]->mask, of_keys(entry), of_floats(entry));
}

std::optional<MaskTruth> ArrayChoices::mask_truth(std::size_t entry) const {
  if (const auto at = truths_.find(entry); at != truths_.end()) return at->second;
  const std::optional<MaskTruth> known = meaning(entry).truth;
  if (!all_truths_) return known;
  // The option applies to the masks of unknown meaning; to all masks if the meaning of each is known.
  const bool any_unknown = std::any_of(chosen_.begin(), chosen_.end(), [this](std::size_t other) {
    return is_mask(roles_[other]->role) && !meaning(other).truth;
  });
  return known && any_unknown ? known : all_truths_;
}

void ArrayChoices::set_mask_truth(std::size_t entry, MaskTruth truth, const Layer& layer) {
  truths_[entry] = truth;
  work_out(layer);
}

void ArrayChoices::set_given_order(AxisOrder order, const Layer& layer) {
  order_by_hand_ = order;
  work_out(layer);
}

void ArrayChoices::set_averaged(bool averaged, const Layer& layer) {
  averaged_ = averaged;
  work_out(layer);
}

void ArrayChoices::allow_drawing(const Layer& layer) {
  may_draw_ = true;
  work_out(layer);
}

void ArrayChoices::dismiss_doubt(std::size_t entry, const Layer& layer) {
  (roles_[entry] ? by_hand_ : left_out_)[entry] = true;
  // One answer is for all unused arrays that do the same, as the scales of all weights.
  if (const ActingName* acting = acting_name(entries_[entry].name); acting && !roles_[entry])
    for (std::size_t other = 0; other < entries_.size(); ++other)
      if (!roles_[other] && acting_name(entries_[other].name) == acting) left_out_[other] = true;
  work_out(layer);
}

bool ArrayChoices::names_average(std::size_t entry) const {
  return has_any(lowered(entries_[entry].name), {"averag", "avg", "mean"});
}

// MultiheadAttention returns N x L x S, averaged over its heads, under names that others use for all heads.
bool ArrayChoices::may_be_averaged(std::size_t entry) const {
  const std::vector<Index>& shape = entries_[entry].shape;
  if (roles_[entry]->role != ArrayRole::AttentionWeights || shape.size() != 3 || shape[0] < 2) return false;
  const std::string last = lowered(last_part(entries_[entry].name));
  return last == "attn_output_weights" || last == "attn_weights" || names_average(entry) ||
         known_sizes().sequences == shape[0];
}

std::optional<bool> ArrayChoices::averaged() const {
  const auto entry = attention();
  if (!entry || roles_[*entry]->role != ArrayRole::AttentionWeights) return std::nullopt;
  const std::vector<Index>& shape = entries_[*entry].shape;
  if (shape.size() != 3 || shape[0] < 2) return std::nullopt;
  if (averaged_) return averaged_;
  if (heads_ == shape[0] || order_by_hand_ == AxisOrder::HeadsFirst) return false;
  return heads_ == 1 || names_average(*entry);
}

// Sizes of queries, keys and values that the other arrays determine.
KnownSizes ArrayChoices::known_sizes(bool by_inputs) const {
  KnownSizes known;
  known.heads = heads_;
  known.kv_heads = hints_.kv_heads;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const std::vector<Index>& shape = entries_[i].shape;
    const std::size_t axes = shape.size();
    if (entries_[i].problem || axes == 0) continue;
    const auto named = read_array_name(entries_[i].name, axes).role;
    const bool pairs =
        axes == 4 && named && (*named == ArrayRole::AttentionWeights || *named == ArrayRole::Scores);
    if (pairs && !roles_[i]) {
      known = {shape[0], shape[2], shape[3], shape[1], known.kv_heads};
      continue;
    }
    if (!roles_[i]) continue;
    const ArrayRole role = roles_[i]->role;
    const bool rows = axes > 1 && shape[axes - 2] > 1 && (axes != 2 || shape[0] == shape[1]);
    if (is_mask(role) || role == ArrayRole::ScoreBias) {
      known.keys = shape.back();
      if (role != ArrayRole::KeyMask && rows) known.tokens = shape[axes - 2];
      if (role == ArrayRole::KeyMask && axes == 2) known.sequences = shape[0];
    } else if (role == ArrayRole::Lengths) {
      known.sequences = shape[0];
    } else if (role == ArrayRole::Segments || role == ArrayRole::Positions) {
      known.keys = shape.back();
    } else if (role == ArrayRole::Sinks || role == ArrayRole::Slopes || role == ArrayRole::HeadMask) {
      known.heads = *std::max_element(shape.begin(), shape.end());
    } else if (role == ArrayRole::Embeddings && axes > 1 && by_inputs) {
      known.tokens = shape[axes - 2];
      if (axes == 3) known.sequences = shape[0];
    } else if (role == ArrayRole::KeyEmbeddings && axes > 1 && by_inputs) {
      known.keys = shape[axes - 2];
    } else if (role == ArrayRole::Tokens && entries_[i].text) {
      known.keys = shape[0];  // of all keys, or of as many queries
    }
  }
  return known;
}

void ArrayChoices::work_out_order() {
  given_orders_.clear();
  order_.reset();
  if (const auto inputs = inputs_with_time()) return work_out_input_order(*inputs);
  std::array<std::vector<Index>, 3> shapes;
  for (std::size_t p = 0; p < shapes.size(); ++p) {
    const auto entry = entry_with(static_cast<ArrayRole>(static_cast<std::size_t>(ArrayRole::Queries) + p));
    if (!entry) return;
    shapes[p] = entries_[*entry].shape;
  }
  const std::size_t axes = shapes[0].size();
  if ((axes != 3 && axes != 4) || shapes[1].size() != axes || shapes[2].size() != axes) return;
  given_orders_ = possible_orders(shapes, known_sizes());
  if (order_by_hand_)
    order_ = order_by_hand_;
  else if (!given_orders_.empty())
    order_ = given_orders_.front();
}

// Inputs of three axes whose first may count tokens: torch.nn.MultiheadAttention, which alone has
// in_proj_weight, takes them so unless it is made with batch_first. Others are taken so only if the user says
// so.
std::optional<std::size_t> ArrayChoices::inputs_with_time() const {
  const auto inputs = entry_with(ArrayRole::Embeddings);
  if (!inputs || entries_[*inputs].shape.size() != 3) return std::nullopt;
  const auto weights = entry_with(ArrayRole::FusedWeight);
  const bool of_module = weights && has_any(lowered(entries_[*weights].name), {"in_proj"});
  return of_module || order_by_hand_ == AxisOrder::TimeFirst ? inputs : std::nullopt;
}

void ArrayChoices::work_out_input_order(std::size_t entry) {
  const std::vector<Index>& shape = entries_[entry].shape;
  const KnownSizes known = known_sizes(false);
  const auto agrees = [&](Index sequences, Index tokens) {
    const bool one = tokens == 1 && sequences > 1;  // a single key would have all the weight
    return !one && (!known.sequences || *known.sequences == sequences) &&
           (!known.tokens || *known.tokens == tokens) && (!known.keys || *known.keys == tokens);
  };
  const auto crossed = entry_with(ArrayRole::KeyEmbeddings);
  if (crossed || agrees(shape[0], shape[1])) given_orders_.push_back(AxisOrder::AsIs);
  if (crossed || agrees(shape[1], shape[0])) given_orders_.push_back(AxisOrder::TimeFirst);
  if (shape[0] == shape[1] && !crossed) given_orders_ = {AxisOrder::AsIs, AxisOrder::TimeFirst};
  if (given_orders_.empty()) given_orders_ = {AxisOrder::AsIs};
  order_ = order_by_hand_ ? order_by_hand_ : std::optional(given_orders_.front());
}

// An unused array that may belong to the projections, although queries, keys or values do not all come from
// arrays.
std::optional<std::size_t> ArrayChoices::not_understood() const {
  if (!plan_ || !lacks_projection(*plan_)) return std::nullopt;
  const bool by_hand = std::find(by_hand_.begin(), by_hand_.end(), true) != by_hand_.end();
  std::optional<std::size_t> likely;
  for (const std::size_t entry : unused()) {
    const ArrayEntry& array = entries_[entry];
    if (array.problem || array.text || array.shape.size() < 2 || array.shape.size() > 4) continue;
    const auto named = read_array_name(array.name, array.shape.size()).role;
    // Of another layer, or a second array for a filled place.
    const bool filled = named && std::any_of(chosen_.begin(), chosen_.end(), [&](std::size_t other) {
                          return same_place(*named, roles_[other]->role);
                        });
    if (left_out_[entry] || filled || (named && !is_weight(*named))) continue;
    const std::string name = lowered(array.name);
    const bool calls = has_any(name, {"attn", "attention", "proj", "query", "key", "value", "qkv", "w_q",
                                      "w_k", "w_v", "w_pack", "wq", "wk", "wv"});
    const bool fits = !plan_->embeddings_given ||
                      std::find(array.shape.begin(), array.shape.end(), plan_->d_in) != array.shape.end();
    if (calls) return entry;
    if (fits && !by_hand && !likely) likely = entry;
  }
  return likely;
}

// An array that is split by an unknown number of heads.
std::optional<std::size_t> ArrayChoices::needs_heads() const {
  if (!plan_ || heads_ || plan_->heads_reason.empty()) return std::nullopt;
  for (const std::size_t entry : chosen_) {
    const ArrayRole role = roles_[entry]->role;
    const bool cut = is_fused_by_heads(role) || plan_->num_kv_heads > 0;
    if (cut && (is_weight(role) || (role >= ArrayRole::Queries && role <= ArrayRole::Values))) return entry;
  }
  return std::nullopt;
}

void ArrayChoices::ask_about_axes() {
  const auto inputs = inputs_with_time();
  if (inputs && given_orders_.size() > 1 && !order_by_hand_) {
    const std::vector<Index>& shape = entries_[*inputs].shape;
    const std::string first = std::to_string(shape[0]), second = std::to_string(shape[1]);
    questions_.push_back({ArrayQuestion::Kind::GivenOrder, *inputs,
                          shape_text(shape) + " beside in_proj_weight may be " + first + " sequences of " +
                              second +
                              " tokens, or, as torch.nn.MultiheadAttention takes it without batch_first, " +
                              second + " sequences of " + first + " tokens",
                          "say it with --layout btd or --layout tbd"});
  } else if (given_orders_.size() > 1 && !order_by_hand_) {
    const std::size_t entry = *entry_with(ArrayRole::Queries);
    const std::size_t axes = entries_[entry].shape.size();
    std::string orders, options;
    for (const AxisOrder order : given_orders_) {
      orders += std::string(orders.empty() ? "" : " or ") + order_words(order, axes);
      options += std::string(options.empty() ? "" : " or ") + "--layout " + order_id(order, axes);
    }
    questions_.push_back(
        {ArrayQuestion::Kind::GivenOrder, entry,
         "queries, keys and values of " + shape_text(entries_[entry].shape) + " may be " + orders,
         "say it with " + options});
  }
  const auto weights = attention();
  if (!weights || averaged_ || !may_be_averaged(*weights) || names_average(*weights)) return;
  const Index first = entries_[*weights].shape[0];
  if (heads_ == 1 || heads_ == first || order_by_hand_ == AxisOrder::HeadsFirst) return;
  questions_.push_back({ArrayQuestion::Kind::FirstAxis, *weights,
                        "the first axis of " + shape_text(entries_[*weights].shape) +
                            " may count heads, or sequences whose weights were averaged over the heads",
                        "say it with --heads " + std::to_string(first) + " (--layout htd) or --heads 1"});
}

void ArrayChoices::ask_about_weights() {
  for (const std::size_t entry : chosen_) {
    const ArrayChoice choice = choice_of(entry, *roles_[entry]);
    const std::string name = lowered(choice.name);
    const bool may_share = has_any(name, {"qkv_proj", "wqkv", "query_key_value", "c_attn"});
    if (!is_fused(choice.role) || !is_weight(choice.role) || !may_share || hints_.kv_heads) continue;
    const bool in_out = choice.layout == WeightLayout::InOut;
    const auto widths = fused_widths(choice.shape[in_out ? 1 : 0], choice.shape[in_out ? 0 : 1],
                                     head_counts(choices_, heads_, hints_));
    if (widths && widths->ambiguous)
      questions_.push_back({ArrayQuestion::Kind::Fused, entry,
                            "keys and values in it may be as wide as the queries, or have fewer heads",
                            "say it with --heads and --kv-heads"});
  }
  const auto left = not_understood();
  draws_ = left.has_value();
  if (!left || may_draw_) return;
  questions_.push_back(
      {ArrayQuestion::Kind::Draw, *left,
       std::string("it is not understood, and without it queries, keys and values would be ") +
           instead_words(*plan_),
       "open the file in the window and choose its place, or save it as q_proj.weight, "
       "k_proj.weight and v_proj.weight"});
}

void ArrayChoices::work_out_questions() {
  questions_.clear();
  draws_ = false;
  for (const std::size_t entry : chosen_)
    if (is_mask(roles_[entry]->role) && !mask_truth(entry))
      questions_.push_back({ArrayQuestion::Kind::MaskTruth, entry, meaning(entry).why,
                            of_floats(entry)
                                ? "say it with --mask-as added, --mask-as allowed or --mask-as forbidden"
                                : "say it with --mask-true allowed or --mask-true forbidden"});
  ask_about_axes();
  if (const auto question = sequence_unsaid()) questions_.push_back(*question);
  ask_about_weights();
  ask_about_doubts();
}

std::optional<Error> ArrayChoices::refusal(Choosing choosing) const {
  if (choosing == Choosing::Unseen)
    for (const ArrayEntry& entry : entries_)
      if (entry.problem && read_array_name(entry.name, std::max<std::size_t>(entry.shape.size(), 1)).role)
        return entry.problem;
  for (const std::size_t entry : chosen_) {
    if (!facts_[entry]) continue;
    if (facts_[entry]->unreadable) return facts_[entry]->unreadable;
    const ArrayRole role = roles_[entry]->role;
    if (is_mask(role) && !facts_[entry]->mask.zero_one)
      return Error("it holds other numbers than 0 and 1, and none that close", entries_[entry].name,
                   "write a mask as 0 and 1, or as 0 and very negative numbers, which are added");
    const bool closing = is_mask(role) || role == ArrayRole::ScoreBias || role == ArrayRole::Scores;
    if (role == ArrayRole::AttentionWeights) continue;
    const std::optional<Error>& wrong = closing ? facts_[entry]->undefined : facts_[entry]->not_finite;
    if (wrong) return wrong;
  }
  // A question about the axes precedes an incompatibility that may result from them.
  for (const ArrayQuestion& question : questions_)
    return Error(question.what, entries_[question.entry].name, question.option);
  if (problem_) return problem_;
  if (const auto entry = needs_heads(); entry && choosing == Choosing::Unseen)
    return Error("how its rows belong to heads depends on the number of heads, which no array says",
                 entries_[*entry].name, "say it with --heads and --kv-heads");
  return std::nullopt;
}

bool ArrayChoices::values_known() const {
  return std::all_of(chosen_.begin(), chosen_.end(), [this](std::size_t entry) {
    const ArrayRole role = roles_[entry]->role;
    const bool tell = is_mask(role) || role == ArrayRole::ScoreBias || role == ArrayRole::Scores ||
                      role == ArrayRole::AttentionWeights;
    return !tell || facts_[entry];
  });
}

bool ArrayChoices::heads_stated() const {
  return std::any_of(choices_.begin(), choices_.end(), [](const ArrayChoice& choice) {
    const bool given = choice.role >= ArrayRole::Queries && choice.role <= ArrayRole::Values;
    const bool pairs = choice.role == ArrayRole::AttentionWeights || choice.role == ArrayRole::Scores;
    return pairs || choice.heads > 0 || (given && choice.shape.size() == 4);
  });
}

std::vector<Index> ArrayChoices::possible_kv_heads() const {
  if (!plan_ || plan_->projection != Projection::Linear) return {};
  std::vector<Index> numbers;
  for (Index heads = 1; heads <= plan_->num_heads; ++heads) {
    if (plan_->num_heads % heads != 0) continue;
    const bool fused = std::any_of(chosen_.begin(), chosen_.end(),
                                   [this](std::size_t entry) { return is_fused(roles_[entry]->role); });
    const Index d_k = plan_->width / plan_->num_heads;
    const Index lines = plan_->width + 2 * plan_->kv_width;
    const bool goes = fused ? lines % (plan_->num_heads + 2 * heads) == 0 : heads * d_k == plan_->kv_width;
    if (goes) numbers.push_back(heads);
  }
  return numbers;
}

// The layouts used for square matrices of weights, which fit either one; empty if there are none.
std::vector<std::string> ArrayChoices::square_layouts() const {
  std::vector<std::string> lines;
  for (const WeightLayout layout : {WeightLayout::InOut, WeightLayout::OutIn}) {
    std::string names;
    for (const std::size_t entry : chosen_) {
      const RoleProposal& proposal = *roles_[entry];
      if (is_weight(proposal.role) && proposal.flippable && proposal.layout == layout)
        names += (names.empty() ? "" : ", ") + entries_[entry].name;
    }
    if (!names.empty())
      lines.push_back(names + (layout == WeightLayout::InOut
                                   ? ": taken as d_in x d_out, x @ W"
                                   : ": taken as d_out x d_in, as nn.Linear has it"));
  }
  return lines;
}

// The readings of ambiguous arrays.
std::vector<std::string> ArrayChoices::how_read() const {
  std::vector<std::string> lines;
  if (const std::string part = part_words(); !part.empty()) lines.push_back(part);
  for (const std::size_t entry : chosen_) {
    const ArrayEntry& array = entries_[entry];
    const ArrayRole role = roles_[entry]->role;
    const auto named = read_array_name(array.name, array.shape.size()).role;
    const MaskMeaning mask = is_mask(role) ? meaning(entry) : MaskMeaning{};
    const bool either = plan_ && array.shape.size() == 3 && array.shape[0] > 1 &&
                        plan_->sequences == array.shape[0] && plan_->num_heads == array.shape[0];
    if (either && (is_mask(role) || role == ArrayRole::ScoreBias))
      lines.push_back(array.name + ": its first axis is taken for sequences, not for heads");
    if (mask.truth && mask.truth == mask_truth(entry) && !mask.why.empty()) lines.push_back(mask.why);
    if (role == ArrayRole::AttentionWeights && facts_[entry] && facts_[entry]->by_columns)
      lines.push_back(
          array.name +
          ": its columns sum to 1, not its rows (softmax over the wrong axis?); it is shown as it is");
    if (role == ArrayRole::Segments && named != role)
      lines.push_back(array.name + ": tokens with the same number are taken for one text, 0 for padding");
    if (!array.scaled_by.empty()) lines.push_back(array.name + ": whole numbers times " + array.scaled_by);
    if (role == ArrayRole::ScoreBias && named != role)
      lines.push_back(array.name + ": its numbers are added to the scores");
    if (role == ArrayRole::Scores && named != role)
      lines.push_back(array.name + ": its rows are no weights, they are taken as scores before the softmax");
    if (role == ArrayRole::AttentionWeights && named == ArrayRole::Scores)
      lines.push_back(array.name + ": its rows sum to 1, they are taken as weights");
    const bool grouped = is_fused_by_heads(role) && is_weight(role);
    if (plan_ && is_fused(role) && is_weight(role) && (grouped || plan_->kv_width != plan_->width))
      lines.push_back(cut_words(array, *plan_, grouped));
  }
  if (inputs_with_time() && order_ && !order_by_hand_)
    lines.push_back(entries_[*inputs_with_time()].name + ": taken as " +
                    (*order_ == AxisOrder::TimeFirst ? "T x B x d_in" : "B x T x d_in"));
  if (order_ && !order_by_hand_ && entry_with(ArrayRole::Queries)) {
    const std::vector<Index>& shape = entries_[*entry_with(ArrayRole::Queries)].shape;
    const bool side_by_side = *order_ == AxisOrder::AsIs && shape.size() == 3 && shape[0] > 1;
    if (*order_ != AxisOrder::AsIs || side_by_side)
      lines.push_back(std::string("queries, keys and values are taken as ") +
                      order_words(*order_, shape.size()) +
                      (side_by_side ? ": --layout tbd takes them as T x B x d_out" : ""));
  }
  if (const auto weights = attention(); weights && averaged().has_value() && !averaged_)
    lines.push_back(entries_[*weights].name + ": the first axis is taken for " +
                    (*averaged() ? "sequences, averaged over the heads" : "heads"));
  return lines;
}

std::vector<std::string> ArrayChoices::assumed() const {
  std::vector<std::string> lines = how_read();
  if (!plan_) return lines;
  lines.insert(lines.end(), notes_.cautions.begin(), notes_.cautions.end());
  lines.insert(lines.end(), notes_.replaced.begin(), notes_.replaced.end());
  if (plan_->projection == Projection::None) {
    const auto embeddings = entry_with(ArrayRole::Embeddings);
    lines.push_back("no weights are among the arrays: queries, keys and values are the embeddings" +
                    (embeddings ? ", " + entries_[*embeddings].name : ""));
  }
  if (!plan_->heads_reason.empty())
    lines.push_back(std::to_string(plan_->num_heads) + (plan_->num_heads == 1 ? " head is" : " heads are") +
                    " assumed: " + plan_->heads_reason);
  const std::vector<std::string> squares = square_layouts();
  lines.insert(lines.end(), squares.begin(), squares.end());
  if (plan_->projection == Projection::Linear && !plan_->layer)
    lines.emplace_back("no family is known by the names: no positions are assumed, and the scale 1/√d_k");
  const std::vector<LayerSource> sources = layers();
  if (sources.size() > 1)
    lines.push_back("layer " + sources[layer()].label + " is taken, one of " +
                    std::to_string(sources.size()) +
                    (by_layers().value_or(false) && entries_[*attention()].shape.size() == 4
                         ? ": where the first axis counts sequences, name the array attn_weights"
                         : ""));
  if (const std::string left = unused_words(); !left.empty()) lines.push_back(left.substr(2));
  return lines;
}

PlacementRequest ArrayChoices::order_for(const std::filesystem::path& path,
                                         std::shared_ptr<const Layer> layer) const {
  PlacementRequest order{path, {}, heads_, hints_, {}, std::move(layer), {}, tokens_};
  // Names of all positions of the batch, padding included.
  if (const auto& part = hints_.alone;
      order.tokens && part && part->count > 0 && static_cast<Index>(order.tokens->size()) == plan_->tokens)
    *order.tokens = {tokens_->begin() + part->first, tokens_->begin() + part->first + part->count};
  const bool groups = hints_.config && hints_.config->model_type == "internlm2";
  for (const std::size_t entry : chosen_) {
    const ArrayEntry& array = entries_[entry];
    const RoleProposal place = as_placed(entry, *roles_[entry]);
    const bool sliced = attention() == entry && by_layers().value_or(false);
    order.parts.push_back(
        {array.name, place, array.row_labels, sliced ? std::optional<Index>(slice_) : std::nullopt,
         is_mask(place.role) ? mask_truth(entry).value_or(MaskTruth::Allowed) : MaskTruth::Allowed,
         groups && is_fused(place.role), array.scaled_by});
  }
  return order;
}

void ArrayChoices::take_layer(Index wanted, const Layer& layer) {
  const std::vector<LayerSource> sources = layers();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::string& label = sources[i].label;
    const std::string number = label.substr(label.find_last_not_of("0123456789") + 1);
    const bool here = number.empty() ? static_cast<Index>(i) == wanted : number == std::to_string(wanted);
    if (!here) continue;
    slice_ = sources[i].slice.value_or(0);
    std::vector<std::optional<RoleProposal>> roles(entries_.size());
    std::vector<bool> by_hand(entries_.size());
    for (std::size_t at = 0; at < chosen_.size(); ++at)
      for (std::size_t entry = 0; entry < entries_.size(); ++entry)
        if (entries_[entry].name == sources[i].names[at]) {
          roles[entry] = roles_[chosen_[at]];
          by_hand[entry] = by_hand_[chosen_[at]];
        }
    roles_ = std::move(roles);
    by_hand_ = std::move(by_hand);
    return work_out(layer);
  }
  throw Error("there is no layer " + std::to_string(wanted), "--layer",
              sources.size() < 2 ? "the arrays are those of one layer: leave it out"
                                 : "the layers are " + sources.front().label + " to " + sources.back().label);
}

void ArrayChoices::answer(const ArrayOptions& answers, const Layer& model) {
  hints_.causal = hints_.causal || answers.causal;
  hints_.upper_left = answers.upper_left;
  hints_.kv_heads = answers.kv_heads;
  heads_ = answers.heads;
  all_truths_ = answers.mask_true;
  tokens_ = answers.tokens;
  sequence_ = answers.sequence;
  hints_.named_tokens = answers.tokens.has_value();
  const auto queries = entry_with(ArrayRole::Queries);
  if (answers.order && queries && entries_[*queries].shape.size() != answers.order_axes)
    throw Error("queries have the shape " + shape_text(entries_[*queries].shape), entries_[*queries].name,
                "--layout names " + std::to_string(answers.order_axes) + " axes: choose another");
  order_by_hand_ = answers.order;
  work_out(model);
  if (answers.layer) take_layer(*answers.layer, model);
  // An impossible number of heads is not ignored: plan_arrays throws the reason.
  if (answers.heads && heads_ != answers.heads) plan_arrays(choices_, answers.heads, model, hints_);
  require_heads(answers, model);
}

// Throws `Error` if the options contradict an axis of heads.
void ArrayChoices::require_heads(const ArrayOptions& answers, const Layer& layer) const {
  if (!plan_ || !heads_stated()) return;
  LayerHints unsaid = hints_;
  unsaid.kv_heads.reset();
  const ArrayPlan own = plan_arrays(choices_, std::nullopt, layer, unsaid);
  const auto require = [this](const std::optional<Index>& said, Index there, const char* option) {
    if (said && *said != there)
      throw Error("the arrays have " + std::to_string(there) + " on their axis of heads, not " +
                      std::to_string(*said),
                  entries_[chosen_.front()].name, std::string("leave ") + option + " out");
  };
  require(answers.heads, own.num_heads, "--heads");
  require(answers.kv_heads, own.num_kv_heads > 0 ? own.num_kv_heads : own.num_heads, "--kv-heads");
}

}  // namespace headlight
