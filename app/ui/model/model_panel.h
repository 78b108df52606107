// The panel of the open model: its text or image, the tokens of the text, the predicted next tokens, and the
// list of changes. Names: "model.text", "model.source" (of a model of two sides), "model.token.<position>",
// "model.prediction.<rank>", "model.continue", "model.change.<place>" with ".edit" of
// an intervention and ".remove", "model.change.add", "model.fold.text" in a lesson, ...
#pragma once

#include <optional>
#include <string>

#include "app/ui/context/ui_context.h"
#include "app/ui/model/image_view.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {

struct ModelTextState {
  std::string typed;  // content of the text field while it has the keyboard
  bool typing = false;
  std::uint64_t gesture = 0;  // one undo gesture for all typing until the field loses focus
};

struct ModelPanelState {
  LessonFold fold;              // of the text, to the number of its tokens: its words stand above the picture
  ModelTextState text, source;  // source: of a model of two sides
  ImageViewState image;         // of a model of images, in the place of a text
  bool focus_asked = false;     // the text field of the shown side takes the keyboard in the next frame
  bool as_ids = false;          // the fields show token ids instead of text
  bool shows_changes = false;
  bool shows_numbers = false;  // in a window too small for both: the layer's numbers instead of this panel
};

// The height in which nothing scrolls while the text is folded; else none is enough. Precondition: a model is
// open.
std::optional<float> model_panel_height(const UiContext& ui, const ModelPanelState& state);

// The likeliest next tokens in one line.
void model_line(UiContext& ui);

// Draws at the cursor, at most `height` pixels high. Precondition: a model is open.
void model_panel(UiContext& ui, ModelPanelState& state, float height);

}  // namespace headlight
