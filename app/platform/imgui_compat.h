// Wrappers for what differs between Dear ImGui 1.86 and 1.92. All other code is the same for both.
#pragma once

#include <imgui.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/color/colormap.h"

namespace headlight {

enum class Key {
  A,
  B,
  C,
  D,
  E,
  F,
  K,
  L,
  N,
  O,
  P,
  Q,
  R,
  S,
  V,
  X,
  Y,
  Z,
  Num0,
  Num1,
  Num2,
  Num3,
  Num4,
  Num5,
  Num6,
  Num7,
  Num8,
  Num9,
  Enter,
  Escape,
  Tab,
  Left,
  Right,
  Up,
  Down,
  Home,
  End,
  PageUp,
  PageDown,
  Insert,
  Delete,
  Backspace,
  Space,
  F1,
  F2,
  F5,
  F6,
  F11,
  Plus,
  Minus,
  Period,
};
inline constexpr int kKeyCount = static_cast<int>(Key::Period) + 1;

// Whether a key went down in this frame; `repeat` also counts the keyboard's repeats. Enter, digits, Plus and
// Minus include the keypad's.
bool key_pressed(Key key, bool repeat = false);
bool key_down(Key key);
bool ctrl_held();
bool shift_held();
bool alt_held();

bool begin_child(const char* id, ImVec2 size, bool border, ImGuiWindowFlags flags = 0);
// A child without a border but with the window's padding.
bool begin_padded_child(const char* id, ImVec2 size, ImGuiWindowFlags flags = 0);
// An invisible button, at least one pixel wide and high: ImGui aborts the program for one of size zero.
bool click_area(const char* id, ImVec2 size);
ImTextureID texture_id(unsigned gl_name);
unsigned gl_name(ImTextureID texture);

// Whether the widget of this id is being typed into or dragged; also before it is drawn in this frame.
bool is_item_active(ImGuiID id);

// The item drawn last; 0: it takes no input.
ImGuiID last_item();
// The number of nested popups (dialogs, menus, lists) that are being drawn, and that are open.
int popup_level();
int open_popups();
// The window that is drawn into.
ImGuiID current_window();
// Whether a window has contents out of sight.
bool scrolls(ImGuiID window);
// Scrolls a window so that the rectangle, in window pixels, is in sight in the next frame.
void scroll_to(ImGuiID window, ImVec2 min, ImVec2 max);
// Activates the item in the next frame, like a click.
void activate_item(ImGuiID id);
// Cancels ImGui's handling of the Tab key in this frame, which moves from field to field.
void cancel_tabbing();

// Text fields then paste field_text() of what is on the clipboard, and copy typed_text() to it. `others` is
// asked for what another program holds; where it gives nothing, the backend is. Call after the window's
// backend has set its clipboard functions in the context.
void translate_clipboard(std::function<std::optional<std::string>()> others);
// The clipboard's text, as text fields get it. Throws Error if the program that holds it does not answer.
std::string clipboard_text();
// Whether a paste into a text field got no answer, and its message, once; "" if there was none.
bool clipboard_failed();
std::string take_clipboard_failure();

// While an object of it exists, text fields find the clipboard empty.
class EmptyClipboard {
 public:
  EmptyClipboard();
  ~EmptyClipboard();
  EmptyClipboard(const EmptyClipboard&) = delete;
  EmptyClipboard& operator=(const EmptyClipboard&) = delete;
};

// Escape closes the innermost menu, with the one that it belongs to, or list. Call before Render. ImGui does
// so only with its keyboard navigation, which would take the arrow keys from the grids. Modal dialogs handle
// Escape themselves.
void close_menu_on_escape();

// The one size of each of the window's fonts: the line height that it was added with. Since 1.92 fonts of
// ImGui have many sizes.
float font_size(const ImFont* font);
void push_font(ImFont* font);  // until ImGui::PopFont
// The glyph that is drawn for a character, the fallback if the font lacks it; and whether the font has it.
const ImFontGlyph* find_glyph(ImFont* font, unsigned character);
bool has_glyph(ImFont* font, unsigned character);
// Let FreeType draw the glyphs, with light hinting. Call while an atlas is filled.
void draw_by_freetype(ImFontAtlas& atlas);
void hint_lightly(ImFontConfig& config);

// A picture as a glyph of a font. Its rectangle in the atlas is reserved before the atlas is built or, since
// 1.92, after that (kGlyphsBeforeBuild). Lengths in pixels.
struct GlyphSlot {
  ImFont* font = nullptr;
  unsigned number = 0;          // the code point of the glyph
  int width = 0, height = 0;    // of the picture; 0 x 0: invisible
  float advance = 0, left = 0;  // left: from the pen to the picture's left edge
  int rectangle = -1;           // set by reserve_glyph
};
extern const bool kGlyphsBeforeBuild;
void reserve_glyph(ImFontAtlas& atlas, GlyphSlot& room);
// Call after the atlas is built and all glyphs are reserved. `rise`: from the baseline to the upper edge.
void fill_glyph(ImFontAtlas& atlas, const GlyphSlot& room, const std::vector<Color>& pixels, float rise,
                bool colored);

// The texture of the fonts, for the OpenGL backend. All glyphs are drawn when the atlas is built, in every
// version, so that the texture does not change while frames are compared.
void begin_fonts();    // after the backend's Init, with a built atlas
void end_fonts();      // before the backend's Shutdown
void release_fonts();  // before the atlas is cleared, between these two
void upload_fonts();   // after it has been built again
// For tests, which draw nothing: sets the texture's id, because ImGui must not read an id that is not set.
void name_font_texture(ImFontAtlas& atlas, ImTextureID texture);
// For tests, before NewFrame: since 1.92 the owner of an atlas that several contexts share announces each
// frame to it. `frame` counts the frames of all contexts.
void begin_shared_fonts(ImFontAtlas& atlas, int frame);

// For tests: pass input to ImGui, like that of mouse and keyboard. Call before NewFrame.
void feed_mouse(ImVec2 position, bool left_down, bool right_down = false, bool middle_down = false);
void feed_wheel(float steps, float sideways = 0);
void feed_key(Key key, bool down);
void feed_modifiers(bool ctrl, bool shift, bool alt = false);
// Fills the key table that 1.86 requires and that otherwise the window backend fills.
void install_key_map_for_tests();

// By how many pixels the text of a one-line field is scrolled to the left: 0 unless the field is edited.
float field_scroll(ImGuiID field);

}  // namespace headlight
