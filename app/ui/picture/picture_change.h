// The large picture from one stage, view, head or lesson step to another, and to the motion that plays in its
// place: the two cross-fade, and what both have slides to its new place.
#pragma once

#include <optional>

#include "app/ui/picture/shown_copy.h"
#include "app/ui/widgets/area.h"

namespace headlight {

class PictureChange {
 public:
  // Before the picture is drawn into `area`. `step`: of the lesson; plays: a motion is drawn in its place.
  void begin(UiContext& ui, std::size_t step, bool plays, const Area& area);
  // After it: `cells` are those of its heatmaps, all together; `complete`: it has its numbers. The earlier
  // picture stays for a moment until it has.
  void end(UiContext& ui, const Rect& cells, bool complete);
  bool moves() const { return copy_.has_value(); }

 private:
  // What makes it another picture.
  struct Key {
    std::uint64_t layer = 0;
    std::size_t step = 0;
    Index sequence = 0;
    Stage stage = Stage::Weights;
    bool opened = false;
    FocusView view = FocusView::Heatmap;
    std::optional<Index> head;
    HeadPool pool = HeadPool::Each;
    bool gradients = false, plays = false;
    bool operator==(const Key&) const = default;
  };
  static Key key_of(const UiContext& ui, std::size_t step, bool plays);
  void draw(UiContext& ui, const ScreenMoment& moment);

  std::optional<Key> key_;
  Rect area_;                      // of the picture in the last frame
  ScreenState shown_, before_;     // in the last frame, and before the change
  std::optional<ShownCopy> copy_;  // of the picture before the change; nullopt: nothing moves
  MotionClock waits_, fades_;      // since the change, and since the new picture has its numbers
  bool complete_ = false;          // it has
  double faint_ = 1;               // opacity of the earlier picture when it had them
  int first_vertex_ = 0;           // of the picture in the window's draw list
};

}  // namespace headlight
