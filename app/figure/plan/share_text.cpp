#include "app/figure/plan/share_text.h"

#include <algorithm>
#include <cmath>

#include "app/figure/plan/heatmap_figure.h"

namespace headlight {
namespace {

// Whether the text of so many decimals says none or all of a share that is neither.
bool is_rounded_away(double percent, int decimals) {
  const double unit = std::pow(10.0, -decimals), size = std::abs(percent);
  if (size == 0 || size == 100) return false;
  return size < unit / 2 || (size < 100 && size >= 100 - unit / 2);
}

}  // namespace

std::string share_digits(double share, int decimals) {
  if (!std::isfinite(share)) return number_text(share, 0);
  const double percent = 100 * share;
  const bool near_an_end = std::abs(percent) < 1 || (std::abs(percent) > 99 && std::abs(percent) < 100);
  const int shown = share != 0 && near_an_end ? std::max(decimals, 1) : decimals;
  if (share == 0 || std::abs(percent) == 100) return number_text(percent, 0);
  if (!is_rounded_away(percent, shown)) return number_text(percent, shown);
  const double unit = std::pow(10.0, -shown);
  if (std::abs(percent) > 50)
    return (percent < 0 ? "< " : "> ") + number_text(std::copysign(100 - unit, percent), shown);
  return (percent < 0 ? "> " : "< ") + number_text(std::copysign(unit, percent), shown);
}

std::string share_text(double share, int decimals) {
  const std::string digits = share_digits(share, decimals);
  return std::isfinite(share) ? digits + " %" : digits;
}

}  // namespace headlight
