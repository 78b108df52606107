// Small controls that all panels share, each recorded by the probe under its name.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/context/ui_context.h"
#include "app/ui/widgets/text_fit.h"

namespace headlight {

// One entry of a choice_box: its name for the probe, its label on screen, its tooltip.
struct Choice {
  std::string id, label, tooltip;
};

// A drop-down list of choices. Returns the newly chosen index.
std::optional<std::size_t> choice_box(const UiContext& ui, const std::string& name,
                                      const std::vector<Choice>& choices, std::size_t current, float width_px,
                                      const std::string& tooltip);

// A button as high as a line of controls. `on`: a toggle that is on, with a filled background.
bool tool_button(const UiContext& ui, const std::string& name, const std::string& label,
                 const std::string& tooltip, bool enabled = true, bool on = false);

// A button "…" called `name`, with what is seldom used of a panel in its menu. Returns whether the menu is
// open: the caller then draws its entries and ends the popup.
bool begin_more_menu(const UiContext& ui, const std::string& name, const std::string& tooltip,
                     bool on = false);
float more_menu_width();
// The menu of ImGui's last item, called `name`, as high as its entries: below it, in the lower half of the
// window above it, and to the left where there is room. `opens`: it was pressed. Returns whether it is open,
// as above.
bool begin_item_menu(const UiContext& ui, const std::string& name, bool opens);
// One entry of a menu; `on`: it has a tick. Returns whether it was chosen.
bool menu_choice(const UiContext& ui, const std::string& name, const std::string& label,
                 const std::string& tooltip, bool on = false, bool enabled = true);

// A word at `at` that is chosen by a click, as high as a line of controls and as wide as its text; the chosen
// one is underlined. The caller gives it its probe mark.
bool word_tab(const UiContext& ui, const std::string& name, const std::string& label, ImVec2 at, bool chosen);

// A part of a panel below a title that folds it. Only a lesson folds parts of panels.
struct LessonFold {
  bool offered = false;
  bool used = false;           // by the shown step
  std::optional<bool> chosen;  // open or not, by a click of the user
  bool folded() const { return offered && !chosen.value_or(used); }
};

// The title of what stands below it, which a click folds or unfolds: a triangle and the text, as high as a
// line of controls. To the probe its value is "open" or "". Returns whether it was clicked.
bool fold_title(const UiContext& ui, const std::string& name, const std::string& title, bool open,
                const std::string& tooltip);

// fold_title() of such a part, with a tooltip for each state. Returns whether the part was open before a
// click.
bool fold_title(const UiContext& ui, LessonFold& fold, const std::string& name, const std::string& title,
                const std::string& tooltip_open, const std::string& tooltip_folded);

// The primary button: confirms a dialog or continues.
bool primary_button(const UiContext& ui, const std::string& name, const std::string& label,
                    const std::string& tooltip, bool enabled = true);

bool check_box(const UiContext& ui, const std::string& name, const std::string& label, bool& on,
               const std::string& tooltip);

// A one-line text field that returns a changed text on Enter or when it loses the focus. `refused` checks the
// text first: if it returns a message, that is shown below the field, whose text remains. Owner of the state:
// the panel.
struct TextFieldState {
  std::string text;
  bool active = false;
  std::string message;
};
std::optional<std::string> text_field(const UiContext& ui, TextFieldState& state, const std::string& name,
                                      const std::string& current, float width_px, const std::string& tooltip,
                                      const std::function<std::string(const std::string&)>& refused);

// Text in the label font and the quiet colour, or in `color`. As in tooltips, absurdly long text is
// shortened.
void quiet_text(const UiContext& ui, const std::string& text);
void label_text(const UiContext& ui, const std::string& text, Color color);
// Quiet text on the middle of a line of controls, cut to `width` pixels. Returns what is shown.
std::string elided_quiet_text(const UiContext& ui, const std::string& text, float width);
// A section's heading.
void heading(const UiContext& ui, const std::string& text);
// Shows `text` below the last item, or above it if there is no room below, wrapped to a readable width, when
// the pointer has rested on the item for TipRest::wait without pressing it. The probe records it as
// "tooltip". Of an item much larger than a button it stands below the pointer, or with `part` below that part
// of it, a cell of a picture.
void tooltip(const UiContext& ui, const std::string& text);
void tooltip(const UiContext& ui, const std::string& text, const Rect& part);
// The parts of tooltip() for an item with its own tooltip window: whether it is due, and placing it.
bool tooltip_due(const UiContext& ui, const Rect& item);
bool tooltip_waits(const TipRest& tip);  // a tooltip will appear shortly
void place_tooltip(const UiContext& ui, ImVec2 size, const Rect& item);
void show_tooltip(const UiContext& ui, const std::string& text);

// Draws a check mark.
void draw_tick(ImDrawList& list, ImVec2 at, float size, ImU32 color, float line);

// A draggable edge between two panels. `size` is the size of the panel before it (after it if `behind`).
void splitter(const UiContext& ui, const std::string& name, bool vertical, float length, float& size,
              float low, float high, bool behind = false);

}  // namespace headlight
