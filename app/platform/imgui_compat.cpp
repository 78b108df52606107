#include "app/platform/imgui_compat.h"

#include <backends/imgui_impl_opengl3.h>
#include <imgui_freetype.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "app/platform/text_glyphs.h"
#include "engine/core/error.h"

// Before 1.87 ImGui identifies keys by the numbers of its window backend, which are GLFW's.
#if IMGUI_VERSION_NUM < 18700
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#define HEADLIGHT_KEY(imgui_name, glfw_name) GLFW_KEY_##glfw_name
#else
#define HEADLIGHT_KEY(imgui_name, glfw_name) ImGuiKey_##imgui_name
#endif

namespace headlight {
namespace {

#if IMGUI_VERSION_NUM < 18700
using NativeKey = int;
#else
using NativeKey = ImGuiKey;
#endif

// The keys that count as one Key: the one in the main block first, then the keypad's (or itself again).
struct NativeKeys {
  NativeKey main, keypad;
};
constexpr NativeKeys only(NativeKey key) {
  return {key, key};
}

NativeKeys native_keys(Key key) {
  static const std::array<NativeKeys, kKeyCount> table = {{
      only(HEADLIGHT_KEY(A, A)),
      only(HEADLIGHT_KEY(B, B)),
      only(HEADLIGHT_KEY(C, C)),
      only(HEADLIGHT_KEY(D, D)),
      only(HEADLIGHT_KEY(E, E)),
      only(HEADLIGHT_KEY(F, F)),
      only(HEADLIGHT_KEY(K, K)),
      only(HEADLIGHT_KEY(L, L)),
      only(HEADLIGHT_KEY(N, N)),
      only(HEADLIGHT_KEY(O, O)),
      only(HEADLIGHT_KEY(P, P)),
      only(HEADLIGHT_KEY(Q, Q)),
      only(HEADLIGHT_KEY(R, R)),
      only(HEADLIGHT_KEY(S, S)),
      only(HEADLIGHT_KEY(V, V)),
      only(HEADLIGHT_KEY(X, X)),
      only(HEADLIGHT_KEY(Y, Y)),
      only(HEADLIGHT_KEY(Z, Z)),
      {HEADLIGHT_KEY(0, 0), HEADLIGHT_KEY(Keypad0, KP_0)},
      {HEADLIGHT_KEY(1, 1), HEADLIGHT_KEY(Keypad1, KP_1)},
      {HEADLIGHT_KEY(2, 2), HEADLIGHT_KEY(Keypad2, KP_2)},
      {HEADLIGHT_KEY(3, 3), HEADLIGHT_KEY(Keypad3, KP_3)},
      {HEADLIGHT_KEY(4, 4), HEADLIGHT_KEY(Keypad4, KP_4)},
      {HEADLIGHT_KEY(5, 5), HEADLIGHT_KEY(Keypad5, KP_5)},
      {HEADLIGHT_KEY(6, 6), HEADLIGHT_KEY(Keypad6, KP_6)},
      {HEADLIGHT_KEY(7, 7), HEADLIGHT_KEY(Keypad7, KP_7)},
      {HEADLIGHT_KEY(8, 8), HEADLIGHT_KEY(Keypad8, KP_8)},
      {HEADLIGHT_KEY(9, 9), HEADLIGHT_KEY(Keypad9, KP_9)},
      {HEADLIGHT_KEY(Enter, ENTER), HEADLIGHT_KEY(KeypadEnter, KP_ENTER)},
      only(HEADLIGHT_KEY(Escape, ESCAPE)),
      only(HEADLIGHT_KEY(Tab, TAB)),
      only(HEADLIGHT_KEY(LeftArrow, LEFT)),
      only(HEADLIGHT_KEY(RightArrow, RIGHT)),
      only(HEADLIGHT_KEY(UpArrow, UP)),
      only(HEADLIGHT_KEY(DownArrow, DOWN)),
      only(HEADLIGHT_KEY(Home, HOME)),
      only(HEADLIGHT_KEY(End, END)),
      only(HEADLIGHT_KEY(PageUp, PAGE_UP)),
      only(HEADLIGHT_KEY(PageDown, PAGE_DOWN)),
      only(HEADLIGHT_KEY(Insert, INSERT)),
      only(HEADLIGHT_KEY(Delete, DELETE)),
      only(HEADLIGHT_KEY(Backspace, BACKSPACE)),
      only(HEADLIGHT_KEY(Space, SPACE)),
      only(HEADLIGHT_KEY(F1, F1)),
      only(HEADLIGHT_KEY(F2, F2)),
      only(HEADLIGHT_KEY(F5, F5)),
      only(HEADLIGHT_KEY(F6, F6)),
      only(HEADLIGHT_KEY(F11, F11)),
      {HEADLIGHT_KEY(Equal, EQUAL), HEADLIGHT_KEY(KeypadAdd, KP_ADD)},
      {HEADLIGHT_KEY(Minus, MINUS), HEADLIGHT_KEY(KeypadSubtract, KP_SUBTRACT)},
      only(HEADLIGHT_KEY(Period, PERIOD)),
  }};
  return table[static_cast<std::size_t>(key)];
}

void move_to_baseline(ImFontGlyph& glyph, float top) {
  const float height = glyph.Y1 - glyph.Y0;
  glyph.Y0 = top;
  glyph.Y1 = top + height;
}

// Transparent white outside the picture, so that its edges are not darkened.
Color pixel_at(const std::vector<Color>& pixels, const GlyphSlot& room, int column, int row) {
  const auto at =
      static_cast<std::size_t>(row) * static_cast<std::size_t>(room.width) + static_cast<std::size_t>(column);
  return column < room.width && at < pixels.size() ? pixels[at] : Color{255, 255, 255, 0};
}

}  // namespace

bool key_pressed(Key key, bool repeat) {
  const NativeKeys native = native_keys(key);
  return ImGui::IsKeyPressed(native.main, repeat) || ImGui::IsKeyPressed(native.keypad, repeat);
}

bool key_down(Key key) {
  const NativeKeys native = native_keys(key);
  return ImGui::IsKeyDown(native.main) || ImGui::IsKeyDown(native.keypad);
}

bool ctrl_held() {
  return ImGui::GetIO().KeyCtrl;
}
bool shift_held() {
  return ImGui::GetIO().KeyShift;
}
bool alt_held() {
  return ImGui::GetIO().KeyAlt;
}

bool click_area(const char* id, ImVec2 size) {
  return ImGui::InvisibleButton(id, {std::max(size.x, 1.0f), std::max(size.y, 1.0f)});
}

bool begin_child(const char* id, ImVec2 size, bool border, ImGuiWindowFlags flags) {
#if IMGUI_VERSION_NUM >= 19000
  return ImGui::BeginChild(id, size, border ? ImGuiChildFlags{1} : ImGuiChildFlags{0}, flags);
#else
  return ImGui::BeginChild(id, size, border, flags);
#endif
}

bool begin_padded_child(const char* id, ImVec2 size, ImGuiWindowFlags flags) {
#if IMGUI_VERSION_NUM >= 19000
  return ImGui::BeginChild(id, size, ImGuiChildFlags_AlwaysUseWindowPadding, flags);
#else
  return ImGui::BeginChild(id, size, false, flags | ImGuiWindowFlags_AlwaysUseWindowPadding);
#endif
}

ImTextureID texture_id(unsigned gl_name) {
  // A pointer in some versions of Dear ImGui, a number in others; it is never dereferenced.
  return (ImTextureID)(std::intptr_t)gl_name;  // NOLINT(performance-no-int-to-ptr)
}
unsigned gl_name(ImTextureID texture) {
  return static_cast<unsigned>((std::intptr_t)texture);
}

void reserve_glyph(ImFontAtlas& atlas, GlyphSlot& room) {
  room.rectangle =
      atlas.AddCustomRectFontGlyph(room.font, static_cast<ImWchar>(room.number), std::max(room.width, 1),
                                   std::max(room.height, 1), room.advance, {room.left, 0});
}

#if IMGUI_VERSION_NUM >= 19200
float font_size(const ImFont* font) {
  return font->LegacySize;
}
void push_font(ImFont* font) {
  ImGui::PushFont(font, font->LegacySize);
}
const ImFontGlyph* find_glyph(ImFont* font, unsigned character) {
  return font->GetFontBaked(font->LegacySize)->FindGlyph(static_cast<ImWchar>(character));
}
bool has_glyph(ImFont* font, unsigned character) {
  return font->GetFontBaked(font->LegacySize)->FindGlyphNoFallback(static_cast<ImWchar>(character)) !=
         nullptr;
}
void draw_by_freetype(ImFontAtlas& atlas) {
  atlas.SetFontLoader(ImGuiFreeType::GetFontLoader());
}
void hint_lightly(ImFontConfig& config) {
  config.FontLoaderFlags = ImGuiFreeTypeLoaderFlags_LightHinting;
}

const bool kGlyphsBeforeBuild = false;

void fill_glyph(ImFontAtlas& atlas, const GlyphSlot& room, const std::vector<Color>& pixels, float rise,
                bool colored) {
  ImFontAtlasRect rectangle;
  if (room.rectangle < 0 || !atlas.GetCustomRect(room.rectangle, &rectangle)) return;
  ImFontBaked* baked = room.font->GetFontBaked(room.font->LegacySize);
  ImFontGlyph* glyph = baked->FindGlyphNoFallback(static_cast<ImWchar>(room.number));
  if (!glyph) return;
  move_to_baseline(*glyph, std::round(baked->Ascent) - rise);
  glyph->Colored = colored ? 1 : 0;
  ImTextureData& texture = *atlas.TexData;
  const bool has_colors = texture.BytesPerPixel == 4;
  for (int row = 0; row < rectangle.h; ++row) {
    auto* out = static_cast<unsigned char*>(texture.GetPixelsAt(rectangle.x, rectangle.y + row));
    for (int column = 0; column < rectangle.w; ++column) {
      const Color pixel = pixel_at(pixels, room, column, row);
      if (has_colors)
        *reinterpret_cast<ImU32*>(out + 4 * column) = IM_COL32(pixel.r, pixel.g, pixel.b, pixel.a);
      else
        out[column] = pixel.a;
    }
  }
}

void begin_shared_fonts(ImFontAtlas& atlas, int frame) {
  ImFontAtlasUpdateNewFrame(&atlas, frame, false);
}
void begin_fonts() {
  // Without this flag ImGui treats the backend as older than 1.92: all glyphs exist from the beginning.
  ImGui::GetIO().BackendFlags &= ~ImGuiBackendFlags_RendererHasTextures;
  upload_fonts();
}
void end_fonts() {}  // Shutdown deletes the texture
void upload_fonts() {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  ImGui_ImplOpenGL3_UpdateTexture(atlas.TexData);
  for (ImTextureData* texture : atlas.TexList) {
    if (texture == atlas.TexData || texture->Status == ImTextureStatus_Destroyed) continue;
    texture->SetStatus(ImTextureStatus_WantDestroy);
    texture->UnusedFrames = 1;
    ImGui_ImplOpenGL3_UpdateTexture(texture);
  }
  // The default size of text follows the first font, whose size may have changed.
  ImGui::GetStyle().FontSizeBase = atlas.Fonts[0]->LegacySize;
}
void release_fonts() {}  // the old texture must exist until there is a new one
#else
float font_size(const ImFont* font) {
  return font->FontSize;
}
void push_font(ImFont* font) {
  ImGui::PushFont(font);
}
const ImFontGlyph* find_glyph(ImFont* font, unsigned character) {
  return font->FindGlyph(static_cast<ImWchar>(character));
}
bool has_glyph(ImFont* font, unsigned character) {
  return font->FindGlyphNoFallback(static_cast<ImWchar>(character)) != nullptr;
}
void draw_by_freetype(ImFontAtlas& atlas) {
  atlas.FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
}
void hint_lightly(ImFontConfig& config) {
  config.FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
}

const bool kGlyphsBeforeBuild = true;

void fill_glyph(ImFontAtlas& atlas, const GlyphSlot& room, const std::vector<Color>& pixels, float rise,
                bool colored) {
  const ImFontAtlasCustomRect& rectangle = *atlas.GetCustomRectByIndex(room.rectangle);
  const int index = room.font->IndexLookup[static_cast<int>(room.number)];
  ImFontGlyph& glyph = room.font->Glyphs[index];
  move_to_baseline(glyph, std::round(room.font->Ascent) - rise);
  glyph.Colored = colored ? 1 : 0;
  unsigned char* texture = nullptr;
  int width = 0, height = 0;
  atlas.GetTexDataAsRGBA32(&texture, &width, &height);
  for (int row = 0; row < rectangle.Height; ++row) {
    auto* out = reinterpret_cast<ImU32*>(texture) + std::ptrdiff_t{rectangle.Y + row} * width + rectangle.X;
    for (int column = 0; column < rectangle.Width; ++column) {
      const Color pixel = pixel_at(pixels, room, column, row);
      out[column] = IM_COL32(pixel.r, pixel.g, pixel.b, pixel.a);
    }
  }
}

void begin_shared_fonts(ImFontAtlas&, int) {}
// The backend creates the first texture, in the first frame, and deletes the last one.
void begin_fonts() {}
void end_fonts() {}
void upload_fonts() {
  ImGui_ImplOpenGL3_CreateFontsTexture();
}
void release_fonts() {
  ImGui_ImplOpenGL3_DestroyFontsTexture();
}
#endif

void name_font_texture(ImFontAtlas& atlas, ImTextureID texture) {
  atlas.SetTexID(texture);
}

bool is_item_active(ImGuiID id) {
  return ImGui::GetCurrentContext()->ActiveId == id;
}

namespace {
// The text returned last: Dear ImGui reads it after the function has returned.
std::string& translated() {
  static std::string text;
  return text;
}
const char* kept(const char* text) {
  if (!text) return nullptr;
  translated() = field_text(text);
  return translated().c_str();
}
std::function<std::optional<std::string>()> text_of_other_programs;
std::optional<Error>& clipboard_failure() {
  static std::optional<Error> failure;
  return failure;
}
template <class Backend>
const char* pasted_text(Backend backend) {
  try {
    if (const auto text = text_of_other_programs()) return kept(text->c_str());
  } catch (const Error& error) {
    clipboard_failure() = error;
    return nullptr;
  }
  return kept(backend());
}
}  // namespace

std::string clipboard_text() {
  const char* const text = ImGui::GetClipboardText();
  if (const auto failure = std::exchange(clipboard_failure(), std::nullopt)) throw Error(*failure);
  return text ? text : "";
}
bool clipboard_failed() {
  return clipboard_failure().has_value();
}
std::string take_clipboard_failure() {
  const auto failure = std::exchange(clipboard_failure(), std::nullopt);
  return failure ? failure->what() : "";
}

#if IMGUI_VERSION_NUM >= 19110
namespace {
const char* (*clipboard_before)(ImGuiContext*) = nullptr;
const char* (*get_clipboard)(ImGuiContext*) = nullptr;
void (*set_clipboard)(ImGuiContext*, const char*) = nullptr;
}  // namespace
void translate_clipboard(std::function<std::optional<std::string>()> others) {
  text_of_other_programs = std::move(others);
  ImGuiPlatformIO& io = ImGui::GetPlatformIO();
  get_clipboard = std::exchange(io.Platform_GetClipboardTextFn, [](ImGuiContext* context) {
    return pasted_text([&] { return get_clipboard(context); });
  });
  set_clipboard = std::exchange(io.Platform_SetClipboardTextFn, [](ImGuiContext* context, const char* text) {
    set_clipboard(context, typed_text(text).c_str());
  });
}
EmptyClipboard::EmptyClipboard() {
  clipboard_before = std::exchange(ImGui::GetPlatformIO().Platform_GetClipboardTextFn,
                                   [](ImGuiContext*) -> const char* { return nullptr; });
}
EmptyClipboard::~EmptyClipboard() {
  ImGui::GetPlatformIO().Platform_GetClipboardTextFn = clipboard_before;
}
#else
namespace {
const char* (*clipboard_before)(void*) = nullptr;
const char* (*get_clipboard)(void*) = nullptr;
void (*set_clipboard)(void*, const char*) = nullptr;
}  // namespace
void translate_clipboard(std::function<std::optional<std::string>()> others) {
  text_of_other_programs = std::move(others);
  ImGuiIO& io = ImGui::GetIO();
  get_clipboard = std::exchange(io.GetClipboardTextFn,
                                [](void* data) { return pasted_text([&] { return get_clipboard(data); }); });
  set_clipboard = std::exchange(io.SetClipboardTextFn, [](void* data, const char* text) {
    set_clipboard(data, typed_text(text).c_str());
  });
}
EmptyClipboard::EmptyClipboard() {
  clipboard_before =
      std::exchange(ImGui::GetIO().GetClipboardTextFn, [](void*) -> const char* { return nullptr; });
}
EmptyClipboard::~EmptyClipboard() {
  ImGui::GetIO().GetClipboardTextFn = clipboard_before;
}
#endif

void close_menu_on_escape() {
  const ImGuiContext& context = *ImGui::GetCurrentContext();
  // A field that was being typed into has consumed the key.
  const bool field_active = context.ActiveId != 0 || context.ActiveIdPreviousFrame != 0;
  if (context.OpenPopupStack.empty() || field_active || !key_pressed(Key::Escape)) return;
  const auto has = [&](int level, ImGuiWindowFlags flag) {
    const ImGuiWindow* const popup = context.OpenPopupStack[level].Window;
    return popup && (popup->Flags & flag) != 0;
  };
  int level = context.OpenPopupStack.Size - 1;
  if (has(level, ImGuiWindowFlags_Modal)) return;
  // A menu inside another one would open again under the pointer.
  while (level > 0 && has(level, ImGuiWindowFlags_ChildMenu))
    --level;
  ImGui::ClosePopupToLevel(level, true);
}

ImGuiID last_item() {
  return ImGui::GetItemID();
}

int popup_level() {
  return ImGui::GetCurrentContext()->BeginPopupStack.Size;
}

int open_popups() {
  return ImGui::GetCurrentContext()->OpenPopupStack.Size;
}

ImGuiID current_window() {
  return ImGui::GetCurrentWindowRead()->ID;
}

bool scrolls(ImGuiID window) {
  const ImGuiWindow* found = ImGui::FindWindowByID(window);
  return found && (found->ScrollMax.y > 0 || found->ScrollMax.x > 0);
}

void scroll_to(ImGuiID window, ImVec2 min, ImVec2 max) {
  ImGuiWindow* found = ImGui::FindWindowByID(window);
  if (!found) return;
  ImGui::ScrollToRect(found, {min, max});
}

void activate_item(ImGuiID id) {
  ImGuiContext& context = *ImGui::GetCurrentContext();
  context.NavNextActivateId = id;
  // Those of an earlier field would go on to hold, and type into the item in place of pressing it.
  context.NavNextActivateFlags = ImGuiActivateFlags_None;
}

void cancel_tabbing() {
  ImGui::NavMoveRequestCancel();
}

void feed_mouse(ImVec2 position, bool left_down, bool right_down, bool middle_down) {
  ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM >= 18700
  io.AddMousePosEvent(position.x, position.y);
  io.AddMouseButtonEvent(0, left_down);
  io.AddMouseButtonEvent(1, right_down);
  io.AddMouseButtonEvent(2, middle_down);
#else
  io.MousePos = position;
  io.MouseDown[0] = left_down;
  io.MouseDown[1] = right_down;
  io.MouseDown[2] = middle_down;
#endif
}

void feed_wheel(float steps, float sideways) {
#if IMGUI_VERSION_NUM >= 18700
  ImGui::GetIO().AddMouseWheelEvent(sideways, steps);
#else
  ImGui::GetIO().MouseWheel += steps;
  ImGui::GetIO().MouseWheelH += sideways;
#endif
}

void feed_key(Key key, bool down) {
#if IMGUI_VERSION_NUM >= 18700
  ImGui::GetIO().AddKeyEvent(native_keys(key).main, down);
#else
  ImGui::GetIO().KeysDown[native_keys(key).main] = down;
#endif
}

void feed_modifiers(bool ctrl, bool shift, bool alt) {
  ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM >= 18900
  io.AddKeyEvent(ImGuiMod_Ctrl, ctrl);
  io.AddKeyEvent(ImGuiMod_Shift, shift);
  io.AddKeyEvent(ImGuiMod_Alt, alt);
#elif IMGUI_VERSION_NUM >= 18700
  io.AddKeyEvent(ImGuiKey_ModCtrl, ctrl);
  io.AddKeyEvent(ImGuiKey_ModShift, shift);
  io.AddKeyEvent(ImGuiKey_ModAlt, alt);
#else
  io.KeyCtrl = ctrl;
  io.KeyShift = shift;
  io.KeyAlt = alt;
#endif
}

void install_key_map_for_tests() {
#if IMGUI_VERSION_NUM < 18700
  ImGuiIO& io = ImGui::GetIO();
  const auto map = [&io](ImGuiKey_ imgui_key, int glfw_key) { io.KeyMap[imgui_key] = glfw_key; };
  map(ImGuiKey_Tab, GLFW_KEY_TAB);
  map(ImGuiKey_LeftArrow, GLFW_KEY_LEFT);
  map(ImGuiKey_RightArrow, GLFW_KEY_RIGHT);
  map(ImGuiKey_UpArrow, GLFW_KEY_UP);
  map(ImGuiKey_DownArrow, GLFW_KEY_DOWN);
  map(ImGuiKey_PageUp, GLFW_KEY_PAGE_UP);
  map(ImGuiKey_PageDown, GLFW_KEY_PAGE_DOWN);
  map(ImGuiKey_Home, GLFW_KEY_HOME);
  map(ImGuiKey_End, GLFW_KEY_END);
  map(ImGuiKey_Delete, GLFW_KEY_DELETE);
  map(ImGuiKey_Backspace, GLFW_KEY_BACKSPACE);
  map(ImGuiKey_Space, GLFW_KEY_SPACE);
  map(ImGuiKey_Enter, GLFW_KEY_ENTER);
  map(ImGuiKey_Escape, GLFW_KEY_ESCAPE);
  map(ImGuiKey_KeyPadEnter, GLFW_KEY_KP_ENTER);
  map(ImGuiKey_A, GLFW_KEY_A);
  map(ImGuiKey_C, GLFW_KEY_C);
  map(ImGuiKey_V, GLFW_KEY_V);
  map(ImGuiKey_X, GLFW_KEY_X);
  map(ImGuiKey_Y, GLFW_KEY_Y);
  map(ImGuiKey_Z, GLFW_KEY_Z);
#endif
}

namespace {

// One number up to 1.91, a vector later.
template <class State>
float scroll_of(const State& state) {
  if constexpr (requires { state.ScrollX; })
    return state.ScrollX;
  else
    return state.Scroll.x;
}

}  // namespace

float field_scroll(ImGuiID field) {
  const ImGuiInputTextState* const state = ImGui::GetInputTextState(field);
  return state && ImGui::GetActiveID() == field ? scroll_of(*state) : 0;
}

}  // namespace headlight
