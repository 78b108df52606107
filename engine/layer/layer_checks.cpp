// Validation of a Layer. Messages name places as the session file does.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "engine/core/error.h"
#include "engine/layer/layer.h"
#include "engine/layer/overwriting.h"

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

void check_widths(const Layer& layer) {
  const AttentionSettings& a = layer.attention;
  if (a.projection == Projection::None) {
    if (a.d_out != layer.d_in())
      throw Error("d_out is " + std::to_string(a.d_out) + ", d_in is " + std::to_string(layer.d_in()),
                  "attention.d_out", "without projections the two are equal");
    if (layer.kv_head_count() != a.num_heads || layer.d_k() != layer.d_v() ||
        layer.key_d_in() != layer.d_in() || layer.concat_width() != layer.d_in())
      throw Error("queries, keys and values are the embeddings, so that all heads are of one width",
                  "attention.num_kv_heads",
                  "choose the linear projection, or leave out num_kv_heads, d_k and d_v");
  }
  if (!a.output_projection && layer.concat_width() != a.d_out)
    throw Error("d_out is " + std::to_string(a.d_out) + ", but " + std::to_string(a.num_heads) +
                    " heads of d_v " + std::to_string(layer.d_v()) + " are " +
                    std::to_string(layer.concat_width()) + " wide",
                "attention.d_out",
                "without an output projection write \"d_out\": " + std::to_string(layer.concat_width()));
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

void check_position(const Layer& layer) {
  const Position& position = layer.attention.position;
  if (position.kind == PositionKind::Rotary) {
    const Index dims = layer.rotary_dims();
    if (dims % 2 != 0)
      throw Error(std::to_string(dims) + " numbers of a head are turned, which are no pairs",
                  "attention.position.dims",
                  "choose an even number up to d_k " + std::to_string(layer.d_k()));
    if (dims < 0 || dims > layer.d_k())
      throw Error(
          std::to_string(dims) + " numbers of a head are turned, but d_k is " + std::to_string(layer.d_k()),
          "attention.position.dims", "choose an even number up to d_k");
    if (!std::isfinite(position.theta) || position.theta <= 0)
      throw Error("theta is not a number above 0", "attention.position.theta", "most models have 10000");
    check_scaling(position, dims);
  }
  if (position.kind != PositionKind::Alibi || position.slopes.empty()) return;
  if (static_cast<Index>(position.slopes.size()) != layer.head_count())
    throw Error(std::to_string(position.slopes.size()) + " slopes for " + std::to_string(layer.head_count()) +
                    " heads",
                "attention.position.slopes", "give one for each head, or none for those of the paper");
  for (const double slope : position.slopes)
    if (!std::isfinite(slope) || std::abs(slope) > std::numeric_limits<float>::max())
      throw Error("a slope is not a finite number", "attention.position.slopes", "replace NaN and infinity");
}

void check_numbers(const Layer& layer) {
  const AttentionSettings& a = layer.attention;
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

void check_given_weights(const Layer& layer) {
  const AttentionSettings& a = layer.attention;
  if (a.projection != Projection::Weights) return;
  if (a.position.kind != PositionKind::None) refuse_before_weights("a position", "attention.position");
  if (a.softcap > 0) refuse_before_weights("softcap", "attention.softcap");
  if (!a.sinks.empty()) refuse_before_weights("a sink", "attention.sinks");
  if (!layer.score_bias.empty()) refuse_before_weights("a bias", "attention.bias");
}

void validate_settings(const Layer& layer) {
  check_widths(layer);
  check_position(layer);
  check_numbers(layer);
  check_given_weights(layer);
  check_disabled_heads(layer.attention);
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

void validate_embeddings(const Layer& layer) {
  if (layer.tokens.empty()) throw Error("there are no tokens", "tokens", "give at least one token");
  require_token_count(layer.tokens.size());
  require_token_count(layer.key_tokens.size());
  const Projection projection = layer.attention.projection;
  const bool needed = projection == Projection::None || projection == Projection::Linear;
  if (layer.embeddings.empty() && needed)
    throw Error("there are no embeddings", "embeddings", "give one row for each token");
  if (layer.embeddings.empty()) return;
  if (layer.d_in() < 1) throw Error("the embeddings have no columns", "embeddings", "d_in is at least 1");
  check_rows(layer.embeddings, "embeddings", layer.token_count(), " tokens");
  if (layer.key_embeddings.empty()) {
    if (needed && !layer.self_attention())
      throw Error("there are none for the key tokens", "key_embeddings",
                  "give one row for each of the " + std::to_string(layer.key_count()) + " key tokens");
    return;
  }
  if (layer.key_embeddings.size() != layer.embeddings.size())
    throw Error("has " + std::to_string(layer.key_embeddings.size()) + " sequences, expected " +
                    std::to_string(layer.embeddings.size()),
                "key_embeddings", "give one matrix for each sequence of the embeddings");
  if (layer.key_d_in() < 1)
    throw Error("the embeddings have no columns", "key_embeddings", "they are at least 1 wide");
  check_rows(layer.key_embeddings, "key_embeddings", layer.key_count(), " key tokens");
}

bool wants_given(const Layer& layer, Parameter parameter) {
  const Projection projection = layer.attention.projection;
  if (projection == Projection::Given) return true;
  return projection == Projection::Weights && parameter == Parameter::Value &&
         !layer.given[static_cast<std::size_t>(parameter)].empty();
}

void validate_given(const Layer& layer) {
  for (std::size_t p = 0; p < layer.given.size(); ++p) {
    const Parameter parameter = kParameters[p];
    const std::string where = std::string("given.") + parameter_name(parameter);
    const bool in_use = wants_given(layer, parameter);
    const std::size_t expected = in_use ? static_cast<std::size_t>(layer.sequence_count()) : 0;
    if (layer.given[p].size() != expected || (in_use && expected == 0))
      throw Error(
          "has " + std::to_string(layer.given[p].size()) + " sequences, expected " + std::to_string(expected),
          where,
          in_use ? "give one matrix for each sequence"
                 : "queries, keys and values are given only where the projection is none");
    const Index tokens = parameter == Parameter::Query ? layer.token_count() : layer.key_count();
    const Index width = parameter_width(layer, parameter);
    for (std::size_t b = 0; b < layer.given[p].size(); ++b) {
      const Matrix& rows = layer.given[p][b];
      const std::string place = where + "[" + std::to_string(b) + "]";
      if (rows.rows() != tokens || rows.cols() != width)
        throw Error("is " + shape_text(rows.rows(), rows.cols()) + ", expected " + shape_text(tokens, width),
                    place,
                    "one row for each token, and the columns of all its heads side by side: " +
                        std::to_string(head_shape(layer, parameter).count) + " of " +
                        std::to_string(head_shape(layer, parameter).width));
      require_finite(rows, place);
    }
  }
}

void validate_weights(const Layer& layer) {
  for (Parameter p : kParameters) {
    const std::string where = std::string("weights.") + parameter_name(p);
    if (layer.uses(p)) {
      const auto [rows, columns] = expected_shape(layer, p);
      const Matrix& w = layer.weights.matrix(p);
      if (w.size() == 0 && rows * columns > 0)
        throw Error(std::string(parameter_name(p)) + " is missing", where,
                    "give a " + shape_text(rows, columns) + " matrix");
      if (w.rows() != rows || w.cols() != columns)
        throw Error(std::string(parameter_name(p)) + " is " + shape_text(w.rows(), w.cols()) + ", expected " +
                        shape_text(rows, columns),
                    where,
                    "d_in is " + std::to_string(layer.d_in()) + " and d_out is " +
                        std::to_string(layer.d_out()) + ": resize it or choose another layout");
      require_finite(w, where);
    }
    if (layer.uses_bias(p)) {
      const Matrix& bias = layer.weights.bias(p);
      const Index width = parameter_width(layer, p);
      if (bias.rows() != 1 || bias.cols() != width)
        throw Error("is " + shape_text(bias.rows(), bias.cols()) + ", expected " + shape_text(1, width),
                    where + "_bias",
                    "a bias has one value for each of the " + std::to_string(width) + " columns");
      require_finite(bias, where + "_bias");
    }
  }
}

void validate_size(const Layer& layer) {
  constexpr double kGigabyte = 1e9 / sizeof(float);  // in numbers
  const double count = number_count(layer);
  if (count <= static_cast<double>(kMostLayerNumbers)) return;
  const auto gigabytes = [](double numbers) {
    return std::to_string(std::lround(numbers / kGigabyte)) + " GB";
  };
  throw Error("the session would hold " + gigabytes(count) + " of numbers, more than the " +
                  gigabytes(static_cast<double>(kMostLayerNumbers)) + " that can be saved and opened",
              "embeddings", "take fewer tokens, sequences or dimensions");
}

struct AxisRule {
  Index expected = 0;
  bool may_be_one = true;
};

// Checks the axes B, H, Tq and Tk of an array; the Error names the axis that does not match.
void check_axes(const PairArray& array, const Layer& layer, const std::string& where, bool whole) {
  const bool whole_rows = whole || where != "attention.bias";
  const std::array<Index, 4> has = {array.sequences, array.heads, array.rows(), array.columns()};
  const std::array<AxisRule, 4> wanted = {{{layer.sequence_count(), !whole},
                                           {layer.head_count(), !whole},
                                           {layer.token_count(), !whole_rows},
                                           {layer.key_count(), !whole_rows}}};
  constexpr std::array<const char*, 4> kNames = {"sequences (B)", "heads (H)", "queries (Tq)", "keys (Tk)"};
  for (std::size_t axis = 0; axis < has.size(); ++axis) {
    const auto [expected, may_be_one] = wanted[axis];
    if (has[axis] == expected || (may_be_one && has[axis] == 1)) continue;
    throw Error("axis " + std::to_string(axis) + ", " + kNames[axis] + ", has " + std::to_string(has[axis]) +
                    ", expected " + std::to_string(expected) + (may_be_one ? " or 1" : ""),
                where,
                "its axes are B x H x Tq x Tk: " + std::to_string(layer.sequence_count()) + " x " +
                    std::to_string(layer.head_count()) + " x " + std::to_string(layer.token_count()) + " x " +
                    std::to_string(layer.key_count()));
  }
}

void validate_given_array(const Layer& layer) {
  const bool in_use = layer.attention.projection == Projection::Weights;
  if (layer.given_weights.empty() == in_use)
    throw Error(in_use ? "the weights are missing" : "weights are given, but the projection is another",
                "given.weights",
                in_use ? "give an array of H x Tq x Tk or B x H x Tq x Tk"
                       : "write \"projection\": \"weights\", or remove them");
  if (in_use) check_axes(layer.given_weights, layer, "given.weights", true);
}

void validate_bias(const Layer& layer) {
  if (layer.score_bias.empty()) return;
  const std::string where = "attention.bias";
  check_axes(layer.score_bias, layer, where, false);
  for (const Matrix& matrix : layer.score_bias.matrices)
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

void check_count(std::size_t count, const Layer& layer, const char* what, const std::string& where) {
  if (static_cast<Index>(count) == layer.sequence_count()) return;
  throw Error(
      std::to_string(count) + " " + what + " for " + std::to_string(layer.sequence_count()) + " sequences",
      where, "give one for each sequence");
}

void check_rules(const Layer& layer) {
  const MaskRules& rules = layer.attention.rules;
  const std::string where = "attention.mask";
  if (rules.offsets.size() > 1) check_count(rules.offsets.size(), layer, "offsets", where + ".offset");
  for (const Index offset : rules.offsets)
    if (std::abs(offset) > kMostTokens)
      throw Error("is " + std::to_string(offset), where + ".offset",
                  "so many keys stand before the first query: at most " + std::to_string(kMostTokens));
  for (const auto& side : {rules.left, rules.right})
    if (side && *side < 0)
      throw Error("the window reaches " + std::to_string(*side) + " keys", where + ".window",
                  "0 is the query's own position; null leaves the side open");
  if (rules.keys.empty()) return;
  check_count(rules.keys.size(), layer, "numbers of keys", where + ".keys");
  for (const Index count : rules.keys)
    if (count < 0 || count > layer.key_count())
      throw Error("is " + std::to_string(count), where + ".keys",
                  "a sequence has 0 to " + std::to_string(layer.key_count()) + " keys");
}

void check_overwritten(const Layer& layer) {
  for (std::size_t i = 0; i < layer.overwritten.size(); ++i) {
    const Overwritten& block = layer.overwritten[i];
    const std::string where = "overwritten[" + std::to_string(i) + "]";
    const std::string name(stage_info(block.stage).name);
    if (!may_be_overwritten(layer, block.stage))
      throw Error("numbers of " + name + " cannot be overwritten here", where,
                  "queries, keys, values, weights and context can be, with rotary positions the turned ones");
    const bool there = block.sequence >= 0 && block.sequence < layer.sequence_count() && block.head >= 0 &&
                       block.head < stage_heads(layer, block.stage);
    const bool inside = block.row >= 0 && block.column >= 0 &&
                        block.row + block.values.rows() <= stage_rows(layer, block.stage) &&
                        block.column + block.values.cols() <= stage_columns(layer, block.stage);
    if (!there || !inside)
      throw Error("the overwritten numbers lie outside of " + name, where,
                  "a matrix of it is " +
                      shape_text(stage_rows(layer, block.stage), stage_columns(layer, block.stage)) +
                      ", and there are " + std::to_string(stage_heads(layer, block.stage)) + " heads");
    require_finite(block.values, where);
  }
}

void check_custom_mask(const Layer& layer) {
  const Matrix& mask = layer.custom_mask;
  const Index queries = layer.token_count(), keys = layer.key_count();
  if (mask.rows() != queries || mask.cols() != keys)
    throw Error("mask is " + shape_text(mask.rows(), mask.cols()) + ", expected " + shape_text(queries, keys),
                "attention.mask", "one row and one column for each token: queries x keys");
  check_zeros_and_ones(mask, "attention.mask");
}

void check_mask_of_rules(const Layer& layer) {
  check_rules(layer);
  if (layer.allowed.empty()) return;
  check_axes(layer.allowed, layer, "attention.mask.allowed", false);
  for (const Matrix& matrix : layer.allowed.matrices)
    check_zeros_and_ones(matrix, "attention.mask.allowed");
}

}  // namespace

void validate_mask(const Layer& layer) {
  if (layer.attention.mask != MaskKind::None && layer.attention.projection == Projection::Weights)
    refuse_before_weights("a mask", "attention.mask");
  switch (layer.attention.mask) {
    case MaskKind::Custom:
      return check_custom_mask(layer);
    case MaskKind::Rules:
      return check_mask_of_rules(layer);
    case MaskKind::None:
    case MaskKind::Causal:
      return;
  }
}

void validate_pair_settings(const Layer& layer) {
  check_position(layer);
  check_numbers(layer);
  validate_mask(layer);
  validate_bias(layer);
}

void validate(const Layer& layer) {
  validate_size(layer);
  validate_embeddings(layer);
  validate_given_array(layer);
  check_heads(layer.attention);
  validate_given(layer);
  validate_settings(layer);
  validate_weights(layer);
  validate_mask(layer);
  validate_bias(layer);
  check_overwritten(layer);
}

}  // namespace headlight
