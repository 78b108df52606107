#include "app/export/option_text.h"
#include "engine/core/digits.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace headlight {
namespace {

struct Unit {
  LengthUnit unit;
  std::string_view name;
};
constexpr Unit kUnits[] = {{LengthUnit::Pixels, "px"},
                           {LengthUnit::Millimetres, "mm"},
                           {LengthUnit::Inches, "in"},
                           {LengthUnit::Centimetres, "cm"},
                           {LengthUnit::Points, "pt"}};

}  // namespace

std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view unit_name(LengthUnit unit) {
  return kUnits[static_cast<std::size_t>(unit)].name;
}

std::optional<Length> length_in(const std::string& text) {
  const std::size_t unit_at = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::optional<double> value = number_in(text.substr(0, unit_at));
  const std::string unit = text.substr(unit_at);
  if (!value) return std::nullopt;
  if (unit.empty()) return Length{*value, LengthUnit::Pixels};
  for (const Unit& known : kUnits)
    if (unit == known.name) return Length{*value, known.unit};
  return std::nullopt;
}

std::string length_text(const Length& length) {
  return shortest_digits(length.value) + std::string(unit_name(length.unit));
}

bool read_range(const std::string& text, StageColors& colors) {
  for (const RangeKindInfo& info : range_kind_table())
    if (info.kind != RangeKind::ByHand && text == info.id) {
      colors.range = info.kind;
      return true;
    }
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return false;
  const auto low = number_in(text.substr(0, colon)), high = number_in(text.substr(colon + 1));
  if (!low || !high) return false;
  colors.range = RangeKind::ByHand;
  colors.low = *low;
  colors.high = *high;
  return true;
}

std::string range_text(const StageColors& colors) {
  if (colors.range == RangeKind::ByHand)
    return shortest_digits(colors.low) + ":" + shortest_digits(colors.high);
  return std::string(range_kind_table()[static_cast<std::size_t>(colors.range)].id);
}

std::string grid_lines_text(GridLines lines) {
  return lines == GridLines::Always ? "on" : lines == GridLines::Never ? "off" : "auto";
}

GridLines grid_lines_in(const std::string& text) {
  return text == "on" ? GridLines::Always : text == "off" ? GridLines::Never : GridLines::WhereRoom;
}

}  // namespace headlight
