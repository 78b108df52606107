// What the journeys share: cells of the heatmaps, and the answers they should show, worked out by hand.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/window/support/window_session.h"

namespace headlight_test {

using Rows = std::vector<std::vector<double>>;

// Opens a lesson from the menu.
void open_lesson(WindowSession& window, const std::string& stem);
// Opens a file by the path typed into the dialog.
void open_file(WindowSession& window, const std::filesystem::path& path);
// Clicks a cell of a square heatmap, as "stage.weights.h0", and returns its value from the inspector.
double value_of_cell(WindowSession& window, const std::string& heatmap, int size, int row, int column);
// Types a number into a cell of a grid, as "inputs.embeddings[0,0]".
void set_cell(WindowSession& window, const std::string& cell, const std::string& number);
// The numbers that the grid of embeddings shows.
Rows shown_embeddings(WindowSession& window, int rows, int columns);
// softmax of x x^T by rows, over the keys up to the query when `causal`.
Rows simple_attention_weights(const Rows& x, bool causal);
// The pixels inside a widget, as the screen has them now.
Picture pixels_of(WindowSession& window, const std::string& name);

// A number as the window writes it, with a true minus sign.
double number_from(std::string text);
std::string title_of_lesson(const std::string& stem);
std::string message_of(WindowSession& window);

}  // namespace headlight_test
