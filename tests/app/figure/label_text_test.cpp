// Labels that must fit, however long they are.
#include "app/figure/plan/label_text.h"

#include "app/figure/plan/heatmap_figure.h"
#include "tests/support/catch.h"

using namespace headlight;

namespace {

// Measures ten pixels a byte, and counts what it was given.
struct Counter {
  std::size_t calls = 0, bytes = 0;
  MeasureText measure() {
    return [this](const std::string& text, double, FontFace) -> TextSize {
      ++calls;
      bytes += text.size();
      return {static_cast<double>(text.size()) * 10, 12};
    };
  }
};

}  // namespace

TEST_CASE("labels: shortening a million letters measures a few thousand") {
  Counter counter;
  const std::string shown = shortened(std::string(1'000'000, 'x'), 200, 12, counter.measure());
  CHECK(shown.size() <= 20);
  CHECK(shown.size() >= 16);
  CHECK(shown.find("\u2026") != std::string::npos);
  CHECK(counter.calls <= 16);
  CHECK(counter.bytes < 10'000);
}

TEST_CASE("labels: what is capped keeps its ends and whole characters") {
  CHECK(capped("short", 8) == "short");
  CHECK(capped("0123456789", 8) == "0123\u20266789");
  CHECK(capped("012é456é89", 8) == "012\u2026é89");  // é stands across the cut at the front
  CHECK(capped(std::string(1'000'000, 'x'), 100).size() == 103);
}

TEST_CASE("labels: a token of a million letters is seen by its ends") {
  const std::string label = visible_label("begin\n" + std::string(1'000'000, 'x') + "\tend");
  CHECK(label.size() < 300);
  CHECK(label.starts_with("begin\u23CEx"));
  CHECK(label.ends_with("x\u21E5end"));
}
