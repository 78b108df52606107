#include "app/report/report_page.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "app/figure/paint/base64.h"
#include "app/figure/paint/cairo_painter.h"
#include "app/figure/paint/pdf_painter.h"
#include "app/figure/paint/png_picture.h"
#include "app/handout/page_setter.h"
#include "app/page/page_parts.h"
#include "app/terminal/manual_page.h"
#include "engine/core/ascii.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr std::string_view kStyle =
    "body{font:16px/1.5 sans-serif;max-width:52rem;margin:2rem auto;padding:0 "
    "1rem;color:#1b1f24;background:#fff}"
    "img{max-width:100%;height:auto}table{border-collapse:collapse}"
    "th,td{border:1px solid #c8ced6;padding:.2rem .6rem;text-align:left}"
    "pre{background:#f3f5f7;padding:.6rem;overflow-x:auto;white-space:pre-wrap}\n";

const ReportFile* file_named(const Report& report, const std::string& name) {
  const auto found = std::find_if(report.files.begin(), report.files.end(),
                                  [&](const ReportFile& file) { return file.name == name; });
  return found == report.files.end() ? nullptr : &*found;
}

// The type of a picture by its ending; "" for what is no picture.
std::string media_type(const std::string& name) {
  const std::string lower = lowered(name);
  if (lower.ends_with(".png")) return "image/png";
  if (lower.ends_with(".svg")) return "image/svg+xml";
  if (lower.ends_with(".jpg") || lower.ends_with(".jpeg")) return "image/jpeg";
  return "";
}

std::string missing_picture(const ManualBlock& block) {
  return "[the picture " + block.file + " is not in the report: " + plain_text(block.text) + "]";
}

const char* tag_of(ManualStyle style) {
  switch (style) {
    case ManualStyle::Plain:
      return "";
    case ManualStyle::Strong:
      return "strong";
    case ManualStyle::Emphasis:
      return "em";
    case ManualStyle::Code:
      return "code";
  }
  return "";
}

// Other addresses, such as those of scripts, stay text.
bool is_web_address(const std::string& link) {
  return link.starts_with("https://") || link.starts_with("http://");
}

std::string html_runs(const ManualText& text) {
  std::string html;
  for (const ManualRun& run : text) {
    const std::string tag = tag_of(run.style);
    const bool linked = is_web_address(run.link);
    if (linked) html.append("<a rel=\"noreferrer\" href=\"").append(html_text(run.link)).append("\">");
    if (!tag.empty()) html.append("<").append(tag).append(">");
    html += html_text(run.text);
    if (!tag.empty()) html.append("</").append(tag).append(">");
    if (linked) html += "</a>";
  }
  return html;
}

std::string html_rows(const ManualBlock& block) {
  std::string html = "<table>\n";
  for (std::size_t row = 0; row < block.rows.size(); ++row) {
    const char* const cell = row == 0 ? "th" : "td";
    html += "<tr>";
    for (const ManualText& text : block.rows[row])
      html += std::string("<") + cell + ">" + html_runs(text) + "</" + cell + ">";
    html += "</tr>\n";
  }
  return html + "</table>\n";
}

std::string html_picture(const Report& report, const ManualBlock& block) {
  const ReportFile* const file = file_named(report, block.file);
  const std::string type = media_type(block.file);
  if (!file || type.empty()) return "<p>" + html_text(missing_picture(block)) + "</p>\n";
  return "<p><img alt=\"" + html_text(plain_text(block.text)) + "\" src=\"data:" + type + ";base64," +
         base64(file->bytes) + "\"></p>\n";
}

std::string html_block(const Report& report, const ManualBlock& block) {
  switch (block.kind) {
    case ManualBlock::Kind::Heading: {
      const std::string level = "h" + std::to_string(std::clamp(block.level, 1, 6));
      return "<" + level + ">" + html_runs(block.text) + "</" + level + ">\n";
    }
    case ManualBlock::Kind::Paragraph:
      return "<p>" + html_runs(block.text) + "</p>\n";
    case ManualBlock::Kind::Item:
      return "<p style=\"margin-left:" + std::to_string(std::clamp(block.level, 1, 8) * 2 - 1) + "rem\">" +
             html_text(block.bullet) + " " + html_runs(block.text) + "</p>\n";
    case ManualBlock::Kind::Code:
      return "<pre><code>" + html_runs(block.text) + "</code></pre>\n";
    case ManualBlock::Kind::Table:
      return html_rows(block);
    case ManualBlock::Kind::Picture:
      return html_picture(report, block);
  }
  return "";
}

