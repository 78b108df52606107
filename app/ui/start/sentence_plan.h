// The layout of a text as one line of large type: its tokens, the beams from one of them to those that it
// attends to, and where a hand that pulls one of them is. Computed, not painted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/figure/plan/heatmap_plan.h"
#include "engine/core/matrix.h"

namespace headlight {

// A token as it is to be laid out. `width`: with an em of one pixel.
struct SentenceToken {
  double width = 0;
  bool continues = false;  // stands close to the token before it: both are pieces of one word
};

// In pixels: the place for the whole drawing, device pixels per planned pixel, and the largest type.
struct SentenceArea {
  Rect place;
  double scale = 1;
  double type_px = 28;      // the em, as in SentencePlan
  double label_px = 16;     // height of a row of labels below the words
  double label_width = 34;  // of the widest label
};

struct SentencePlan {
  double type_px = 0;       // chosen size of the type: its em
  Index first = 0;          // the first token that is shown: a text that is too long loses its beginning
  std::vector<Rect> words;  // of tokens from `first` on
  std::vector<Rect> lines;  // the lines of words, from the top
  Rect place;               // for everything
  double beam_room = 0;     // free height above each line
  double label_px = 0;      // height of a row of labels; the rows are below each line
  int label_rows = 1;

  Index count() const { return static_cast<Index>(words.size()); }
  bool shows(Index token) const { return token >= first && token < first + count(); }
  const Rect& word(Index token) const { return words[static_cast<std::size_t>(token - first)]; }
  std::size_t line(Index token) const;  // of `lines`
};

// Words in centred lines, at the largest size of 28, 24, 20 and 16 planned pixels (at most type_px) with
// which all fit; if none does, as many of the last words as fit at the smallest. Every word lies inside
// `area.place`, and beside several lines there is a margin for beams. Narrow words get up to three rows of
// labels where there is room. No words, or no room: an empty plan.
SentencePlan plan_sentence(const std::vector<SentenceToken>& tokens, const SentenceArea& area);

// Tokens side by side on one line, from the left; of more than fit, those around one of them.
struct TokenLine {
  Index first = 0;
  std::vector<Rect> words;  // of tokens from `first` on
  bool more_before = false, more_behind = false;
  bool from_right = false;
};

// type_px: the em. Every word lies inside `place`; the token `around` is shown if it fits beside the marks
// of what is left out. No words or
// no room: an empty line.
TokenLine plan_token_line(const std::vector<SentenceToken>& tokens, const Rect& place, double type_px,
                          Index around);

// The line laid out from the right, for scripts that are read from right to left.
TokenLine from_right(TokenLine line, const Rect& place);

// The line as a plan for beams in the free height above its words. `place`: for words, beams, and one row of
// labels below the words.
SentencePlan plan_of_line(const TokenLine& line, const Rect& place, double type_px, double label_px);

// A beam from the query's word to a key's word, a chain of cubic curves: point 3 i is shared by two curves,
// the two points behind it are the control points of the next one. Within a line it is an arc above the line,
// from the top of one word to the top of the other; to a word of another line it goes around the ends of the
// lines between; from a word to itself it is a loop below the word. Thus no beam crosses a word.
struct SentenceBeam {
  Index key = 0;
  float weight = 0;
  double width = 0;           // of the line: proportional to the weight (of loops: to a maximum), at least 1
  std::vector<Point> path;    // from the query's word to the key's
  std::optional<Rect> label;  // of the weight's text, below the key's word
  bool supposed = false;      // of a weight that is only supposed: it is dashed

  const Point& end() const { return path.back(); }
};

struct SentenceBeams {
  std::vector<SentenceBeam> beams;  // the faintest first
  // Labels that would cover others are left out: those of this weight and below, apart from the query's own.
  // nullopt: none is left out.
  std::optional<float> unlabelled;
};

// The smallest weight that is drawn as a beam.
inline constexpr float kLeastBeam = 0.02f;

// Beams of the weights (one per token). `label`: size of a weight's text. Precondition: the plan shows the
// query.
SentenceBeams plan_beams(const SentencePlan& plan, const Eigen::RowVectorXf& weights, Index query,
                         double scale, double label_width, double label_height);

// The point of a beam at t, from 0 (the query) to 1 (the key).
Point beam_point(const SentenceBeam& beam, double t);
// The part of a beam from the query to its point at t.
SentenceBeam grown_beam(const SentenceBeam& beam, double t);
// A beam as points that are joined by straight lines.
std::vector<Point> beam_points(const SentenceBeam& beam);
// Cuts a chain of points into dashes, at both ends one, with equal gaps of about their length; whole if it is
// too short for that. In pixels.
std::vector<std::vector<Point>> dashes_of(const std::vector<Point>& points, double dash);

// The beam that is nearest to a point, at most `reach` pixels from its edge; nullptr if there is none.
const SentenceBeam* beam_under(const SentenceBeams& beams, const Point& at, double reach);
// Where a point is among the keys that are shown, up to key `last`: on the middle half of a word it is at
// that key, between two words of a line between both. Precondition: the plan shows the query, and `last` is
// not before its first token.
double key_place(const SentencePlan& plan, Index last, const Point& at);

}  // namespace headlight
