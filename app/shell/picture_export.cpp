#include "app/shell/picture_export.h"

#include <chrono>
#include <exception>
#include <utility>

#include "app/cli/version.h"
#include "app/figure/cairo_painter.h"
#include "app/figure/figure_file.h"
#include "engine/attention/evaluator.h"

namespace headlight {
namespace {

constexpr double kPlannedDpi = 96;  // pixels per inch of a picture at a scale of 1

}  // namespace

void save_stage_picture(const PictureOrder& order) {
  const Evaluator evaluator = evaluate(order.session.model);
  std::vector<Tile> tiles;
  const Index heads = stage_heads(evaluator.model(), order.stage);
  for (Index head = 0; head < heads; ++head)
    if (!order.head || heads == 1 || *order.head == head)
      tiles.push_back(evaluator.tile(picture_request(order.stage, order.sequence, head, order.look.colors)));
  const FigureGrid picture = stage_picture(tiles, order.session.model.tokens, heads, order.session.title,
                                           FigureStyle::of(order.style), pango_measure(), order.look);
  const FigureFormat format = figure_format(order.path).value_or(FigureFormat::Png);
  const FigureNotes notes = {std::string(stage_info(order.stage).name), order.session.title,
                             std::string("Headlight ") + kVersion};
  write_file_atomically(order.path, figure_file(picture, format, kPlannedDpi * order.scale, notes).bytes);
}

void PictureExport::start(PictureOrder order, std::function<void()> on_done) {
  jobs_.push_back(std::async(std::launch::async, [order = std::move(order), on_done = std::move(on_done)] {
    Outcome outcome;
    try {
      save_stage_picture(order);
      outcome.text = "Picture saved as " + order.path.string();
    } catch (const std::exception& error) {
      outcome = {true, std::string("The picture was not saved. ") + error.what()};
    }
    on_done();
    return outcome;
  }));
}

std::optional<PictureExport::Outcome> PictureExport::take_outcome() {
  for (auto job = jobs_.begin(); job != jobs_.end(); ++job) {
    if (job->wait_for(std::chrono::seconds(0)) != std::future_status::ready) continue;
    Outcome outcome = job->get();
    jobs_.erase(job);
    return outcome;
  }
  return std::nullopt;
}

}  // namespace headlight
