#include "app/ui/start/sentence_figure.h"

#include <algorithm>
#include <cmath>

#include "app/figure/plan/label_text.h"
#include "app/figure/plan/share_text.h"
#include "app/ui/start/sentence_plan.h"
#include "app/ui/start/sentence_words.h"

namespace headlight {
namespace {

// For labels of 12 px.
constexpr double kWidth = 1000, kPadding = 24, kType = 28, kLabels = 18, kLeastWords = 180, kMostWords = 4000;
constexpr double kRankLine = 26, kRankWord = 90, kRankBar = 240, kRankShare = 56;
constexpr std::size_t kMostRanks = 3;

struct Sheet {
  const TextReading& reading;
  const SentenceShown& shown;
  const FigureStyle& style;
  const MeasureText& measure;
  Drawing drawing;

  double px(double planned) const { return scaled_px(style, planned); }
  std::string word(Index token) const {
    return sentence_word(reading.labels[static_cast<std::size_t>(token)]);
  }
};

// The colour over the background, without transparency: parts of a curve overlap where they meet.
Color faded(Color color, Color background, double opacity) {
  const auto mixed = [opacity](std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>(std::lround(opacity * a + (1 - opacity) * b));
  };
  return {mixed(color.r, background.r), mixed(color.g, background.g), mixed(color.b, background.b), 255};
}

// In as high a place as all words need.
SentencePlan plan_words(const Sheet& sheet, double top) {
  constexpr double kEm = 100;
  std::vector<SentenceToken> tokens;
  for (Index token = 0; token < sheet.reading.token_count(); ++token)
    tokens.push_back({sheet.measure(sheet.word(token), kEm, FontFace::Text).width / kEm,
                      sheet.reading.continues[static_cast<std::size_t>(token)]});
  SentencePlan plan;
  for (double height = sheet.px(kLeastWords); height <= sheet.px(kMostWords); height *= 1.3) {
    SentenceArea area;
    area.place = {sheet.px(kPadding), top, sheet.px(kWidth - 2 * kPadding), height};
    area.scale = sheet.px(1);
    area.type_px = sheet.px(kType);
    area.label_px = sheet.px(kLabels);
    area.label_width = sheet.measure("100 %", sheet.style.label_size_px, FontFace::Text).width;
    plan = plan_sentence(tokens, area);
    if (plan.count() == sheet.reading.token_count()) break;
  }
  return plan;
}

// Each part reaches into the next one: at the outer side of a bend two butt ends leave a gap.
void add_dashes(Sheet& sheet, const SentenceBeam& beam, Color color) {
  for (const std::vector<Point>& dash : dashes_of(beam_points(beam), sheet.px(6) + beam.width / 2))
    for (std::size_t i = 0; i + 1 < dash.size(); ++i) {
      const Point &from = dash[i], &to = dash[std::min(i + 2, dash.size() - 1)];
      sheet.drawing.strokes.push_back({from.x, from.y, to.x, to.y, beam.width, color});
    }
}

void add_beam(Sheet& sheet, const SentenceBeam& beam) {
  constexpr double kFaintest = 0.35;
  constexpr int kSegments = 64;  // of each cubic curve
  const Color color =
      faded(sheet.style.series.front(), sheet.style.background,
            kFaintest + (1 - kFaintest) * std::min(1.0, static_cast<double>(beam.weight) * 1.5));
  const int count = kSegments * static_cast<int>(beam.path.size() / 3);
  if (beam.supposed) add_dashes(sheet, beam, color);
  for (int i = 0; !beam.supposed && i < count; ++i) {
    // Each part reaches into the next one: at the outer side of a bend two butt ends leave a gap.
    constexpr double kReach = 1.5;
    const Point from = beam_point(beam, static_cast<double>(i) / count);
    const Point to = beam_point(beam, std::min(1.0, (i + kReach) / count));
    sheet.drawing.strokes.push_back({from.x, from.y, to.x, to.y, beam.width, color});
  }
  if (!beam.label) return;
  sheet.drawing.texts.push_back(
      planned_label(sheet.style, share_text(double{beam.weight}), beam.label->x + beam.label->width / 2,
                    beam.label->y + sheet.px(kLabels) / 2, Anchor::Middle, sheet.style.series.front()));
}

void add_words(Sheet& sheet, const SentencePlan& plan) {
  const double thin = sheet.px(1);
  for (Index token = plan.first; token < plan.first + plan.count(); ++token) {
    const Rect& word = plan.word(token);
    const bool asks = token == sheet.shown.query;
    const Color ink = asks                               ? sheet.style.accent
                      : is_quiet_word(sheet.word(token)) ? sheet.style.quiet_text
                                                         : sheet.style.text;
    sheet.drawing.texts.push_back({sheet.word(token), word.x, word.y + word.height / 2, plan.type_px, 0,
                                   FontFace::Text, Anchor::Start, ink});
    if (asks)
      sheet.drawing.fills.push_back({{word.x, word.bottom() - thin, word.width, 3 * thin}, ink});
    else if (is_in_pieces(sheet.reading, token))
      sheet.drawing.fills.push_back(
          {{word.x, word.bottom() - thin, word.width, thin}, sheet.style.quiet_text});
  }
}

// The next words with bars on 0 to 100 %. Returns the y below them.
double add_next_words(Sheet& sheet, double top) {
  const auto query = static_cast<std::size_t>(sheet.shown.query);
  if (sheet.reading.next.empty()) return top;
  const FigureStyle& style = sheet.style;
  const double left = sheet.px((kWidth - 2 * kRankWord - kRankBar - kRankShare) / 2);
  const std::size_t count = std::min(kMostRanks, sheet.reading.next[query].size());
  const bool last = sheet.shown.query + 1 == sheet.reading.token_count();
  const double word = sheet.px(kRankWord), bar = sheet.px(kRankBar), thick = sheet.px(12);
  const auto shorter = [&](const std::string& text) {
    return shortened(text, word - sheet.px(8), style.label_size_px, sheet.measure);
  };
  sheet.drawing.texts.push_back(
      planned_label(style,
                    shorter(sheet.reading.supposed ? "next, if so"
                            : last                 ? "next word"
                                                   : "after “" + sheet.word(sheet.shown.query) + "”"),
                    left, top + sheet.px(kRankLine) / 2, Anchor::Start, style.quiet_text));
  for (std::size_t rank = 0; rank < count; ++rank) {
    const double probability = sheet.reading.next[query][rank].probability;
    const double middle = top + sheet.px(kRankLine) * (static_cast<double>(rank) + 0.5);
    const Rect track = {left + 2 * word, middle - thick / 2, bar, thick};
    sheet.drawing.texts.push_back(planned_label(style,
                                                shorter(sentence_word(sheet.reading.names[query][rank])),
                                                left + word, middle, Anchor::Start, style.text));
    sheet.drawing.fills.push_back({track, faded(style.line, style.background, 0.5)});
    sheet.drawing.fills.push_back(
        {{track.x, track.y, std::max(1.0, bar * probability), thick}, style.series.front()});
    sheet.drawing.texts.push_back(planned_label(style, share_text(probability),
                                                track.right() + sheet.px(kRankShare), middle, Anchor::End,
                                                style.text));
  }
  return top + sheet.px(kRankLine) * static_cast<double>(count);
}

}  // namespace

FigureGrid sentence_figure(const TextReading& reading, const SentenceShown& shown, Counting counting,
                           const FigureStyle& style, const MeasureText& measure) {
  Sheet sheet{reading, shown, style, measure, {}};
  FigureGrid figure;
  figure.background = style.background;
  figure.fonts = style.fonts;
  figure.title = reading.supposed
                     ? supposed_text(reading, counting).looks
                     : "Where “" + sheet.word(shown.query) + "” looks: " + head_text(shown.head, counting);
  const double pad = sheet.px(kPadding), title = line_height(style.title_size_px);
  figure.texts.push_back({figure.title, pad, pad + title / 2, style.title_size_px, 0, FontFace::Text,
                          Anchor::Start, style.text});
  const SentencePlan plan = plan_words(sheet, pad + title + sheet.px(8));
  double bottom = pad + title;
  if (plan.count() > 0) {
    const double label = measure("100 %", style.label_size_px, FontFace::Text).width;
    if (plan.shows(shown.query))
      for (SentenceBeam& beam : plan_beams(plan, reading.weights_of(shown.query, shown.head), shown.query,
                                           sheet.px(1), label, style.label_size_px)
                                    .beams) {
        beam.supposed = reading.supposed && reading.supposed->part(beam.key) > 0;
        add_beam(sheet, beam);
      }
    add_words(sheet, plan);
    bottom = plan.lines.back().bottom() + plan.label_px * plan.label_rows;
  }
  figure.width = sheet.px(kWidth);
  figure.height = add_next_words(sheet, bottom + sheet.px(16)) + pad;
  figure.drawings.push_back({0, 0, std::move(sheet.drawing)});
  return figure;
}

}  // namespace headlight
