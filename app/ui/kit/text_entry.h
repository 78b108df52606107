// Fields of text that take so much and no more, whatever is pasted into them.
#pragma once

#include <imgui.h>

#include <cstddef>
#include <string>

#include "app/ui/context/ui_context.h"

namespace headlight {

// How many bytes the fields of the window take.
inline constexpr std::size_t kMostQuery = 200, kMostNumber = 64, kMostLabel = 1000, kMostFileName = 255,
                             kMostPath = 4096, kMostSentences = 300'000;

// A field of one line as wide as the next item, which the caller names for the probe. Returns whether `text`
// changed. Dear ImGui looks at all of a field's text several times a frame, so a text of more than `most`
// bytes is shown and edited by its beginning, and what is pasted beyond `most` is refused: a note below the
// field says so for some seconds ("NAME.refused" to the probe).
bool text_entry(const UiContext& ui, const std::string& name, std::string& text, std::size_t most,
                const char* hint = "", ImGuiInputTextFlags flags = 0);
// The same with several lines.
bool lines_entry(const UiContext& ui, const std::string& name, std::string& text, std::size_t most,
                 ImVec2 size);

// The first bytes of `text`, at most `most`, ending with a whole character.
std::string text_head(const std::string& text, std::size_t most);

// "812 bytes", "1.5 KB", "10.0 MB".
std::string amount_of_text(std::size_t bytes);

}  // namespace headlight
