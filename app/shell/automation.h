// Writes what the window shows to two JSON files, so that an external program can drive the window by the
// names of its widgets.
//
// DIR/widgets.json: the visible widgets of the last settled frame, in drawing order:
//   { "widgets": [ { "name": "settings.mask",
//                    "rectangle": [x, y, width, height],   window pixels, the visible part
//                    "enabled": true,
//                    "value": "causal" } ] }               its value as text; "" if it has none
//
// DIR/state.json: written after widgets.json, only when the window has settled: no input is pending, the
// engine is idle and the newest result is on screen; and in every frame while a training plays.
//   { "revision": 7,             of the document; grows with every change, undo and redo
//     "revision_shown": 7,       of the pictures
//     "settled": true,           false while a training plays
//     "selection": null or { "stage": "weights", "sequence": 0, "head": 0, "row": 1, "column": 2 },
//     "opened_stage": null or "weights",
//     "in_sight": { "stage": "weights",            the stage that is drawn large, and its visible part:
//                   "rows": [0, 6], "columns": [0, 6] },                half-open ranges of cells
//     "strip": [ { "stage": "scores",            or "parameter": "W_query", or "key_embeddings"
//                  "rectangle": [x, y, width, height],     of its picture, chip or name, window pixels
//                  "idle": false } ],            true: the step passes its input on unchanged
//     "pictures": [ { "stage": "weights", "head": 0,       each matrix that is drawn large
//                     "rectangle": [x, y, width, height],  of its cells, window pixels
//                     "cell_px": [width, height],
//                     "given": [width, height],            the area of all pictures together, without
//                                                          labels and bars
//                     "row_labels": 6, "column_labels": 6, labels drawn beside it or for its outer row
//                                                          or column
//                     "numbers": true } ],                 whether its cells show their numbers
//     "lesson": null or { "words": 130,          of the step's text and question, or of the notes
//                         "words_in_sight": 130, without scrolling
//                         "rectangle": [x, y, width, height] },   of the panel, window pixels
//     "card": null or [x, y, width, height],     of the derivation that is drawn beside the picture
//     "playing": null or { "of": "scores",         the stage of the cell whose computation is played,
//                          "t": 0.37 },            and when: from 0 to 1
//     "document": { "title": "...", "saved": true, "path": null or "/a/file.headlight" },
//     "message": "",             the message on screen
//     "recoverable": 0,          unsaved sessions of ended processes that can be recovered
//     "frame_count": 12,         frames drawn since the start
//     "revisions_drawn": 5,      revisions whose pictures have been drawn since the start
//     "input": { "marks": 3,     presses of Pause processed so far: send one after your own input
//                "pointer": [x, y] },
//     "timings": { "first_frame_ms": 140.1,       from the start of the program to its first picture
//                  "edit_to_picture_ms": 1.9,     of the last change
//                  "edit_to_upload_ms": 1.1,      the same, until its pictures were passed to the driver
//                  "compute_ms": 0.4,             of the last result of the engine; included in both
//                  "frame_cpu_ms": { "median": 0.9, "largest": 2.1 },     of the last 120 frames: CPU
//                  time of the window's thread, without the driver's drawing and presenting
//                  "slowest_frame_ms": 9.8 } }    of all but the first: from its input to its
//                  picture
//
// Both files are replaced atomically, and only if their contents have changed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/platform/window.h"
#include "app/ui/context/map_region.h"
#include "app/ui/context/probe.h"
#include "app/ui/picture/heatmap_view.h"
#include "app/ui/pipeline/pipeline_plan.h"
#include "engine/views/query.h"

namespace headlight {

struct AutomationState {
  bool settled = true;  // no training plays
  std::uint64_t revision = 0, revision_shown = 0;
  std::optional<CellAddress> selection;
  std::optional<Stage> opened_stage;
  Stage large_stage = Stage::Weights;
  CellBlock in_sight;
  std::vector<PipelineNode> strip;  // with their rectangles in the window
  std::vector<LargePicture> pictures;
  std::optional<Rect> lesson;  // the panel of its text
  int lesson_words = 0, lesson_words_in_sight = 0;
  std::optional<Rect> card;
  std::optional<Stage> playing;  // the stage whose motion is shown, at time playing_t
  double playing_t = 0;
  std::string title;
  bool saved = true;
  std::optional<std::filesystem::path> path;
  std::string message;
  bool range_held = false;  // of the colours, while numbers are edited or played
  std::size_t recoverable = 0;
  std::uint64_t frame_count = 0, revisions_drawn = 0;
  InputProgress input;
  double first_frame_ms = 0, edit_to_picture_ms = 0, compute_ms = 0, slowest_frame_ms = 0;
  double edit_to_upload_ms = 0, frame_cpu_median_ms = 0, frame_cpu_largest_ms = 0;
};

class Automation {
 public:
  // Creates `folder` if it is missing. Throws Error.
  explicit Automation(std::filesystem::path folder);

  // Call only when the window has settled, or while a training plays. Throws Error if the folder is not
  // writable.
  void write(const Probe& probe, const AutomationState& state);

 private:
  void replace(const std::string& name, const std::string& text, std::string& written);

  std::filesystem::path folder_;
  std::string written_widgets_, written_state_;
};

}  // namespace headlight
