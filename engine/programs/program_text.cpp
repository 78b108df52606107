#include "engine/programs/program_text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/core/error.h"
#include "engine/layer/dropout_mean.h"
#include "engine/layer/reshape.h"

namespace headlight {
namespace {

std::vector<const Matrix*> pointers(const std::vector<Matrix>& matrices) {
  std::vector<const Matrix*> result;
  result.reserve(matrices.size());
  for (const Matrix& matrix : matrices)
    result.push_back(&matrix);
  return result;
}

bool holds_infinity(const PairArray& array) {
  return std::any_of(array.matrices.begin(), array.matrices.end(),
                     [](const Matrix& matrix) { return matrix.array().isInf().any(); });
}

// Whether the query may attend to any key, by the mask and by the bias of the scores.
bool attends_to_any(const Layer& layer, Index sequence, Index head, Index query) {
  const OpenCells open = layer.open_cells(sequence, head);
  for (Index key = open.band.begin(query); key < open.band.end(query); ++key)
    if (open.contains(query, key) &&
        (layer.score_bias.empty() || !std::isinf(layer.score_bias.at(sequence, head, query, key))))
      return true;
  return false;
}

// Whether there is a query that may attend to no key: its weights are zero.
bool has_masked_query(const Layer& layer) {
  for (Index b = 0; b < layer.sequence_count(); ++b)
    for (Index h = 0; h < layer.head_count(); ++h)
      for (Index query = 0; query < layer.token_count(); ++query)
        if (!attends_to_any(layer, b, h, query)) return true;
  return false;
}

class Program {
 public:
  // `arrays_file`: the file to load the numbers from; "" writes them out.
  Program(const Layer& layer, ProgramKind kind, std::string arrays_file)
      : layer_(layer),
        torch_(kind == ProgramKind::PyTorch),
        plain_(layer.sequence_count() == 1 && layer.head_count() == 1),
        arrays_file_(std::move(arrays_file)) {}

  ProgramWithArrays made(const std::string& title, const ProgramRequest& request) {
    begin(title);
    const Projection projection = layer_.attention.projection;
    const bool projects = projection == Projection::Linear || projection == Projection::None;
    if (projects || request.stage == Stage::Embeddings) add_embeddings(request.stage);
    if (!plain_ && request.stage != Stage::Embeddings) add_sizes();
    if (request.stage != Stage::Embeddings) {
      add_given(request.stage);
      if (projection == Projection::Linear || needs_output(request.stage)) add_weights();
      add_stages(request.stage);
    }
    line("");
    line("print(" + variable(request.stage) + selection(request) + ")");
    return {std::move(text_), std::move(arrays_)};
  }

  Index number_count() const { return numbers_; }

  // The lines of each stage; call after made().
  std::vector<StageCode> code(const std::string& text) const {
    std::vector<StageCode> codes;
    for (std::size_t i = 0; i + 1 < begins_.size(); ++i) {
      const std::size_t begin = begins_[i].at, end = begins_[i + 1].at;
      if (end > begin) codes.push_back({begins_[i].stage, text.substr(begin, end - 1 - begin)});
    }
    return codes;
  }

 private:
  void line(const std::string& text) { text_ += text + '\n'; }
  std::string np() const { return torch_ ? "torch" : "np"; }
  std::string np(const std::string& name) const { return np() + "." + name; }
  std::string zero() const { return torch_ ? "torch.zeros(())" : "np.float32(0)"; }
  // Sizes by name, if the program defines the names.
  std::string queries() const { return plain_ ? python_number(layer_.token_count()) : "T"; }
  std::string keys() const {
    if (layer_.self_attention()) return queries();
    return plain_ ? python_number(layer_.key_count()) : "T_k";
  }
  std::string d_v() const { return layer_.d_v() == layer_.d_k() && computes_scores() ? "d_k" : "d_v"; }
  bool computes_scores() const { return layer_.attention.projection != Projection::Weights; }
  bool groups() const { return layer_.kv_head_count() != layer_.head_count(); }

