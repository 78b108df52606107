#include "engine/formats/array_plan.h"

#include <algorithm>
#include <utility>

#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr Index kMostSequences = 1024;

// A number that arrays say, and the first of them to say so. One that disagrees is refused.
struct Agreed {
  const char* quantity;
  std::optional<Index> number;
  std::string by;

  void say(Index said, const ArrayChoice& choice) {
    const std::string who = role_name(choice.role);
    if (number && *number != said)
      throw Error(who + " has " + quantity + " " + std::to_string(said) + ", but " + by + " has " +
                      std::to_string(*number),
                  choice.name, "flip a layout, or leave one of the two out");
    if (!number) {
      number = said;
      by = who + " (" + choice.name + ")";
    }
  }
};

struct Sides {
  Index in = 0, out = 0;
};
Sides sides_of(const ArrayChoice& choice) {
  const bool in_out = choice.layout == WeightLayout::InOut;
  return {choice.shape[in_out ? 0 : 1], choice.shape[in_out ? 1 : 0]};
}

[[noreturn]] void refuse_shape(const ArrayChoice& choice, const char* expected) {
  throw Error(std::string(role_name(choice.role)) + " cannot be of shape " + shape_text(choice.shape),
              choice.name, std::string("expected ") + expected);
}

void require_dimensions(const ArrayChoice& choice, std::size_t least, std::size_t most,
                        const char* expected) {
  const std::size_t count = choice.shape.size();
  const bool empty = std::find(choice.shape.begin(), choice.shape.end(), Index{0}) != choice.shape.end();
  if (count < least || count > most || empty) refuse_shape(choice, expected);
}

// What the arrays say together, before the model is asked for the rest.
struct Said {
  Agreed d_in{"d_in", {}, {}}, d_out{"d_out", {}, {}};
  const ArrayChoice* embeddings = nullptr;
  const ArrayChoice* mask = nullptr;
  bool tokens = false;
  std::array<bool, 4> weight{}, bias{};
  std::optional<WeightLayout> layout;  // of all matrices that are given; none when they differ
  bool one_layout = true;

  void say_layout(WeightLayout said) {
    if (layout && *layout != said) one_layout = false;
    layout = said;
  }
  void weight_of(std::size_t first, std::size_t last, const ArrayChoice& choice) {
    require_dimensions(choice, 2, 2, "a matrix of weights");
    const Index parts = static_cast<Index>(last - first) + 1;
    const auto [in, out] = sides_of(choice);
    if (out % parts != 0)
      throw Error(
          "W_query, W_key and W_value in one are " + shape_text(choice.shape) + ": no three of one width",
          choice.name, "flip the layout, or choose another place");
    if (choice.role == ArrayRole::OutputWeight) {
      if (in != out) refuse_shape(choice, "as many rows as columns: d_out x d_out");
    } else {
      d_in.say(in, choice);
    }
    d_out.say(out / parts, choice);
    for (std::size_t p = first; p <= last; ++p)
      weight[p] = true;
    say_layout(choice.layout);
  }
  void bias_of(std::size_t first, std::size_t last, const ArrayChoice& choice) {
    require_dimensions(choice, 1, 2, "one row of numbers");
    const Index parts = static_cast<Index>(last - first) + 1, count = choice.shape.back();
    if (choice.shape.size() == 2 && choice.shape[0] != 1) refuse_shape(choice, "one row of numbers");
    if (count % parts != 0) refuse_shape(choice, "three biases of one length");
    d_out.say(count / parts, choice);
    for (std::size_t p = first; p <= last; ++p)
      bias[p] = true;
  }
  void hear(const ArrayChoice& choice) {
    switch (choice.role) {
      case ArrayRole::Embeddings:
        require_dimensions(choice, 2, 3, "T x d_in or B x T x d_in");
        d_in.say(choice.shape.back(), choice);
        embeddings = &choice;
        return;
      case ArrayRole::QueryWeight:
      case ArrayRole::KeyWeight:
      case ArrayRole::ValueWeight:
      case ArrayRole::OutputWeight: {
        const auto p =
            static_cast<std::size_t>(choice.role) - static_cast<std::size_t>(ArrayRole::QueryWeight);
        return weight_of(p, p, choice);
      }
      case ArrayRole::FusedWeight:
        return weight_of(0, 2, choice);
      case ArrayRole::QueryBias:
      case ArrayRole::KeyBias:
      case ArrayRole::ValueBias:
      case ArrayRole::OutputBias: {
        const auto p = static_cast<std::size_t>(choice.role) - static_cast<std::size_t>(ArrayRole::QueryBias);
        return bias_of(p, p, choice);
      }
      case ArrayRole::FusedBias:
        return bias_of(0, 2, choice);
      case ArrayRole::Mask:
        require_dimensions(choice, 2, 4, "T x T");
        mask = &choice;
        return;
      case ArrayRole::Tokens:
        require_dimensions(choice, 1, 1, "the bytes of their text");
        tokens = true;
        return;
    }
  }
};

