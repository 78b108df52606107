#include "app/figure/motion/motion_plan.h"

#include <algorithm>
#include <cmath>

#include "app/figure/motion/between.h"

namespace headlight {
namespace {

constexpr double kSameMoment = 1e-6;

std::uint8_t channel_between(std::uint8_t a, std::uint8_t b, double share) {
  return static_cast<std::uint8_t>(std::lround(between(a, b, share)));
}

Color color_between(Color a, Color b, double share) {
  return {channel_between(a.r, b.r, share), channel_between(a.g, b.g, share),
          channel_between(a.b, b.b, share), channel_between(a.a, b.a, share)};
}

MotionShape shape_at(const MotionActor& actor, double t) {
  const auto after = std::find_if(actor.keys.begin(), actor.keys.end(),
                                  [t](const MotionActor::Key& key) { return key.t > t; });
  if (after == actor.keys.begin()) return {&actor, after->place, after->color};
  const MotionActor::Key& from = *(after - 1);
  if (after == actor.keys.end()) return {&actor, from.place, from.color};
  const double share = eased((t - from.t) / (after->t - from.t));
  return {&actor, between(from.place, after->place, share), color_between(from.color, after->color, share)};
}

}  // namespace

std::vector<MotionShape> shapes_at(const MotionPlan& plan, double t) {
  std::vector<MotionShape> shapes;
  shapes.reserve(plan.actors.size());
  for (const MotionActor& actor : plan.actors) {
    const MotionShape shape = shape_at(actor, std::clamp(t, 0.0, 1.0));
    if (shape.color.a > 0) shapes.push_back(shape);
  }
  return shapes;
}

std::size_t step_at(const MotionPlan& plan, double t) {
  const auto found = std::find_if(plan.steps.begin(), plan.steps.end(),
                                  [t](const MotionStep& step) { return t <= step.end + kSameMoment; });
  return static_cast<std::size_t>(std::min(found, plan.steps.end() - 1) - plan.steps.begin());
}

double next_stop(const MotionPlan& plan, double t) {
  for (const MotionStep& step : plan.steps)
    if (step.end > t + kSameMoment) return step.end;
  return 1;
}

double previous_stop(const MotionPlan& plan, double t) {
  double stop = 0;
  for (const MotionStep& step : plan.steps)
    if (step.end < t - kSameMoment) stop = step.end;
  return stop;
}

}  // namespace headlight
