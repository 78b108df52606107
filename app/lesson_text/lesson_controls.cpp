#include "app/lesson_text/lesson_controls.h"

#include <algorithm>
#include <utility>

#include "engine/core/nearest.h"
#include "engine/layer/stage.h"

namespace headlight {
namespace {

std::vector<LessonControl> all_controls() {
  using Place = ControlPlace;
  using Use = ControlUse;
  std::vector<LessonControl> all = {
      {"restore", "Restore", "lesson.restore", Place::Changed},
      {"step_through", "Step through", "walk.start"},
      {"inputs", "Inputs", "inputs.fold.tokens", Place::Layer, Use::Open},
      {"weights", "Matrices", "inputs.fold.weights", Place::Weights, Use::Open},
      {"key_tokens", "key tokens", "inputs.side.keys", Place::KeyTokens},
      {"weight_tab", "the list of matrices", "inputs.tab", Place::Weights, Use::Choose},
      {"init", "the list of draws", "inputs.init", Place::Weights, Use::Choose},
      {"draw", "Draw", "inputs.draw", Place::Weights},
      {"d_out", "d_out", "inputs.d_out", Place::Weights, Use::Type},
      {"bias", "bias", "settings.qkv_bias", Place::Layer},
      {"heads", "heads", "settings.heads", Place::Layer, Use::Choose},
      {"scale", "scale", "settings.scale", Place::Layer, Use::Choose},
      {"scale_number", "the number of the scale", "settings.scale_number", Place::Layer, Use::Type},
      {"mask", "mask", "settings.mask", Place::Layer, Use::Choose},
      {"dropout", "p", "settings.dropout", Place::Layer, Use::Type},
      {"training", "training", "settings.training", Place::Layer},
      {"dropout_seed", "seed", "settings.seed", Place::Layer, Use::Type},
      {"solo", "solo", "focus.head.h1.solo", Place::SeveralHeads},
      {"paint", "Paint", "focus.paint", Place::Pairs},
      {"many_draws", "Many draws", "focus.play", Place::Dropped},
      {"draw_again", "Draw again", "focus.draw_again", Place::Dropped},
      {"heads_table", "Table", "focus.heads_table", Place::SeveralHeads},
      {"play", "Play", "focus.play_motion", Place::Layer},
      {"gradients", "∂", "focus.gradients", Place::Gradients},
      {"learn", "Learn", "learning.learn", Place::Learning},
      {"pause", "Pause", "learning.learn", Place::Learning},
      {"reset", "Reset", "learning.reset", Place::Learning},
      {"rate", "rate", "learning.rate", Place::Learning, Use::Type},
      {"brushes", "brushes", "learning.brush.want", Place::Learning},
      {"layers", "Layers", "model.page.layers", Place::Pages},
      {"likeliest", "the column of likeliest words", "model.lens.0.0", Place::Pages},
      {"parts", "Parts", "model.page.parts", Place::Pages},
      {"patches", "Patches", "model.page.patches", Place::Pages},
      {"model_text", "the text at the left", "model.text", Place::WholeModel, Use::Type},
      {"checkpoint", "the slider", "model.checkpoint", Place::WholeModel, Use::Drag}};
  for (const StageInfo& stage : stage_table())
    all.push_back({"stage_" + std::string(stage.name), std::string(stage.name),
                   "stage." + std::string(stage.name), Place::Stage, Use::Press, stage.stage});
  return all;
}

std::vector<std::string> control_names() {
  std::vector<std::string> names;
  for (const LessonControl& control : lesson_controls())
    names.push_back(control.name);
  return names;
}

// The stage that is shown: of those that were chosen in the strip the last, else the step's own.
Stage shown_stage(const LessonStep& step, const std::vector<const LessonControl*>& before) {
  const auto chosen = std::find_if(before.rbegin(), before.rend(), [](const LessonControl* control) {
    return control->place == ControlPlace::Stage;
  });
  return chosen == before.rend() ? step.stage : (*chosen)->stage;
}

bool has_weights(const Layer& layer) {
  return std::any_of(kParameters.begin(), kParameters.end(),
                     [&](Parameter parameter) { return layer.uses(parameter); });
}

std::string on_pictures_of(const LessonControl& control, const std::string& stage) {
  return "is above the pictures of " + stage +
         ": give the step that stage and the view \"heatmap\", or name "
         "{control stage_" +
         (control.place == ControlPlace::Dropped ? "dropped" : "masked") + "} before it";
}

}  // namespace

const std::vector<LessonControl>& lesson_controls() {
  static const std::vector<LessonControl> all = all_controls();
  return all;
}

const LessonControl* lesson_control(std::string_view name) {
  const std::vector<LessonControl>& all = lesson_controls();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [name](const LessonControl& control) { return control.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<const LessonControl*> controls_of(const std::vector<TextPiece>& pieces) {
  std::vector<const LessonControl*> controls;
  for (const TextPiece* piece : control_pieces(pieces))
    if (const LessonControl* control = lesson_control(piece->control)) controls.push_back(control);
  return controls;
}

std::string control_missing(const LessonControl& control, const LessonStep& step, const Layer& layer,
                            const Session& session, const std::vector<const LessonControl*>& before) {
  const bool heatmap = step.view == LessonView::Heatmap;
  switch (control.place) {
    case ControlPlace::Everywhere:
    case ControlPlace::Changed:
      return {};
    case ControlPlace::Layer:
      return step.view == LessonView::Model
                 ? "is no part of a whole model's pages: give the step another view"
                 : "";
    case ControlPlace::Weights:
      return has_weights(layer) ? "" : "needs weight matrices: give the step a projection that has them";
    case ControlPlace::KeyTokens:
      return layer.self_attention() ? "needs keys with tokens of their own (\"key_tokens\")" : "";
    case ControlPlace::SeveralHeads:
      return layer.head_count() > 1 ? "" : "needs several heads, and the step has one";
    case ControlPlace::Pairs:
      return heatmap && is_pair(shown_stage(step, before)) ? "" : on_pictures_of(control, "pairs of tokens");
    case ControlPlace::Dropped:
      return heatmap && shown_stage(step, before) == Stage::Dropped ? "" : on_pictures_of(control, "dropped");
    case ControlPlace::Learning:
      return step.learning ? "" : "is where there is training: give the step \"learning\": true";
    case ControlPlace::Gradients:
      return session.goal ? "" : "is where there is a goal: give the session a \"goal\"";
    case ControlPlace::Pages:
      return session.work && step.view == LessonView::Model
                 ? ""
                 : "is a page of a whole model: give the step the view \"model\"";
    case ControlPlace::WholeModel:
      return session.work ? "" : "needs a whole model, and the session has a layer alone";
    case ControlPlace::Stage:
      return stage_exists(layer, control.stage) ? "" : why_no_stage(layer, control.stage);
  }
  return {};
}

std::string unknown_control(std::string_view name) {
  return "there is no control " + in_quotes(name) + ": " + nearest_of(name, control_names());
}

}  // namespace headlight
