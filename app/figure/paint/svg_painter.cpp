#include "app/figure/paint/svg_painter.h"

#include <array>
#include <cmath>

#include "app/figure/paint/base64.h"
#include "app/figure/paint/markup.h"
#include "app/figure/paint/pango_text.h"
#include "app/figure/paint/png_file.h"
#include "app/figure/paint/text_picture.h"
#include "engine/core/digits.h"

namespace headlight {
namespace {

// Rounded to a thousandth, without trailing zeros.
std::string decimal(double value) {
  return shortest_digits(std::round(value * 1000) / 1000 + 0.0);  // + 0: no negative zero
}

std::string hex_color(Color color) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "#";
  for (const std::uint8_t channel : {color.r, color.g, color.b}) {
    text += kDigits[channel / 16];
    text += kDigits[channel % 16];
  }
  return text;
}

// Text for XML: escaped, with blanks for the control characters that XML cannot hold.
std::string xml(const std::string& text) {
  std::string plain = valid_utf8(text);
  for (char& c : plain)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  return markup_text(plain);
}

// Builds one element, attribute by attribute.
class Element {
 public:
  explicit Element(const char* name) : text_(std::string("<") + name) {}
  Element& set(const char* name, const std::string& value) {
    text_ += std::string(" ") + name + "=\"" + value + "\"";
    return *this;
  }
  Element& set(const char* name, double value) { return set(name, decimal(value)); }
  // Sets the attribute `paint` ("fill", "stroke") and, unless the colour is opaque, its opacity.
  Element& set(const std::string& paint, Color color) {
    set(paint.c_str(), hex_color(color));
    return color.a == 255 ? *this : set((paint + "-opacity").c_str(), color.a / 255.0);
  }
  Element& set(const Rect& rect) {
    return set("x", rect.x).set("y", rect.y).set("width", rect.width).set("height", rect.height);
  }
  std::string closed() const { return text_ + "/>\n"; }
  std::string around(const std::string& content, const char* name) const {
    return text_ + ">" + content + "</" + name + ">\n";
  }

 private:
  std::string text_;
};

Rect moved(const Rect& rect, Point by) {
  return {rect.x + by.x, rect.y + by.y, rect.width, rect.height};
}

// In the data of a path.
std::string place(const Point& point) {
  return decimal(point.x) + " " + decimal(point.y);
}
// From its first point to its last one.
std::string along(const Curve& path) {
  if (is_straight(path)) return "L" + place(path.to);
  return "C" + place(path.from_control) + " " + place(path.to_control) + " " + place(path.to);
}

// The cells as a PNG in a data: URL, each cell a square of `by` x `by` pixels.
std::string image_data(const PlannedCells& cells, Index by) {
  return "data:image/png;base64," + base64(png_file(CellPixels(cells, by).png()));
}

class SvgPainter : public Painter {
 public:
  SvgPainter(std::string& out, CellsForm form, const FigureGrid& figure)
      : out_(out), form_(form), enlargement_(enlargement(figure)), fonts_(figure.fonts) {}

  void cells(const PlannedCells& cells, Point at) override {
    if (form_ == CellsForm::Image) return image(cells, at);
    // Edges are sharp at any zoom, like those of an image.
    out_ += "<g shape-rendering=\"crispEdges\">\n";
    for (Index row = 0; row < cells.rows; ++row)
      for (Index column = 0; column < cells.columns; ++column)
        fill({joined_cell(cells, row, column),
              cells.colors[static_cast<std::size_t>(row * cells.columns + column)]},
             at);
    out_ += "</g>\n";
  }

  void bar(const PlannedBar& bar, Point at) override {
    const std::string id = "bar" + std::to_string(++bars_);
    const std::vector<Color> stops = bar_stops(bar);
    std::string inside;
    for (std::size_t i = 0; i < stops.size(); ++i)
      inside += Element("stop")
                    .set("offset", static_cast<double>(i) / static_cast<double>(stops.size() - 1))
                    .set("stop-color", hex_color(stops[i]))
                    .closed();
    out_ += Element("linearGradient")
                .set("id", id)
                .set("x1", "0")
                .set("y1", "0")
                .set("x2", "0")
                .set("y2", "1")
                .around("\n" + inside, "linearGradient");
    out_ += Element("rect").set(moved(bar.rect, at)).set("fill", "url(#" + id + ")").closed();
  }

  // One path: a hatched region has hundreds of lines.
  void hatching(const PlannedHatching& hatching, Point at) override {
    std::string path;
    for (const auto& [from, to] : hatching.segments)
      path += "M" + decimal(at.x + from.x) + " " + decimal(at.y + from.y) + "l" + decimal(to.x - from.x) +
              " " + decimal(to.y - from.y);
    out_ += Element("path")
                .set("d", path)
                .set("fill", "none")
                .set(std::string("stroke"), hatching.color)
                .set("stroke-width", hatching.width)
                .closed();
  }

  void fill(const PlannedFill& fill, Point at) override {
    out_ += Element("rect").set(moved(fill.rect, at)).set(std::string("fill"), fill.color).closed();
  }

