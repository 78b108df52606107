// The layout of a page of the manual, which manual_window draws.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/terminal/manual_page.h"

namespace headlight {

enum class ManualFont { Body, Code, Heading, Title };

// A word with its position, in pixels from the page's top left corner.
struct PlacedWord {
  float x = 0, y = 0, width = 0;
  std::string text;
  ManualFont font = ManualFont::Body;
  ManualStyle style = ManualStyle::Plain;
  std::string link;
  bool operator==(const PlacedWord&) const = default;
};

struct PlacedBox {
  float x = 0, y = 0, width = 0, height = 0;
};

struct PlacedPicture {
  PlacedBox box;
  std::string file, shows;
};

struct ManualPlan {
  std::vector<PlacedWord> words;
  std::vector<PlacedBox> rules;    // lines between the rows of tables
  std::vector<PlacedBox> grounds;  // behind blocks of code
  std::vector<PlacedPicture> pictures;
  float height = 0;
};

struct ManualMetrics {
  std::function<float(ManualFont, const std::string&)> width;  // of a text, px
  std::function<float(ManualFont)> line;                       // the height of a line, px
  std::function<ImVec2(const std::string&)> picture;           // a file's size, px; {0, 0}: not readable
  float unit = 8;                                              // unit of all distances, px
};

// Wraps the page's blocks to `width` px, at least one word per line. A table's last column gets the rest.
ManualPlan plan_manual_page(const ManualPage& page, float width, const ManualMetrics& metrics);

}  // namespace headlight
