#include "engine/learning/gradient_trace.h"

#include <cmath>
#include <string>
#include <utility>

#include "engine/core/error.h"
#include "engine/layer/overwriting.h"

namespace headlight {
namespace {

class GradientTracer {
 public:
  GradientTracer(const Evaluator& evaluator, const Goal& goal, const Gradients& gradients)
      : evaluator_(evaluator), layer_(evaluator.layer()), goal_(goal), gradients_(gradients) {}

  GradientTrace of(const CellAddress& cell) {
    if (!address_exists(layer_, cell))
      throw Error("there is no such number", std::string(stage_info(cell.stage).name), "ask for another one");
    out_.value = gradient(cell);
    if (cell.stage > goal_.stage)
      add(cell.stage, GradientRule::NoEffect);
    else if (is_pair(cell.stage))
      through_pairs(cell);
    else if (cell.stage == goal_.stage)
      add_goal(cell);
    else
      through(cell);
    return finished();
  }

  GradientTrace of(const InputCell& cell) {
    const InputId& input = cell.input;
    if (input.kind == InputKind::Embeddings)
      return of(CellAddress{Stage::Embeddings, input.sequence, 0, cell.row, cell.column});
    if (input.kind == InputKind::KeyEmbeddings)
      of_key_embedding(cell);
    else if (input.kind == InputKind::Weight || input.kind == InputKind::Bias)
      of_parameter(cell);
    else
      throw Error("there is no gradient of it", input_name(input), "ask for embeddings, weights or biases");
    return finished();
  }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  bool exists(Stage stage) const { return stage_exists(layer_, stage); }

  // Zero after the goal's stage, which the loss does not depend on.
  float gradient(const CellAddress& cell) const {
    if (cell.stage > goal_.stage) return 0;
    const std::vector<Matrix>& all = gradients_.of(cell.stage);
    const Index matrix = cell.sequence * stage_heads(layer_, cell.stage) + cell.head;
    if (matrix >= static_cast<Index>(all.size()))
      throw Error("its gradients are not stored", std::string(stage_info(cell.stage).name),
                  "ask for the gradients of this stage too");
    return all[at(matrix)](cell.row, cell.column);
  }

  float number(const CellAddress& cell) const {
    return evaluator_.rows(cell.stage, cell.sequence, cell.head).row(cell.row)[cell.column];
  }

  // What an overwritten number passes on: nothing before it affects it.
  float passed(const CellAddress& of) const { return is_overwritten(layer_, of) ? 0 : gradient(of); }
  GradientTerm term(const CellAddress& of, float factor) const { return {passed(of), factor, of, {}, {}}; }
  GradientTerm term(const CellAddress& of, const CellAddress& cell, float factor) const {
    return {passed(of), factor, of, cell, {}};
  }
  GradientTerm term(const CellAddress& of, const CellAddress& cell) const {
    return term(of, cell, evaluator_.matrix(cell.stage, cell.sequence, cell.head)(cell.row, cell.column));
  }
  GradientTerm term(const CellAddress& of, const InputCell& cell) const {
    return {passed(of), input_matrix(layer_, cell.input)(cell.row, cell.column), of, {}, cell};
  }

  GradientStep& add(Stage stage, GradientRule rule) {
    out_.steps.emplace_back();
    out_.steps.back().stage = stage;
    out_.steps.back().rule = rule;
    return out_.steps.back();
  }

  // The value of the last step is the stored gradient: a sum of its terms may differ in the last digits.
  GradientTrace finished() {
    if (!out_.steps.empty()) out_.steps.back().value = out_.value;
    return std::move(out_);
  }

  void add_goal(const CellAddress& cell) {
    GradientStep& step = add(cell.stage, GradientRule::Goal);
    step.value = gradient(cell);
    step.own = number(cell);
    step.scale = static_cast<float>(wanted_count(layer_, goal_));
    const Matrix& target = goal_.target.of(cell.sequence, cell.head);
    const float wanted = target(target.rows() == 1 ? 0 : cell.row, target.cols() == 1 ? 0 : cell.column);
    if (goal_.loss == Loss::Squared) {
      if (!std::isnan(wanted)) step.target = wanted;
      return;
    }
    const double sum = target_row_sum(target, cell.row, layer_.key_count());
    if (sum > 0) step.target = static_cast<float>(static_cast<double>(wanted) / sum);
  }

  // --- Stages of pairs: one query and one key, from the goal or the context back to the cell's stage.

  void through_pairs(const CellAddress& cell) {
    CellAddress here = cell;
    here.stage = std::min(goal_.stage, Stage::Dropped);
    if (goal_.stage > Stage::Dropped)
      from_context(here);
    else
      add_goal(here);
    for (Stage stage = here.stage; stage > cell.stage;) {
      const Stage before = stage_before(stage);
      here.stage = before;
      pass_back(stage, here);
      out_.steps.back().value = gradient(here);
      stage = before;
    }
  }