  void begin(const std::string& title) {
    if (!title.empty()) line(python_comment(title));
    const bool loads = !arrays_file_.empty();
    const bool beside = loads && arrays_file_.front() != '/';
    if (beside) line("import os");
    if (!torch_ || loads) line("import numpy as np");
    if (torch_) line("import torch");
    line(torch_ ? "torch.set_printoptions(precision=4, sci_mode=False, threshold=10**6, linewidth=160)"
                : "np.set_printoptions(precision=4, suppress=True, floatmode=\"fixed\", threshold=10**6, "
                  "linewidth=160)");
    if (torch_) line("torch.set_grad_enabled(False)");
    line("");
    if (loads)
      line("arrays = np.load(" +
           (beside ? "os.path.join(os.path.dirname(__file__), " + python_quoted(arrays_file_) + ")"
                   : python_quoted(arrays_file_)) +
           ")");
    line("tokens = " + python_quoted(layer_.tokens));
    if (!layer_.self_attention()) line("key_tokens = " + python_quoted(layer_.key_tokens));
  }

  void add_embeddings(Stage last) {
    array("x", pointers(layer_.embeddings), sequences());
    if (!layer_.key_embeddings.empty() && last != Stage::Embeddings)
      array("y", pointers(layer_.key_embeddings), sequences());
  }

  void add_sizes() {
    std::string names = "B, T, H", sizes = python_number(layer_.sequence_count()) + ", " +
                                           python_number(layer_.token_count()) + ", " +
                                           python_number(layer_.head_count());
    const auto add = [&](const std::string& name, Index size) {
      names += ", " + name;
      sizes += ", " + python_number(size);
    };
    if (computes_scores()) add("d_k", layer_.d_k());
    if (!layer_.self_attention()) add("T_k", layer_.key_count());
    if (groups()) add("G", layer_.kv_head_count());
    if (d_v() == "d_v" && stage_exists(layer_, Stage::Values)) add("d_v", layer_.d_v());
    line(names + " = " + sizes);
  }

  // Leading dimensions of an array with one matrix per sequence.
  std::vector<Index> sequences() const {
    return plain_ ? std::vector<Index>{} : std::vector<Index>{layer_.sequence_count()};
  }
  // Leading dimensions of a pair array; leading dimensions of size 1 are omitted.
  static std::vector<Index> leading(const PairArray& array) {
    if (array.sequences > 1) return {array.sequences, array.heads};
    if (array.heads > 1) return {array.heads};
    return {};
  }

  // Assigns an array of the matrices, with leading dimensions `leading`, to `name`.
  void array(const std::string& name, const std::vector<const Matrix*>& matrices,
             const std::vector<Index>& leading) {
    for (const Matrix* matrix : matrices)
      numbers_ += matrix->size();
    if (!arrays_file_.empty()) {
      ProgramArray loaded{name, leading, {}};
      loaded.shape.insert(loaded.shape.end(), {matrices.front()->rows(), matrices.front()->cols()});
      for (const Matrix* matrix : matrices)
        loaded.values.insert(loaded.values.end(), matrix->data(), matrix->data() + matrix->size());
      arrays_.push_back(std::move(loaded));
      const std::string read = "arrays[" + python_quoted(name) + "]";
      return line(name + " = " + (torch_ ? "torch.from_numpy(" + read + ")" : read));
    }
    const std::string head = name + " = " + (torch_ ? "torch.tensor(" : "np.array(");
    if (numbers_ > kMostLiterals) return;
    const std::string rows = python_rows(matrices, leading, head.size(), np());
    // PyTorch reads numbers without a decimal point as integers.
    const bool whole = rows.find_first_not_of("[]-0123456789, \n") == std::string::npos;
    line(head + rows + (torch_ && !whole ? ")" : ", dtype=" + np("float32)")));
  }

  bool needs_output(Stage stage) const {
    return stage == Stage::Output && layer_.attention.output_projection;
  }
  bool drawn() const { return torch_ && layer_.weights.recipe && !layer_.weights.edited; }
  static std::string weight_name(Parameter p) {
    return p == Parameter::Output ? "W_out" : "W_" + std::string(parameter_name(p));
  }
  static std::string bias_name(Parameter p) {
    return p == Parameter::Output ? "b_out" : "b_" + std::string(parameter_name(p));
  }
  bool is_layer() const { return drawn() && layer_.weights.recipe->init == InitKind::Linear; }
  bool adds_bias(Parameter p) const {
    return layer_.uses_bias(p) && !is_layer() && !layer_.weights.bias(p).isZero(0);
  }

