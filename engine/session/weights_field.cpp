#include "engine/session/weights_field.h"

#include <algorithm>
#include <limits>

#include "engine/core/error.h"
#include "engine/json/json_members.h"
#include "engine/layer/reshape.h"
#include "engine/session/session_words.h"

namespace headlight {
namespace {

std::string bias_key(Parameter parameter) {
  return std::string(parameter_name(parameter)) + "_bias";
}

// Each one once.
struct DrawOrder : form::List<form::OneWord<Parameter, kParameterWords.size()>> {
  DrawOrder() : List{{kParameterWords}, "write [\"query\", \"key\", \"value\", \"output\"]"} {}
  void read(const Json& json, const std::string& place, std::vector<Parameter>& order) const {
    List::read(json, place, order);
    for (auto p = order.begin(); p != order.end(); ++p)
      if (std::find(order.begin(), p, *p) != p)
        throw Error(std::string("\"") + parameter_name(*p) + "\" is named twice", place,
                    "name each one once");
  }
};

}  // namespace

void members(auto& member, Of<WeightRecipe> auto& recipe) {
  using Limits = std::numeric_limits<std::int64_t>;
  member("init", recipe.init,
         form::Required{form::OneWord{kInitWords},
                        "weights that are drawn need \"init\": \"rand\" or \"linear\""});
  member("seed", recipe.seed,
         form::Required{form::Whole{Limits::min(), Limits::max()},
                        "weights that are drawn need a seed, such as \"seed\": 123"});
  member("order", recipe.order, DrawOrder());
}

namespace {

// A typing error in d_out must not fill the memory.
void check_size(const Layer& layer) {
  constexpr Index kMost = Index{1} << 26;  // 256 MB a matrix
  const Index d_out = layer.d_out(), widest = std::max({d_out, layer.d_in(), layer.key_d_in()});
  const bool draws = layer.uses(Parameter::Query) || layer.uses(Parameter::Output);
  if (draws && widest > kMost / d_out)
    throw Error(
        "weights of " + std::to_string(widest) + " x " + std::to_string(d_out) + " are too large to draw",
        "attention.d_out", "choose a smaller d_out");
}

void draw(const JsonFields& fields, const WeightRecipe& recipe, Layer& layer) {
  check_size(layer);
  // Beside numbers an order may lack what came after the drawing, such as an output projection switched on.
  for (Parameter p : kParameters)
    if (layer.uses(p) && std::find(recipe.order.begin(), recipe.order.end(), p) == recipe.order.end())
      throw Error(std::string("\"") + parameter_name(p) + "\" is missing, but the settings use it",
                  fields.place("order"), "add it where it is to be drawn");
  const WeightLayout implied = recipe.init == InitKind::Rand ? WeightLayout::InOut : WeightLayout::OutIn;
  if (fields.choice("layout", kLayoutWords, implied) != implied)
    throw Error("the layout does not agree with \"init\"", fields.place("layout"),
                "remove it: \"rand\" draws in_out, \"linear\" draws out_in");
  draw_weights(layer, recipe);
}

void read_numbers(const JsonFields& fields, ArrayReader& arrays, Layer& layer) {
  Weights& weights = layer.weights;
  for (Parameter p : kParameters) {
    const std::string key = parameter_name(p);
    if (layer.uses(p)) fields.require(key, "the settings use it: give its matrix");
    if (const Json* value = fields.find(key)) weights.matrix(p) = arrays.matrix(*value, fields.place(key));
    if (layer.uses_bias(p))
      fields.require(bias_key(p),
                     "the settings use it: give as many numbers as it adds to, zeros for no bias");
    if (const Json* value = fields.find(bias_key(p)))
      weights.bias(p) = arrays.vector(*value, fields.place(bias_key(p)));
  }
  if (!weights.recipe)
    fields.require(
        "layout", "\"in_out\" for y = x W, as torch.rand parameters; \"out_in\" for y = x W^T, as nn.Linear");
  const bool drawn_linear = weights.recipe && weights.recipe->init == InitKind::Linear;
  weights.layout =
      fields.choice("layout", kLayoutWords, drawn_linear ? WeightLayout::OutIn : WeightLayout::InOut);
}

void write_numbers(JsonWriter& out, const Weights& weights, ArrayWriter& arrays) {
  out.key("layout").text(word_of(kLayoutWords, weights.layout));
  for (Parameter p : kParameters) {
    const std::string key = parameter_name(p);
    if (weights.matrix(p).size() > 0) {
      out.key(key);
      arrays.matrix(out, "weights." + key, weights.matrix(p));
    }
    if (weights.bias(p).rows() == 1 && weights.bias(p).size() > 0) {
      out.key(bias_key(p));
      arrays.row(out, "weights." + bias_key(p), weights.bias(p));
    }
  }
}

// Whether there are numbers to write, including unused ones: the user may switch their use on again.
bool has_numbers(const Weights& weights) {
  const auto some = [](const Matrix& matrix) { return matrix.size() > 0; };
  return std::any_of(weights.matrices.begin(), weights.matrices.end(), some) ||
         std::any_of(weights.biases.begin(), weights.biases.end(), some);
}

}  // namespace

void read_weights(const Json& value, ArrayReader& arrays, Layer& layer) {
  std::vector<std::string> keys = member_names<WeightRecipe>();
  const auto recipe_keys = std::ssize(keys);
  keys.emplace_back("layout");
  for (Parameter p : kParameters) {
    keys.push_back(parameter_name(p));
    keys.push_back(bias_key(p));
  }
  const JsonFields fields(value, "weights", keys);
  const auto present = [&fields](const std::string& key) { return fields.has(key); };
  const bool has_recipe = std::any_of(keys.begin(), keys.begin() + recipe_keys, present);
  const bool has_numbers = std::any_of(keys.begin() + recipe_keys + 1, keys.end(), present);
  if (has_recipe) {
    WeightRecipe recipe;
    MemberReader reader(fields);
    members(reader, recipe);
    if (!has_numbers) return draw(fields, recipe, layer);
    layer.weights.recipe = recipe;
    layer.weights.edited = true;
  }
  read_numbers(fields, arrays, layer);
}

void write_weights(JsonWriter& out, const Weights& weights, ArrayWriter& arrays) {
  const bool numbers = has_numbers(weights) && (weights.edited || !weights.recipe);
  if (!weights.recipe && !numbers) return;
  out.key("weights").begin_object();
  MemberWriter writer(out);
  if (weights.recipe) members(writer, *weights.recipe);
  if (numbers) write_numbers(out, weights, arrays);
  out.end_object();
}

}  // namespace headlight
