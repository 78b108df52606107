// The marks around cells: each has a form of its own, which greyscale and colour blindness leave.
#include "app/ui/widgets/marks.h"

#include <array>
#include <cmath>

#include "app/figure/plan/hatching.h"
#include "app/ui/views/stages_panel.h"
#include "tests/support/catch.h"
#include "tests/ui/support/panel_fixture.h"
#include "tests/ui/support/panel_robot.h"

using namespace headlight;
using headlight_test::PanelRobot;

namespace {

// Linear light of red, green and blue, as an eye of that kind tells them apart (Machado, Oliveira and
// Fernandes 2009, severity 1).
using Eye = std::array<std::array<double, 3>, 3>;
constexpr Eye kUsual = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Eye kGrey = {{{0.2126, 0.7152, 0.0722}, {0.2126, 0.7152, 0.0722}, {0.2126, 0.7152, 0.0722}}};
constexpr Eye kDeuteranopia = {
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
constexpr Eye kProtanopia = {
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};

Color seen_by(const Eye& eye, Color color) {
  const auto linear = [](std::uint8_t c) {
    const double s = c / 255.0;
    return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
  };
  const std::array light = {linear(color.r), linear(color.g), linear(color.b)};
  std::array<std::uint8_t, 3> seen{};
  for (std::size_t i = 0; i < 3; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k)
      sum += eye[i][k] * light[k];
    sum = std::clamp(sum, 0.0, 1.0);
    const double s = sum <= 0.0031308 ? 12.92 * sum : 1.055 * std::pow(sum, 1 / 2.4) - 0.055;
    seen[i] = static_cast<std::uint8_t>(std::lround(255 * s));
  }
  return {seen[0], seen[1], seen[2], 255};
}

constexpr int kSide = 64;  // of the picture around one cell
using Picture = std::array<Color, std::size_t{kSide} * kSide>;

Picture drawn(const MarkForm& form, const Theme& theme, Color ground, double cell, double scale) {
  Picture picture;
  picture.fill(ground);
  for (const Rect& piece : mark_pieces(form, {8, 8, cell, cell}, scale))
    for (int y = 0; y < kSide; ++y)
      for (int x = 0; x < kSide; ++x)
        if (x + 0.5 > piece.x && x + 0.5 < piece.right() && y + 0.5 > piece.y && y + 0.5 < piece.bottom())
          picture[static_cast<std::size_t>(y * kSide + x)] = theme.*form.color;
  return picture;
}

// How many pixels of the two pictures are told apart by lightness alone.
int told_apart(const Picture& a, const Picture& b, const Eye& eye) {
  int count = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(a[i] == b[i]) && contrast(seen_by(eye, a[i]), seen_by(eye, b[i])) >= 1.8) ++count;
  return count;
}

}  // namespace

TEST_CASE("marks: the table has a row for each mark, and no two rows have one form") {
  const std::span<const MarkForm> forms = mark_forms();
  for (std::size_t i = 0; i < forms.size(); ++i) {
    CHECK(static_cast<std::size_t>(forms[i].mark) == i);
    CHECK(&form_of(forms[i].mark) == &forms[i]);
    for (std::size_t k = 0; k < i; ++k)
      CHECK((forms[i].line != forms[k].line || forms[i].inset != forms[k].inset ||
             forms[i].dash != forms[k].dash));
  }
}

TEST_CASE("marks: they are told apart without any hue, and by eyes that miss red or green") {
  const ThemeKind kind = GENERATE(ThemeKind::Dark, ThemeKind::Light);
  const PanelRobot robot({100, 100}, kind);
  const Theme& theme = robot.theme();
  for (const auto& [cell, scale] : {std::pair{24.0, 1.0}, {48.0, 1.0}, {48.0, 2.0}})
    for (const Eye& eye : {kUsual, kGrey, kDeuteranopia, kProtanopia})
      for (const MarkForm& a : mark_forms())
        for (const MarkForm& b : mark_forms()) {
          if (a.mark >= b.mark) continue;
          INFO(static_cast<int>(a.mark) << " and " << static_cast<int>(b.mark) << ", cell of " << cell);
          const int apart = told_apart(drawn(a, theme, theme.ground, cell, scale),
                                       drawn(b, theme, theme.ground, cell, scale), eye);
          CHECK(apart >= 0.5 * cell * scale);
        }
}

TEST_CASE("marks: each stands out from every surface") {
  const ThemeKind kind = GENERATE(ThemeKind::Dark, ThemeKind::Light);
  const PanelRobot robot({100, 100}, kind);
  const Theme& theme = robot.theme();
  for (const MarkForm& form : mark_forms())
    for (const Color surface : {theme.ground, theme.panel, theme.raised})
      for (const Eye& eye : {kUsual, kGrey, kDeuteranopia, kProtanopia})
        CHECK(contrast(seen_by(eye, theme.*form.color), seen_by(eye, surface)) >= 3);
}

TEST_CASE("marks: dashes have gaps, begin and end at the corners, and stay inside the cell") {
  const MarkForm& form = form_of(Mark::Pointed);
  for (double side = 2; side < 200; side += 1.5) {
    const Rect cell = {10, 20, side, side / 2};
    double above = 0;
    bool left = false, right = false;
    for (const Rect& piece : mark_pieces(form, cell, 1)) {
      CHECK(piece.x >= cell.x - 1e-9);
      CHECK(piece.right() <= cell.right() + 1);
      if (piece.y != cell.y || piece.height > form.width) continue;
      above += piece.width;
      left = left || piece.x == cell.x;
      right = right || std::abs(piece.right() - cell.right()) <= 1;
    }
    CHECK(left);
    CHECK(right);
    if (side >= 40) CHECK(above < 0.8 * side);
  }
}

TEST_CASE("marks: the legend of cells shows the hatching that the picture has") {
  StagesPanelState state;
  headlight_test::PanelFixture panel(headlight_test::lesson_session("16-causal-mask"),
                                     [&](UiContext& ui) { stages_panel(ui, state); }, {800, 700});
  panel.view().focused_stage = Stage::Weights;
  panel.robot().frames(4);
  const Rect legend = panel.robot().widget("focus.legend.masked").rect;
  const ImU32 color = to_imgui(empty_hatching(panel.robot().theme().figure).color);
  int corners = 0;
  const ImDrawData& data = *ImGui::GetDrawData();
  for (int i = 0; i < data.CmdListsCount; ++i)
    for (const ImDrawVert& vertex : data.CmdLists[i]->VtxBuffer)
      corners += vertex.col == color && vertex.pos.x >= legend.x && vertex.pos.x <= legend.right() &&
                         vertex.pos.y >= legend.y && vertex.pos.y <= legend.bottom()
                     ? 1
                     : 0;
  CHECK(corners >= 8);
}
