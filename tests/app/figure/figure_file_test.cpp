#include "app/figure/paint/figure_file.h"

#include <zlib.h>

#include <cmath>

#include "app/export/stage_picture.h"
#include "app/figure/paint/base64.h"
#include "app/figure/paint/cairo_painter.h"
#include "app/figure/paint/png_file.h"
#include "engine/core/error.h"
#include "engine/core/parallel.h"
#include "tests/app/figure/figure_support.h"
#include "tests/app/figure/pixels.h"
#include "tests/app/figure/xml_check.h"
#include "tests/support/catch.h"

using namespace headlight_test;

namespace {

const FigureNotes kNotes = {"weights", "A < B & \"größe\"", "Headlight 0"};

FigureGrid picture_of(Index count, const std::vector<std::string>& labels) {
  Tile tile = ramp_tile(Stage::Weights, count, count, 0, 1);
  mask_future(tile);
  return stage_picture({tile}, labels, 1, kNotes.session, FigureStyle::light(), pango_measure());
}

std::string file_of(const FigureGrid& figure, FigureFormat format) {
  return figure_file(figure, format, 192, kNotes).bytes;
}

}  // namespace

TEST_CASE("the name's ending tells the format of a figure") {
  CHECK(figure_format("a.png") == FigureFormat::Png);
  CHECK(figure_format("dir.png/a.SVG") == FigureFormat::Svg);
  CHECK(figure_format("a.b.pdf") == FigureFormat::Pdf);
  CHECK_FALSE(figure_format("a.csv").has_value());
  CHECK_FALSE(figure_format("png").has_value());
}

TEST_CASE("the same figure gives the same bytes in every format") {
  const FigureGrid figure = picture_of(6, tokens(6));
  for (const FigureFormat format : {FigureFormat::Png, FigureFormat::Svg, FigureFormat::Pdf})
    CHECK(file_of(figure, format) == file_of(picture_of(6, tokens(6)), format));
}

TEST_CASE("an SVG is well-formed, with labels, numbers and notes as text") {
  std::vector<std::string> labels = tokens(6);
  labels[1] = "<&\">";
  labels[2] = std::string("x\x01\xFF", 3);
  labels[3] = " with";
  const std::string svg = file_of(picture_of(6, labels), FigureFormat::Svg);
  CHECK(xml_fault(svg) == "");
  for (const char* part :
       {"<title>weights</title>", "<dc:source>A &lt; B &amp; &quot;größe&quot;</dc:source>", ">Your</text>",
        ">&lt;&amp;&quot;&gt;</text>", ">with</text>", ">0.4000</text>", "Headlight 0", ">query</text>"})
    CHECK_THAT(svg, ContainsSubstring(part));
  CHECK(occurrences(svg, "<image") == 0);
  CHECK(occurrences(svg, "shape-rendering") == 1);
}

TEST_CASE("cells are rectangles up to 64 x 64, beyond one image that is not smoothed") {
  const FigureGrid small = picture_of(64, tokens(64)), large = picture_of(65, tokens(65));
  CHECK(cells_form(small) == CellsForm::Rectangles);
  CHECK(cells_form(large) == CellsForm::Image);
  const FigureFile rectangles = figure_file(small, FigureFormat::Svg, 192, kNotes);
  CHECK(rectangles.cells == CellsForm::Rectangles);
  CHECK(occurrences(rectangles.bytes, "<rect") >= 64 * 64);
  const FigureFile image = figure_file(large, FigureFormat::Svg, 192, kNotes);
  CHECK(image.cells == CellsForm::Image);
  CHECK(xml_fault(image.bytes) == "");
  CHECK(occurrences(image.bytes, "<image") == 1);
  CHECK_THAT(image.bytes, ContainsSubstring("image-rendering:pixelated"));
  CHECK_THAT(image.bytes, ContainsSubstring(">Your</text>"));
  CHECK(figure_file(large, FigureFormat::Pdf, 192, kNotes).cells == CellsForm::Image);
  CHECK(figure_file(small, FigureFormat::Png, 192, kNotes).cells == CellsForm::Image);
}

TEST_CASE("many small heatmaps together become images as well") {
  FigureGrid figure = picture_of(64, {});
  for (int i = 0; i < 4; ++i) {
    CHECK(cells_form(figure) == CellsForm::Rectangles);
    const PlacedPlan copy = figure.plans.front();
    figure.plans.push_back(copy);
  }
  CHECK(cells_form(figure) == CellsForm::Image);
}