  void add_weights() {
    line("");
    if (drawn()) {
      draws_weights_ = true;
      line("torch.manual_seed(" + std::to_string(layer_.weights.recipe->seed) + ")");
      for (const Parameter p : layer_.weights.recipe->order)
        if (layer_.uses(p)) draw(p);
    } else {
      for (const Parameter p : kParameters)
        if (layer_.uses(p)) array(weight_name(p), {&layer_.weights.matrix(p)}, {});
    }
    for (const Parameter p : kParameters)
      if (adds_bias(p)) array(bias_name(p), {&layer_.weights.bias(p)}, {});
  }

  static std::string given_name(Parameter p) { return std::string(1, *parameter_name(p)); }  // q, k, v

  void add_given(Stage last) {
    for (std::size_t p = 0; p < layer_.given.size() && projected_stage(kParameters[p]) <= last; ++p)
      if (!layer_.given[p].empty()) array(given_name(kParameters[p]), pointers(layer_.given[p]), sequences());
  }

  void draw(Parameter p) {
    auto [in, out] = expected_shape(layer_, p);
    if (layer_.weights.layout == WeightLayout::OutIn) std::swap(in, out);
    const std::string shape = python_number(in) + ", " + python_number(out);
    line(weight_name(p) + " = " +
         (is_layer() ? "torch.nn.Linear(" + shape + (layer_.uses_bias(p) ? "" : ", bias=False") + ")"
                     : "torch.rand(" + shape + ")"));
  }

  std::string projected(const std::string& x, Parameter p) const {
    if (p != Parameter::Output && !layer_.given[static_cast<std::size_t>(p)].empty()) return given_name(p);
    if (!layer_.uses(p)) return x;
    if (is_layer()) return weight_name(p) + "(" + x + ")";
    std::string product = x + " @ " + weight_name(p);
    if (layer_.weights.layout == WeightLayout::OutIn) product += ".T";
    if (adds_bias(p)) product += " + " + bias_name(p);
    return product;
  }

  // Queries, keys or values after the projection, split into heads.
  std::string in_heads(Parameter p) const {
    const bool of_keys = p != Parameter::Query;
    std::string x = projected(of_keys && !layer_.key_embeddings.empty() ? "y" : "x", p);
    if (plain_) return x;
    const bool name = x.find(' ') == std::string::npos;
    const std::string shape = "B, " + (of_keys ? keys() : queries()) + ", " +
                              (of_keys && groups() ? "G" : "H") + ", " +
                              (p == Parameter::Value ? d_v() : "d_k");
    return (name ? x : "(" + x + ")") + (torch_ ? ".view(" + shape + ").transpose(1, 2)"
                                                : ".reshape(" + shape + ").transpose(0, 2, 1, 3)");
  }

  // Repeats heads of keys or values for each head of queries (grouped-query attention).
  std::string for_heads(const std::string& x) const {
    if (!groups()) return x;
    return torch_ ? x + ".repeat_interleave(H // G, dim=1)" : "np.repeat(" + x + ", H // G, axis=1)";
  }

  // The stages in the order of their computation, up to `last`.
  void add_stages(Stage last) {
    line("");
    const auto reaches = [&](Stage stage) {
      if (last < stage || !stage_exists(layer_, stage)) return false;
      begins_.push_back({stage, text_.size()});
      return true;
    };
    const auto add_made = [&](Stage stage, const std::string& made) {
      if (!reaches(stage)) return;
      line(variable(stage) + " = " + made);
      add_overwritten(stage);
    };
    add_made(Stage::Queries, in_heads(Parameter::Query));
    add_made(Stage::Keys, in_heads(Parameter::Key));
    add_made(Stage::Values, in_heads(Parameter::Value));
    if (reaches(Stage::RotatedQueries)) add_turns(last);
    if (reaches(Stage::Scores)) add_scores();
    if (reaches(Stage::Scaled)) line("scaled = scores" + scale());
    if (reaches(Stage::Capped)) add_cap();
    if (reaches(Stage::Biased)) add_bias();
    if (reaches(Stage::Masked)) add_mask();
    if (reaches(Stage::Weights)) {
      add_weighting();
      add_overwritten(Stage::Weights);
    }
    if (reaches(Stage::Dropped)) add_dropout();
    add_made(Stage::Context, "dropped @ " + for_heads("values"));
    if (reaches(Stage::Concat)) add_concat();
    if (reaches(Stage::Output)) line("output = " + projected("concat", Parameter::Output));
    begins_.push_back({last, text_.size()});
  }

