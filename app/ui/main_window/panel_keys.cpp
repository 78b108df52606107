// The keys of the parts of the window, for the key sheet.
#include "app/ui/main_window/action_table.h"

namespace headlight {

const std::vector<PanelKey>& panel_keys() {
  static const std::vector<PanelKey> keys = {
      {"In the large picture", "Arrows, Home, End", "Select another cell"},
      {"In the large picture", "Page Up, Page Down", "The stage before or after it; with Shift the head"},
      {"In the large picture", "Wheel",
       "Zoom at the pointer; with Shift, and turned sideways, left and right"},
      {"In the large picture", "Middle button, Space+drag", "Move what is in sight"},
      {"In the large picture", "Escape", "Back from full size; else no cell is selected"},
      {"In a map of an answer", "Wheel, Home", "Zoom at the pointer; the whole map"},
      {"In the sentence", "Left, Right", "The word before or after asks"},
      {"In the sentence", "Enter, F2", "Type another word; F2 from anywhere"},
      {"On the start screen", "Shift+Left, Shift+Right",
       "Move the end of the widest beam to the next word: what if it looked there? Escape: back"},
      {"In the view of a row", "Up, Down", "The query before or after"},
      {"In the view as flow", "Wheel", "Other tokens, where not all fit"},
      {"On a token's name", "F2, Enter", "Rename it; so does a double-click"},
      {"On a token's name", "Delete", "Remove the token"},
      {"In a grid of numbers", "Arrows, Tab, Home, End", "Move from cell to cell; with Ctrl to the edge"},
      {"In a grid of numbers", "Page Up, Page Down", "Move by as many rows as are in sight"},
      {"In a grid of numbers", "Shift+arrows, Shift+click", "Select a range; so does dragging with Shift"},
      {"In a grid of numbers", "Ctrl+A", "Select all; a header selects its row or column"},
      {"In a grid of numbers", "Shift+Space, Ctrl+Space", "Select whole rows, whole columns"},
      {"In a grid of numbers", "A digit, Enter, F2", "Edit the cell: a number, 1/3, sqrt(2) or x*2"},
      {"In a grid of numbers", "Enter, Tab", "Keep the number"},
      {"In a grid of numbers", "Ctrl+Enter", "Take it over in all cells that are selected"},
      {"In a grid of numbers", "Escape", "Leave the number as it was"},
      {"In a grid of numbers", "Drag", "Change the number; then Shift finely, Ctrl coarsely"},
      {"In a grid of numbers", "Ctrl+C, Ctrl+X, Ctrl+V", "Copy, cut and paste, as a spreadsheet does"},
      {"In a grid of numbers", "Ctrl+D, Ctrl+R", "Fill down, fill right"},
      {"In a grid of numbers", "Delete", "Set to 0"},
      {"In a grid of numbers", "Alt+arrows", "Move the rows or columns that are selected"},
      {"In a grid of numbers", "Alt+Insert, Alt+D, Alt+Delete",
       "Insert, duplicate and delete whole rows or columns"},
      {"In a grid of numbers", "Right click", "Everything that can be done with the selection"},
  };
  return keys;
}

}  // namespace headlight