TEST_CASE("vector cells reach half a pixel under their neighbours, and never beyond the heatmap") {
  PlannedCells cells;
  cells.rect = {10, 20, 30, 40};
  cells.rows = 2;
  cells.columns = 3;
  CHECK(joined_cell(cells, 0, 0) == Rect{10, 20, 10.5, 20.5});
  CHECK(joined_cell(cells, 0, 2) == Rect{30, 20, 10, 20.5});
  CHECK(joined_cell(cells, 1, 2) == Rect{30, 40, 10, 20});
  cells.separated = true;
  CHECK(joined_cell(cells, 0, 0) == Rect{10, 20, 10, 20});
}

TEST_CASE("the image in an SVG has every cell's colour, enlarged") {
  const FigureGrid figure = picture_of(70, {});
  const std::string svg = file_of(figure, FigureFormat::Svg);
  const PlannedCells& cells = figure.plans.front().plan.cells;
  PngPixels image;
  std::vector<std::uint32_t> pixels;
  const Index by = enlargement(figure);
  CHECK(by == 8);
  image.width = image.height = static_cast<int>(70 * by);
  image.stride = image.width;
  for (Index y = 0; y < image.height; ++y)
    for (Index x = 0; x < image.width; ++x) {
      const Color color = cells.colors[static_cast<std::size_t>(y / by * 70 + x / by)];
      pixels.push_back(std::uint32_t{color.r} << 16 | std::uint32_t{color.g} << 8 | color.b);
    }
  image.pixels = pixels.data();
  CHECK_THAT(svg, ContainsSubstring("base64," + base64(png_file(image)) + "\""));
}

TEST_CASE("the image in a PDF has every cell's colour, enlarged, without a mask and not to be smoothed") {
  const FigureGrid figure = picture_of(70, tokens(70));
  const PlannedCells& cells = figure.plans.front().plan.cells;
  const std::string pdf = file_of(figure, FigureFormat::Pdf);
  CHECK(pdf == file_of(figure, FigureFormat::Pdf));
  CHECK(occurrences(pdf, "/Subtype /Image") == 1);
  CHECK(occurrences(pdf, "/SMask") == 0);
  CHECK(occurrences(pdf, "/FontFile") > 0);  // labels stay text
  const std::size_t begin = pdf.find("/Subtype /Image"), end = pdf.find("stream\n", begin);
  REQUIRE(end != std::string::npos);
  const std::string dictionary = pdf.substr(begin, end - begin);
  const auto by = static_cast<std::size_t>(enlargement(figure)), side = 70 * by;
  for (const char* name : {"/Width ", "/Height "})
    CHECK_THAT(dictionary, ContainsSubstring(name + std::to_string(side)));
  CHECK_THAT(dictionary, ContainsSubstring("/Interpolate false"));
  std::string pixels(3 * side * side, '\0');
  auto size = static_cast<uLongf>(pixels.size());
  REQUIRE(uncompress(reinterpret_cast<Bytef*>(pixels.data()), &size,
                     reinterpret_cast<const Bytef*>(pdf.data()) + end + 7,
                     static_cast<uLong>(pdf.size() - end - 7)) == Z_OK);
  REQUIRE(size == pixels.size());
  std::string expected;
  for (std::size_t y = 0; y < side; ++y)
    for (std::size_t x = 0; x < side; ++x) {
      const Color color = cells.colors[y / by * 70 + x / by];
      for (const std::uint8_t channel : {color.r, color.g, color.b})
        expected += static_cast<char>(channel);
    }
  CHECK((pixels == expected));
}

TEST_CASE("images are enlarged less where there are many cells, and never beyond Cairo's longest side") {
  const auto of = [](Index rows, Index columns) {
    FigureGrid figure;
    PlannedCells& cells = figure.plans.emplace_back().plan.cells;
    cells.rows = rows;
    cells.columns = columns;
    cells.colors.resize(static_cast<std::size_t>(rows * columns));
    return enlargement(figure);
  };
  CHECK(of(70, 70) == 8);
  CHECK(of(1024, 1024) == 2);
  CHECK(of(4096, 4096) == 1);
  CHECK(of(2, 12288) == 2);
  CHECK(of(2, 40000) == 1);
}

TEST_CASE("a PDF refuses a heatmap whose image would be too long, an SVG has it") {
  FigureGrid figure;
  figure.width = figure.height = 100;
  PlannedCells& cells = figure.plans.emplace_back().plan.cells;
  cells.rect = {0, 0, 100, 100};
  cells.rows = 1;
  cells.columns = 32768;
  cells.colors.resize(32768);
  CHECK_THROWS_WITH(file_of(figure, FigureFormat::Pdf), ContainsSubstring("32767"));
  CHECK(occurrences(file_of(figure, FigureFormat::Svg), "<image") == 1);
}