void refuse_collisions(const std::vector<ArrayChoice>& choices) {
  for (std::size_t i = 0; i < choices.size(); ++i)
    for (std::size_t j = i + 1; j < choices.size(); ++j)
      if (roles_collide(choices[i].role, choices[j].role))
        throw Error(
            std::string(role_name(choices[j].role)) + " is given twice, by " + choices[i].name + " as well",
            choices[j].name, "choose one of the two");
}

void plan_shapes(ArrayPlan& plan, const Said& said, const Model& model) {
  plan.sequences = model.sequence_count();
  plan.tokens = model.token_count();
  if (const ArrayChoice* x = said.embeddings) {
    plan.embeddings_given = true;
    plan.sequences = x->shape.size() == 3 ? x->shape[0] : 1;
    plan.tokens = x->shape[x->shape.size() - 2];
    if (plan.tokens > kMostTokensPlaced || plan.sequences > kMostSequences)
      throw Error("these are " + std::to_string(plan.tokens) + " tokens in " +
                      std::to_string(plan.sequences) + " sequences",
                  x->name,
                  "at most " + std::to_string(kMostTokensPlaced) + " tokens in " +
                      std::to_string(kMostSequences) + " sequences can be shown: take a part of the array");
    if (x->has_row_labels)
      plan.tokens_fate = TokensFate::RowLabels;
    else if (plan.tokens != model.token_count())
      plan.tokens_fate = TokensFate::Numbered;
  }
  if (said.tokens) plan.tokens_fate = TokensFate::Given;
  plan.d_in = said.d_in.number.value_or(model.d_in());
  plan.embeddings_drawn = !plan.embeddings_given && plan.d_in != model.d_in();
  if (plan.embeddings_drawn) plan.sequences = 1;
  if (const ArrayChoice* mask = said.mask) {
    plan.mask_given = true;
    const std::vector<Index>& shape = mask->shape;
    const bool one = std::all_of(shape.begin(), shape.end() - 2, [](Index size) { return size == 1; });
    if (!one || shape.back() != plan.tokens || shape[shape.size() - 2] != plan.tokens)
      throw Error("the mask is " + shape_text(shape) + ", expected " + shape_text({plan.tokens, plan.tokens}),
                  mask->name, "one row and one column for each token");
  }
}

void plan_settings(ArrayPlan& plan, const Said& said, std::optional<Index> num_heads, const Model& model) {
  const auto any_of_qkv = [](const std::array<bool, 4>& given) { return given[0] || given[1] || given[2]; };
  const bool all_weights = said.weight[0] && said.weight[1] && said.weight[2];
  const bool linear =
      model.attention.projection == Projection::Linear || any_of_qkv(said.weight) || any_of_qkv(said.bias);
  plan.projection = linear ? Projection::Linear : Projection::None;
  plan.output_projection = model.attention.output_projection || said.weight[3] || said.bias[3];
  plan.qkv_bias = any_of_qkv(said.bias) || (linear && model.attention.qkv_bias && !all_weights);
  if (!linear) plan.qkv_bias = model.attention.qkv_bias;
  plan.d_out = linear ? said.d_out.number.value_or(model.d_out()) : plan.d_in;
  if (!linear && said.d_out.number && *said.d_out.number != plan.d_in)
    throw Error(said.d_out.by + " has d_out " + std::to_string(*said.d_out.number) + ", but d_in is " +
                    std::to_string(plan.d_in),
                "", "without projections the two are equal: give W_query, W_key and W_value as well");
  if (num_heads && (*num_heads < 1 || plan.d_out % *num_heads != 0))
    throw Error(std::to_string(*num_heads) + " heads do not divide d_out " + std::to_string(plan.d_out),
                "heads", "choose a number of heads that divides " + std::to_string(plan.d_out));
  const Index kept = model.attention.num_heads;
  plan.num_heads = num_heads ? *num_heads : plan.d_out % kept == 0 ? kept : 1;
}