  Stage stage_before(Stage stage) const {
    do
      stage = static_cast<Stage>(static_cast<int>(stage) - 1);
    while (!exists(stage));
    return stage;
  }

  void from_context(const CellAddress& dropped) {
    GradientStep& step = add(Stage::Dropped, GradientRule::Sum);
    step.value = gradient(dropped);
    for (Index c = 0; c < layer_.d_v(); ++c)
      step.terms.push_back(term(
          {Stage::Context, dropped.sequence, dropped.head, dropped.row, c},
          CellAddress{Stage::Values, dropped.sequence, layer_.kv_head_of(dropped.head), dropped.column, c}));
  }

  // From `later` to the stage of `to`, which is the one before it.
  void pass_back(Stage later, const CellAddress& to) {
    CellAddress from = to;
    from.stage = later;
    switch (later) {
      case Stage::Dropped:
        return pass_back_noise(from, to);
      case Stage::Weights:
        return pass_back_weights(from, to);
      case Stage::Capped: {
        const double share = static_cast<double>(number(from)) / layer_.attention.softcap;
        return add_product(to.stage, GradientRule::Cap, term(from, static_cast<float>(1 - share * share)));
      }
      case Stage::Scaled:
        return add_product(to.stage, GradientRule::Scale, term(from, layer_.scale_factor()));
      case Stage::Masked:
        if (!layer_.may_attend(to.row, to.column, to.sequence, to.head)) {
          add(to.stage, GradientRule::Closed);
          return;
        }
        break;
      case Stage::Biased:
        break;
      case Stage::Embeddings:  // not a stage of pairs behind another one
      case Stage::Queries:
      case Stage::Keys:
      case Stage::Values:
      case Stage::RotatedQueries:
      case Stage::RotatedKeys:
      case Stage::Scores:
      case Stage::Context:
      case Stage::Concat:
      case Stage::Output:
        return;
    }
    add_product(to.stage, GradientRule::Copied, term(from, 1.0f));
  }

  void add_product(Stage stage, GradientRule rule, const GradientTerm& only) {
    add(stage, rule).terms.push_back(only);
  }

  void pass_back_noise(const CellAddress& from, const CellAddress& to) {
    const Matrix& noise = evaluator_.noise(from.sequence, from.head);
    if (noise.size() == 0) return add_product(to.stage, GradientRule::Copied, term(from, 1.0f));
    add_product(to.stage, GradientRule::Noise, term(from, noise(from.row, from.column)));
  }

  void pass_back_weights(const CellAddress& from, const CellAddress& to) {
    const bool by_sum = layer_.attention.normalization == Normalization::Sum;
    RowSource masked = evaluator_.rows(Stage::Masked, from.sequence, from.head),
              normalized = evaluator_.rows(Stage::Weights, from.sequence, from.head);
    const float *scores = masked.row(from.row), *weights = normalized.row(from.row);
    // Closed by the mask or by a bias of minus infinity.
    if (!layer_.may_attend(to.row, to.column, to.sequence, to.head) || std::isinf(scores[from.column])) {
      add(to.stage, GradientRule::Closed);
      return;
    }
    GradientStep& step = add(to.stage, by_sum ? GradientRule::DividedBySum : GradientRule::Softmax);
    double sum = 0, powers = 0;
    for (Index key = 0; key < layer_.key_count(); ++key) {
      const CellAddress one = {Stage::Weights, from.sequence, from.head, from.row, key};
      if (!layer_.may_attend(one.row, key, one.sequence, one.head) || std::isinf(scores[key])) continue;
      step.terms.push_back(term(one, one, weights[key]));
      sum += static_cast<double>(scores[key]);
      powers += std::exp(static_cast<double>(scores[key]) - static_cast<double>(scores[from.column]));
    }
    if (const std::optional<float> sink = layer_.sink_of(from.head))
      powers += std::exp(static_cast<double>(*sink) - static_cast<double>(scores[from.column]));
    step.own = passed(from);
    // An overwritten weight hides the share that its score has in the sum of the row.
    const float share = is_overwritten(layer_, from) ? static_cast<float>(1 / powers) : weights[from.column];
    step.scale = by_sum ? static_cast<float>(sum) : share;
  }

  // --- Stages with a row for each token.

