// What all dialogs share: a modal in the middle of the window, its message line, and the question before a
// file is replaced.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/platform/imgui_compat.h"
#include "app/ui/context/ui_context.h"

namespace headlight {

// Opens the popup when `open` is newly set, and begins it. One that is opened while another is open stands
// in its place until it is closed; the other one is as it was then. Width and height in planned pixels;
// height 0: as high as it needs. True: draw the dialog and call end_dialog.
bool begin_dialog(const UiContext& ui, const char* id, bool open, ImVec2 size, const std::string& title);
void end_dialog();
// Closes the dialog that is being drawn.
void close_dialog(bool& open);

// The key was pressed for the dialog being drawn: the one that opened it does not count.
bool dialog_key(Key key);
// Whether a list is open in front of the dialog being drawn: the keys are the list's then.
bool list_in_front();
// As dialog_key, but for a key that a list in front has for itself.
bool dialog_answers_to(Key key);

// A line of text in the colour of errors; keeps its height when empty, so that nothing jumps.
void dialog_message(const UiContext& ui, const std::string& name, const std::string& message);

// "<file> exists. Replace it?" Set `file` to ask; with several files it is the first. Enter replaces, Escape
// keeps.
struct OverwriteQuestion {
  std::optional<std::filesystem::path> file;
  std::size_t count = 1;
};
enum class OverwriteAnswer { Replace, Keep };
std::optional<OverwriteAnswer> ask_overwrite(const UiContext& ui, OverwriteQuestion& question);

// The text as a path: a leading ~ is the home folder, a relative path starts at `folder`.
std::filesystem::path path_from_text(const std::string& text, const std::filesystem::path& folder);
std::filesystem::path home_folder();

}  // namespace headlight
