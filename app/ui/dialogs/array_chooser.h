// The dialog that lists the arrays of a file and assigns them to roles in the model: one undo step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/plan/heatmap_plan.h"
#include "app/ui/context/ui_context.h"
#include "app/ui/dialogs/array_preview.h"
#include "app/ui/dialogs/layer_switch.h"
#include "app/ui/widgets/widgets.h"
#include "engine/array_import/array_choices.h"
#include "engine/array_import/array_file.h"
#include "engine/core/newest_job.h"

namespace headlight {

struct ArrayChooserState {
  bool open = false;
  bool apply_at_once = false;  // apply once the file is listed
  std::filesystem::path path;
  ArrayChoices choices;
  std::string filter, filtered_by;
  std::vector<std::size_t> shown;  // entries that match the filter
  bool reveal = false;             // scroll to the selected one
  std::string message;
  std::string config_problem;  // of the config.json beside the file
  TextFieldState theta;
  std::optional<ArrayPreview> look;  // of the selected array, once it has been read
  // The laid-out picture of `look`, for one size and theme.
  HeatmapPlan thumbnail;
  ImVec2 thumbnail_room{};
  ThemeKind thumbnail_theme = ThemeKind::Dark;
  std::uint64_t thumbnail_version = 0;

  ArrayOptions answers;  // passed with the file
  struct Checked {
    std::size_t entry = 0;
    ArrayFacts facts;
  };

  LayerPlan planned;        // of the arrays being placed
  LayerSwitchState layers;  // of the arrays placed last

  NewestJob<ArrayListing> listing;
  NewestJob<ArrayPreview> looking;
  NewestJob<Checked> checking;
  NewestJob<ArrayOutcome> applying;
  bool waits = false;  // another dialog is in front: results are not taken
  // Whether a read is running whose result a later frame takes.
  bool reading() const {
    const bool own = listing.running() || looking.running() || checking.running() || applying.running();
    return (own && !waits) || layers.reading.running();
  }
};

// apply_at_once: applies the proposal without asking if it is consistent and no question is open; otherwise
// shows the dialog with the problem. answers: facts that the arrays do not hold, from the command line.
void open_array_chooser(ArrayChooserState& state, const std::filesystem::path& path,
                        bool apply_at_once = false, const ArrayOptions& answers = {});

// Discards the choice, as Cancel does. Do not call while the dialog is being drawn.
void close_array_chooser(ArrayChooserState& state);

// Draws the dialog while it is open; sends ReplaceLayer. Names: "arrays.list.<i>", "arrays.filter",
// "arrays.layer", "arrays.thumbnail", "arrays.facts", "arrays.role.<role id>", "arrays.role.none",
// "arrays.layout.in_out", "arrays.layout.out_in", "arrays.mask_true.allowed", "arrays.mask_true.forbidden",
// "arrays.order.<bhtd, bthd, btd, htd, thd>", "arrays.averaged.yes", "arrays.averaged.no", "arrays.draw",
// "arrays.doubt", "arrays.heads", "arrays.kv_heads", "arrays.causal", "arrays.theta", "arrays.first_axis",
// "arrays.sequence", "arrays.outcome", "arrays.message", "arrays.apply", "arrays.cancel".
void array_chooser(UiContext& ui, ArrayChooserState& state);

// Parts of the dialog in other files; they draw at the cursor.
void array_list(UiContext& ui, ArrayChooserState& state, ImVec2 size);
void array_details(UiContext& ui, ArrayChooserState& state, ImVec2 size);
void array_questions(const UiContext& ui, ArrayChooserState& state);
void select_array(UiContext& ui, ArrayChooserState& state, std::size_t entry);

}  // namespace headlight