TEST_CASE("a PDF has its fonts inside, fixed dates and the notes") {
  const std::string pdf = file_of(picture_of(6, tokens(6)), FigureFormat::Pdf);
  CHECK(pdf.substr(0, 8) == "%PDF-1.4");
  CHECK(occurrences(pdf, "/FontFile") == 2);  // the font of letters and the font of numbers
  for (const char* part : {"/Title", "20000101000000", "/Creator (Headlight 0)"})
    CHECK_THAT(pdf, ContainsSubstring(part));
}

TEST_CASE("a PNG has its notes and its resolution") {
  const std::string png = file_of(picture_of(6, tokens(6)), FigureFormat::Png);
  CHECK_THAT(png, ContainsSubstring(std::string("tEXtTitle\0weights", 17)));
  CHECK_THAT(png, ContainsSubstring("iTXtSource"));
  CHECK_THAT(png, ContainsSubstring(std::string("tEXtSoftware\0Headlight 0", 24)));
  CHECK_THAT(png, ContainsSubstring(std::string("pHYs\0\0\x1d\x87", 8)));  // 7559 pixels per metre
}

TEST_CASE("1024 x 1024 cells stay below 5 MB in every format") {
  Matrix noise(1024, 1024);
  std::uint32_t state = 1;
  for (Index i = 0; i < noise.size(); ++i) {
    state = state * 1664525u + 1013904223u;
    noise.data()[i] = static_cast<float>(state >> 8) / 16777216.0f;
  }
  const FigureGrid figure = stage_picture({make_tile(Stage::Weights, noise)}, tokens(1024), 1, "",
                                          FigureStyle::light(), pango_measure());
  CHECK(cells_form(figure) == CellsForm::Image);
  for (const FigureFormat format : {FigureFormat::Png, FigureFormat::Svg, FigureFormat::Pdf})
    CHECK(file_of(figure, format).size() < 5'000'000);
}

TEST_CASE("a figure without a background can be seen through") {
  FigureGrid figure = picture_of(2, {});
  figure.background.a = 0;
  const std::string svg = file_of(figure, FigureFormat::Svg);
  CHECK(occurrences(svg, "width=\"" + std::to_string(static_cast<int>(figure.width)) + "\"") == 1);
  const std::string png = png_bytes(figure, 1);
  CHECK(png[25] == '\x06');  // colour type 6: RGB with opacity
  const Pixels pixels(png);
  CHECK(pixels.opacity(0, 0) == 0);
  const Rect cell = figure.plans.front().plan.cell_rect(1, 1);
  const int x = static_cast<int>(figure.plans.front().x + cell.x + 3),
            y = static_cast<int>(figure.plans.front().y + cell.y + 3);
  CHECK(pixels.opacity(x, y) == 255);
  CHECK(pixels.at(x, y) == figure.plans.front().plan.cells.colors[3]);
}

TEST_CASE("a page that is too long is refused by name") {
  FigureGrid figure;
  figure.width = 20000;
  figure.height = 10;
  CHECK_THROWS_AS(file_of(figure, FigureFormat::Pdf), Error);
}

TEST_CASE("a PNG of few colours has a palette, and every pixel comes back") {
  for (const bool has_opacity : {false, true})
    for (const int colors : {2, 256, 300}) {
      std::vector<std::uint32_t> rows;
      for (int i = 0; i < 600; ++i)
        rows.push_back(0xFF000000u | static_cast<std::uint32_t>(i / 2 % colors * 7919));
      PngPixels image;
      image.width = 20;
      image.stride = 20;
      image.height = 30;
      image.pixels = rows.data();
      image.has_opacity = has_opacity;
      const std::string png = png_file(image);
      CHECK((png[25] == '\x03') == (colors <= 256));
      const Pixels pixels(png);
      for (int y = 0; y < 30; ++y)
        for (int x = 0; x < 20; ++x) {
          const std::uint32_t color = rows[static_cast<std::size_t>(y * 20 + x)];
          REQUIRE(pixels.at(x, y) == Color{static_cast<std::uint8_t>(color >> 16),
                                           static_cast<std::uint8_t>(color >> 8),
                                           static_cast<std::uint8_t>(color)});
        }
    }
}

