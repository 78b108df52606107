// Grids of numbers in the real window, used like a spreadsheet, with the desktop's clipboard.
#include <csignal>

#include "tests/support/catch.h"
#include "tests/window/journey_support.h"

using namespace headlight_test;

namespace {

void until_grid_shows(WindowSession& window, const Rows& rows, int first_row, int first_column) {
  window.until("the grid shows the numbers", [&](const Moment& moment) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (std::size_t column = 0; column < rows[row].size(); ++column) {
        const Widget* cell =
            moment.find("inputs.embeddings[" + std::to_string(first_row + static_cast<int>(row)) + "," +
                        std::to_string(first_column + static_cast<int>(column)) + "]");
        if (!cell || number_from(cell->value) != rows[row][column]) return false;
      }
    }
    return true;
  });
}

}  // namespace

TEST_CASE("numbers travel to and from a spreadsheet over the real clipboard") {
  WindowSession window({lesson_file("05-all-queries-at-once").string()});
  window.click("inputs.embeddings[0,0]");
  window.shift_click("inputs.embeddings[1,2]");
  window.until_value("status.selection", "6 cells  ·  sum 3.55  ·  mean 0.5917  ·  min 0.15  ·  max 0.89");
  window.key("ctrl+c");
  CHECK(window.clipboard() == "0.43\t0.15\t0.89\n0.55\t0.87\t0.66\n");

  // The format in which LibreOffice Calc copies a block.
  window.put_on_clipboard("1\t-0.5\n2.5E-01\t3\n");
  window.click("inputs.embeddings[2,1]");
  window.key("ctrl+v");
  until_grid_shows(window, {{1, -0.5}, {0.25, 3}}, 2, 1);
  window.key("ctrl+z");
  until_grid_shows(window, {{0.85, 0.64}, {0.58, 0.33}}, 2, 1);
  CHECK_FALSE(window.widget("toolbar.undo").enabled);
}

TEST_CASE("a print-out that does not fit is offered to be cropped or to make the matrix grow") {
  WindowSession window({lesson_file("05-all-queries-at-once").string()});
  window.put_on_clipboard("tensor([[0.1, 0.2],\n        [0.3, 0.4]], grad_fn=<MmBackward0>)");
  window.click("inputs.embeddings[5,2]");
  window.key("ctrl+v");
  CHECK(window.value("inputs.embeddings.offer") ==
        "The pasted table is 2 × 2; from here there is room for 1 × 1.");
  window.click("inputs.embeddings.offer.resize");
  window.until_value("inputs.token[6]", "new");
  until_grid_shows(window, {{0.1, 0.2}, {0.3, 0.4}}, 5, 2);
  window.key("ctrl+z");
  window.until_gone("inputs.token[6]");

  window.put_on_clipboard("0.1\t0.2\n0.3\n");
  window.key("ctrl+v");
  CHECK(window.value("inputs.embeddings.message").find("line 2") != std::string::npos);
  until_grid_shows(window, {{0.55}}, 5, 2);
}

TEST_CASE("a selection is filled, scaled and set with arithmetic, and rows and columns move") {
  WindowSession window({lesson_file("05-all-queries-at-once").string()});
  window.click("inputs.embeddings[0,0]");
  window.key("shift+Down");
  window.key("shift+Down");
  window.type("1/4");
  window.key("ctrl+Return");
  until_grid_shows(window, {{0.25}, {0.25}, {0.25}, {0.22}}, 0, 0);
  window.right_click("inputs.embeddings[1,0]");
  window.click("inputs.embeddings.menu.scale");
  window.widget("inputs.embeddings.field");
  window.type("2");
  window.key("Return");
  until_grid_shows(window, {{0.5}, {0.5}, {0.5}, {0.22}}, 0, 0);

  window.click("inputs.embeddings.column[0]");
  window.key("alt+Right");
  until_grid_shows(window, {{0.15, 0.5}}, 0, 0);
  window.key("alt+Insert");
  until_grid_shows(window, {{0.15, 0, 0.5}}, 0, 0);  // beside the lesson's text three columns are in sight
  window.click("inputs.embeddings[0,0]");
  window.key("alt+Down");
  window.until_value("inputs.token[1]", "Your");

  window.click("inputs.embeddings[0,0]");
  window.type("1/0");
  window.key("Return");
  CHECK(window.value("inputs.embeddings.message").find("division by zero") != std::string::npos);
  window.key("Escape");
  for (int step = 0; step < 5; ++step)
    window.key("ctrl+z");
  until_grid_shows(window, {{0.43, 0.15, 0.89}, {0.55, 0.87, 0.66}}, 0, 0);
  CHECK_FALSE(window.widget("toolbar.undo").enabled);
}

TEST_CASE("a stage is copied as a program that prints it") {
  WindowSession window({lesson_file("16-causal-mask").string()});
  window.click("stage.weights.menu");
  window.click("stage.weights.copy_pytorch");
  const std::string program = window.clipboard();
  CHECK(program.find("import torch\n") != std::string::npos);
  CHECK(program.find("[0.43, 0.15, 0.89]") != std::string::npos);
  CHECK(program.find("\nprint(weights)\n") != std::string::npos);
}

TEST_CASE("a token is named in any script over the clipboard, and its name copied out of the field") {
  const std::string name = "日本 سلام 😀";
  WindowSession window({lesson_file("05-all-queries-at-once").string()});
  window.put_on_clipboard(name);
  window.click("inputs.token[1]");
  window.key("F2");
  window.widget("inputs.token[1].editor");
  window.key("ctrl+v");
  window.until_value("inputs.token[1].editor", name);
  window.put_on_clipboard("something else");
  window.key("ctrl+a");
  window.key("ctrl+c");
  window.until("the name is on the clipboard", [&](const Moment&) { return window.clipboard() == name; });
  window.key("Return");
  window.until_value("inputs.token[1]", name);
}

TEST_CASE("a program that holds the clipboard and does not answer holds up neither grid nor field") {
  WindowSession window({lesson_file("05-all-queries-at-once").string()});
  window.click("inputs.embeddings[0,0]");
  const std::unique_ptr<ChildProcess> holder = window.hold_clipboard();
  window.until("the clipboard is held", [&](const Moment&) { return window.clipboard() == "held"; });
  ::kill(holder->pid(), SIGSTOP);
  window.key("ctrl+v");
  CHECK_THAT(window.value("inputs.embeddings.message"), ContainsSubstring("does not answer"));
  window.click("inputs.token[1]");
  window.key("F2");
  window.key("ctrl+v");
  window.until("a message", [](const Moment& moment) {
    return moment.state.at("message").get<std::string>().find("does not answer") != std::string::npos;
  });
  ::kill(holder->pid(), SIGCONT);
  window.key("ctrl+a");
  window.key("ctrl+v");
  window.until_value("inputs.token[1].editor", "held");
}
