// Saves a stage's picture in the background: a large one takes a while, and the window must not wait.
#pragma once

#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/figure_style.h"
#include "app/figure/stage_picture.h"
#include "engine/formats/session.h"

namespace headlight {

struct PictureOrder {
  Session session;  // a copy: the document may go on changing
  Stage stage = Stage::Weights;
  Index sequence = 0;
  std::optional<Index> head;  // none: all heads side by side
  StyleKind style = StyleKind::Light;
  double scale = 2;
  std::filesystem::path path;
  PictureLook look;  // as on screen
};

// Computes the stage and writes the picture: a PNG, SVG or PDF by the ending of its name. Throws Error.
void save_stage_picture(const PictureOrder& order);

class PictureExport {
 public:
  struct Outcome {
    bool failed = false;
    std::string text;  // where the picture went, or what went wrong
  };
  // `on_done` is called on the exporting thread and must only wake the window.
  void start(PictureOrder order, std::function<void()> on_done);
  bool running() const { return !jobs_.empty(); }
  // The outcome of a job that has ended since the last call.
  std::optional<Outcome> take_outcome();

 private:
  std::vector<std::future<Outcome>> jobs_;
};

}  // namespace headlight