  void through(const CellAddress& cell) {
    switch (cell.stage) {
      case Stage::Concat:
        return to_concat(cell);
      case Stage::Context:
        return to_context(cell);
      case Stage::Values:
        return to_values(cell);
      case Stage::RotatedQueries:
      case Stage::RotatedKeys:
        return to_factors_of_scores(cell);
      case Stage::Queries:
      case Stage::Keys: {
        const bool turned = exists(Stage::RotatedQueries);
        return turned ? turn_back(cell) : to_factors_of_scores(cell);
      }
      case Stage::Embeddings:
        return to_embedding({{InputKind::Embeddings, cell.sequence}, cell.row, cell.column},
                            Parameter::Query);
      case Stage::Scores:
      case Stage::Scaled:
      case Stage::Capped:
      case Stage::Biased:
      case Stage::Masked:
      case Stage::Weights:
      case Stage::Dropped:
      case Stage::Output:  // comes after every goal but its own
        return;
    }
  }

  void to_concat(const CellAddress& cell) {
    if (!layer_.uses(Parameter::Output))
      return add_product(cell.stage, GradientRule::Copied,
                         term({Stage::Output, cell.sequence, 0, cell.row, cell.column}, 1.0f));
    GradientStep& step = add(cell.stage, GradientRule::Sum);
    for (Index o = 0; o < stage_columns(layer_, Stage::Output); ++o)
      step.terms.push_back(term({Stage::Output, cell.sequence, 0, cell.row, o},
                                weight_cell(Parameter::Output, cell.column, o)));
  }

  void to_context(const CellAddress& cell) {
    if (!layer_.attention.head_enabled(cell.head)) {
      add(cell.stage, GradientRule::NoEffect);
      return;
    }
    add_product(
        cell.stage, GradientRule::Copied,
        term({Stage::Concat, cell.sequence, 0, cell.row, cell.head * layer_.d_v() + cell.column}, 1.0f));
  }

  // A value takes part in the context of each query, in each head that shares it.
  void to_values(const CellAddress& cell) {
    GradientStep& step = add(cell.stage, GradientRule::Sum);
    for (Index head = 0; head < layer_.head_count(); ++head) {
      if (layer_.kv_head_of(head) != cell.head) continue;
      for (Index query = 0; query < layer_.token_count(); ++query)
        if (layer_.may_attend(query, cell.row, cell.sequence, head))
          step.terms.push_back(term({Stage::Context, cell.sequence, head, query, cell.column},
                                    CellAddress{Stage::Dropped, cell.sequence, head, query, cell.row}));
    }
  }

  // A query takes part in its row of scores, a key in its column.
  void to_factors_of_scores(const CellAddress& cell) {
    const bool turned = exists(Stage::RotatedQueries);
    const bool query = cell.stage == Stage::Queries || cell.stage == Stage::RotatedQueries;
    GradientStep& step = add(cell.stage, GradientRule::Sum);
    if (query) {
      const Stage keys = turned ? Stage::RotatedKeys : Stage::Keys;
      for (Index key = 0; key < layer_.key_count(); ++key)
        step.terms.push_back(
            term({Stage::Scores, cell.sequence, cell.head, cell.row, key},
                 CellAddress{keys, cell.sequence, layer_.kv_head_of(cell.head), key, cell.column}));
      return;
    }
    const Stage queries = turned ? Stage::RotatedQueries : Stage::Queries;
    for (Index head = 0; head < layer_.head_count(); ++head) {
      if (layer_.kv_head_of(head) != cell.head) continue;
      for (Index row = 0; row < layer_.token_count(); ++row)
        step.terms.push_back(term({Stage::Scores, cell.sequence, head, row, cell.row},
                                  CellAddress{queries, cell.sequence, head, row, cell.column}));
    }
  }

  // The rotation backwards.
  void turn_back(const CellAddress& cell) {
    const bool query = cell.stage == Stage::Queries;
    const Position& position = layer_.attention.position;
    const Index dims = layer_.rotary_dims();
    CellAddress turned = cell;
    turned.stage = query ? Stage::RotatedQueries : Stage::RotatedKeys;
    if (cell.column >= dims) return add_product(cell.stage, GradientRule::Copied, term(turned, 1.0f));
    const RotaryPair pair = rotary_pair(position.pairs, dims, cell.column);
    const Index place = (query ? position.start : position.key_start) + cell.row;
    const double angle = rotary_angle(position, dims, pair.number, place),
                 magnitude = position.scaling.magnitude;
    const bool first = cell.column == pair.first;
    const auto cosine = static_cast<float>(magnitude * std::cos(angle)),
               sine = static_cast<float>(magnitude * std::sin(angle));
    GradientStep& step = add(cell.stage, GradientRule::Sum);
    turned.column = pair.first;
    step.terms.push_back(term(turned, first ? cosine : -sine));
    turned.column = pair.second;
    step.terms.push_back(term(turned, first ? sine : cosine));
  }