TEST_CASE("a PNG packed in bands has every pixel, and the same bytes on one thread and on several") {
  // Several bands whose borders lie inside enlarged cells; the last band is not full.
  constexpr int kWidth = 1500, kHeight = 2003;
  std::vector<std::uint32_t> rows;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      const auto cell = static_cast<std::uint32_t>(y / 7 * 1000 + x / 3);
      rows.push_back(0xFF000000u | (y > 1900 ? 0 : cell * 2654435761u >> 8));
    }
  for (const bool has_opacity : {false, true}) {
    PngPixels image;
    image.width = image.stride = kWidth;
    image.height = kHeight;
    image.pixels = rows.data();
    image.has_opacity = has_opacity;
    const std::string png = png_file(image);
    const Pixels pixels(png);  // the reader verifies the checksums
    int wrong = 0;
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) {
        const std::uint32_t color = rows[static_cast<std::size_t>(y) * kWidth + static_cast<std::size_t>(x)];
        const Color expected = {static_cast<std::uint8_t>(color >> 16), static_cast<std::uint8_t>(color >> 8),
                                static_cast<std::uint8_t>(color)};
        if (pixels.at(x, y) != expected) ++wrong;
      }
    CHECK(wrong == 0);
    // A nested loop runs on one thread.
    std::vector<std::string> alone(2);
    for_each_index(2, 1e9, [&](Index i) { alone[static_cast<std::size_t>(i)] = png_file(image); });
    CHECK(alone[0] == png);
    CHECK(alone[1] == png);
  }
}

TEST_CASE("base64") {
  CHECK(base64("") == "");
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foobar") == "Zm9vYmFy");
  CHECK(base64(std::string("\xFF\x00\x3E", 3)) == "/wA+");
}

TEST_CASE("a PNG whose rows are made in parts is that of the whole picture") {
  constexpr int kWidth = 9000;
  for (const int colors : {3, 5000})
    for (const int height : {1, 1863, 4001}) {  // one part; one and its end; several
      const auto fill_row = [&](int y, std::uint32_t* to) {
        for (int x = 0; x < kWidth; ++x)
          to[x] = 0xFF000000u | static_cast<std::uint32_t>((x / 50 + y / 7 * 31) % colors);
      };
      std::vector<std::uint32_t> all(static_cast<std::size_t>(kWidth) * static_cast<std::size_t>(height));
      for (int y = 0; y < height; ++y)
        fill_row(y, all.data() + std::ptrdiff_t{y} * kWidth);
      const PngPixels whole = {kWidth, height, kWidth, all.data(), false};
      std::size_t most = 0;
      std::vector<std::uint32_t> part;
      const auto make = [&](int begin, int end) {
        part.assign(static_cast<std::size_t>(kWidth) * static_cast<std::size_t>(end - begin), 0);
        for (int y = begin; y < end; ++y)
          fill_row(y, part.data() + std::ptrdiff_t{y - begin} * kWidth);
        most = std::max(most, part.size() * sizeof(std::uint32_t));
        return PngPixels{kWidth, end - begin, kWidth, part.data(), false};
      };
      INFO(colors << " colours, " << height << " rows");
      const std::string png = png_file(PngRows{kWidth, height, false, make});
      CHECK((png == png_file(whole)));
      CHECK(most <= (std::size_t{1} << 26) + kWidth * sizeof(std::uint32_t));
    }
}

TEST_CASE("a large PNG is painted in parts as it would be as a whole") {
  Matrix noise(60, 60);
  for (Index i = 0; i < noise.size(); ++i)
    noise.data()[i] = static_cast<float>(i * 7919 % 3601) / 3601.0f;
  FigureGrid figure = stage_picture({make_tile(Stage::Weights, noise)}, tokens(60), 1, "",
                                    FigureStyle::light(), pango_measure());
  for (const bool see_through : {false, true}) {
    if (see_through) figure.background.a = 0;
    const double scale = 6200 / std::max(figure.width, figure.height);
    const Pixels parts(png_bytes(figure, scale));
    const FigurePixels whole = figure_pixels(figure, scale);
    REQUIRE(parts.width() == whole.width);
    REQUIRE(parts.height() == whole.height);
    REQUIRE(std::int64_t{whole.width} * whole.height > (std::int64_t{1} << 24));  // more than one part
    std::int64_t other = 0;
    for (int y = 0; y < whole.height; ++y)
      for (int x = 0; x < whole.width; ++x) {
        const Color color = whole.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(whole.width) +
                                         static_cast<std::size_t>(x)];
        const bool same = parts.opacity(x, y) == color.a || !see_through;
        if (!same || (color.a == 255 && !(parts.at(x, y) == color))) ++other;
      }
    CHECK(other == 0);
  }
}
