#include "app/terminal/manual_page.h"

#include <sstream>

#include "app/terminal/manual_files.h"
#include "app/terminal/manual_print.h"
#include "app/terminal/terminal_text.h"
#include "engine/core/error.h"
#include "tests/support/catch.h"

using namespace headlight;
using namespace headlight_test;
using BlockKind = ManualBlock::Kind;

TEST_CASE("manual pages: headings, paragraphs, styles and links") {
  const ManualPage page = parse_manual_page("a",
                                            "# Figures\n\nPress *Export* or `Ctrl+E`,\n**now**. See "
                                            "[files](files.md#x) and\n[PyTorch](https://pytorch.org).\n\n"
                                            "## PNG\n");
  CHECK(page.title() == "Figures");
  REQUIRE(page.blocks.size() == 3);
  CHECK(page.blocks[1].kind == BlockKind::Paragraph);
  const ManualText expected = {
      {"Press ", ManualStyle::Plain, ""}, {"Export", ManualStyle::Emphasis, ""},
      {" or ", ManualStyle::Plain, ""},   {"Ctrl+E", ManualStyle::Code, ""},
      {", ", ManualStyle::Plain, ""},     {"now", ManualStyle::Strong, ""},
      {". See ", ManualStyle::Plain, ""}, {"files", ManualStyle::Plain, "files"},
      {" and ", ManualStyle::Plain, ""},  {"PyTorch", ManualStyle::Plain, "https://pytorch.org"},
      {".", ManualStyle::Plain, ""}};
  CHECK(page.blocks[1].text == expected);
  CHECK(page.blocks[2].kind == BlockKind::Heading);
  CHECK(page.blocks[2].level == 2);
}

TEST_CASE("manual pages: lists, code, tables and pictures") {
  const ManualPage page = parse_manual_page("a",
                                            "- one\n- two\n  1. inner\n\n    headlight print\n\n"
                                            "| key | what |\n|---|---|\n| `F1` | the manual |\n\n"
                                            "![the window](window.png)\n");
  REQUIRE(page.blocks.size() == 6);
  CHECK(page.blocks[0].bullet == "•");
  CHECK(page.blocks[1].level == 1);
  CHECK(page.blocks[2].level == 2);
  CHECK(page.blocks[2].bullet == "1.");
  CHECK(page.blocks[4].kind == BlockKind::Table);
  REQUIRE(page.blocks[4].rows.size() == 2);
  CHECK(plain_text(page.blocks[4].rows[1][1]) == "the manual");
  CHECK(page.blocks[5].kind == BlockKind::Picture);
  CHECK(page.blocks[5].file == "window.png");
  CHECK(plain_text(page.blocks[5].text) == "the window");
}

TEST_CASE("manual pages: what is no Markdown is text") {
  for (const char* text :
       {"", "\n\n", "| a |\n|---|", "* ", "![](", "<b>x</b>", "\xff\xfe", "- - -\n1. 2. 3."}) {
    INFO(text);
    std::ostringstream out;
    print_manual_page(parse_manual_page("a", text), 60, out);
    CHECK(parse_manual_page("a", text).name == "a");
  }
}

TEST_CASE("manual pages: each page of the index is there, reads, and its links lead somewhere") {
  const std::vector<std::string> names = manual_pages();
  CHECK(names.size() > 5);
  for (const std::string& name : names) {
    INFO(name);
    const ManualPage page = read_manual_page(name);
    CHECK(page.title() != name);
    for (const ManualBlock& block : page.blocks) {
      for (const ManualRun& run : block.text)
        if (run.link.find("://") == std::string::npos && !run.link.empty())
          CHECK(std::find(names.begin(), names.end(), run.link) != names.end());
      if (block.kind == BlockKind::Picture) CHECK(std::filesystem::exists(manual_folder() / block.file));
    }
  }
  CHECK_THROWS_WITH(read_manual_page("figure"), ContainsSubstring("index, window"));
}

TEST_CASE("manual pages: lines in a terminal are as wide as it allows, and none is lost") {
  for (const std::size_t columns : {40, 80, 120})
    for (const std::string& name : manual_pages()) {
      const ManualPage page = read_manual_page(name);
      std::ostringstream out;
      print_manual_page(page, columns, out);
      std::istringstream lines(out.str());
      std::size_t too_wide = 0, all = 0;
      for (std::string line; std::getline(lines, line); ++all)
        too_wide += terminal_width(line) > columns && line.find(' ', line.find_first_not_of(' ')) < columns &&
                    line.rfind("    ", 0) != 0;
      INFO(name << " at " << columns);
      CHECK(all > 5);
      if (columns == 120) CHECK(too_wide == 0);
      for (const ManualBlock& block : page.blocks)
        if (block.kind == BlockKind::Heading)
          CHECK(out.str().find(plain_text(block.text)) != std::string::npos);
    }
}
