// The parts that all dialogs share: a modal popup in the middle of the window, its message line, and the
// question before a file is replaced.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/platform/imgui_compat.h"
#include "app/ui/context/ui_context.h"

namespace headlight {

// Opens the popup when `open` is newly set, and begins it. A dialog that opens while another is open takes
// its place until it closes; the other one then reappears unchanged. Width and height in planned pixels;
// height 0: as high as its content. Returns true: draw the dialog and call end_dialog.
bool begin_dialog(const UiContext& ui, const char* id, bool open, ImVec2 size, const std::string& title);
void end_dialog();
// Closes the dialog that is being drawn, and clears `open`.
void close_dialog(bool& open);

// Whether the key was pressed for the dialog being drawn; the key press that opened it does not count.
bool dialog_key(Key key);
// Whether a list is open in front of the dialog being drawn: the list then handles the keys.
bool list_in_front();
// As dialog_key, but false while a list is open in front of the dialog.
bool dialog_answers_to(Key key);

// A line of text in the error colour; keeps its height when it is empty, so that the layout does not move.
void dialog_message(const UiContext& ui, const std::string& name, const std::string& message);

// "<file> exists. Replace it?" Set `file` to ask; of several files it is the first, and `count` is their
// number. Enter replaces, Escape keeps the file.
struct OverwriteQuestion {
  std::optional<std::filesystem::path> file;
  std::size_t count = 1;
};
enum class OverwriteAnswer { Replace, Keep };
std::optional<OverwriteAnswer> ask_overwrite(const UiContext& ui, OverwriteQuestion& question);

// The text as a path: a leading ~ is the home folder, a relative path is resolved against `folder`.
std::filesystem::path path_from_text(const std::string& text, const std::filesystem::path& folder);
std::filesystem::path home_folder();

}  // namespace headlight
