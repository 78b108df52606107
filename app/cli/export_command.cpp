#include <algorithm>
#include <array>

#include "app/cli/commands.h"
#include "app/figure/cairo_painter.h"
#include "app/figure/stage_picture.h"
#include "engine/core/error.h"
#include "engine/formats/session.h"

namespace headlight {
namespace {

// Refuses every format but PNG before anything is computed.
void require_png(const std::filesystem::path& output) {
  const std::string extension = output.extension().string();
  if (extension == ".png") return;
  constexpr std::array kVectorFigures = {".svg", ".pdf"};
  constexpr std::array kNumbers = {".csv", ".npy", ".npz", ".json"};
  const auto is_one_of = [&](const auto& names) {
    return std::find(names.begin(), names.end(), extension) != names.end();
  };
  if (is_one_of(kVectorFigures))
    throw Error("figures are saved as PNG only, not as " + extension, output.string(),
                "give a name that ends in .png");
  if (is_one_of(kNumbers))
    throw Error(
        "a stage's numbers are not saved as " + extension, output.string(),
        "give a name that ends in .png for a figure; headlight compute saves every stage's numbers as .npz");
  throw Error(extension.empty() ? "the name does not say which format to save"
                                : extension + " is not a format of figures",
              output.string(), "give a name that ends in .png");
}

}  // namespace

void export_stage(const ExportOptions& options) {
  require_png(options.output);
  Session session = load_session(options.file);
  const std::vector<Index> heads = chosen_heads(options.choice, session.model);
  const Evaluator evaluator = evaluate(std::move(session.model));
  std::vector<Tile> tiles;
  for (const Index head : heads)
    tiles.push_back(evaluator.tile(picture_request(options.choice.stage, options.choice.sequence, head)));
  const Model& model = evaluator.model();
  const FigureGrid picture = stage_picture(tiles, model.tokens, stage_heads(model, options.choice.stage),
                                           session.title, FigureStyle::of(options.theme), pango_measure());
  save_png(picture, options.scale, options.output);
}

}  // namespace headlight
