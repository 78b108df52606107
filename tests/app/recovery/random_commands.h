// Random commands of every kind, in any order, for property tests.
#pragma once

#include <memory>
#include <string>

#include "app/document/document.h"
#include "tests/support/random_goals.h"
#include "tests/support/random_models.h"

namespace headlight_test {

inline headlight::InputId random_input(Dice& dice, const headlight::Layer& layer) {
  using namespace headlight;
  InputId input;
  input.kind = dice.pick<InputKind>(
      {InputKind::Embeddings, InputKind::Weight, InputKind::Bias, InputKind::Mask, InputKind::Given});
  input.parameter = dice.pick<Parameter>({Parameter::Query, Parameter::Key, Parameter::Value});
  if (input.kind == InputKind::Weight && dice.chance(0.3)) input.parameter = Parameter::Output;
  if (input.kind == InputKind::Given && layer.attention.projection != Projection::Given)
    input.kind = InputKind::Embeddings;
  input.sequence = dice.below(layer.sequence_count());
  return input;
}

inline headlight::Command random_cells(Dice& dice, const headlight::Layer& layer) {
  using namespace headlight;
  InputId input = random_input(dice, layer);
  if (input_matrix(layer, input).size() == 0) input.kind = InputKind::Embeddings;
  const Matrix& target = input_matrix(layer, input);
  const Index row = dice.below(target.rows()), column = dice.below(target.cols());
  const Index rows = dice.between(1, target.rows() - row), columns = dice.between(1, target.cols() - column);
  Matrix values = dice.matrix(rows, columns);
  if (dice.chance(0.1)) values.setConstant(-0.0f);
  if (input.kind == InputKind::Mask) values = (values.array() > 0).cast<float>();
  return SetCells{input, row, column, values, static_cast<std::uint64_t>(dice.below(4))};
}

// One to three blocks of cells at once, with or without settings of a training.
inline headlight::Command random_blocks(Dice& dice, const headlight::Layer& layer) {
  using namespace headlight;
  SetBlocks blocks;
  for (Index i = dice.between(1, 3); i > 0; --i) {
    const SetCells one = std::get<SetCells>(random_cells(dice, layer));
    blocks.blocks.push_back({one.input, one.row, one.column, one.values});
  }
  blocks.name = "Learn";
  blocks.gesture = static_cast<std::uint64_t>(dice.below(3));
  if (dice.chance(0.5)) blocks.training = random_training(dice, layer);
  return blocks;
}

inline headlight::Command random_goal_command(Dice& dice, const headlight::Layer& layer) {
  using namespace headlight;
  if (dice.chance(0.3)) return SetTraining{random_training(dice, layer)};
  auto goal = dice.chance(0.8) ? random_goal(dice, layer) : std::nullopt;
  return SetGoal{goal ? std::make_shared<const Goal>(*std::move(goal)) : nullptr,
                 static_cast<std::uint64_t>(dice.below(3))};
}

inline headlight::Command random_settings(Dice& dice, const headlight::Layer& layer) {
  headlight::Layer changed = layer;
  randomize_settings(dice, changed);
  return headlight::SetAttention{changed.attention, static_cast<std::uint64_t>(dice.below(3))};
}

inline headlight::Command random_mask(Dice& dice, const headlight::Layer& layer) {
  using namespace headlight;
  const auto kind =
      dice.pick<MaskKind>({MaskKind::None, MaskKind::Causal, MaskKind::Custom, MaskKind::Custom});
  return SetMask{kind, dice.mask(layer.token_count()), static_cast<std::uint64_t>(dice.below(3))};
}

// A command that changes shapes or replaces the layer.
inline headlight::Command random_reshape(Dice& dice, const headlight::Layer& layer) {
  using namespace headlight;
  const Index at = dice.below(layer.token_count());
  switch (dice.below(12)) {
    case 0:
      return InsertToken{at, "new", dice.chance(0.5)};
    case 1:
      return RemoveToken{at};
    case 2:
      return MoveToken{at, dice.below(layer.token_count())};
    case 3:
      return AddSequence{};
    case 4:
      return RemoveSequence{dice.below(layer.sequence_count())};
    case 5:
      return SetDIn{dice.between(1, 6)};
    case 6:
      return SetDOut{dice.between(1, 12)};
    case 7:
      return SetProjection{dice.pick<Projection>({Projection::None, Projection::Linear, Projection::Given})};
    case 8:
      return SetOutputProjection{dice.chance(0.5)};
    case 9:
      return DrawWeights{random_recipe(dice)};
    case 10:
      return ReplaceTokens{{"a", "b", "c"}, dice.matrix(3, 2)};
    default:
      return ReplaceLayer{std::make_shared<Layer>(random_layer(dice)), "Another model"};
  }
}

inline headlight::Command random_command(Dice& dice, const headlight::Layer& layer) {
  using namespace headlight;
  const double kind = dice.real(0, 1);
  if (kind < 0.35) return random_cells(dice, layer);
  if (kind < 0.45) return random_blocks(dice, layer);
  if (kind < 0.5) return random_goal_command(dice, layer);
  if (kind < 0.65) return random_settings(dice, layer);
  if (kind < 0.75) return random_mask(dice, layer);
  if (kind < 0.8)
    return RenameToken{dice.below(layer.token_count()), "näme " + std::to_string(dice.below(9))};
  if (kind < 0.85) return SetTitle{"Title " + std::to_string(dice.below(9)), "notes\n\"quoted\""};
  return random_reshape(dice, layer);
}

// Runs a command, an undo or a redo. A command that throws `Error` changes nothing.
inline void random_step(Dice& dice, headlight::Document& document) {
  const double kind = dice.real(0, 1);
  try {
    if (kind < 0.2)
      document.undo();
    else if (kind < 0.3)
      document.redo();
    else
      document.run(random_command(dice, document.layer()));
  } catch (const headlight::Error&) {
  }
}

}  // namespace headlight_test