  // Writes the scaling of the frequencies: RotaryScaling in position.h.
  void add_scaling(const Position& position) {
    const RotaryScaling& scaling = position.scaling;
    if (!scaling.factors.empty())
      line("    frequency = frequency / " +
           (torch_ ? "torch.tensor(" + python_list(scaling.factors) + ", dtype=torch.float64)"
                   : "np.array(" + python_list(scaling.factors) + ")"));
    if (scaling.factor == 1) return;
    if (scaling.blend == RotaryBlend::Turns)
      line("    kept = (" + python_number(scaling.positions) + " * frequency / (2 * " +
           python_number(std::numbers::pi) + ") - " + python_number(scaling.low) + ") / (" +
           python_number(scaling.high) + " - " + python_number(scaling.low) + ")");
    else
      add_kept_by_number(position);
    line(torch_ ? "    kept = kept.clamp(0, 1)" : "    kept = np.clip(kept, 0, 1)");
    line("    frequency = (1 - kept) * frequency / " + python_number(scaling.factor) + " + kept * frequency");
  }

  // Writes the unscaled share of each frequency by its number: RotaryRamp in position.h.
  void add_kept_by_number(const Position& position) {
    const RotaryRamp ramp = rotary_ramp(position, layer_.rotary_dims());
    line("    kept = 1 - (" + np("arange(0, ") + python_number(layer_.rotary_dims() / 2) +
         (torch_ ? ", dtype=torch.float64" : "") + ") - " + python_number(ramp.first) + ") / (" +
         python_number(ramp.last) + " - " + python_number(ramp.first) + ")");
  }

  // Writes the function that applies rotary positions, and its calls: Position in position.h.
  void add_turns(Stage last) {
    const Position& position = layer_.attention.position;
    const std::string dims = python_number(layer_.rotary_dims()),
                      half = python_number(layer_.rotary_dims() / 2);
    const bool halves = position.pairs == RotaryPairs::Halves;
    const std::string first = halves ? "[..., :" + half + "]" : "[..., 0:" + dims + ":2]";
    const std::string second = halves ? "[..., " + half + ":" + dims + "]" : "[..., 1:" + dims + ":2]";
    line("def turned(x, start):  # by the angles of rotary positions");
    line(torch_ ? "    position = torch.arange(start, start + x.shape[-2], dtype=torch.float64)[:, None]"
                : "    position = np.arange(start, start + x.shape[-2])[:, None]");
    line("    frequency = " + python_number(position.theta) + " ** -(" + np("arange(0, ") + dims + ", 2" +
         (torch_ ? ", dtype=torch.float64" : "") + ") / " + dims + ")");
    add_scaling(position);
    line("    angle = position * frequency");
    const double magnitude = position.scaling.magnitude;
    const std::string by = magnitude == 1 ? "" : python_number(magnitude) + " * ";
    line(torch_ ? "    cos, sin = (" + by + "angle.cos()).float(), (" + by + "angle.sin()).float()"
                : "    cos, sin = (" + by + "np.cos(angle)).astype(np.float32), (" + by +
                      "np.sin(angle)).astype(np.float32)");
    line("    a, b, y = x" + first + ", x" + second + ", x." + (torch_ ? "clone()" : "copy()"));
    line("    y" + first + ", y" + second + " = a * cos - b * sin, b * cos + a * sin");
    line("    return y");
    line("");
    line("rotated_queries = turned(queries, " + python_number(position.start) + ")");
    add_overwritten(Stage::RotatedQueries);
    if (last < Stage::RotatedKeys) return;
    line("rotated_keys = turned(keys, " + python_number(position.key_start) + ")");
    add_overwritten(Stage::RotatedKeys);
  }

