// Random sessions that use every field of a session file, and the differences between two sessions. The
// structured bindings below name every member, so a new field does not compile until it is added here.
#pragma once

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "engine/session/lesson_field.h"
#include "engine/session/session.h"
#include "tests/support/random_goals.h"
#include "tests/support/random_models.h"

namespace headlight_test {

inline std::string random_text(Dice& dice) {
  static const std::vector<std::string> pieces = {"journey", " ", "α β",   "😀",  "\"", "\\", "\n",     "\t",
                                                  "\x01",    "/", "größe", "{{", "}}", "'",  "\u2028", "ﷺ"};
  std::string text;
  for (headlight::Index count = dice.below(5); count > 0; --count)
    text += dice.pick(pieces);
  return dice.chance(0.01) ? text + std::string(3000, 'x') : text;
}

// A finite number with uniformly random bits, or, more often than chance, an edge case.
inline float random_float(Dice& dice) {
  static const std::vector<float> edges = {0.0f,
                                           -0.0f,
                                           std::numeric_limits<float>::denorm_min(),
                                           -std::numeric_limits<float>::denorm_min(),
                                           std::numeric_limits<float>::min(),
                                           std::numeric_limits<float>::max(),
                                           std::numeric_limits<float>::lowest(),
                                           0.1f,
                                           16777217.0f};
  if (dice.chance(0.2)) return dice.pick(edges);
  for (;;) {
    const auto bits = static_cast<std::uint32_t>(dice.below(1 << 16)) << 16 |
                      static_cast<std::uint32_t>(dice.below(1 << 16));
    if (const float value = std::bit_cast<float>(bits); std::isfinite(value)) return value;
  }
}

inline void fill_randomly(Dice& dice, headlight::Matrix& matrix) {
  for (headlight::Index i = 0; i < matrix.size(); ++i)
    matrix.data()[i] = random_float(dice);
}

// A matrix for a field that is not in use: any shape; may contain NaN and infinities.
inline headlight::Matrix random_leftover(Dice& dice, headlight::Index rows) {
  headlight::Matrix matrix(rows, dice.between(1, 4));
  fill_randomly(dice, matrix);
  const float infinity = std::numeric_limits<float>::infinity();
  if (dice.chance(0.5)) matrix(0, 0) = std::numeric_limits<float>::quiet_NaN();
  if (dice.chance(0.5)) matrix(rows - 1, matrix.cols() - 1) = dice.chance(0.5) ? infinity : -infinity;
  return matrix;
}

inline double random_double(Dice& dice, double low, double high) {
  return dice.chance(0.3) ? dice.pick<double>({low, high, (low + high) / 3, 0.1 * high})
                          : dice.real(low, high);
}

inline std::int64_t random_seed(Dice& dice) {
  using Limits = std::numeric_limits<std::int64_t>;
  return dice.chance(0.2) ? dice.pick<std::int64_t>({Limits::min(), Limits::max(), 0, std::int64_t{1} << 53})
                          : dice.between(-1000, 1000);
}

// Weights drawn from a recipe that may omit unused parameters, possibly edited afterwards; or random weights.
inline void randomize_weights(Dice& dice, headlight::Layer& layer) {
  using namespace headlight;
  Weights& weights = layer.weights;
  weights = {};
  const bool drawn = dice.chance(0.6), edited = !drawn || dice.chance(0.5);
  if (drawn) {
    WeightRecipe recipe = random_recipe(dice);
    recipe.seed = random_seed(dice);
    std::erase_if(recipe.order, [&](Parameter p) { return !layer.uses(p) && dice.chance(0.5); });
    draw_weights(layer, recipe);
  }
  if (!edited) return;
  if (!drawn) set_random_weights(dice, layer);
  if (drawn && dice.chance(0.3))  // as an edit of the layout does
    weights.layout = weights.layout == WeightLayout::InOut ? WeightLayout::OutIn : WeightLayout::InOut;
  bool numbers = false;
  for (Parameter p : kParameters) {
    const auto [rows, columns] = expected_shape(layer, p);
    if (layer.uses(p)) weights.matrix(p).resize(rows, columns);
    if (layer.uses(p))
      fill_randomly(dice, weights.matrix(p));
    else
      weights.matrix(p) = dice.chance(0.3) ? random_leftover(dice, dice.between(1, 3)) : Matrix();
    if (layer.uses_bias(p)) weights.bias(p).resize(1, layer.d_out());
    if (layer.uses_bias(p))
      fill_randomly(dice, weights.bias(p));
    else
      weights.bias(p) = dice.chance(0.3) ? random_leftover(dice, 1) : Matrix();
    numbers |= weights.matrix(p).size() > 0 || weights.bias(p).size() > 0;
  }
  weights.edited = drawn && numbers;  // false without a recipe
  const bool drawn_linear = drawn && weights.recipe->init == InitKind::Linear;
  if (!numbers) weights.layout = drawn_linear ? WeightLayout::OutIn : WeightLayout::InOut;
}

inline headlight::LessonSettings random_lesson_settings(Dice& dice, const headlight::Layer& layer) {
  using namespace headlight;
  LessonSettings set;
  const auto now_and_then = [&dice] { return dice.chance(0.25); };
  const bool given = layer.attention.projection == Projection::Given;
  if (now_and_then() && !given) set.projection = dice.chance(0.5) ? Projection::None : Projection::Linear;
  if (now_and_then() && !given) set.d_out = layer.head_count() * dice.between(1, 3);
  if (now_and_then()) set.num_heads = dice.pick<Index>({1, 2, layer.head_count()});
  if (now_and_then()) set.qkv_bias = dice.chance(0.5);
  if (now_and_then()) set.output_projection = dice.chance(0.5);
  if (now_and_then())
    set.scale =
        dice.pick<Scale>({{ScaleKind::None, 1}, {ScaleKind::InverseSqrtDk, 1}, {ScaleKind::Number, 0.25}});
  if (now_and_then()) set.mask = dice.chance(0.5) ? MaskKind::None : MaskKind::Causal;
  if (now_and_then())
    set.normalization =
        dice.pick<Normalization>({Normalization::Softmax, Normalization::NaiveSoftmax, Normalization::Sum});
  if (now_and_then()) set.dropout_probability = random_double(dice, 0, 1);
  if (now_and_then()) set.dropout_training = dice.chance(0.5);
  if (now_and_then()) {
    set.dropout_seed.emplace();
    if (dice.chance(0.5)) *set.dropout_seed = random_seed(dice);
  }
  if (now_and_then()) set.disabled_heads = dice.chance(0.5) ? std::vector<Index>{} : std::vector<Index>{0};
  return set;
}

// A question of any kind, by chance with a change of a setting and of numbers.
inline headlight::LessonQuestion random_question(Dice& dice, const headlight::Layer& layer,
                                                 const std::vector<std::string>& quotes) {
  using namespace headlight;
  LessonQuestion question;
  question.text = "What? " + dice.pick(quotes);
  question.replies = {"Yes. " + dice.pick(quotes), "No."};
  switch (dice.below(3)) {
    case 0:
      question.answers = {random_text(dice), random_text(dice)};
      question.right = dice.below(2);
      break;
    case 1:
      question.cell =
          AskedCell{Stage::Weights, 0, {dice.below(layer.token_count()), dice.below(layer.key_count())}};
      break;
    default:
      question.number = AskedNumber{"{weights[0,0]}", random_double(dice, -2, 0), random_double(dice, 1, 2)};
  }
  if (dice.chance(0.5)) return question;
  question.change.emplace();
  question.change->settings.mask = MaskKind::Causal;
  if (dice.chance(0.3)) question.change->draws = dice.between(1, kMostLessonDraws);
  const auto add = [&](std::optional<Parameter> of, Index row, Index column) {
    question.change->numbers.push_back({of, row, column, dice.matrix(1, 1, 2)(0, 0)});
  };
  if (dice.chance(0.5)) add(std::nullopt, dice.below(layer.token_count()), dice.below(layer.d_in()));
  if (layer.uses(Parameter::Query) && dice.chance(0.5)) add(Parameter::Query, 0, 0);
  return question;
}

inline headlight::LessonStep random_step(Dice& dice, const headlight::Layer& layer) {
  using namespace headlight;
  static const std::vector<std::string> quotes = {"", "{token[0]}", "{weights[0,0] terms}",
                                                  "{scores[0] sum}"};
  const auto indices = [&dice](Index count) {
    std::vector<Index> list;
    while (dice.chance(0.4))
      list.push_back(dice.below(count));
    return list;
  };
  LessonStep step;
  step.title = random_text(dice);
  step.text = dice.pick(quotes) + " {{ " + dice.pick(quotes);
  if (dice.chance(0.5)) step.try_it = "try " + dice.pick(quotes);
  step.stage = static_cast<Stage>(dice.below(kStageCount));
  if (dice.chance(0.5)) step.head = dice.below(stage_heads(layer, step.stage));
  step.sequence = dice.below(layer.sequence_count());
  const Index rows = layer.token_count(), columns = stage_columns(layer, step.stage);
  step.rows = indices(rows);
  step.columns = indices(columns);
  while (dice.chance(0.4))
    step.cells.push_back({dice.below(rows), dice.below(columns)});
  if (dice.chance(0.5)) step.selected = std::array<Index, 2>{dice.below(rows), dice.below(columns)};
  step.settings = random_lesson_settings(dice, layer);
  if (dice.chance(0.3)) step.question = random_question(dice, layer, quotes);
  return step;
}

inline headlight::Lesson random_lesson(Dice& dice, const headlight::Layer& layer) {
  using namespace headlight;
  Lesson lesson;
  lesson.order = static_cast<int>(dice.below(1'000'001));
  lesson.chapter = random_text(dice);
  lesson.source = random_text(dice);
  if (dice.chance(0.3)) lesson.variation_of = static_cast<int>(dice.below(40));
  lesson.stage = static_cast<Stage>(dice.below(kStageCount));
  lesson.head = dice.below(stage_heads(layer, lesson.stage));
  lesson.row = dice.below(layer.token_count());
  lesson.column = dice.below(stage_columns(layer, lesson.stage));
  if (dice.chance(0.5)) lesson.count_from = dice.below(2);
  if (dice.chance(0.3)) lesson.language = {{{"next", "Weiter"}, {"see", "Zeig „es“"}}, dice.chance(0.5)};
  for (Index count = dice.below(4); count > 0; --count)
    lesson.steps.push_back(random_step(dice, layer));
  return fitting_lesson(lesson, layer, false);  // removes settings that contradict each other
}

inline headlight::Session random_session(Dice& dice) {
  using namespace headlight;
  Session session;
  session.title = random_text(dice);
  session.notes = random_text(dice);
  Layer& layer = session.layer = random_layer(dice);
  for (std::string& token : layer.tokens)
    token = random_text(dice);
  for (Matrix* rows : token_rows(layer))
    fill_randomly(dice, *rows);
  if (layer.attention.projection == Projection::Given && layer.d_in() == layer.d_out() && dice.chance(0.5))
    layer.given[1] = layer.embeddings;
  AttentionSettings& a = layer.attention;
  a.scale.number = a.scale.kind == ScaleKind::Number ? random_double(dice, -3, 3) : 1.0;
  a.dropout.probability = random_double(dice, 0, 1);
  if (a.dropout.seed) a.dropout.seed = random_seed(dice);
  if (a.mask != MaskKind::Custom) layer.custom_mask = {};
  randomize_weights(dice, layer);
  if (dice.chance(0.5)) session.lesson = random_lesson(dice, layer);
  if (dice.chance(0.4))
    if (auto goal = random_goal(dice, layer)) session.goal = std::make_shared<const Goal>(*std::move(goal));
  if (dice.chance(0.4)) session.training = random_training(dice, layer);
  return session;
}

// Collects the names of fields that differ.
class Differences {
 public:
  template <class T>
  void field(const char* name, const T& a, const T& b) {
    if (!(a == b)) names_ += std::string(" ") + name;
  }
  void field(const char* name, double a, double b) {
    if (std::bit_cast<std::uint64_t>(a) != std::bit_cast<std::uint64_t>(b)) names_ += std::string(" ") + name;
  }
  void matrices(const char* name, const std::vector<headlight::Matrix>& a,
                const std::vector<headlight::Matrix>& b) {
    if (!all_same_bits(a, b)) names_ += std::string(" ") + name;
  }
  void pairs(const char* name, const headlight::PairArray& a, const headlight::PairArray& b) {
    field(name, a.sequences, b.sequences);
    field(name, a.heads, b.heads);
    matrices(name, a.matrices, b.matrices);
  }
  const std::string& names() const { return names_; }

