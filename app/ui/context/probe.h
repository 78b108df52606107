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
  unsigned window = 0;  // of ImGui, that it was drawn in, when it takes input
  bool in_sight = true;
};

class Probe {
 public:
  void begin_frame() {
    widgets_.clear();
    controls_.clear();
  }
  // Names ImGui's last item. Items scrolled out of sight are left out.
  void mark(std::string name, std::string value = {}, bool enabled = true);
  void mark_rect(std::string name, Rect rect, std::string value = {}, bool enabled = true);

  // The same outside of all windows, for what lies over them.
  void mark_over(std::string name, Rect rect, std::string value = {}) {
    widgets_.push_back({std::move(name), rect, true, std::move(value)});
  }

  const std::vector<ProbedWidget>& widgets() const { return widgets_; }
  // What takes input, in the order in which it was drawn, also what is scrolled out of sight.
  const std::vector<ProbedWidget>& controls() const { return controls_; }
  const ProbedWidget* find(const std::string& name) const;

 private:
  void add(ProbedWidget widget);

  std::vector<ProbedWidget> widgets_, controls_;
};

}  // namespace headlight