  // Overwrites blocks in a copy of the stage; follows the line that computes it.
  void add_overwritten(Stage stage) {
    const std::string name = variable(stage);
    Index count = 0;
    for (const Overwritten& block : layer_.overwritten) {
      if (block.stage != stage) continue;
      if (count == 0)
        line(std::string(name).append(" = ").append(name).append(torch_ ? ".clone()" : ".copy()"));
      const std::string own = name + "_own" + python_number(++count);
      array(own, {&block.values}, {});
      const auto span = [](Index begin, Index size) {
        return python_number(begin) + ":" + python_number(begin + size);
      };
      std::string place = name + "[";
      if (!plain_) place += python_number(block.sequence) + ", " + python_number(block.head) + ", ";
      place += span(block.row, block.values.rows()) + ", " + span(block.column, block.values.cols());
      line(place.append("] = ").append(own));
    }
  }

  void add_scores() {
    const std::string prefix = layer_.attention.position.kind == PositionKind::Rotary ? "rotated_" : "";
    line("scores = " + prefix + "queries @ " + for_heads(prefix + "keys") +
         (torch_ ? ".transpose(-2, -1)" : ".swapaxes(-2, -1)"));
  }

  std::string scale() const {
    switch (layer_.attention.scale.kind) {
      case ScaleKind::InverseSqrtDk:
        return " / " + python_number(layer_.d_k()) + " ** 0.5";
      case ScaleKind::Number:
        return " * " + python_number(layer_.scale_factor(), np());
      case ScaleKind::None:
        break;
    }
    return "";
  }

  void add_cap() {
    const std::string cap = python_number(layer_.attention.softcap);
    line("capped = " + cap + " * " + np("tanh(scaled / ") + cap + ")");
  }

  std::string before(Stage stage) const { return variable(stage_before(layer_, stage)); }

  // Defines the positions of queries and keys among the keys, for terms that depend on their distance.
  void add_places() {
    if (has_places_) return;
    has_places_ = true;
    std::string offset;
    if (const std::vector<Index>& offsets = layer_.attention.rules.offsets;
        layer_.attention.mask == MaskKind::Rules && !offsets.empty())
      offset = " + " + of_sequences(offsets);
    line("query_at, key_at = " + np("arange(") + queries() + ")[:, None]" + offset + ", " + np("arange(") +
         keys() + ")");
  }

  // One number for all sequences, or one for each.
  std::string of_sequences(const std::vector<Index>& values) const {
    if (plain_ || values.size() == 1) return python_number(values.front());
    return np(torch_ ? "tensor(" : "array(") + python_list(values) + ")[:, None, None, None]";
  }

  void add_bias() {
    std::string sum = before(Stage::Biased);
    if (layer_.attention.position.kind == PositionKind::Alibi) {
      add_places();
      std::vector<double> slopes;
      for (Index head = 0; head < layer_.head_count(); ++head)
        slopes.push_back(layer_.alibi_slope(head));
      if (plain_)
        line("slope = " + python_number(slopes.front()));
      else
        line("slope = " +
             (torch_ ? "torch.tensor(" + python_list(slopes) + ")"
                     : "np.array(" + python_list(slopes) + ", dtype=np.float32)") +
             "[:, None, None]");
      sum += " - slope * " + (torch_ ? std::string("(query_at - key_at).abs()")
                                     : "np.abs(query_at - key_at).astype(np.float32)");
    }
    if (!layer_.score_bias.empty()) {
      array("bias", pointers(layer_.score_bias.matrices), leading(layer_.score_bias));
      sum += " + bias";
    }
    line("biased = " + sum);
  }

  // The pairs that the mask allows; returns false if it closes none.
  bool add_allowed() {
    switch (layer_.attention.mask) {
      case MaskKind::Causal:
        line(torch_ ? "allowed = torch.ones(" + queries() + ", " + keys() + ").tril().bool()"
                    : "allowed = np.tri(" + queries() + ", " + keys() + ", dtype=bool)");
        return true;
      case MaskKind::Custom:
        array("allowed", {&layer_.custom_mask}, {});
        line(torch_ ? "allowed = allowed.bool()" : "allowed = allowed.astype(bool)");
        return true;
      case MaskKind::Rules:
        return add_rules();
      case MaskKind::None:
        break;
    }
    return false;
  }

