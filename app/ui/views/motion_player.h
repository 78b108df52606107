// *Play*: the motion of a cell's computation over the large picture, with a timeline to scrub. Without the
// preference "motion" it is told in steps.
//
// Names: "play.stage" (a click pauses it or, without motion, goes to the next step), "play.caption",
// "play.timeline", "play.toggle", "play.close".
#pragma once

#include <optional>
#include <string>

#include "app/figure/motion/motion_plan.h"
#include "app/ui/context/ui_context.h"
#include "app/ui/widgets/area.h"

namespace headlight {

struct MotionPlayer {
  std::optional<CellAddress> cell;  // whose computation is shown; nullopt: nothing is
  double t = 0;                     // from 0 to 1
  bool running = false;
  bool fresh = false;     // begun since the last frame
  bool armed = false;     // Space is held: it begins when that is released, unless the picture is dragged
  int closed_frame = -1;  // ImGui frame in which Escape closed it
  MotionPlan plan;        // of the last frame; empty while its numbers are missing
  bool shown() const { return cell.has_value(); }
  // Whether something is on its way: at its beginning and its end the picture itself is seen.
  bool moves() const { return shown() && (running || (t > 0 && t < 1)); }
};

// Whether there is something to play at large.
bool can_play(const UiContext& ui);
// Begins at the start. Without a cell: that of motion_cell().
void begin_motion(UiContext& ui, MotionPlayer& player, const std::optional<CellAddress>& cell = {});
void end_motion(MotionPlayer& player);
// The action: begins, pauses or goes on, or begins anew at the end.
void play_or_pause(UiContext& ui, MotionPlayer& player);

// Closes it on Escape, before anything else takes that key. Returns whether Escape closed it in this frame.
bool close_on_escape(const UiContext& ui, MotionPlayer& player);
// Before the large picture is drawn: ends it where its cell is gone or no longer the selected one, and begins
// it after Space or while the pointer is held on a cell.
void follow_motion(UiContext& ui, MotionPlayer& player);

// The parts of the area: the moving picture, and below it the caption and the line of controls where there is
// room for them. The picture at rest has no caption.
struct MotionPlayerPlan {
  Rect stage, at_rest, caption, controls;
};
MotionPlayerPlan plan_motion_player(Rect area, double text_line, double control_line, double gap);

// Computes the motion in the area and moves it on with the time. Precondition: it is shown.
MotionPlayerPlan prepare_motion(UiContext& ui, MotionPlayer& player, const Area& area);
// Draws it in the place of the large picture. Returns the matrix that the result falls into; an empty
// rectangle while its numbers are missing.
Rect draw_motion_stage(UiContext& ui, MotionPlayer& player, const Rect& stage);
// The caption while something is on its way, and the line of controls.
void draw_motion_controls(UiContext& ui, MotionPlayer& player, const MotionPlayerPlan& places);

}  // namespace headlight