// The pixels, as wide as the text at most, and as high as a page.
FigureGrid picture_figure(const PngPicture& picture, const FigureStyle& style) {
  constexpr double kPixelsOfPicture = 2;  // pictures of a report are made for twice the planned resolution
  constexpr double kMostHeight = kPageHeight - 2 * kPageMargin;
  double width = picture.width / kPixelsOfPicture, height = picture.height / kPixelsOfPicture;
  const double scale = std::min({1.0, kTextWidth / width, kMostHeight / height});
  width *= scale;
  height *= scale;
  HeatmapPlan plan;
  plan.width = width;
  plan.height = height;
  plan.background = style.background;
  plan.cells.rect = {0, 0, width, height};
  plan.cells.rows = picture.height;
  plan.cells.columns = picture.width;
  plan.cells.colors = picture.pixels;
  FigureGrid figure;
  figure.width = width;
  figure.height = height;
  figure.background = style.background;
  figure.fonts = style.fonts;
  figure.plans.push_back({0, 0, std::move(plan)});
  return figure;
}

// The picture, or null if it is none that can be drawn on paper.
std::optional<PngPicture> png_in(const Report& report, const std::string& name) {
  const ReportFile* const file = file_named(report, name);
  if (!file || media_type(name) != "image/png") return std::nullopt;
  return png_of_bytes(file->bytes, name);
}

void set_picture(PageSetter& pages, const Report& report, const ManualBlock& block) {
  constexpr double kAbove = 10;
  if (const std::optional<PngPicture> picture = png_in(report, block.file))
    return pages.picture(picture_figure(*picture, pages.style()), kAbove);
  const bool there = file_named(report, block.file) != nullptr;
  pages.paragraph(there ? "[" + block.file + ": only PNG pictures are in a PDF]" : missing_picture(block),
                  {.quiet = true});
}

std::string row_in_words(const std::vector<ManualText>& row) {
  std::string line;
  for (const ManualText& cell : row)
    line += (line.empty() ? "" : "   ·   ") + plain_text(cell);
  return line;
}

void set_block(PageSetter& pages, const Report& report, const ManualBlock& block) {
  constexpr double kSmall = 12, kIndent = 18, kHeadings[] = {24, 19, 16};
  switch (block.kind) {
    case ManualBlock::Kind::Heading:
      return pages.paragraph(plain_text(block.text), {.size_px = kHeadings[std::clamp(block.level, 1, 3) - 1],
                                                      .space_above_px = 18,
                                                      .keep_with_next_px = 60});
    case ManualBlock::Kind::Paragraph:
      return pages.paragraph(plain_text(block.text), {});
    case ManualBlock::Kind::Item:
      return pages.paragraph(block.bullet + " " + plain_text(block.text),
                             {.indent_px = kIndent * block.level});
    case ManualBlock::Kind::Code:
      return pages.paragraph(plain_text(block.text),
                             {.size_px = kSmall, .quiet = true, .indent_px = kIndent});
    case ManualBlock::Kind::Table:
      for (const std::vector<ManualText>& row : block.rows)
        pages.paragraph(row_in_words(row), {.size_px = kSmall, .space_above_px = 3});
      return;
    case ManualBlock::Kind::Picture:
      return set_picture(pages, report, block);
  }
}

}  // namespace

std::string report_html(const Report& report) {
  const ManualPage page = parse_manual_page("Report", report.text);
  PageParts parts;
  parts.title = page.title();
  parts.data = "{}";
  parts.style = kStyle;
  parts.body = "<main>\n";
  for (const ManualBlock& block : page.blocks)
    parts.body += html_block(report, block);
  parts.body += "</main>\n";
  return page_document(parts);
}

std::string report_pdf(const Report& report, const std::string& program) {
  const FigureStyle style = FigureStyle::light();
  const MeasureText measure = pango_measure(style.fonts);
  const ManualPage page = parse_manual_page("Report", report.text);
  PageSetter pages(style, measure);
  for (const ManualBlock& block : page.blocks)
    set_block(pages, report, block);
  return pdf_bytes(pages.take(page.title(), "of"), {page.title(), "", program});
}

}  // namespace headlight
