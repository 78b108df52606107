// Small controls that all panels share, each named for the probe where it is drawn.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/context/ui_context.h"
#include "app/ui/kit/text_fit.h"

namespace headlight {

// One entry of a choice_box: its name for the probe, its label on screen, what it means.
struct Choice {
  std::string id, label, tooltip;
};

// A closed list of choices. Returns the index newly chosen.
std::optional<std::size_t> choice_box(const UiContext& ui, const std::string& name,
                                      const std::vector<Choice>& choices, std::size_t current, float width_px,
                                      const std::string& tooltip);

// A button as high as a line of controls. `on`: of a toggle, which has a filled ground then.
bool tool_button(const UiContext& ui, const std::string& name, const std::string& label,
                 const std::string& tooltip, bool enabled = true, bool on = false);

// The one that is meant: it answers a dialog's question, or goes on.
bool primary_button(const UiContext& ui, const std::string& name, const std::string& label,
                    const std::string& tooltip, bool enabled = true);

bool check_box(const UiContext& ui, const std::string& name, const std::string& label, bool& on,
               const std::string& tooltip);

// A one-line text field whose text is taken over on Enter or when the focus leaves. `refused` is asked first:
// a message keeps the field open and is shown below it. Owner of the state: the panel.
struct TextFieldState {
  std::string text;
  bool active = false;
  std::string message;
};
std::optional<std::string> text_field(const UiContext& ui, TextFieldState& state, const std::string& name,
                                      const std::string& current, float width_px, const std::string& tooltip,
                                      std::string (*refused)(const std::string&));

// Text in the label font and the quiet colour; `color` overrides it. Like a tooltip's, it is shown shortened
// where it is absurdly long.
void quiet_text(const UiContext& ui, const std::string& text);
void label_text(const UiContext& ui, const std::string& text, Color color);
// A section's heading.
void heading(const UiContext& ui, const std::string& text);
// Shows `text` below the last item, wrapped to a readable width, when the pointer has rested on it for 0.6
// seconds and has not pressed it: above it where there is no room below. Named "tooltip" where it stands.
void tooltip(const UiContext& ui, const std::string& text);
// The parts of that, for an item of one's own: whether it is time, and where the next tooltip goes.
bool tooltip_due(const UiContext& ui, const Rect& item);
bool tooltip_waits(const TipRest& tip);  // one comes by itself in a moment
void place_tooltip(const UiContext& ui, ImVec2 size, const Rect& item);
void show_tooltip(const UiContext& ui, const std::string& text);

// What is done, or right.
void draw_tick(ImDrawList& list, ImVec2 at, float size, ImU32 color, float line);

// A draggable edge between two panels. `size` is that of the panel before it (or behind it, when `behind`).
void splitter(const UiContext& ui, const std::string& name, bool vertical, float length, float& size,
              float low, float high, bool behind = false);

}  // namespace headlight
