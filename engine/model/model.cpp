#include "engine/model/model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "engine/core/error.h"

namespace headlight {
namespace {

std::string shape_text(Index rows, Index columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

void require_finite(const Matrix& matrix, const std::string& where) {
  if (all_finite(matrix)) return;
  for (Index r = 0; r < matrix.rows(); ++r)
    for (Index c = 0; c < matrix.cols(); ++c)
      if (!std::isfinite(matrix(r, c)))
        throw Error(
            "row " + std::to_string(r + 1) + ", column " + std::to_string(c + 1) + " is not a finite number",
            where, "inputs are finite numbers: replace NaN and infinity");
}

void validate_settings(const Model& model) {
  const AttentionSettings& a = model.attention;
  if (a.d_out < 1)
    throw Error("d_out is " + std::to_string(a.d_out), "attention.d_out", "d_out is at least 1");
  if (a.num_heads < 1)
    throw Error("num_heads is " + std::to_string(a.num_heads), "attention.num_heads",
                "there is at least one head");
  if (a.d_out % a.num_heads != 0)
    throw Error(
        "num_heads " + std::to_string(a.num_heads) + " does not divide d_out " + std::to_string(a.d_out),
        "attention.num_heads", "choose a number of heads that divides " + std::to_string(a.d_out));
  if (a.projection == Projection::None && a.d_out != model.d_in())
    throw Error("d_out is " + std::to_string(a.d_out) + ", d_in is " + std::to_string(model.d_in()),
                "attention.d_out", "without projections the two are equal");
  if (!std::isfinite(a.scale.number) || std::abs(a.scale.number) > std::numeric_limits<float>::max())
    throw Error("scale is not a finite number", "attention.scale", "choose a number below 3.4e38");
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
  const double p = a.dropout.probability;
  if (!(p >= 0.0 && p <= 1.0))
    throw Error("probability is " + std::to_string(p), "attention.dropout.probability",
                "it lies between 0 and 1");
}

void validate_embeddings(const Model& model) {
  if (model.tokens.empty()) throw Error("there are no tokens", "tokens", "give at least one token");
  require_token_count(model.tokens.size());
  if (model.embeddings.empty())
    throw Error("there are no embeddings", "embeddings", "give one row for each token");
  if (model.d_in() < 1) throw Error("the embeddings have no columns", "embeddings", "d_in is at least 1");
  for (std::size_t b = 0; b < model.embeddings.size(); ++b) {
    const Matrix& x = model.embeddings[b];
    const std::string where = "embeddings[" + std::to_string(b) + "]";
    if (x.rows() != model.token_count() || x.cols() != model.d_in())
      throw Error(
          "is " + shape_text(x.rows(), x.cols()) + ", expected " +
              shape_text(model.token_count(), model.d_in()),
          where,
          "one row for each of the " + std::to_string(model.token_count()) + " tokens, all of one width");
    require_finite(x, where);
  }
}

void validate_given(const Model& model) {
  const bool in_use = model.attention.projection == Projection::Given;
  for (std::size_t p = 0; p < model.given.size(); ++p) {
    const std::string where = std::string("given.") + parameter_name(kParameters[p]);
    const std::size_t expected = in_use ? model.embeddings.size() : 0;
    if (model.given[p].size() != expected)
      throw Error(
          "has " + std::to_string(model.given[p].size()) + " sequences, expected " + std::to_string(expected),
          where,
          in_use ? "give one matrix for each sequence of the embeddings"
                 : "queries, keys and values are given only where the projection is none");
    for (std::size_t b = 0; b < model.given[p].size(); ++b) {
      const Matrix& rows = model.given[p][b];
      const std::string place = where + "[" + std::to_string(b) + "]";
      if (rows.rows() != model.token_count() || rows.cols() != model.d_out())
        throw Error("is " + shape_text(rows.rows(), rows.cols()) + ", expected " +
                        shape_text(model.token_count(), model.d_out()),
                    place, "one row for each token, and d_out columns: those of all heads side by side");
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
      if (bias.rows() != 1 || bias.cols() != model.d_out())
        throw Error(
            "is " + shape_text(bias.rows(), bias.cols()) + ", expected " + shape_text(1, model.d_out()),
            where + "_bias", "a bias has one value for each of the d_out columns");
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

}  // namespace

void require_token_count(std::size_t count) {
  if (count <= static_cast<std::size_t>(kMostTokens)) return;
  throw Error("these are " + std::to_string(count) + " tokens", "tokens",
              "at most " + std::to_string(kMostTokens) + " can be shown: take a part of the text");
}

bool AttentionSettings::head_enabled(Index head) const {
  return !std::binary_search(disabled_heads.begin(), disabled_heads.end(), head);
}

bool Model::uses(Parameter p) const {
  return p == Parameter::Output ? attention.output_projection : attention.projection == Projection::Linear;
}

bool Model::uses_bias(Parameter p) const {
  return uses(p) && (p == Parameter::Output || attention.qkv_bias);
}

float Model::scale_factor() const {
  switch (attention.scale.kind) {
    case ScaleKind::InverseSqrtDk:
      return static_cast<float>(1.0 / std::sqrt(static_cast<double>(d_k())));
    case ScaleKind::None:
      return 1.0f;
    case ScaleKind::Number:
      return static_cast<float>(attention.scale.number);
  }
  return 1.0f;
}

bool Model::may_attend(Index query, Index key) const {
  switch (attention.mask) {
    case MaskKind::None:
      return true;
    case MaskKind::Causal:
      return key <= query;
    case MaskKind::Custom:
      return custom_mask(query, key) != 0.0f;
  }
  return true;
}

std::array<Index, 2> expected_shape(const Model& model, Parameter parameter) {
  if (parameter == Parameter::Output) return {model.d_out(), model.d_out()};
  if (model.weights.layout == WeightLayout::InOut) return {model.d_in(), model.d_out()};
  return {model.d_out(), model.d_in()};
}

std::vector<Matrix*> token_rows(Model& model) {
  std::vector<Matrix*> result;
  for (Matrix& x : model.embeddings)
    result.push_back(&x);
  for (std::vector<Matrix>& matrices : model.given)
    for (Matrix& rows : matrices)
      result.push_back(&rows);
  return result;
}

void validate_mask(const Model& model) {
  if (model.attention.mask != MaskKind::Custom) return;
  const Matrix& mask = model.custom_mask;
  const Index count = model.token_count();
  if (mask.rows() != count || mask.cols() != count)
    throw Error("mask is " + shape_text(mask.rows(), mask.cols()) + ", expected " + shape_text(count, count),
                "attention.mask", "one row and one column for each token");
  for (Index i = 0; i < mask.size(); ++i)
    if (mask.data()[i] != 0.0f && mask.data()[i] != 1.0f)
      throw Error("row " + std::to_string(i / count + 1) + ", column " + std::to_string(i % count + 1) +
                      " is neither 0 nor 1",
                  "attention.mask", "1 lets the query attend to the key, 0 forbids it");
}

double number_count(const Model& model) {
  const auto size = [](const Matrix& matrix) { return static_cast<double>(matrix.size()); };
  double count = model.attention.mask == MaskKind::Custom ? size(model.custom_mask) : 0;
  for (const Matrix& x : model.embeddings)
    count += size(x);
  for (const std::vector<Matrix>& matrices : model.given)
    for (const Matrix& rows : matrices)
      count += size(rows);
  for (std::size_t p = 0; p < kParameters.size(); ++p)
    count += size(model.weights.matrices[p]) + size(model.weights.biases[p]);
  return count;
}

void validate(const Model& model) {
  validate_size(model);
  validate_embeddings(model);
  validate_settings(model);
  validate_given(model);
  validate_weights(model);
  validate_mask(model);
}

const char* parameter_name(Parameter parameter) {
  switch (parameter) {
    case Parameter::Query:
      return "query";
    case Parameter::Key:
      return "key";
    case Parameter::Value:
      return "value";
    case Parameter::Output:
      return "output";
  }
  return "";
}

}  // namespace headlight
