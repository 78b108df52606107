// Copy, cut and paste in a grid, and the choices for a table that does not fit.
#include <imgui.h>

#include "engine/arrays/table_text.h"
#include "engine/layer/reshape.h"
#include "tests/support/catch.h"
#include "tests/ui/support/grid_fixture.h"

using namespace headlight;
using headlight_test::ContainsSubstring;
using headlight_test::EmbeddingGrid;
using headlight_test::lesson_session;

namespace {

void paste(EmbeddingGrid& grid, const std::string& text) {
  ImGui::SetClipboardText(text.c_str());
  grid.robot().key(Key::V, {.ctrl = true});
  grid.robot().frames(5);
}

std::string copied(EmbeddingGrid& grid) {
  grid.robot().key(Key::C, {.ctrl = true});
  return ImGui::GetClipboardText();
}

}  // namespace

TEST_CASE("grid: Ctrl+C copies the selection as a spreadsheet takes it, to the last digit") {
  EmbeddingGrid grid;
  grid.select(0, 0);
  CHECK(copied(grid) == "0.43\n");
  grid.robot().click(grid.name(1, 2), {.shift = true});
  CHECK(copied(grid) == "0.43\t0.15\t0.89\n0.55\t0.87\t0.66\n");
  CHECK(grid.fixture.commands().empty());
}

TEST_CASE("grid: the selection is copied as tables for other programs, with its labels") {
  EmbeddingGrid grid;
  grid.options.row_labels = grid.fixture.layer().tokens;
  const auto copied_by_menu = [&](const std::string& entry) {
    grid.select(0, 0);
    grid.robot().click(grid.name(1, 1), {.shift = true});
    grid.robot().right_click(grid.name(1, 1));
    grid.robot().frames(2);
    grid.robot().click("grid." + entry);
    return std::string(ImGui::GetClipboardText());
  };
  CHECK(copied_by_menu("menu.copy_csv") == ",0,1\nYour,0.43,0.15\njourney,0.55,0.87\n");
  CHECK(copied_by_menu("menu.copy_markdown") ==
        "|  | 0 | 1 |\n|:---|---:|---:|\n| Your | 0.4300 | 0.1500 |\n| journey | 0.5500 | 0.8700 |\n");
  const std::string latex = copied_by_menu("menu.copy_latex");
  CHECK_THAT(latex, ContainsSubstring("Your & 0.4300 & 0.1500"));
  CHECK(latex.starts_with("\\begin{tabular}"));
}

TEST_CASE("grid: Ctrl+X leaves zeros, and one undo brings the numbers back") {
  EmbeddingGrid grid;
  grid.select(0, 0);
  grid.robot().click(grid.name(1, 1), {.shift = true});
  grid.robot().key(Key::X, {.ctrl = true});
  CHECK(std::string(ImGui::GetClipboardText()) == "0.43\t0.15\n0.55\t0.87\n");
  CHECK(grid.matrix().topLeftCorner(2, 2).isZero());
  grid.fixture.document().undo();
  CHECK(grid.cell(1, 1) == 0.87f);
  CHECK_FALSE(grid.fixture.document().can_undo());
}

TEST_CASE("grid: a table is pasted where the selection begins, in one step, and is selected then") {
  EmbeddingGrid grid;
  grid.select(2, 1);
  paste(grid, "1\t2\r\n3\t4e-1\r\n");
  REQUIRE(grid.fixture.commands().size() == 1);
  CHECK(grid.cell(2, 1) == 1.0f);
  CHECK(grid.cell(3, 2) == 0.4f);
  CHECK(grid.range() == GridRange{2, 1, 2, 2});
  grid.fixture.document().undo();
  CHECK(grid.cell(2, 1) == 0.85f);
}

TEST_CASE("grid: print-outs of NumPy and PyTorch are pasted, what is copied comes back") {
  EmbeddingGrid grid;
  grid.select(0, 0);
  paste(grid, "tensor([[0.1, 0.2, 0.3],\n        [0.4, 0.5, 0.6]], grad_fn=<MmBackward0>)");
  CHECK(grid.cell(1, 2) == 0.6f);
  const Matrix before = grid.matrix();
  grid.robot().key(Key::A, {.ctrl = true});
  const std::string text = copied(grid);
  grid.robot().key(Key::Delete);
  CHECK(grid.matrix().isZero());
  paste(grid, text);
  CHECK(grid.matrix() == before);
}

TEST_CASE("grid: one number pasted fills the selection") {
  EmbeddingGrid grid;
  grid.robot().click("grid.column[1]");
  paste(grid, "0.5");
  CHECK(grid.matrix().col(1) == Matrix::Constant(6, 1, 0.5f));
  CHECK(grid.fixture.commands().size() == 1);
}

TEST_CASE("grid: rubbish on the clipboard is answered beside the cell, and nothing changes") {
  EmbeddingGrid grid;
  grid.select(1, 1);
  paste(grid, "0.5\t0,5");
  CHECK_THAT(grid.robot().value("grid.message"), ContainsSubstring("line 1, column 2"));
  paste(grid, "1 2\n3");
  CHECK_THAT(grid.robot().value("grid.message"), ContainsSubstring("line 2"));
  paste(grid, "nan");
  CHECK_THAT(grid.robot().value("grid.message"), ContainsSubstring("finite"));
  paste(grid, "[[[1, 2]]]");
  CHECK_THAT(grid.robot().value("grid.message"), ContainsSubstring("three deep"));
  paste(grid, "");
  CHECK_THAT(grid.robot().value("grid.message"), ContainsSubstring("nothing to paste"));
  CHECK(grid.fixture.commands().empty());
  grid.robot().key(Key::Down);
  CHECK_FALSE(grid.robot().shows("grid.message"));
}

