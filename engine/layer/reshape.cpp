#include "engine/layer/reshape.h"

#include <algorithm>
#include <numeric>

#include "engine/core/error.h"
#include "engine/core/torch_stream.h"
#include "engine/layer/projection.h"

namespace headlight {
namespace {

// Crops the matrix or pads it with zeros.
Matrix resized(const Matrix& matrix, Index rows, Index columns) {
  Matrix result = Matrix::Zero(rows, columns);
  const Index r = std::min(rows, matrix.rows()), c = std::min(columns, matrix.cols());
  result.topLeftCorner(r, c) = matrix.topLeftCorner(r, c);
  return result;
}

// Called before weights are allocated, so that a failure changes nothing.
void require_room(const Layer& layer) {
  constexpr double kMostNumbers = 1 << 28;  // one gigabyte
  double numbers = 0;
  for (const Parameter p : kParameters) {
    if (!layer.uses(p)) continue;
    const auto [rows, columns] = expected_shape(layer, p);
    numbers += static_cast<double>(rows) * static_cast<double>(columns);
  }
  if (numbers > kMostNumbers)
    throw Error("the weights would take more than a gigabyte", "weights",
                "d_in is " + std::to_string(layer.d_in()) + " and d_out is " + std::to_string(layer.d_out()) +
                    ": choose smaller ones");
}

// The recipe with every parameter that the layer uses; those it does not name are appended.
WeightRecipe complete(WeightRecipe recipe, const Layer& layer) {
  for (Parameter p : kParameters)
    if (layer.uses(p) && std::find(recipe.order.begin(), recipe.order.end(), p) == recipe.order.end())
      recipe.order.push_back(p);
  return recipe;
}

// Draws all weights that the settings use, in the layer's current layout.
Weights drawn_in_same_layout(const Layer& layer) {
  Layer drawn = layer;
  WeightRecipe recipe = layer.weights.recipe.value_or(WeightRecipe{});
  recipe.init = layer.weights.layout == WeightLayout::InOut ? InitKind::Rand : InitKind::Linear;
  draw_weights(drawn, recipe);
  return drawn.weights;
}

// Fits weights to the shapes that the settings require: drawn again if they were not edited, else resized. A
// parameter that did not exist is always drawn, because zeros would zero the results of the others.
void fit_weights(Layer& layer) {
  Weights& weights = layer.weights;
  const auto is_used = [&](Parameter p) { return layer.uses(p); };
  if (std::none_of(kParameters.begin(), kParameters.end(), is_used)) return;
  require_room(layer);
  const bool nothing_there = std::all_of(weights.matrices.begin(), weights.matrices.end(),
                                         [](const Matrix& w) { return w.size() == 0; });
  if (nothing_there || (weights.recipe && !weights.edited)) {
    draw_weights(layer, weights.recipe.value_or(WeightRecipe{}));
    return;
  }
  const Weights drawn = drawn_in_same_layout(layer);
  for (Parameter p : kParameters) {
    if (layer.uses(p)) {
      const auto [rows, columns] = expected_shape(layer, p);
      const Matrix& w = weights.matrix(p);
      weights.matrix(p) = w.size() == 0 ? drawn.matrix(p) : resized(w, rows, columns);
    }
    if (layer.uses_bias(p)) weights.bias(p) = resized(weights.bias(p), 1, parameter_width(layer, p));
  }
}

// The current queries, keys and values.
std::array<std::vector<Matrix>, 3> projected(const Layer& layer) {
  std::array<std::vector<Matrix>, 3> result;
  Workspace workspace;
  for (std::size_t p = 0; p < result.size(); ++p)
    for (Index sequence = 0; sequence < layer.sequence_count(); ++sequence) {
      const Matrix& x = layer.projection_input(kParameters[p], sequence);
      result[p].push_back(layer.uses(kParameters[p]) ? projected(layer, kParameters[p], x, workspace) : x);
    }
  return result;
}

std::array<PairArray*, 3> pair_arrays(Layer& layer) {
  return {&layer.given_weights, &layer.allowed, &layer.score_bias};
}

// Lists with more than `shared` numbers have one per sequence.
void repeat_last_number(std::vector<Index>& numbers, std::size_t shared) {
  if (numbers.size() > shared) numbers.push_back(Index{numbers.back()});
}

// Divides the existing widths among `num_heads` heads; the matrices do not change.
void divide_heads(Layer& layer, Index num_heads) {
  AttentionSettings& a = layer.attention;
  if (a.num_kv_heads == 0 && a.d_k == 0 && a.d_v == 0) {
    a.num_heads = num_heads;
    return;
  }
  const Index queries = a.num_heads * layer.d_k(), keys = layer.kv_head_count() * layer.d_k();
  const Index values = layer.kv_head_count() * layer.d_v();
  const Index d_k = num_heads > 0 && queries % num_heads == 0 ? queries / num_heads : 0;
  const Index groups = d_k > 0 && keys % d_k == 0 ? keys / d_k : 0;
  if (groups == 0 || values % groups != 0 || num_heads % groups != 0)
    throw Error(std::to_string(num_heads) + " heads cannot share out queries " + std::to_string(queries) +
                    " wide and keys " + std::to_string(keys) + " wide",
                "attention.num_heads", "choose a number that divides both alike");
  a.num_heads = num_heads;
  a.num_kv_heads = groups;
  a.d_k = d_k;
  a.d_v = values / groups;
}

// Runs a change on a copy, so that a failure leaves the layer unchanged.
template <class Change>
void change_valid(Layer& layer, Change change) {
  Layer changed = layer;
  change(changed);
  validate(changed);
  layer = std::move(changed);
}

}  // namespace

void add_sequence(Layer& layer) {
  const auto repeat_last = [](std::vector<Matrix>& matrices) {
    if (matrices.empty()) return;
    const Matrix last = matrices.back();
    matrices.push_back(last);
  };
  resize_lines(layer.lineage.sequences, layer.sequence_count() + 1);
  repeat_last(layer.embeddings);
  repeat_last(layer.key_embeddings);
  for (std::vector<Matrix>& matrices : layer.given)
    repeat_last(matrices);
  for (PairArray* array : pair_arrays(layer)) {
    if (array->sequences <= (array == &layer.given_weights ? 0 : 1)) continue;
    for (Index head = 0; head < array->heads; ++head)
      array->matrices.push_back(Matrix(array->of(array->sequences - 1, head)));
    ++array->sequences;
  }
  repeat_last_number(layer.attention.rules.offsets, 1);
  repeat_last_number(layer.attention.rules.keys, 0);
}

void remove_sequence(Layer& layer, Index at) {
  if (at < 0 || at >= layer.sequence_count())
    throw Error("there is no sequence " + std::to_string(at + 1), "embeddings",
                "there are " + std::to_string(layer.sequence_count()));
  if (layer.sequence_count() == 1)
    throw Error("the last sequence cannot be removed", "embeddings", "a batch holds at least one sequence");
  std::vector<Index> sources(static_cast<std::size_t>(layer.sequence_count()));
  std::iota(sources.begin(), sources.end(), Index{0});
  sources.erase(sources.begin() + at);
  follow_lines(layer.lineage.sequences, sources, layer.sequence_count());
  if (!layer.embeddings.empty()) layer.embeddings.erase(layer.embeddings.begin() + at);
  if (!layer.key_embeddings.empty()) layer.key_embeddings.erase(layer.key_embeddings.begin() + at);
  for (std::vector<Matrix>& matrices : layer.given)
    if (!matrices.empty()) matrices.erase(matrices.begin() + at);
  for (PairArray* array : pair_arrays(layer)) {
    if (array->sequences <= 1) continue;
    const auto first = array->matrices.begin() + at * array->heads;
    array->matrices.erase(first, first + array->heads);
    --array->sequences;
  }
  MaskRules& rules = layer.attention.rules;
  if (rules.offsets.size() > 1) rules.offsets.erase(rules.offsets.begin() + at);
  if (!rules.keys.empty()) rules.keys.erase(rules.keys.begin() + at);
}

void set_d_in(Layer& layer, Index d_in) {
  if (d_in < 1) throw Error("d_in is " + std::to_string(d_in), "embeddings", "d_in is at least 1");
  change_valid(layer, [&](Layer& m) {
    for (Matrix& x : m.embeddings)
      x = resized(x, x.rows(), d_in);
    if (m.attention.projection == Projection::None) m.attention.d_out = d_in;
    resize_lines(m.lineage.inputs, d_in);
    resize_lines(m.lineage.outputs, m.d_out());
    fit_weights(m);
  });
}

void set_d_out(Layer& layer, Index d_out) {
  if (d_out < 1) throw Error("d_out is " + std::to_string(d_out), "attention.d_out", "d_out is at least 1");
  change_valid(layer, [&](Layer& m) {
    AttentionSettings& a = m.attention;
    a.d_out = d_out;
    resize_lines(m.lineage.outputs, d_out);
    if (!a.output_projection && a.d_v > 0 && d_out % a.num_heads == 0) a.d_v = d_out / a.num_heads;
    for (std::size_t p = 0; p < m.given.size(); ++p)
      for (Matrix& rows : m.given[p])
        rows = resized(rows, rows.rows(), parameter_width(m, kParameters[p]));
    fit_weights(m);
  });
}

void set_num_heads(Layer& layer, Index num_heads) {
  change_valid(layer, [&](Layer& m) {
    if (m.attention.num_heads != num_heads) m.attention.disabled_heads.clear();  // these are other heads
    divide_heads(m, num_heads);
  });
}

void set_projection(Layer& layer, Projection projection) {
  if (projection == layer.attention.projection) return;
  change_valid(layer, [&](Layer& m) {
    if (projection == Projection::Weights)
      throw Error("there are no weights of attention to start from", "attention.projection",
                  "open a file that holds them");
    if (projection == Projection::Given && m.embeddings.empty())
      throw Error("there are no embeddings to compute queries, keys and values from", "attention.projection",
                  "open a file that holds them");
    m.given = projection == Projection::Given ? projected(layer) : decltype(m.given)();
    m.given_weights = {};
    m.lineage.outputs.clear();  // the projection computes them differently
    m.attention.projection = projection;
    if (projection == Projection::None) {
      m.attention.d_out = m.d_in();
      m.attention.num_kv_heads = m.attention.d_k = m.attention.d_v = 0;
      if (m.d_in() % m.attention.num_heads != 0) {
        m.attention.num_heads = 1;
        m.attention.disabled_heads.clear();
      }
    } else if (projection == Projection::Linear) {
      // If the existing weights match these embeddings, their d_out is restored.
      const Matrix& query = m.weights.matrix(Parameter::Query);
      const bool in_out = m.weights.layout == WeightLayout::InOut;
      const Index kept_d_out = in_out ? query.cols() : query.rows();
      const bool fits = query.size() > 0 && (in_out ? query.rows() : query.cols()) == m.d_in();
      if (fits && m.attention.d_k == 0 && m.attention.d_v == 0 && kept_d_out % m.attention.num_heads == 0)
        m.attention.d_out = kept_d_out;
    }
    fit_weights(m);
  });
}

void set_output_projection(Layer& layer, bool present) {
  change_valid(layer, [&](Layer& m) {
    m.attention.output_projection = present;
    if (!present) return;
    Weights& weights = m.weights;
    const bool missing = weights.matrix(Parameter::Output).size() != m.d_out() * m.concat_width();
    fit_weights(m);
    // In an edited layer the new projection is the identity, so that it changes nothing until it is edited.
    if (missing && !(weights.recipe && !weights.edited)) weights.matrix(Parameter::Output).setIdentity();
  });
}

void set_num_kv_heads(Layer& layer, Index num_kv_heads) {
  change_valid(layer, [&](Layer& m) {
    AttentionSettings& a = m.attention;
    if (a.projection != Projection::Linear && num_kv_heads != m.kv_head_count())
      throw Error("keys and values stand there for " + std::to_string(m.kv_head_count()) + " heads",
                  "attention.num_kv_heads", "choose the linear projection to draw them for another number");
    a.num_kv_heads = num_kv_heads == a.num_heads ? 0 : num_kv_heads;
    if (num_kv_heads < 1 || a.num_heads % num_kv_heads != 0)
      throw Error("num_kv_heads " + std::to_string(num_kv_heads) + " does not divide num_heads " +
                      std::to_string(a.num_heads),
                  "attention.num_kv_heads", "choose a divisor of " + std::to_string(a.num_heads));
    fit_weights(m);
  });
}

void set_head_widths(Layer& layer, Index d_k, Index d_v) {
  change_valid(layer, [&](Layer& m) {
    AttentionSettings& a = m.attention;
    if (a.projection != Projection::Linear)
      throw Error("queries, keys and values are as wide as what they are", "attention.d_k",
                  "choose the linear projection to give heads a width of their own");
    a.d_k = d_k;
    a.d_v = d_v;
    if (!a.output_projection) a.d_out = m.concat_width();
    fit_weights(m);
  });
}

void set_qkv_bias(Layer& layer, bool present) {
  change_valid(layer, [&](Layer& m) {
    m.attention.qkv_bias = present;
    fit_weights(m);
  });
}

void draw_weights(Layer& layer, const WeightRecipe& asked) {
  Weights& weights = layer.weights;
  require_room(layer);
  const WeightRecipe recipe = complete(asked, layer);
  weights.recipe = recipe;
  weights.edited = false;
  weights.layout = recipe.init == InitKind::Rand ? WeightLayout::InOut : WeightLayout::OutIn;
  TorchStream stream(recipe.seed);
  for (Parameter p : recipe.order) {
    if (!layer.uses(p)) continue;
    const auto [rows, columns] = expected_shape(layer, p);
    Matrix& w = weights.matrix(p);
    w.resize(rows, columns);
    weights.bias(p) = Matrix::Zero(1, parameter_width(layer, p));
    if (recipe.init == InitKind::Rand) {
      fill_rand(stream, w);
    } else {
      fill_linear_weight(stream, w);
      if (layer.uses_bias(p)) fill_linear_bias(stream, columns, weights.bias(p));
    }
  }
}

void fill_parameter(Layer& layer, Parameter parameter, Fill fill) {
  if (!layer.uses(parameter))
    throw Error(std::string(parameter_name(parameter)) + " is not used",
                std::string("weights.") + parameter_name(parameter), "switch its projection on first");
  Matrix& w = layer.weights.matrix(parameter);
  if (fill == Fill::Zeros)
    w.setZero();
  else
    w.setIdentity();
  if (layer.uses_bias(parameter)) layer.weights.bias(parameter).setZero();
  layer.weights.edited = true;
}

std::uint64_t drawn_value_count(const Layer& layer) {
  if (!layer.weights.recipe) return 0;
  const WeightRecipe& recipe = *layer.weights.recipe;
  std::uint64_t count = 0;
  for (Parameter p : recipe.order) {
    if (!layer.uses(p)) continue;
    const auto [rows, columns] = expected_shape(layer, p);
    count += static_cast<std::uint64_t>(rows * columns);
    if (recipe.init == InitKind::Linear && layer.uses_bias(p))
      count += static_cast<std::uint64_t>(parameter_width(layer, p));
  }
  return count;
}

}  // namespace headlight