  void band(const PlannedBand& band, Point at) override {
    const auto [upper, lower] = band_edges(moved(band.path, at), band.width, band.to_width);
    out_ += Element("path")
                .set("d", "M" + place(upper.from) + along(upper) + "L" + place(lower.to) +
                              along(reversed(lower)) + "Z")
                .set(std::string("fill"), band.color)
                .closed();
  }

  void curve(const PlannedCurve& curve, Point at) override {
    const Curve path = moved(curve.path, at);
    Element element("path");
    element.set("d", "M" + place(path.from) + along(path))
        .set("fill", "none")
        .set(std::string("stroke"), curve.color)
        .set("stroke-width", curve.width);
    if (curve.dash > 0) element.set("stroke-dasharray", curve.dash);
    out_ += element.closed();
  }

  void stroke(const PlannedLine& line, Point at) override {
    out_ += Element("line")
                .set("x1", at.x + line.x1)
                .set("y1", at.y + line.y1)
                .set("x2", at.x + line.x2)
                .set("y2", at.y + line.y2)
                .set(std::string("stroke"), line.color)
                .set("stroke-width", line.width)
                .closed();
  }
  void line(const PlannedLine& line, Point at) override { stroke(line, at); }

  void box(const PlannedBox& box, Point at) override {
    out_ += Element("rect")
                .set(moved(outset(box.rect, -box.width / 2), at))
                .set("fill", "none")
                .set(std::string("stroke"), box.color)
                .set("stroke-width", box.width)
                .closed();
  }

  void triangle(const std::array<Point, 3>& corners, Color color, Point at) override {
    std::string points;
    for (const Point& corner : corners)
      points += (points.empty() ? "" : " ") + decimal(at.x + corner.x) + "," + decimal(at.y + corner.y);
    out_ += Element("polygon").set("points", points).set(std::string("fill"), color).closed();
  }

  void dot(const PlannedDot& dot, Point at) override {
    Element circle("circle");
    circle.set("cx", at.x + dot.x).set("cy", at.y + dot.y).set("r", dot.radius);
    if (dot.ring)
      circle.set("fill", "none").set(std::string("stroke"), dot.color).set("stroke-width", dot.radius * 0.4);
    else
      circle.set(std::string("fill"), dot.color);
    out_ += circle.closed();
  }

  void text(const PlannedText& text, Point at) override {
    Element element("text");
    const double x = at.x + text.x, y = at.y + text.y;
    if (text.angle_deg != 0) {
      element.set("transform", "translate(" + decimal(x) + " " + decimal(y) + ") rotate(" +
                                   decimal(-text.angle_deg) + ")");
      element.set("x", 0.0).set("y", baseline(text));
    } else {
      element.set("x", x).set("y", y + baseline(text));
    }
    if (text.anchor != Anchor::Start)
      element.set("text-anchor", text.anchor == Anchor::Middle ? "middle" : "end");
    element.set("font-size", text.size_px).set(std::string("fill"), text.color);
    const bool number = text.face == FontFace::Number;
    const std::string others = fallback_families(text.text);
    if (number || !others.empty())
      element.set("font-family", xml(number ? fonts_.number : fonts_.text) + ", " + others +
                                     (number ? "monospace" : "sans-serif"));
    out_ += element.around(xml(with_code_points_of_no_letters(text.text)), "text");
  }

 private:
  void image(const PlannedCells& cells, Point at) {
    // Viewers support different ones of these three values; the last supported one applies.
    out_ += Element("image")
                .set(moved(cells.rect, at))
                .set("preserveAspectRatio", "none")
                .set("image-rendering", "optimizeSpeed")
                .set("style", "image-rendering:crisp-edges;image-rendering:pixelated")
                .set("xlink:href", image_data(cells, enlargement_))
                .closed();
  }

  std::string& out_;
  CellsForm form_;
  Index enlargement_;
  const FigureFonts& fonts_;
  int bars_ = 0;
};

void append_notes(std::string& out, const FigureNotes& notes) {
  out += "<title>" + xml(notes.title) + "</title>\n";
  if (!notes.about.empty()) out += "<desc>" + xml(notes.about) + "</desc>\n";
  out +=
      "<metadata><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" "
      "xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><rdf:Description rdf:about=\"\">";
  const std::array<std::array<std::string, 2>, 3> facts = {
      {{"title", notes.title}, {"source", notes.session}, {"creator", notes.program}}};
  for (const auto& [name, text] : facts)
    if (!text.empty())
      out.append("<dc:").append(name).append(">").append(xml(text)).append("</dc:").append(name).append(">");
  out += "</rdf:Description></rdf:RDF></metadata>\n";
}

}  // namespace

std::string svg_text(const FigureGrid& figure, CellsForm form, const FigureNotes& notes) {
  const std::string width = decimal(figure.width), height = decimal(figure.height);
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  // xml:space, because blanks at the ends of a token are part of it.
  out += "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"" +
         width + "\" height=\"" + height + "\" viewBox=\"0 0 " + width + " " + height +
         "\" xml:space=\"preserve\" font-family=\"" + xml(figure.fonts.text) + ", sans-serif\">\n";
  append_notes(out, notes);
  SvgPainter painter(out, form, figure);
  if (figure.background.a > 0) painter.fill({{0, 0, figure.width, figure.height}, figure.background}, {});
  paint(figure, painter);
  return out + "</svg>\n";
}

}  // namespace headlight
