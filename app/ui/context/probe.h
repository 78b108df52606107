// Records each widget's name and rectangle where it is drawn, so that tests find it by name and never by
// pixel.
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
  unsigned item = 0;    // ImGui id if it takes input, else 0
  int popup_level = 0;  // number of open popups around it
  unsigned window = 0;  // ImGui id of its window if it takes input
  bool in_sight = true;
};

class Probe {
 public:
  void begin_frame() {
    widgets_.clear();
    controls_.clear();
  }
  // Names ImGui's last item. Items scrolled out of view are not in widgets().
  void mark(std::string name, std::string value = {}, bool enabled = true);
  void mark_rect(std::string name, Rect rect, std::string value = {}, bool enabled = true);

  // As mark_rect, not clipped to a window: for what is drawn in front of the windows.
  void mark_over(std::string name, Rect rect, std::string value = {}) {
    widgets_.push_back({std::move(name), rect, true, std::move(value)});
  }

  const std::vector<ProbedWidget>& widgets() const { return widgets_; }
  // The items that take input, in drawing order, including those scrolled out of view.
  const std::vector<ProbedWidget>& controls() const { return controls_; }
  // How many controls can be used where they are seen. Cells ("inputs.embeddings[0,1]") and the table around
  // them, words of a text ("line.word.3"), pictures and rows ("model.head.2.3") and the steps and numbers of
  // a derivation are not counted: how many there are is up to the data. Nor are the edges between panels:
  // they are not drawn.
  std::size_t controls_in_sight() const;
  const ProbedWidget* find(const std::string& name) const;

 private:
  void add(ProbedWidget widget);

  std::vector<ProbedWidget> widgets_, controls_;
};

}  // namespace headlight
