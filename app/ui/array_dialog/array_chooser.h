// What a file of arrays holds, and where each of them goes in the model: one dialog, one step of undo.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/plan/heatmap_plan.h"
#include "app/ui/array_dialog/array_look.h"
#include "app/ui/array_dialog/layer_switch.h"
#include "app/ui/context/ui_context.h"
#include "app/ui/widgets/widgets.h"
#include "engine/choosing/array_choices.h"
#include "engine/choosing/array_file.h"
#include "engine/core/newest_job.h"

namespace headlight {

struct ArrayChooserState {
  bool open = false;
  bool apply_at_once = false;  // as soon as it is listed
  std::filesystem::path path;
  ArrayChoices choices;
  std::string filter, filtered_by;
  std::vector<std::size_t> shown;  // entries that the filter lets through
  bool reveal = false;             // scroll to the selected one
  std::string message;
  std::string config_problem;  // of the config.json beside the file
  TextFieldState theta;
  std::optional<ArrayLook> look;  // of the selected array, once it is read
  // The picture of `look`, laid out. Holds while its size and the theme are the same.
  HeatmapPlan thumbnail;
  ImVec2 thumbnail_room{};
  ThemeKind thumbnail_theme = ThemeKind::Dark;
  std::uint64_t thumbnail_version = 0;

  ArrayAnswers answers;  // given with the file
  struct Checked {
    std::size_t entry = 0;
    ArrayFacts facts;
  };

  LayerPlan planned;        // of the arrays that are being placed
  LayerSwitchState layers;  // of those that were placed last

  NewestJob<ArrayListing> listing;
  NewestJob<ArrayLook> looking;
  NewestJob<Checked> checking;
  NewestJob<ArrayOutcome> applying;
  bool waits = false;  // another dialog is drawn in its place: nothing that was read is taken
  // Something is still being read, and taken by a later frame.
  bool reading() const {
    const bool own = listing.running() || looking.running() || checking.running() || applying.running();
    return (own && !waits) || layers.reading.running();
  }
};

// apply_at_once: what is proposed is applied without a question, if it goes together and nothing has to be
// asked; else it is shown, with what is in the way. answers: what arrays do not say, as it was said.
void open_array_chooser(ArrayChooserState& state, const std::filesystem::path& path,
                        bool apply_at_once = false, const ArrayAnswers& answers = {});

// What was chosen is given up, as by Cancel. Not while the dialog is being drawn.
void close_array_chooser(ArrayChooserState& state);

// Draws the dialog while it is open; sends ReplaceModel. Names: "arrays.list.<i>", "arrays.filter",
// "arrays.layer", "arrays.thumbnail", "arrays.facts", "arrays.role.<role id>", "arrays.role.none",
// "arrays.layout.in_out", "arrays.layout.out_in", "arrays.mask_true.allowed", "arrays.mask_true.forbidden",
// "arrays.order.<bhtd, bthd, btd, htd, thd>", "arrays.averaged.yes", "arrays.averaged.no", "arrays.draw",
// "arrays.doubt", "arrays.heads", "arrays.kv_heads", "arrays.causal", "arrays.theta", "arrays.outcome",
// "arrays.message", "arrays.apply", "arrays.cancel".
void array_chooser(UiContext& ui, ArrayChooserState& state);

// Parts with files of their own; they draw at the cursor.
void array_list(UiContext& ui, ArrayChooserState& state, ImVec2 size);
void array_details(UiContext& ui, ArrayChooserState& state, ImVec2 size);
void array_questions(const UiContext& ui, ArrayChooserState& state);
void select_array(UiContext& ui, ArrayChooserState& state, std::size_t entry);

}  // namespace headlight