TEST_CASE("grid: a table that is too large can be cropped") {
  EmbeddingGrid grid;
  grid.select(5, 1);
  paste(grid, "1 2 3\n4 5 6");
  CHECK(grid.robot().value("grid.offer") == "The pasted table is 2 × 3; from here there is room for 1 × 2.");
  CHECK(grid.fixture.commands().empty());
  grid.robot().click("grid.offer.crop");
  grid.robot().frames(3);
  CHECK_FALSE(grid.robot().shows("grid.offer"));
  CHECK(grid.cell(5, 1) == 1.0f);
  CHECK(grid.cell(5, 2) == 2.0f);
  CHECK(grid.matrix().rows() == 6);
}

TEST_CASE("grid: a table that is too large can make the matrix grow, in one undo step") {
  EmbeddingGrid grid;
  const Matrix before = grid.matrix();
  grid.select(5, 1);
  paste(grid, "1 2 3\n4 5 6");
  grid.robot().key(Key::Enter);
  grid.robot().frames(3);
  REQUIRE(grid.fixture.errors().empty());
  CHECK(grid.fixture.layer().token_count() == 7);
  CHECK(grid.fixture.layer().d_in() == 4);
  CHECK(grid.cell(6, 3) == 6.0f);
  CHECK(grid.cell(0, 3) == 0.0f);
  CHECK(grid.range() == GridRange{5, 1, 2, 3});
  grid.fixture.document().undo();
  CHECK(grid.matrix() == before);
  CHECK_FALSE(grid.fixture.document().can_undo());
}

TEST_CASE("grid: a table that can't make the matrix grow says why, and Escape leaves all as it is") {
  EmbeddingGrid grid(lesson_session("20-two-heads"));
  grid.options.input = {InputKind::Weight, 0, Parameter::Output};
  grid.robot().frames(3);
  grid.select(0, 0);
  paste(grid, "1 2 3");
  CHECK_FALSE(grid.robot().widget("grid.offer.resize").enabled);
  CHECK_THAT(grid.state.offer.why_not_resize, ContainsSubstring("2 heads"));
  grid.robot().key(Key::Escape);
  grid.robot().frames(3);
  CHECK_FALSE(grid.robot().shows("grid.offer"));
  CHECK(grid.fixture.commands().empty());
}

TEST_CASE("grid: the menu copies for NumPy and PyTorch") {
  EmbeddingGrid grid;
  grid.select(0, 0);
  grid.robot().click(grid.name(0, 1), {.shift = true});
  grid.robot().right_click(grid.name(0, 1));
  grid.robot().click("grid.menu.copy_numpy");
  CHECK(std::string(ImGui::GetClipboardText()) == "np.array([[0.43, 0.15]], dtype=np.float32)");
  grid.robot().right_click(grid.name(3, 0));
  grid.robot().click("grid.menu.copy_torch");
  CHECK(std::string(ImGui::GetClipboardText()) == "torch.tensor([[0.22]])");
  CHECK(grid.selected(3, 0));
}

TEST_CASE("grid: a table with words in its first column is pasted as tokens and numbers") {
  EmbeddingGrid grid;
  const std::vector<std::string> before = grid.fixture.layer().tokens;
  grid.select(1, 0);
  SECTION("with decimal commas, as a spreadsheet in German copies it") {
    paste(grid, "Der\t0,5\t-1,25\t2\nHund\t3\t0,75\t1\n");
    REQUIRE(grid.fixture.errors().empty());
    CHECK(grid.fixture.layer().tokens[0] == before[0]);
    CHECK(grid.fixture.layer().tokens[1] == "Der");
    CHECK(grid.fixture.layer().tokens[2] == "Hund");
    CHECK(grid.cell(1, 1) == -1.25f);
    CHECK(grid.cell(2, 1) == 0.75f);
    CHECK(grid.range() == GridRange{1, 0, 2, 3});
  }
  SECTION("below a heading, and with more rows than there are: the matrix grows by tokens with these names") {
    paste(grid, "token;x;y;z\na;1;2;3\nb;1;2;3\nc;1;2;3\nd;1;2;3\ne;1;2;3\nf;1;2;3\n");
    grid.robot().key(Key::Enter);
    grid.robot().frames(3);
    REQUIRE(grid.fixture.errors().empty());
    CHECK(grid.fixture.layer().token_count() == 7);
    CHECK(grid.fixture.layer().tokens[6] == "f");
    CHECK(grid.cell(6, 2) == 3.0f);
  }
  grid.fixture.document().undo();
  CHECK(grid.fixture.layer().tokens == before);
  CHECK_FALSE(grid.fixture.document().can_undo());
}

TEST_CASE("grid: a table of words into a weight matrix is refused with its place") {
  EmbeddingGrid grid(lesson_session("20-two-heads"));
  grid.options.input = {InputKind::Weight, 0, Parameter::Query};
  grid.robot().frames(3);
  grid.select(0, 0);
  paste(grid, "Der\t0,5\nHund\t3\n");
  CHECK(grid.fixture.commands().empty());
  CHECK_THAT(grid.robot().value("grid.message"), ContainsSubstring("Der"));
}