  void add_mask() {
    const std::string scores = before(Stage::Masked);
    if (!add_allowed()) return line("masked = " + scores);
    line(torch_ ? "masked = " + scores + ".masked_fill(~allowed, -torch.inf)"
                : "masked = np.where(allowed, " + scores + ", np.float32(-np.inf))");
  }

  // Defines `allowed` as the conjunction of all rules; false if there are none.
  bool add_rules() {
    const MaskRules& rules = layer_.attention.rules;
    std::string allowed;
    const auto add = [&](const std::string& rule) {
      allowed += (allowed.empty() ? "(" : " & (") + rule + ")";
    };
    if (rules.causal) add("key_at <= query_at");
    if (rules.left) add("key_at >= query_at - " + python_number(*rules.left));
    if (rules.right) add("key_at <= query_at + " + python_number(*rules.right));
    if (!rules.keys.empty()) add("key_at < " + of_sequences(rules.keys));
    if (!allowed.empty()) add_places();
    if (!layer_.allowed.empty()) {
      array("open_pairs", pointers(layer_.allowed.matrices), leading(layer_.allowed));
      add("open_pairs != 0");
    }
    if (!allowed.empty()) line("allowed = " + allowed);
    return !allowed.empty();
  }

  // The sinks as one more column of the scores, whose weights are dropped.
  void add_sinks() {
    const std::string list = python_list(layer_.attention.sinks);
    line("sinks = " + (torch_ ? "torch.tensor(" + list + ")" : "np.array(" + list + ", dtype=np.float32)") +
         (plain_ ? "" : "[:, None, None]"));
    if (torch_) {
      line("with_sinks = torch.cat([masked, sinks.expand(*masked.shape[:-1], 1)], dim=-1)");
      line("weights = torch.softmax(with_sinks, dim=-1)[..., :-1]");
      return;
    }
    line("with_sinks = np.concatenate([masked, np.broadcast_to(sinks, masked.shape[:-1] + (1,))], axis=-1)");
    line("exponentials = np.exp(with_sinks - with_sinks.max(axis=-1, keepdims=True))");
    line("weights = (exponentials / exponentials.sum(axis=-1, keepdims=True))[..., :-1]");
  }

  void add_weighting() {
    if (!computes_scores())
      return array("weights", pointers(layer_.given_weights.matrices),
                   plain_ ? std::vector<Index>{}
                          : std::vector<Index>{layer_.given_weights.sequences, layer_.given_weights.heads});
    const std::string sum = torch_ ? ".sum(dim=-1, keepdim=True)" : ".sum(axis=-1, keepdims=True)";
    switch (layer_.attention.normalization) {
      case Normalization::Softmax:
        if (!layer_.attention.sinks.empty()) {
          add_sinks();
        } else if (torch_) {
          line("weights = torch.softmax(masked, dim=-1)");
        } else {
          line("exponentials = np.exp(masked - masked.max(axis=-1, keepdims=True))");
          line("weights = exponentials / exponentials" + sum);
        }
        break;
      case Normalization::NaiveSoftmax:
        line("exponentials = " + np("exp(masked)"));
        line("weights = exponentials / exponentials" + sum);
        break;
      case Normalization::Sum:
        line(layer_.attention.mask == MaskKind::None && !holds_infinity(layer_.score_bias)
                 ? std::string("open = masked")
                 : "open = " + np("where") + "(masked == -" + np("inf") + ", " + zero() + ", masked)");
        line("weights = open / open" + sum);
        break;
    }
    if (has_masked_query(layer_))
      line("weights = " + np("where") + "((masked != -" + np("inf") + ").any(" +
           (torch_ ? "dim=-1, keepdim=True)" : "axis=-1, keepdims=True)") + ", weights, " + zero() + ")");
  }

