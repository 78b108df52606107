// Text fields with a limit on their length, also for pasted text.
#pragma once

#include <imgui.h>

#include <cstddef>
#include <optional>
#include <string>

#include "app/ui/context/ui_context.h"

namespace headlight {

// Limits of the window's text fields, in bytes.
inline constexpr std::size_t kMostQuery = 200, kMostNumber = 64, kMostLabel = 1000, kMostFileName = 255,
                             kMostPath = 4096, kMostSentences = 300'000;

// A one-line field as wide as the next item, which the caller names for the probe. Returns whether `text`
// changed. Dear ImGui processes all of a field's text several times a frame, so only the first `most` bytes
// of a longer text are shown and edited, and a paste of more than `most` bytes is refused: a note below the
// field says so for some seconds ("NAME.refused" to the probe). Where the text continues beyond a side of the
// field it fades out ("NAME.more_before", "NAME.more_behind").
bool text_entry(const UiContext& ui, const std::string& name, std::string& text, std::size_t most,
                const char* hint = "", ImGuiInputTextFlags flags = 0);
// Bytes of a text, from the first one to the one behind the last.
struct ByteRange {
  std::size_t begin = 0, end = 0;
};
// As text_entry; `select`, which must not be null, is selected in the first frame in which the field has the
// keyboard, and reset then.
bool text_entry(const UiContext& ui, const std::string& name, std::string& text, std::size_t most,
                const char* hint, std::optional<ByteRange>* select);
// As text_entry, with several lines.
bool lines_entry(const UiContext& ui, const std::string& name, std::string& text, std::size_t most,
                 ImVec2 size, ImGuiInputTextFlags flags = 0);

// The first bytes of `text`, at most `most`, ending with a complete character.
std::string text_head(const std::string& text, std::size_t most);

// "812 bytes", "1.5 KB", "10.0 MB".
std::string amount_of_text(std::size_t bytes);

}  // namespace headlight
