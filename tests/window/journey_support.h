// Functions of several journeys: opening files, cells of heatmaps and grids, and expected values.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/window/support/window_session.h"

namespace headlight_test {

using Rows = std::vector<std::vector<double>>;

// Opens a lesson from the menu.
void open_lesson(WindowSession& window, const std::string& stem);
// Leaves the text of the open lesson for all panels, by the menu of the window.
void hide_lesson_text(WindowSession& window);
// Opens a file by the path typed into the dialog.
void open_file(WindowSession& window, const std::filesystem::path& path);
// Clicks a cell of a square heatmap, as "stage.weights.h0", and returns its value from the inspector.
double value_of_cell(WindowSession& window, const std::string& heatmap, int size, int row, int column);
// Types a number into a cell of a grid, as "inputs.embeddings[0,0]".
void set_cell(WindowSession& window, const std::string& cell, const std::string& number);
// The numbers that the grid of embeddings shows.
Rows shown_embeddings(WindowSession& window, int rows, int columns);
// The softmax of x x^T by rows; if `causal`, over the keys up to the query.
Rows simple_attention_weights(const Rows& x, bool causal);
// The current pixels of the screen inside a widget.
Picture pixels_of(WindowSession& window, const std::string& name);

// Parses a number of the window, which has a minus sign (U+2212).
double number_from(std::string text);
std::string title_of_lesson(const std::string& stem);
std::string message_of(WindowSession& window);

}  // namespace headlight_test
