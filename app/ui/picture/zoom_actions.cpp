#include "app/ui/picture/zoom_actions.h"

#include "app/ui/picture/map_view.h"

namespace headlight {
namespace {

constexpr double kStepsOfKey = 2;  // of the wheel

ActionEntry of_picture(std::string_view id, std::string_view name, std::string_view what, Key key,
                       void (*run)(UiContext& ui, WorkbenchState& state),
                       bool (*possible)(const UiContext& ui)) {
  KeyChord chord;
  chord.key = key;
  chord.repeats = true;
  chord.while_typing = false;
  return {id, "In the large picture", name, what, {chord}, run, possible, true};
}

}  // namespace

std::vector<ActionEntry> zoom_actions() {
  return {
      of_picture(
          "zoom_in", "Zoom in",
          "Fewer cells, larger, about the selected one; so does the wheel at the pointer", Key::Plus,
          [](UiContext& ui, WorkbenchState&) { zoom_by_steps(ui, kStepsOfKey); }, can_zoom_large),
      of_picture(
          "zoom_out", "Zoom out", "More cells, smaller", Key::Minus,
          [](UiContext& ui, WorkbenchState&) { zoom_by_steps(ui, -kStepsOfKey); }, is_large_zoomed),
      of_picture(
          "zoom_all", "Show everything", "The whole of the matrix; so does a double-click", Key::Num0,
          [](UiContext& ui, WorkbenchState&) { show_everything(ui); }, is_large_zoomed),
      of_picture(
          "zoom_selection", "Zoom to selection", "The numbers around the selected cell", Key::Z,
          [](UiContext& ui, WorkbenchState&) { zoom_to_selection(ui); }, can_zoom_to_selection),
  };
}

}  // namespace headlight