bool used(const ArrayPlan& plan, Parameter p) {
  return p == Parameter::Output ? plan.output_projection : plan.projection == Projection::Linear;
}

bool stored_weight_fits(const ArrayPlan& plan, const Model& model, Parameter p) {
  const Index in = p == Parameter::Output ? plan.d_out : plan.d_in;
  const bool in_out = model.weights.layout == WeightLayout::InOut;
  const Matrix& w = model.weights.matrix(p);
  return w.rows() == (in_out ? in : plan.d_out) && w.cols() == (in_out ? plan.d_out : in);
}

PartFate weight_fate(const ArrayPlan& plan, const Said& said, const Model& model, Parameter p) {
  if (!used(plan, p)) return PartFate::Unused;
  if (said.weight[static_cast<std::size_t>(p)]) return PartFate::Given;
  return stored_weight_fits(plan, model, p) ? PartFate::Kept : PartFate::Drawn;
}

PartFate bias_fate(const ArrayPlan& plan, const Said& said, const Model& model, Parameter p) {
  if (!used(plan, p) || (p != Parameter::Output && !plan.qkv_bias)) return PartFate::Unused;
  if (said.bias[static_cast<std::size_t>(p)]) return PartFate::Given;
  if (plan.weight(p) == PartFate::Drawn) return PartFate::Drawn;
  const Matrix& bias = model.weights.bias(p);
  const bool kept = plan.weight(p) == PartFate::Kept && model.uses_bias(p) && bias.cols() == plan.d_out;
  return kept ? PartFate::Kept : PartFate::Zeros;
}

void plan_weights(ArrayPlan& plan, const Said& said, const Model& model) {
  const auto any = [&](PartFate fate) {
    return std::find(plan.weights.begin(), plan.weights.end(), fate) != plan.weights.end();
  };
  for (const Parameter p : kParameters)
    plan.weights[static_cast<std::size_t>(p)] = weight_fate(plan, said, model, p);
  const bool untouched = model.weights.recipe && !model.weights.edited;
  if (untouched && any(PartFate::Drawn) && !any(PartFate::Given))
    std::replace(plan.weights.begin(), plan.weights.end(), PartFate::Kept, PartFate::Drawn);
  for (const Parameter p : kParameters)
    plan.biases[static_cast<std::size_t>(p)] = bias_fate(plan, said, model, p);

  plan.recipe = model.weights.recipe.value_or(WeightRecipe{});
  plan.layout = model.weights.layout;
  const bool all_given = any(PartFate::Given) && !any(PartFate::Kept) && !any(PartFate::Drawn);
  if (all_given && said.one_layout) plan.layout = *said.layout;
  // What is drawn beside others is drawn in their layout; where all is drawn, the recipe has its own.
  const bool bias_given =
      std::find(plan.biases.begin(), plan.biases.end(), PartFate::Given) != plan.biases.end();
  if (any(PartFate::Given) || any(PartFate::Kept) || bias_given)
    plan.recipe.init = plan.layout == WeightLayout::InOut ? InitKind::Rand : InitKind::Linear;
  else if (any(PartFate::Drawn))
    plan.layout = plan.recipe.init == InitKind::Rand ? WeightLayout::InOut : WeightLayout::OutIn;
}

// The roles as the parts of the model that they fill, one bit each.
unsigned parts_of(ArrayRole role) {
  const auto bit = [](ArrayRole r) { return 1u << static_cast<unsigned>(r); };
  if (role == ArrayRole::FusedWeight)
    return bit(ArrayRole::QueryWeight) | bit(ArrayRole::KeyWeight) | bit(ArrayRole::ValueWeight);
  if (role == ArrayRole::FusedBias)
    return bit(ArrayRole::QueryBias) | bit(ArrayRole::KeyBias) | bit(ArrayRole::ValueBias);
  return bit(role);
}

// "W_query", "W_query and W_key", "W_query, W_key and W_value".
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " and ") + names[i];
  return text;
}

