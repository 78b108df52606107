// Where a number of an answer about a whole model comes from: in words, for pointing at it, and as what a
// click on it shows. All pages of a model lead on in this way.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/context/ui_context.h"

namespace headlight {

struct NumberPlace {
  std::string words;                // "layer 2, head 3: the weights from “to” to “Ann”"
  std::optional<LayerPlace> layer;  // whose `stage` is shown large
  Stage stage = Stage::Weights;
  std::optional<Index> head;         // of queries; none: the shown ones
  std::optional<Index> row, column;  // of the stage; no row: no cell is selected
  std::optional<Index> position;     // the token whose predictions are shown
  std::optional<std::int32_t> target;
  std::optional<ModelPage> page;                  // that shows the number, beside the picture
  std::optional<Index> neurons_of;                // the layer of whose MLP the neurons are asked for
  std::optional<Index> mlp_part;                  // the layer whose MLP is outlined on *Parts*
  std::optional<std::vector<std::int32_t>> text;  // becomes the open text
};

// Tokens are places in the open text. Preconditions: a model is open, and has the layer. No query or no key:
// no cell.
NumberPlace head_place(const UiContext& ui, LayerPlace layer, Index head, Stage stage = Stage::Weights,
                       std::optional<Index> row = {}, std::optional<Index> column = {});
// The stream into the layer, and out of the last one if `layer` is their number.
NumberPlace stream_place(const UiContext& ui, Index layer, std::optional<Index> token);
// The token on *Layers*, which shows what is expected there after each layer.
NumberPlace expected_place(const UiContext& ui, Index layer, std::optional<Index> token);
NumberPlace attention_place(const UiContext& ui, LayerPlace layer, std::optional<Index> token);
// The question of the neurons of the layer's MLP. Where it has experts, or the answer that leads on shall
// stay on screen, what attention adds before it.
NumberPlace mlp_place(const UiContext& ui, Index layer, bool answer_stays = false);
NumberPlace target_place(const UiContext& ui, std::int32_t id);
// What a patch of the stage replaces; `column`: the head, or the token.
NumberPlace patch_place(const UiContext& ui, PatchStage stage, Index layer, Index column);

// Four decimals, or none of a whole number; "" for NaN.
std::string exact_number(double value);
// "WHAT, from WORDS. A click shows it", if follow_place does; WHAT alone of a place without words.
std::string told_place(const UiContext& ui, const std::string& what, const NumberPlace& place);

// Shows the place: a head in the large picture, say.
void show_place(UiContext& ui, const NumberPlace& place);
// A click on a number: shows its place. Where the page is the large picture itself, as in a lesson, it stays,
// and only what is told of changes.
void follow_place(UiContext& ui, NumberPlace place);

}  // namespace headlight
