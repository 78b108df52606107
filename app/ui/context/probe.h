// Names for widgets: each is recorded where it is drawn, so that tests find it by name and never by pixel.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/figure/plan/heatmap_plan.h"

namespace headlight {

struct ProbedWidget {
  std::string name;
  Rect rect;  // in window pixels
  bool enabled = true;
  std::string value;
  unsigned item = 0;    // of ImGui, when it takes input
  int popup_level = 0;  // in how many popups it was drawn
};

class Probe {
 public:
  void begin_frame() { widgets_.clear(); }
  // Names ImGui's last item. Items scrolled out of sight are left out.
  void mark(std::string name, std::string value = {}, bool enabled = true);
  void mark_rect(std::string name, Rect rect, std::string value = {}, bool enabled = true);

  // The same outside of all windows, for what lies over them.
  void mark_over(std::string name, Rect rect, std::string value = {}) {
    widgets_.push_back({std::move(name), rect, true, std::move(value)});
  }

  const std::vector<ProbedWidget>& widgets() const { return widgets_; }
  const ProbedWidget* find(const std::string& name) const;

 private:
  void add(ProbedWidget widget);

  std::vector<ProbedWidget> widgets_;
};

}  // namespace headlight