  void add_dropout() {
    const Dropout& dropout = layer_.attention.dropout;
    if (!dropout.active()) return line("dropped = weights");
    // Noise that only some builds of PyTorch draw is written out, so that every build gives the same numbers.
    if (!torch_ || dropout.build == DropoutBuild::Mkl) {
      const std::vector<Matrix> noise = dropout_noise(layer_, 0);
      array("noise", pointers(noise),
            plain_ ? std::vector<Index>{} : std::vector<Index>{layer_.sequence_count(), layer_.head_count()});
      return line("dropped = weights * noise");
    }
    if (dropout.seed) {
      line("torch.manual_seed(" + std::to_string(*dropout.seed) + ")");
    } else if (!draws_weights_) {
      line("torch.manual_seed(" + std::to_string(layer_.weights.recipe ? layer_.weights.recipe->seed : 0) +
           ")");
      if (const std::uint64_t count = drawn_value_count(layer_); count > 0)
        line("torch.rand(" + std::to_string(count) +
             ")  # dropout goes on after the weights as they were drawn");
    }
    line("dropped = torch.nn.functional.dropout(weights, " + python_number(dropout.probability) + ")");
  }

  void add_concat() {
    const std::vector<Index>& off = layer_.attention.disabled_heads;
    std::string from = "context";
    if (!off.empty()) {
      from = "kept";
      line(torch_ ? "kept = context.clone()" : "kept = context.copy()");
      line(plain_ ? "kept[:] = 0" : "kept[:, " + python_list(off) + "] = 0  # heads that are switched off");
    }
    if (plain_) return line("concat = " + from);
    line("concat = " + from + (torch_ ? ".transpose(1, 2)" : ".transpose(0, 2, 1, 3)") +
         ".reshape(B, T, H * " + d_v() + ")");
  }

  static std::string variable(Stage stage) {
    return stage == Stage::Embeddings ? "x" : std::string(stage_info(stage).name);
  }

  std::string selection(const ProgramRequest& request) const {
    if (plain_) return "";
    std::string places = python_number(request.sequence);
    if (stage_info(request.stage).per_head && request.head) places += ", " + python_number(*request.head);
    return "[" + places + "]";
  }

  const Layer& layer_;
  bool torch_;
  bool plain_;  // one sequence and one head: plain matrices without these dimensions
  bool draws_weights_ = false, has_places_ = false;
  std::string arrays_file_;
  Index numbers_ = 0;  // in the arrays so far
  struct StageBegin {
    Stage stage;
    std::size_t at;  // in the text
  };
  std::vector<StageBegin> begins_;  // in the order of computation, then the end of the last one
  std::string text_;
  std::vector<ProgramArray> arrays_;
};

void check(const Layer& layer, const ProgramRequest& request) {
  const std::string name(stage_info(request.stage).name);
  if (const std::string why = why_no_stage(layer, request.stage); !why.empty())
    throw Error("there is no such stage here", name, why);
  const Index heads = stage_heads(layer, request.stage);
  if (request.sequence < 0 || request.sequence >= layer.sequence_count() ||
      (request.head && (*request.head < 0 || *request.head >= heads)))
    throw Error("there is no such sequence or head", name,
                "there are " + python_number(layer.sequence_count()) + " sequences and " +
                    python_number(heads) + " heads, counted from 0");
}

}  // namespace

std::string program_text(const Layer& layer, const std::string& title, const ProgramRequest& request,
                         ProgramKind kind) {
  check(layer, request);
  Program program(layer, kind, "");
  std::string text = program.made(title, request).text;
  if (program.number_count() > kMostLiterals)
    throw Error(
        "more than " + python_number(kMostLiterals) + " numbers would have to be written out", "program",
        "save the program with its numbers in an .npz beside it: headlight print --as ... -o FILE.py");
  return text;
}

ProgramWithArrays program_with_arrays(const Layer& layer, const std::string& title,
                                      const ProgramRequest& request, ProgramKind kind,
                                      const std::string& arrays_file) {
  check(layer, request);
  Program written(layer, kind, "");
  ProgramWithArrays result = written.made(title, request);
  if (written.number_count() <= kMostLiterals) return result;
  return Program(layer, kind, arrays_file).made(title, request);
}

std::vector<StageCode> stage_code(const Layer& layer, Stage last, ProgramKind kind) {
  const ProgramRequest request = {last, 0, std::nullopt};
  check(layer, request);
  Program program(layer, kind, "numbers.npz");
  const std::string text = program.made("", request).text;
  return program.code(text);
}

}  // namespace headlight