 private:
  std::string names_;
};

inline void compare(Differences& out, const headlight::Weights& first, const headlight::Weights& second) {
  const auto& [layout, matrices, biases, recipe, edited] = first;
  out.field("layout", layout, second.layout);
  out.matrices("weights", {matrices.begin(), matrices.end()},
               {second.matrices.begin(), second.matrices.end()});
  out.matrices("biases", {biases.begin(), biases.end()}, {second.biases.begin(), second.biases.end()});
  out.field("edited", edited, second.edited);
  out.field("recipe", recipe.has_value(), second.recipe.has_value());
  if (!recipe || !second.recipe) return;
  const auto& [init, seed, order] = *recipe;
  out.field("recipe.init", init, second.recipe->init);
  out.field("recipe.seed", seed, second.recipe->seed);
  out.field("recipe.order", order, second.recipe->order);
}

inline void compare(Differences& out, const headlight::Lesson& first, const headlight::Lesson& second) {
  const auto& [order, chapter, source, variation_of, stage, head, row, column, count_from, language, steps] =
      first;
  out.field("lesson.order", order, second.order);
  out.field("lesson.chapter", chapter, second.chapter);
  out.field("lesson.source", source, second.source);
  out.field("lesson.variation_of", variation_of, second.variation_of);
  out.field("lesson.stage", stage, second.stage);
  out.field("lesson.head", head, second.head);
  out.field("lesson.row", row, second.row);
  out.field("lesson.column", column, second.column);
  out.field("lesson.count_from", count_from, second.count_from);
  out.field("lesson.language", language, second.language);
  out.field("lesson.steps", steps.size(), second.steps.size());
  for (std::size_t i = 0; i < std::min(steps.size(), second.steps.size()); ++i) {
    const auto& [title, text, try_it, of_stage, of_head, sequence, rows, columns, cells, selected, weight,
                 view, range, part, gradients, learning, against, settings, question, unread] = steps[i];
    const headlight::LessonStep& other = second.steps[i];
    out.field("step.title", title, other.title);
    out.field("step.text", text.written(), other.text.written());
    out.field("step.try", try_it.written(), other.try_it.written());
    out.field("step.stage", of_stage, other.stage);
    out.field("step.head", of_head, other.head);
    out.field("step.sequence", sequence, other.sequence);
    out.field("step.rows", rows, other.rows);
    out.field("step.columns", columns, other.columns);
    out.field("step.cells", cells, other.cells);
    out.field("step.select", selected, other.selected);
    out.field("step.weight", weight, other.weight);
    out.field("step.view", view, other.view);
    out.field("step.range", range, other.range);
    out.field("step.zoom", part, other.part);
    out.field("step.gradients", gradients, other.gradients);
    out.field("step.learning", learning, other.learning);
    out.field("step.against", against, other.against);
    out.field("step.set", settings, other.settings);
    out.field("step.ask", question, other.question);
    out.field("step.unread", unread, other.unread);
  }
}

// The names of the fields that differ, or "". `origins` and `bundle`, where they came from, are not compared.
inline std::string differences(const headlight::Session& first, const headlight::Session& second) {
  Differences out;
  const auto& [title, notes, layer, work, lesson, goal, training, origins, bundle] = first;
  const auto& [tokens, key_tokens, embeddings, key_embeddings, attention, given, given_weights, custom_mask,
               allowed, score_bias, weights, overwritten, lineage] = layer;
  (void)origins;
  (void)bundle;                                  // of bundles, which bundle_test.cpp tests
  (void)lineage;                                 // a loaded session starts a new one
  (void)overwritten;                             // used only by whole models, which store changes instead
  out.field("model_folder", work, second.work);  // model_folder_test.cpp tests sessions with one
  out.field("title", title, second.title);
  out.field("notes", notes, second.notes);
  out.field("tokens", tokens, second.layer.tokens);
  out.field("key_tokens", key_tokens, second.layer.key_tokens);
  out.matrices("embeddings", embeddings, second.layer.embeddings);
  out.matrices("key_embeddings", key_embeddings, second.layer.key_embeddings);
  out.pairs("given.weights", given_weights, second.layer.given_weights);
  out.pairs("allowed", allowed, second.layer.allowed);
  out.pairs("bias", score_bias, second.layer.score_bias);
  for (std::size_t p = 0; p < given.size(); ++p)
    out.matrices("given", given[p], second.layer.given[p]);
  out.matrices("custom_mask", {custom_mask}, {second.layer.custom_mask});
  out.field("attention", attention, second.layer.attention);
  compare(out, weights, second.layer.weights);
  out.field("goal", goal != nullptr, second.goal != nullptr);
  if (goal && second.goal) out.field("goal", *goal, *second.goal);
  out.field("training", training, second.training);
  out.field("lesson", lesson.has_value(), second.lesson.has_value());
  if (lesson && second.lesson) compare(out, *lesson, *second.lesson);
  return out.names();
}

}  // namespace headlight_test
