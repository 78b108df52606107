#include "app/page/page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "app/figure/plan/names.h"
#include "app/page/page_parts.h"
#include "app/page/page_picture.h"
#include "engine/core/digits.h"

namespace headlight {
namespace {

// Each after those that it imports from.
constexpr std::array kLiveModules = {"random.js",  "session.js",  "softmax.js", "layer.js",  "colors.js",
                                     "picture.js", "sentence.js", "trace.js",   "inputs.js", "state.js",
                                     "maps.js",    "panels.js",   "page.js"};
constexpr std::array kStillModules = {"still.js"};
constexpr std::array kStyles = {"page.css", "layer.css"};
constexpr Stage kStage = Stage::Weights;       // that a still page shows
constexpr Index kMostTabled = Index{1} << 14;  // numbers of a picture that stand in a table too
constexpr std::size_t kMostStillJson = std::size_t{4} << 20;  // bytes of the session in a still page

// "it has 512 tokens, and a page computes up to 64".
std::string too_many(Index count, const std::string& what, Index most) {
  return count <= most ? "" : "it has " + what + ", and a page computes up to " + std::to_string(most);
}

// What the page computes: the layer alone. A lesson's steps and answers stay out.
Session layer_of(const Session& session) {
  Session alone = session;
  alone.work = nullptr;
  alone.lesson.reset();
  return alone;
}

Matrix numbers_of(const ComputedSession& computed, Index sequence, Index head) {
  TileRequest request;
  request.stage = kStage;
  request.sequence = sequence;
  request.head = head;
  request.max_rows = computed.layer().token_count();
  request.max_columns = computed.layer().key_count();
  return computed.tile(request).values;
}

Index numbers_shown(const Layer& layer) {
  return layer.sequence_count() * stage_heads(layer, kStage) * layer.token_count() * layer.key_count();
}

template <class Item>
std::string json_list(Index count, Item item) {
  std::string text = "[";
  for (Index i = 0; i < count; ++i)
    text += (i == 0 ? "" : ",") + item(i);
  return text + "]";
}

std::string stage_json(const ComputedSession& computed) {
  const Layer& layer = computed.layer();
  return json_list(layer.sequence_count(), [&](Index sequence) {
    return json_list(stage_heads(layer, kStage), [&](Index head) {
      const Matrix numbers = numbers_of(computed, sequence, head);
      return json_list(numbers.rows(), [&](Index row) {
        return json_list(numbers.cols(), [&](Index column) {
          const float number = numbers(row, column);
          return std::isfinite(number) ? shortest_digits(number) : std::string("null");
        });
      });
    });
  });
}

std::string tables_of(const ComputedSession& computed, const Counting& counting) {
  const Layer& layer = computed.layer();
  if (numbers_shown(layer) > kMostTabled)
    return "<p>" + counted(numbers_shown(layer), "number", "numbers") +
           " are too many for a table here.</p>\n";
  std::string tables;
  for (Index head = 0; head < stage_heads(layer, kStage); ++head) {
    TileRequest shown;
    shown.head = head;
    const std::string caption = figure_title(shown) + ", " + head_name(head, counting);
    tables += html_table(caption, layer.tokens, layer.key_labels(), numbers_of(computed, 0, head));
  }
  return tables;
}

// The figure of all heads of the first sequence.
std::string weights_svg(const Session& session, const ComputedSession& computed) {
  FigureChoice choice;
  choice.part.stage = kStage;
  return figure_svg(choice, computed, session.lesson ? session.lesson->count_from.value_or(0) : 0);
}

// What is seen without the script: the picture and its numbers.
std::string still_content(const Session& session, const ComputedSession& computed, const std::string& said) {
  const Counting counting{session.lesson ? session.lesson->count_from.value_or(0) : 0};
  std::string body = "<div class=\"page\">\n<header><h1><bdi>" + html_text(session.title) + "</bdi></h1>\n";
  if (!session.notes.empty()) body += "<p class=\"notes\"><bdi>" + html_text(session.notes) + "</bdi></p>\n";
  body += "<p class=\"hint\">" + html_text(said) + "</p></header>\n<main><figure class=\"still\">" +
          weights_svg(session, computed) +
          "</figure>\n<details class=\"behind\"><summary>The picture as a table of numbers</summary>\n<div "
          "class=\"scrolled\">" +
          tables_of(computed, counting) +
          "</div></details></main>\n<footer><span>made with Headlight</span></footer>\n</div>\n";
  return body;
}

// Where the page opens: the cell that the lesson looks at.
std::string view_json(const Session& session) {
  if (!session.lesson) return "null";
  const Lesson& lesson = *session.lesson;
  return "{\"head\":" + std::to_string(lesson.head) + ",\"row\":" + std::to_string(lesson.row) +
         ",\"column\":" + std::to_string(lesson.column) +
         ",\"count_from\":" + std::to_string(lesson.count_from.value_or(0)) + "}";
}

std::string still_data(const Session& session, const ComputedSession& computed) {
  const double numbers = number_count(session.layer);
  std::string json = numbers < kMostPageNumbers / 4 ? session_text(layer_of(session)) : "null";
  if (json.size() > kMostStillJson) json = "null";
  const bool few = numbers_shown(computed.layer()) <= 4 * kMostTabled;
  return "{\"session\":" + json + ",\"stages\":" +
         (few ? "{\"" + std::string(stage_info(kStage).name) + "\":" + stage_json(computed) + "}" : "{}") +
         "}";
}

}  // namespace

std::string why_still(const Layer& layer) {
  const Index tokens = std::max(layer.token_count(), layer.key_count());
  const Index width = std::max(layer.d_k(), layer.d_v()), heads = layer.head_count();
  const double numbers = number_count(layer);
  for (const std::string& why :
       {too_many(tokens, counted(tokens, "token", "tokens"), kMostPageTokens),
        too_many(width, counted(width, "number", "numbers") + " a head", kMostPageWidth),
        too_many(heads, counted(heads, "head", "heads"), kMostPageHeads)})
    if (!why.empty()) return why;
  if (numbers <= kMostPageNumbers) return "";
  return "it has " + counted(std::llround(numbers), "number", "numbers") + ", and a page holds up to " +
         counted(std::llround(kMostPageNumbers), "number", "numbers");
}

Page page_of(const Session& session, const ComputedSession& computed, bool still) {
  Page page;
  page.still = why_still(session.layer);
  if (page.still.empty() && still) page.still = "it was asked to";
  const std::string& title = session.title.empty() ? "A layer of attention" : session.title;
  if (!page.still.empty()) {
    const std::string said = "This page stands still: " + page.still + ". Headlight itself computes it.";
    page.html = page_document({title, still_data(session, computed), page_script(kStillModules),
                               page_style(kStyles), still_content(session, computed, said)});
    return page;
  }
  const std::string data =
      "{\"session\":" + session_text(layer_of(session)) + ",\"view\":" + view_json(session) + "}";
  const std::string said = "Without scripts this page stands still: it shows the weights as they were saved.";
  page.html = page_document({title, data, page_script(kLiveModules), page_style(kStyles),
                             "<noscript>\n" + still_content(session, computed, said) + "</noscript>\n"});
  return page;
}

}  // namespace headlight
