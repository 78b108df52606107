// Validation of a Model. Messages name places as the session file does.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "engine/core/error.h"
#include "engine/model/model.h"
#include "engine/model/overwriting.h"

namespace headlight {
namespace {

std::string shape_text(Index rows, Index columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

std::string at_cell(Index row, Index column) {
  return "row " + std::to_string(row + 1) + ", column " + std::to_string(column + 1);
}

void require_finite(const Matrix& matrix, const std::string& where) {
  if (all_finite(matrix)) return;
  for (Index r = 0; r < matrix.rows(); ++r)
    for (Index c = 0; c < matrix.cols(); ++c)
      if (!std::isfinite(matrix(r, c)))
        throw Error(at_cell(r, c) + " is not a finite number", where,
                    "inputs are finite numbers: replace NaN and infinity");
}

void check_heads(const AttentionSettings& a) {
  if (a.d_out < 1)
    throw Error("d_out is " + std::to_string(a.d_out), "attention.d_out", "d_out is at least 1");
  if (a.num_heads < 1)
    throw Error("num_heads is " + std::to_string(a.num_heads), "attention.num_heads",
                "there is at least one head");
  const bool shares = a.d_k == 0 || a.d_v == 0;
  if (shares && a.d_out % a.num_heads != 0)
    throw Error(
        "num_heads " + std::to_string(a.num_heads) + " does not divide d_out " + std::to_string(a.d_out),
        "attention.num_heads",
        "choose a number of heads that divides " + std::to_string(a.d_out) + ", or give d_k and d_v");
  if (a.num_kv_heads < 0 || (a.num_kv_heads > 0 && a.num_heads % a.num_kv_heads != 0))
    throw Error("num_kv_heads " + std::to_string(a.num_kv_heads) + " does not divide num_heads " +
                    std::to_string(a.num_heads),
                "attention.num_kv_heads",
                "each head of keys and values serves as many heads: choose a divisor of " +
                    std::to_string(a.num_heads));
  for (const auto& [name, width] : {std::pair("d_k", a.d_k), std::pair("d_v", a.d_v)})
    if (width < 0)
      throw Error(std::string(name) + " is " + std::to_string(width), std::string("attention.") + name,
                  "a head is at least 1 wide");
}

void check_disabled_heads(const AttentionSettings& a) {
  for (std::size_t i = 0; i < a.disabled_heads.size(); ++i) {
    const Index head = a.disabled_heads[i];
    if (head < 0 || head >= a.num_heads)
      throw Error("there is no head " + std::to_string(head), "attention.disabled_heads",
                  "heads are counted from 0 to " + std::to_string(a.num_heads - 1));
    if (i > 0 && head <= a.disabled_heads[i - 1])
      throw Error(
          "head " + std::to_string(head) + " stands behind head " + std::to_string(a.disabled_heads[i - 1]),
          "attention.disabled_heads", "name each head once, in ascending order");
  }
}

void check_widths(const Model& model) {
  const AttentionSettings& a = model.attention;
  if (a.projection == Projection::None) {
    if (a.d_out != model.d_in())
      throw Error("d_out is " + std::to_string(a.d_out) + ", d_in is " + std::to_string(model.d_in()),
                  "attention.d_out", "without projections the two are equal");
    if (model.kv_head_count() != a.num_heads || model.d_k() != model.d_v() ||
        model.key_d_in() != model.d_in() || model.concat_width() != model.d_in())
      throw Error("queries, keys and values are the embeddings, so that all heads are of one width",
                  "attention.num_kv_heads",
                  "choose the linear projection, or leave out num_kv_heads, d_k and d_v");
  }
  if (!a.output_projection && model.concat_width() != a.d_out)
    throw Error("d_out is " + std::to_string(a.d_out) + ", but " + std::to_string(a.num_heads) +
                    " heads of d_v " + std::to_string(model.d_v()) + " are " +
                    std::to_string(model.concat_width()) + " wide",
                "attention.d_out",
                "without an output projection write \"d_out\": " + std::to_string(model.concat_width()));
}

void check_scaling(const Position& position, Index dims) {
  const RotaryScaling& scaling = position.scaling;
  const auto above_0 = [](double number) { return std::isfinite(number) && number > 0; };
  if (!above_0(scaling.factor) || !above_0(scaling.low) || !std::isfinite(scaling.high) ||
      scaling.high <= scaling.low || scaling.positions < 1 || !above_0(scaling.magnitude))
    throw Error("its numbers do not go together", "attention.position.scaling",
                "factor, low and magnitude are above 0, high is above low, and positions are 1 or more");
  if (scaling.blend != RotaryBlend::Turns && position.theta <= 1)
    throw Error("pairs that are blended by their number need a theta above 1", "attention.position.scaling",
                "choose a larger theta, or blend by turns");
  if (!scaling.factors.empty() && static_cast<Index>(scaling.factors.size()) != dims / 2)
    throw Error(std::to_string(scaling.factors.size()) + " factors for " + std::to_string(dims / 2) +
                    " pairs that turn",
                "attention.position.scaling.factors", "give one for each pair, or none");
  if (!std::all_of(scaling.factors.begin(), scaling.factors.end(), above_0))
    throw Error("a factor is not above 0", "attention.position.scaling.factors", "replace it");
}

void check_position(const Model& model) {
  const Position& position = model.attention.position;
  if (position.kind == PositionKind::Rotary) {
    const Index dims = model.rotary_dims();
    if (dims % 2 != 0)
      throw Error(std::to_string(dims) + " numbers of a head are turned, which are no pairs",
                  "attention.position.dims",
                  "choose an even number up to d_k " + std::to_string(model.d_k()));
    if (dims < 0 || dims > model.d_k())
      throw Error(
          std::to_string(dims) + " numbers of a head are turned, but d_k is " + std::to_string(model.d_k()),
          "attention.position.dims", "choose an even number up to d_k");
    if (!std::isfinite(position.theta) || position.theta <= 0)
      throw Error("theta is not a number above 0", "attention.position.theta", "most models have 10000");
    check_scaling(position, dims);
  }
  if (position.kind != PositionKind::Alibi || position.slopes.empty()) return;
  if (static_cast<Index>(position.slopes.size()) != model.head_count())
    throw Error(std::to_string(position.slopes.size()) + " slopes for " + std::to_string(model.head_count()) +
                    " heads",
                "attention.position.slopes", "give one for each head, or none for those of the paper");
  for (const double slope : position.slopes)
    if (!std::isfinite(slope) || std::abs(slope) > std::numeric_limits<float>::max())
      throw Error("a slope is not a finite number", "attention.position.slopes", "replace NaN and infinity");
}

void check_numbers(const Model& model) {
  const AttentionSettings& a = model.attention;
  if (!std::isfinite(a.scale.number) || std::abs(a.scale.number) > std::numeric_limits<float>::max())
    throw Error("scale is not a finite number", "attention.scale", "choose a number below 3.4e38");
  if (!std::isfinite(a.softcap) || a.softcap < 0 || a.softcap > std::numeric_limits<float>::max())
    throw Error("softcap is not a number above 0", "attention.softcap", "leave it out for none");
  if (!a.sinks.empty() && static_cast<Index>(a.sinks.size()) != a.num_heads)
    throw Error(std::to_string(a.sinks.size()) + " sinks for " + std::to_string(a.num_heads) + " heads",
                "attention.sinks", "give one for each head, or none");
  for (const double sink : a.sinks)
    if (!std::isfinite(sink) || std::abs(sink) > std::numeric_limits<float>::max())
      throw Error("a sink is not a finite number", "attention.sinks", "replace NaN and infinity");
  if (!a.sinks.empty() && a.normalization != Normalization::Softmax)
    throw Error("sinks are part of a softmax", "attention.sinks",
                "leave them out, or let the normalization be softmax");
  const double p = a.dropout.probability;
  if (!(p >= 0.0 && p <= 1.0))
    throw Error("probability is " + std::to_string(p), "attention.dropout.probability",
                "it lies between 0 and 1");
}

// Settings of stages before given weights are rejected, because they would have no effect.
[[noreturn]] void refuse_before_weights(const char* what, const char* where) {
  throw Error(std::string(what) + " has no effect: the weights are given", where,
              "leave it out, or give queries and keys");
}

void check_given_weights(const Model& model) {
  const AttentionSettings& a = model.attention;
  if (a.projection != Projection::Weights) return;
  if (a.position.kind != PositionKind::None) refuse_before_weights("a position", "attention.position");
  if (a.softcap > 0) refuse_before_weights("softcap", "attention.softcap");
  if (!a.sinks.empty()) refuse_before_weights("a sink", "attention.sinks");
  if (!model.score_bias.empty()) refuse_before_weights("a bias", "attention.bias");
}

void validate_settings(const Model& model) {
  check_widths(model);
  check_position(model);
  check_numbers(model);
  check_given_weights(model);
  check_disabled_heads(model.attention);
}

void check_rows(const std::vector<Matrix>& matrices, const char* name, Index rows, const char* whose) {
  const Index columns = matrices.empty() ? 0 : matrices.front().cols();
  for (std::size_t b = 0; b < matrices.size(); ++b) {
    const Matrix& x = matrices[b];
    const std::string where = std::string(name) + "[" + std::to_string(b) + "]";
    if (x.rows() != rows || x.cols() != columns)
      throw Error("is " + shape_text(x.rows(), x.cols()) + ", expected " + shape_text(rows, columns), where,
                  "one row for each of the " + std::to_string(rows) + whose + ", all of one width");
    require_finite(x, where);
  }
}

void validate_embeddings(const Model& model) {
  if (model.tokens.empty()) throw Error("there are no tokens", "tokens", "give at least one token");
  require_token_count(model.tokens.size());
  require_token_count(model.key_tokens.size());
  const Projection projection = model.attention.projection;
  const bool needed = projection == Projection::None || projection == Projection::Linear;
  if (model.embeddings.empty() && needed)
    throw Error("there are no embeddings", "embeddings", "give one row for each token");
  if (model.embeddings.empty()) return;
  if (model.d_in() < 1) throw Error("the embeddings have no columns", "embeddings", "d_in is at least 1");
  check_rows(model.embeddings, "embeddings", model.token_count(), " tokens");
  if (model.key_embeddings.empty()) {
    if (needed && !model.self_attention())
      throw Error("there are none for the key tokens", "key_embeddings",
                  "give one row for each of the " + std::to_string(model.key_count()) + " key tokens");
    return;
  }
  if (model.key_embeddings.size() != model.embeddings.size())
    throw Error("has " + std::to_string(model.key_embeddings.size()) + " sequences, expected " +
                    std::to_string(model.embeddings.size()),
                "key_embeddings", "give one matrix for each sequence of the embeddings");
  if (model.key_d_in() < 1)
    throw Error("the embeddings have no columns", "key_embeddings", "they are at least 1 wide");
  check_rows(model.key_embeddings, "key_embeddings", model.key_count(), " key tokens");
}

bool wants_given(const Model& model, Parameter parameter) {
  const Projection projection = model.attention.projection;
  if (projection == Projection::Given) return true;
  return projection == Projection::Weights && parameter == Parameter::Value &&
         !model.given[static_cast<std::size_t>(parameter)].empty();
}

void validate_given(const Model& model) {
  for (std::size_t p = 0; p < model.given.size(); ++p) {
    const Parameter parameter = kParameters[p];
    const std::string where = std::string("given.") + parameter_name(parameter);
    const bool in_use = wants_given(model, parameter);
    const std::size_t expected = in_use ? static_cast<std::size_t>(model.sequence_count()) : 0;
    if (model.given[p].size() != expected || (in_use && expected == 0))
      throw Error(
          "has " + std::to_string(model.given[p].size()) + " sequences, expected " + std::to_string(expected),
          where,
          in_use ? "give one matrix for each sequence"
                 : "queries, keys and values are given only where the projection is none");
    const Index tokens = parameter == Parameter::Query ? model.token_count() : model.key_count();
    const Index width = parameter_width(model, parameter);
    for (std::size_t b = 0; b < model.given[p].size(); ++b) {
      const Matrix& rows = model.given[p][b];
      const std::string place = where + "[" + std::to_string(b) + "]";
      if (rows.rows() != tokens || rows.cols() != width)
        throw Error("is " + shape_text(rows.rows(), rows.cols()) + ", expected " + shape_text(tokens, width),
                    place,
                    "one row for each token, and the columns of all its heads side by side: " +
                        std::to_string(head_shape(model, parameter).count) + " of " +
                        std::to_string(head_shape(model, parameter).width));
      require_finite(rows, place);
    }
  }
}

void validate_weights(const Model& model) {
  for (Parameter p : kParameters) {
    const std::string where = std::string("weights.") + parameter_name(p);
    if (model.uses(p)) {
      const auto [rows, columns] = expected_shape(model, p);
      const Matrix& w = model.weights.matrix(p);
      if (w.size() == 0 && rows * columns > 0)
        throw Error(std::string(parameter_name(p)) + " is missing", where,
                    "give a " + shape_text(rows, columns) + " matrix");
      if (w.rows() != rows || w.cols() != columns)
        throw Error(std::string(parameter_name(p)) + " is " + shape_text(w.rows(), w.cols()) + ", expected " +
                        shape_text(rows, columns),
                    where,
                    "d_in is " + std::to_string(model.d_in()) + " and d_out is " +
                        std::to_string(model.d_out()) + ": resize it or choose another layout");
      require_finite(w, where);
    }
    if (model.uses_bias(p)) {
      const Matrix& bias = model.weights.bias(p);
      const Index width = parameter_width(model, p);
      if (bias.rows() != 1 || bias.cols() != width)
        throw Error("is " + shape_text(bias.rows(), bias.cols()) + ", expected " + shape_text(1, width),
                    where + "_bias",
                    "a bias has one value for each of the " + std::to_string(width) + " columns");
      require_finite(bias, where + "_bias");
    }
  }
}

void validate_size(const Model& model) {
  constexpr double kGigabyte = 1e9 / sizeof(float);  // in numbers
  const double count = number_count(model);
  if (count <= static_cast<double>(kMostModelNumbers)) return;
  const auto gigabytes = [](double numbers) {
    return std::to_string(std::lround(numbers / kGigabyte)) + " GB";
  };
  throw Error("the session would hold " + gigabytes(count) + " of numbers, more than the " +
                  gigabytes(static_cast<double>(kMostModelNumbers)) + " that can be saved and opened",
              "embeddings", "take fewer tokens, sequences or dimensions");
}

struct AxisRule {
  Index expected = 0;
  bool may_be_one = true;
};

// Checks the axes B, H, Tq and Tk of an array; the Error names the axis that does not match.
void check_axes(const PairArray& array, const Model& model, const std::string& where, bool whole) {
  const bool whole_rows = whole || where != "attention.bias";
  const std::array<Index, 4> has = {array.sequences, array.heads, array.rows(), array.columns()};
  const std::array<AxisRule, 4> wanted = {{{model.sequence_count(), !whole},
                                           {model.head_count(), !whole},
                                           {model.token_count(), !whole_rows},
                                           {model.key_count(), !whole_rows}}};
  constexpr std::array<const char*, 4> kNames = {"sequences (B)", "heads (H)", "queries (Tq)", "keys (Tk)"};
  for (std::size_t axis = 0; axis < has.size(); ++axis) {
    const auto [expected, may_be_one] = wanted[axis];
    if (has[axis] == expected || (may_be_one && has[axis] == 1)) continue;
    throw Error("axis " + std::to_string(axis) + ", " + kNames[axis] + ", has " + std::to_string(has[axis]) +
                    ", expected " + std::to_string(expected) + (may_be_one ? " or 1" : ""),
                where,
                "its axes are B x H x Tq x Tk: " + std::to_string(model.sequence_count()) + " x " +
                    std::to_string(model.head_count()) + " x " + std::to_string(model.token_count()) + " x " +
                    std::to_string(model.key_count()));
  }
}

void validate_given_array(const Model& model) {
  const bool in_use = model.attention.projection == Projection::Weights;
  if (model.given_weights.empty() == in_use)
    throw Error(in_use ? "the weights are missing" : "weights are given, but the projection is another",
                "given.weights",
                in_use ? "give an array of H x Tq x Tk or B x H x Tq x Tk"
                       : "write \"projection\": \"weights\", or remove them");
  if (in_use) check_axes(model.given_weights, model, "given.weights", true);
}

void validate_bias(const Model& model) {
  if (model.score_bias.empty()) return;
  const std::string where = "attention.bias";
  check_axes(model.score_bias, model, where, false);
  for (const Matrix& matrix : model.score_bias.matrices)
    for (Index i = 0; i < matrix.size(); ++i) {
      const float value = matrix.data()[i];
      if (std::isfinite(value) || value == -std::numeric_limits<float>::infinity()) continue;
      throw Error(
          at_cell(i / matrix.cols(), i % matrix.cols()) + " is neither a finite number nor minus infinity",
          where, "minus infinity closes a pair, any other number is finite");
    }
}

void check_zeros_and_ones(const Matrix& mask, const std::string& where) {
  for (Index i = 0; i < mask.size(); ++i)
    if (mask.data()[i] != 0.0f && mask.data()[i] != 1.0f)
      throw Error(at_cell(i / mask.cols(), i % mask.cols()) + " is neither 0 nor 1", where,
                  "1 lets the query attend to the key, 0 forbids it");
}

void check_count(std::size_t count, const Model& model, const char* what, const std::string& where) {
  if (static_cast<Index>(count) == model.sequence_count()) return;
  throw Error(
      std::to_string(count) + " " + what + " for " + std::to_string(model.sequence_count()) + " sequences",
      where, "give one for each sequence");
}

void check_rules(const Model& model) {
  const MaskRules& rules = model.attention.rules;
  const std::string where = "attention.mask";
  if (rules.offsets.size() > 1) check_count(rules.offsets.size(), model, "offsets", where + ".offset");
  for (const Index offset : rules.offsets)
    if (std::abs(offset) > kMostTokens)
      throw Error("is " + std::to_string(offset), where + ".offset",
                  "so many keys stand before the first query: at most " + std::to_string(kMostTokens));
  for (const auto& side : {rules.left, rules.right})
    if (side && *side < 0)
      throw Error("the window reaches " + std::to_string(*side) + " keys", where + ".window",
                  "0 is the query's own position; null leaves the side open");
  if (rules.keys.empty()) return;
  check_count(rules.keys.size(), model, "numbers of keys", where + ".keys");
  for (const Index count : rules.keys)
    if (count < 0 || count > model.key_count())
      throw Error("is " + std::to_string(count), where + ".keys",
                  "a sequence has 0 to " + std::to_string(model.key_count()) + " keys");
}

void check_overwritten(const Model& model) {
  for (std::size_t i = 0; i < model.overwritten.size(); ++i) {
    const Overwritten& block = model.overwritten[i];
    const std::string where = "overwritten[" + std::to_string(i) + "]";
    const std::string name(stage_info(block.stage).name);
    if (!may_be_overwritten(model, block.stage))
      throw Error("numbers of " + name + " cannot be overwritten here", where,
                  "queries, keys, values, weights and context can be, with rotary positions the turned ones");
    const bool there = block.sequence >= 0 && block.sequence < model.sequence_count() && block.head >= 0 &&
                       block.head < stage_heads(model, block.stage);
    const bool inside = block.row >= 0 && block.column >= 0 &&
                        block.row + block.values.rows() <= stage_rows(model, block.stage) &&
                        block.column + block.values.cols() <= stage_columns(model, block.stage);
    if (!there || !inside)
      throw Error("the overwritten numbers lie outside of " + name, where,
                  "a matrix of it is " +
                      shape_text(stage_rows(model, block.stage), stage_columns(model, block.stage)) +
                      ", and there are " + std::to_string(stage_heads(model, block.stage)) + " heads");
    require_finite(block.values, where);
  }
}

void check_custom_mask(const Model& model) {
  const Matrix& mask = model.custom_mask;
  const Index queries = model.token_count(), keys = model.key_count();
  if (mask.rows() != queries || mask.cols() != keys)
    throw Error("mask is " + shape_text(mask.rows(), mask.cols()) + ", expected " + shape_text(queries, keys),
                "attention.mask", "one row and one column for each token: queries x keys");
  check_zeros_and_ones(mask, "attention.mask");
}

void check_mask_of_rules(const Model& model) {
  check_rules(model);
  if (model.allowed.empty()) return;
  check_axes(model.allowed, model, "attention.mask.allowed", false);
  for (const Matrix& matrix : model.allowed.matrices)
    check_zeros_and_ones(matrix, "attention.mask.allowed");
}

}  // namespace

void validate_mask(const Model& model) {
  if (model.attention.mask != MaskKind::None && model.attention.projection == Projection::Weights)
    refuse_before_weights("a mask", "attention.mask");
  switch (model.attention.mask) {
    case MaskKind::Custom:
      return check_custom_mask(model);
    case MaskKind::Rules:
      return check_mask_of_rules(model);
    case MaskKind::None:
    case MaskKind::Causal:
      return;
  }
}

void validate_pair_settings(const Model& model) {
  check_position(model);
  check_numbers(model);
  validate_mask(model);
  validate_bias(model);
}

void validate(const Model& model) {
  validate_size(model);
  validate_embeddings(model);
  validate_given_array(model);
  check_heads(model.attention);
  validate_given(model);
  validate_settings(model);
  validate_weights(model);
  validate_mask(model);
  validate_bias(model);
  check_overwritten(model);
}

}  // namespace headlight