  // --- Inputs.

  // The weight between an input and an output of a layer; column: over all heads.
  InputCell weight_cell(Parameter p, Index input, Index column) const {
    const InputId id = {InputKind::Weight, 0, p};
    return layer_.weights.layout == WeightLayout::InOut ? InputCell{id, input, column}
                                                        : InputCell{id, column, input};
  }

  // An embedding is the input of several layers, from `first` on: one step each, then their sum.
  void to_embedding(const InputCell& cell, Parameter first) {
    const Index sequence = cell.input.sequence;
    std::vector<GradientTerm> parts;
    for (const Parameter p : {Parameter::Query, Parameter::Key, Parameter::Value}) {
      const bool of_other_tokens = p != Parameter::Query && !layer_.key_embeddings.empty();
      if (of_other_tokens != (first != Parameter::Query)) continue;
      const Stage stage = projected_stage(p);
      if (!exists(stage) || stage > goal_.stage) continue;
      GradientStep& step = add(stage, GradientRule::Sum);
      const Index width = head_shape(layer_, p).width;
      for (Index head = 0; head < stage_heads(layer_, stage); ++head)
        for (Index c = 0; c < width; ++c) {
          const CellAddress of = {stage, sequence, head, cell.row, c};
          const Index column = head * width + c;
          if (layer_.uses(p))
            step.terms.push_back(term(of, weight_cell(p, cell.column, column)));
          else if (column == cell.column)
            step.terms.push_back(term(of, 1.0f));
        }
      for (const GradientTerm& one : step.terms)
        step.value += one.product();
      parts.push_back({step.value, 1, {stage, sequence, 0, cell.row, 0}, {}, {}});
    }
    if (parts.size() > 1) add(Stage::Embeddings, GradientRule::Added).terms = std::move(parts);
  }

  void of_key_embedding(const InputCell& cell) {
    const auto sequence = at(cell.input.sequence);
    if (sequence >= gradients_.key_embeddings.size())
      throw Error("its gradients are not stored", input_name(cell.input), "ask for those of the embeddings");
    out_.value = gradients_.key_embeddings[sequence](cell.row, cell.column);
    to_embedding(cell, Parameter::Key);
  }

  void of_parameter(const InputCell& cell) {
    const Parameter p = cell.input.parameter;
    const bool bias = cell.input.kind == InputKind::Bias;
    const Matrix& own = bias ? gradients_.bias(p) : gradients_.matrix(p);
    if (cell.row < 0 || cell.row >= own.rows() || cell.column < 0 || cell.column >= own.cols())
      throw Error("its gradients are not stored", input_name(cell.input), "ask for those of the parameters");
    out_.value = own(cell.row, cell.column);
    const Stage stage = projected_stage(p);
    if (stage > goal_.stage) {
      add(stage, GradientRule::NoEffect);
      return;
    }
    const bool in_out = bias || layer_.weights.layout == WeightLayout::InOut;
    const Index input = in_out ? cell.row : cell.column, column = in_out ? cell.column : cell.row;
    const Index width = stage_columns(layer_, stage);
    GradientStep& step = add(stage, GradientRule::Sum);
    for (Index sequence = 0; sequence < layer_.sequence_count(); ++sequence)
      for (Index row = 0; row < stage_rows(layer_, stage); ++row) {
        const CellAddress of = {stage, sequence, column / width, row, column % width};
        step.terms.push_back(bias ? term(of, 1.0f) : term_of_input(of, p, input));
      }
  }

  // With the number that the layer multiplies by the weight.
  GradientTerm term_of_input(const CellAddress& of, Parameter p, Index column) const {
    if (p == Parameter::Output) return term(of, CellAddress{Stage::Concat, of.sequence, 0, of.row, column});
    if (p != Parameter::Query && !layer_.key_embeddings.empty())
      return term(of, InputCell{{InputKind::KeyEmbeddings, of.sequence}, of.row, column});
    return term(of, CellAddress{Stage::Embeddings, of.sequence, 0, of.row, column});
  }

  const Evaluator& evaluator_;
  const Layer& layer_;
  const Goal& goal_;
  const Gradients& gradients_;
  GradientTrace out_;
};

}  // namespace

GradientTrace trace_gradient(const Evaluator& evaluator, const Goal& goal, const Gradients& gradients,
                             const CellAddress& cell) {
  return GradientTracer(evaluator, goal, gradients).of(cell);
}

GradientTrace trace_gradient(const Evaluator& evaluator, const Goal& goal, const Gradients& gradients,
                             const InputCell& cell) {
  return GradientTracer(evaluator, goal, gradients).of(cell);
}

}  // namespace headlight