std::vector<std::string> names_of(const std::array<PartFate, 4>& fates, PartFate fate, const char* before) {
  std::vector<std::string> names;
  for (const Parameter p : kParameters)
    if (fates[static_cast<std::size_t>(p)] == fate)
      names.push_back(std::string(before) + "W_" + parameter_name(p));
  return names;
}

std::string drawn_how(const WeightRecipe& recipe) {
  return std::string(recipe.init == InitKind::Rand ? "torch.rand" : "nn.Linear") + ", seed " +
         std::to_string(recipe.seed);
}

std::string are(std::size_t count) {
  return count == 1 ? " is " : " are ";
}

std::vector<std::string> shape_changes(const ArrayPlan& plan, const Model& model) {
  std::vector<std::string> notes;
  const auto number = [&](const char* name, Index before, Index after) {
    if (before != after)
      notes.push_back(std::string(name) + " " + std::to_string(before) + " → " + std::to_string(after));
  };
  const auto setting = [&](const char* name, bool before, bool after, const char* off, const char* on) {
    if (before != after)
      notes.push_back(std::string(name) + " " + (before ? on : off) + " → " + (after ? on : off));
  };
  const AttentionSettings& a = model.attention;
  number("B", model.sequence_count(), plan.sequences);
  number("T", model.token_count(), plan.tokens);
  number("d_in", model.d_in(), plan.d_in);
  number("d_out", model.d_out(), plan.d_out);
  number("heads", a.num_heads, plan.num_heads);
  setting("projection", a.projection == Projection::Linear, plan.projection == Projection::Linear, "none",
          "linear");
  setting("biases", a.qkv_bias, plan.qkv_bias, "off", "on");
  setting("output projection", a.output_projection, plan.output_projection, "off", "on");
  return notes;
}

}  // namespace

ArrayPlan plan_arrays(const std::vector<ArrayChoice>& choices, std::optional<Index> num_heads,
                      const Model& model) {
  refuse_collisions(choices);
  Said said;
  for (const ArrayChoice& choice : choices)
    said.hear(choice);
  ArrayPlan plan;
  plan_shapes(plan, said, model);
  plan_settings(plan, said, num_heads, model);
  plan_weights(plan, said, model);
  return plan;
}

PlanNotes plan_notes(const ArrayPlan& plan, const Model& model) {
  PlanNotes notes{shape_changes(plan, model), {}};
  if (plan.embeddings_drawn)
    notes.replaced.push_back("the embeddings are drawn anew: torch.rand, seed " +
                             std::to_string(plan.recipe.seed) + ", one row for each different token");
  if (plan.tokens_fate == TokensFate::Numbered)
    notes.replaced.push_back("the tokens become 1 to " + std::to_string(plan.tokens));
  const std::vector<std::string> drawn = names_of(plan.weights, PartFate::Drawn, "");
  if (!drawn.empty())
    notes.replaced.push_back(listed(drawn) + are(drawn.size()) + "drawn anew (" + drawn_how(plan.recipe) +
                             ")");
  std::vector<std::string> zero;
  for (const Parameter p : kParameters) {
    const bool had = model.uses_bias(p) && !model.weights.bias(p).isZero(0);
    const bool others = p != Parameter::Output;  // a bias of W_output that was zero stays so
    if (plan.bias(p) == PartFate::Zeros && (had || others))
      zero.push_back(std::string("the bias of W_") + parameter_name(p));
  }
  if (!zero.empty()) notes.replaced.push_back(listed(zero) + are(zero.size()) + "zero");
  const bool custom = model.attention.mask == MaskKind::Custom && !plan.mask_given;
  if (custom && plan.tokens != model.token_count())
    notes.replaced.push_back("the mask keeps what fits; new tokens may attend and be attended to");
  return notes;
}

Model shapes_of(const ArrayPlan& plan) {
  Model model;
  model.tokens.resize(static_cast<std::size_t>(plan.tokens));
  model.embeddings.assign(static_cast<std::size_t>(plan.sequences), Matrix(0, plan.d_in));
  model.attention.projection = plan.projection;
  model.attention.d_out = plan.d_out;
  model.attention.num_heads = plan.num_heads;
  model.weights.layout = plan.layout;
  return model;
}

bool roles_collide(ArrayRole a, ArrayRole b) {
  return (parts_of(a) & parts_of(b)) != 0;
}

}  // namespace headlight
