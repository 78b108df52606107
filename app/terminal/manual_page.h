// A page of the manual as blocks of styled text, parsed from Markdown.
#pragma once

#include <string>
#include <vector>

namespace headlight {

enum class ManualStyle { Plain, Strong, Emphasis, Code };

// Text in one style. `link`: the name of another page ("figures"), or an address; "" without a link.
struct ManualRun {
  std::string text;
  ManualStyle style = ManualStyle::Plain;
  std::string link;
  bool operator==(const ManualRun&) const = default;
};
using ManualText = std::vector<ManualRun>;

struct ManualBlock {
  enum class Kind { Heading, Paragraph, Item, Code, Table, Picture };
  Kind kind = Kind::Paragraph;
  int level = 1;       // Heading: 1 is the page's title. Item: its depth in nested lists
  std::string bullet;  // Item: "•" or "1."; "" for a further paragraph of the item
  ManualText text;     // Code: one run, lines end in '\n'. Picture: its description
  std::vector<std::vector<ManualText>> rows;  // Table: the first row is the header
  std::string file;                           // Picture: relative to the manual's folder
};

struct ManualPage {
  std::string name;  // "figures", of figures.md
  std::vector<ManualBlock> blocks;
  std::string title() const;  // the first heading, else the name
};

// The text without styles.
std::string plain_text(const ManualText& text);

// Parses CommonMark with tables. Throws Error if the parser runs out of memory.
ManualPage parse_manual_page(std::string name, const std::string& markdown);

}  // namespace headlight
