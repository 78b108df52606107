// What a file of arrays holds, and where each of them goes in the model: one dialog, one step of undo.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/plan/heatmap_plan.h"
#include "app/ui/array_dialog/array_choices.h"
#include "app/ui/array_dialog/array_file.h"
#include "app/ui/array_dialog/layer_switch.h"
#include "app/ui/context/ui_context.h"
#include "app/ui/kit/widgets.h"
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

  struct Checked {                 // of the values of an array that was read
    std::optional<Error> problem;  // what is wrong with them, if anything is
    std::string as_weights;        // what they are not as weights of attention, "" if they are
  };
  std::map<std::size_t, Checked> checked;  // by entry

  LayerPlan planned;        // of the arrays that are being placed
  LayerSwitchState layers;  // of those that were placed last

  NewestJob<ArrayListing> listing;
  NewestJob<ArrayLook> looking;
  NewestJob<ArrayCheck> checking;
  NewestJob<ArrayOutcome> applying;
  // Something is still being read, and taken by a later frame.
  bool reading() const {
    return listing.running() || looking.running() || checking.running() || applying.running() ||
           layers.reading.running();
  }
};

// apply_at_once: what is proposed is applied without a question, if it goes together; else it is shown.
void open_array_chooser(ArrayChooserState& state, const std::filesystem::path& path,
                        bool apply_at_once = false);

// Draws the dialog while it is open; sends ReplaceModel. Names: "arrays.list.<i>", "arrays.filter",
// "arrays.layer", "arrays.thumbnail", "arrays.facts", "arrays.role.<role id>", "arrays.role.none",
// "arrays.layout.in_out", "arrays.layout.out_in", "arrays.heads", "arrays.theta", "arrays.outcome",
// "arrays.message", "arrays.apply", "arrays.cancel".
void array_chooser(UiContext& ui, ArrayChooserState& state);

// Parts with files of their own; they draw at the cursor.
void array_list(UiContext& ui, ArrayChooserState& state, ImVec2 size);
void array_details(UiContext& ui, ArrayChooserState& state, ImVec2 size);
void select_array(UiContext& ui, ArrayChooserState& state, std::size_t entry);

}  // namespace headlight
