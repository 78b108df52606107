#include "app/cli/page_line.h"

#include <CLI/CLI.hpp>

#include <vector>

#include "app/cli/option_checks.h"
#include "app/export/figure_preset.h"
#include "app/export/option_text.h"

namespace headlight {
namespace {

Length parse_length(const std::string& option, const std::string& text) {
  const std::optional<Length> length = length_in(text);
  if (!length)
    throw CLI::ValidationError(option,
                               "'" + text + "' is not a length such as 89mm, 8.9cm, 3.5in, 250pt or 1200px");
  return *length;
}

std::vector<std::string> preset_ids() {
  std::vector<std::string> ids;
  for (const FigurePreset& preset : figure_preset_table())
    ids.emplace_back(preset.id);
  return ids;
}

}  // namespace

void PageLine::add_to(CLI::App& command) {
  command
      .add_option("--preset", preset_,
                  "size, dpi, font size and background for a use; what else is given goes before it")
      ->type_name("NAME")
      ->check(CLI::IsMember(preset_ids()));
  command.add_option("--width", width_, "of the figure: 89mm, 8.9cm, 3.5in, 250pt or 1200px")
      ->type_name("LENGTH");
  command.add_option("--height", height_, "likewise; with neither the cells have a comfortable size")
      ->type_name("LENGTH");
  command
      .add_option(
          "--cell", cell_,
          "the side of each cell of heatmaps: 6mm, 0.6cm, 0.25in, 17pt or 24px; equal in all figures, "
          "which are as large as they need, in place of --width and --height")
      ->type_name("LENGTH");
  CLI::Option* dpi =
      command.add_option("--dpi", dpi_, "pixels per inch of a PNG, 24 to 2400 (192 by default)")
          ->type_name("N")
          ->check(number_between(kLeastDpi, kMostDpi));
  command.add_option("--scale", scale_, "the same as --dpi of 96 times N, 0.5 to 8")
      ->type_name("N")
      ->check(number_between(0.5, 8))
      ->excludes(dpi);
  command.add_option("--font", font_, "a font family for all text")->type_name("FAMILY");
  command.add_option("--font-size", font_size_, "of labels and numbers in points, 3 to 96 (9 by default)")
      ->type_name("PT")
      ->check(number_between(kLeastFontSize, kMostFontSize));
}

void PageLine::read(FigureOptions& figure) const {
  if (const FigurePreset* preset = figure_preset(preset_)) apply_preset(figure, *preset);
  if (!width_.empty()) figure.width = parse_length("--width", width_);
  if (!height_.empty()) figure.height = parse_length("--height", height_);
  if (!cell_.empty()) {
    figure.cell = parse_length("--cell", cell_);
    // A preset's size gives way, one that was typed does not.
    if (width_.empty()) figure.width.reset();
    if (height_.empty()) figure.height.reset();
  }
  if (dpi_ != 0) figure.dpi = dpi_;
  if (scale_ != 0) figure.dpi = 96 * scale_;
  figure.font = font_;
  if (font_size_ != 0) figure.font_size_pt = font_size_;
}

}  // namespace headlight
