// What differs between Dear ImGui 1.86 and 1.92, in one place. Everything else uses ImGui alike.
#pragma once

#include <imgui.h>

#include <vector>

#include "app/figure/color/colormap.h"

namespace headlight {

enum class Key {
  A,
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
};
inline constexpr int kKeyCount = static_cast<int>(Key::Minus) + 1;

// A key went down in this frame; `repeat` also counts the keyboard's own repeats. Enter includes the
// keypad's.
bool key_pressed(Key key, bool repeat = false);
bool key_down(Key key);
bool ctrl_held();
bool shift_held();
bool alt_held();

bool begin_child(const char* id, ImVec2 size, bool border, ImGuiWindowFlags flags = 0);
// A child without a border that keeps the window's padding all the same.
bool begin_padded_child(const char* id, ImVec2 size, ImGuiWindowFlags flags = 0);
// A button without a look of its own. Where its place has no room left it has a pixel: ImGui ends the program
// over a button of none.
bool click_area(const char* id, ImVec2 size);
ImTextureID texture_id(unsigned gl_name);
unsigned gl_name(ImTextureID texture);

// Whether the widget of this id is the one being typed into or dragged, before it is drawn in this frame.
bool is_item_active(ImGuiID id);

// The item drawn last; 0: it takes no input. In how many popups it is drawn, and how many are open: dialogs,
// menus and lists, one within another.
ImGuiID last_item();
int popup_level();
int open_popups();
// The window that is drawn into, and whether what is out of sight in one can be scrolled to. scroll_to: so
// that the rectangle, in window pixels, is in sight in the next frame.
ImGuiID current_window();
bool scrolls(ImGuiID window);
void scroll_to(ImGuiID window, ImVec2 min, ImVec2 max);
// In the next frame the item answers as to a click.
void activate_item(ImGuiID id);
// Tab takes ImGui's own way from field to field unless it is called in the same frame.
void cancel_tabbing();

// Fields of text find field_text() of what is on the clipboard, and leave typed_text() there. To be called
// when the window's backend has put its own functions into the context.
void translate_clipboard();

// While it lives, a field of text finds nothing on the clipboard.
class EmptyClipboard {
 public:
  EmptyClipboard();
  ~EmptyClipboard();
  EmptyClipboard(const EmptyClipboard&) = delete;
  EmptyClipboard& operator=(const EmptyClipboard&) = delete;
};

// Before Render: Escape closes the innermost menu or list. ImGui does so only with its own keyboard
// navigation, which would take the arrow keys from the grids. Dialogs that hold the window decide for
// themselves.
void close_menu_on_escape();

// Fonts. One of ours has one size, the height of a line that it was added with; since 1.92 ImGui's have many.
float font_size(const ImFont* font);
void push_font(ImFont* font);  // ImGui::PopFont ends it
// What is drawn for a character, the fallback where the font lacks it; and whether it has a glyph of its own.
const ImFontGlyph* find_glyph(ImFont* font, unsigned character);
bool has_glyph(ImFont* font, unsigned character);
// While an atlas is filled: glyphs are drawn by FreeType, hinted lightly.
void draw_by_freetype(ImFontAtlas& atlas);
void hint_lightly(ImFontConfig& config);

// A picture as a glyph of a font: room for it is reserved before the atlas is built or, since 1.92, behind
// that. `advance` and `left` in pixels, the latter from the pen to the picture's left edge.
struct GlyphRoom {
  ImFont* font = nullptr;
  unsigned number = 0;
  int width = 0, height = 0;  // of the picture; 0 x 0: nothing is to be seen
  float advance = 0, left = 0;
  int rectangle = -1;  // set by reserve_glyph
};
extern const bool kGlyphsBeforeBuild;
void reserve_glyph(ImFontAtlas& atlas, GlyphRoom& room);
// When the atlas has been built and all glyphs have their room. `rise`: from the baseline to the upper edge.
void fill_glyph(ImFontAtlas& atlas, const GlyphRoom& room, const std::vector<Color>& pixels, float rise,
                bool colored);

// The texture of the fonts, for the OpenGL backend. All glyphs are drawn when the atlas is built, in every
// version, so that nothing changes in it while frames are compared.
void begin_fonts();    // behind the backend's Init, with an atlas that has been built
void end_fonts();      // before its Shutdown
void release_fonts();  // between them: before the atlas is cleared
void upload_fonts();   // and when it has been built anew
// For tests, which draw nothing: a name, for a texture that has none may not be asked for it.
void name_font_texture(ImFontAtlas& atlas, ImTextureID texture);
// For tests, before NewFrame: since 1.92 an atlas that several contexts share is told of frames by its owner.
// `frame` counts the frames of all of them.
void begin_shared_fonts(ImFontAtlas& atlas, int frame);

// For tests: input put into ImGui before NewFrame, as a person's mouse and keyboard would.
void feed_mouse(ImVec2 position, bool left_down, bool right_down = false, bool middle_down = false);
void feed_wheel(float steps, float sideways = 0);
void feed_key(Key key, bool down);
void feed_modifiers(bool ctrl, bool shift, bool alt = false);
// The key table that 1.86 needs when no window backend has filled it.
void install_key_map_for_tests();

}  // namespace headlight
