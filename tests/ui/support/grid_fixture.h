// A grid of a session's embeddings, alone in a window that a robot drives.
#pragma once

#include <string>
#include <variant>

#include "app/ui/inputs/matrix_grid.h"
#include "tests/ui/support/panel_fixture.h"

namespace headlight_test {

// By default the embeddings of "Your journey starts with one step": 6 x 3.
struct EmbeddingGrid {
  headlight::MatrixGridState state;
  headlight::MatrixGridOptions options;
  bool escape_while_scrubbing = false;
  PanelFixture fixture;

  explicit EmbeddingGrid(headlight::Session session = lesson_session("01-one-query-dot-products"),
                         ImVec2 size = {640, 400})
      : options(grid_options()),
        fixture(
            std::move(session), [this](headlight::UiContext& ui) { draw(ui); }, size) {}

  static headlight::MatrixGridOptions grid_options() {
    headlight::MatrixGridOptions options;
    options.name = "grid";
    return options;
  }
  void draw(headlight::UiContext& ui) {
    options.max_height_px = ImGui::GetContentRegionAvail().y - 40;
    headlight::matrix_grid(ui, state, options);
    if (escape_while_scrubbing && state.scrubbing) headlight::feed_key(headlight::Key::Escape, true);
    ImGui::Button("elsewhere");
    ui.probe.mark("elsewhere");
  }

  PanelRobot& robot() { return fixture.robot(); }
  const headlight::Matrix& matrix() const { return fixture.layer().embeddings[0]; }
  float cell(headlight::Index row, headlight::Index column) const {
    return fixture.layer().embeddings[0](row, column);
  }
  void select(headlight::Index row, headlight::Index column) { robot().click(name(row, column)); }
  std::string name(headlight::Index row, headlight::Index column) const {
    return "grid[" + std::to_string(row) + "," + std::to_string(column) + "]";
  }
  headlight::GridRange range() const { return state.selection.range(matrix().rows(), matrix().cols()); }
  bool selected(headlight::Index row, headlight::Index column) const {
    return state.selection.row == row && state.selection.column == column;
  }
};

inline const headlight::SetCells& as_set_cells(const headlight::Command& command) {
  return std::get<headlight::SetCells>(command);
}

// A session with T = d_in = `size` and every number 0.25.
inline headlight::Session square_session(headlight::Index size) {
  headlight::Session session;
  session.layer.tokens.resize(static_cast<std::size_t>(size), "t");
  session.layer.embeddings = {headlight::Matrix::Constant(size, size, 0.25f)};
  session.layer.attention.d_out = size;
  return session;
}

}  // namespace headlight_test
