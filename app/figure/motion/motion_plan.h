// A computation as a picture that moves: what rests, what moves over it and where everything is at a time
// from 0 to 1. Computed, not painted; no session and no Dear ImGui.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/figure/plan/drawing.h"

namespace headlight {

// A shape on its way: a coloured cell, an outline or a text.
struct MotionActor {
  enum class Kind { Cell, Outline, Text };
  // Where it is at a time, and in which colour; an opacity of 0 is invisible. Of a text, the middle of
  // `place` is its anchor.
  struct Key {
    double t = 0;
    Rect place;
    Color color;
  };
  Kind kind = Kind::Cell;
  std::string text;
  double size_px = 12;
  FontFace face = FontFace::Number;
  Anchor anchor = Anchor::Middle;
  std::vector<Key> keys;  // in the order of time, at least one; it rests before the first and after the last
};

// One sentence of the computation, with the time at which what it tells has happened.
struct MotionStep {
  double end = 1;
  std::string caption;
};

// Of width x height. At t = 0 only `rest` is visible, at t = 1 the result stands in its place.
struct MotionPlan {
  Drawing rest;
  Rect result;  // the matrix that the result falls into
  std::vector<MotionActor> actors;
  std::vector<MotionStep> steps;  // in the order of time; the last one ends at 1
  double seconds = 2;

  bool empty() const { return steps.empty(); }
};

// An actor at one time. Refers to the plan.
struct MotionShape {
  const MotionActor* actor = nullptr;
  Rect place;
  Color color;
};

// The visible actors in the order of drawing. Continuous in `t`, which is clamped to [0, 1]. Cost: O(actors).
std::vector<MotionShape> shapes_at(const MotionPlan& plan, double t);

// The step that is told at `t`. Precondition: the plan is not empty.
std::size_t step_at(const MotionPlan& plan, double t);
// The ends of the steps are where one goes step by step: the next one after `t`, and the one before it; 1 and
// 0 beyond them.
double next_stop(const MotionPlan& plan, double t);
double previous_stop(const MotionPlan& plan, double t);

}  // namespace headlight
