#include "app/figure/motion/motion_frame.h"

#include <utility>

namespace headlight {
namespace {

// Collects shapes, and begins a drawing where the next shape would come below the ones before it.
class FrameLayers {
 public:
  FrameLayers(const Drawing& rest, double line) : line_(line), layers_{rest} { begin(); }

  void add(const MotionShape& shape) {
    const Rect& place = shape.place;
    switch (shape.actor->kind) {
      case MotionActor::Kind::Cell:
        if (place.width <= 0 || place.height <= 0) return;
        if (!top().boxes.empty() || !top().texts.empty()) begin();
        top().fills.push_back({place, shape.color});
        return;
      case MotionActor::Kind::Outline:
        if (!top().texts.empty()) begin();
        // The line's middle is on the edge of the place; that of a box lies inside it.
        top().boxes.push_back({outset(place, line_ / 2), line_, shape.color});
        return;
      case MotionActor::Kind::Text:
        top().texts.push_back(text_of(shape));
        return;
    }
  }

  std::vector<Drawing> take() { return std::move(layers_); }

 private:
  Drawing& top() { return layers_.back(); }
  void begin() {
    const double width = layers_.front().width, height = layers_.front().height;
    layers_.emplace_back();
    top().width = width;
    top().height = height;
  }

  static PlannedText text_of(const MotionShape& shape) {
    PlannedText text;
    text.text = shape.actor->text;
    text.x = shape.place.x + shape.place.width / 2;
    text.y = shape.place.y + shape.place.height / 2;
    text.size_px = shape.actor->size_px;
    text.face = shape.actor->face;
    text.anchor = shape.actor->anchor;
    text.color = shape.color;
    return text;
  }

  double line_;
  std::vector<Drawing> layers_;
};

}  // namespace

std::vector<Drawing> drawings_at(const MotionPlan& plan, double t, double line) {
  FrameLayers layers(plan.rest, line);
  for (const MotionShape& shape : shapes_at(plan, t))
    layers.add(shape);
  return layers.take();
}

}  // namespace headlight
