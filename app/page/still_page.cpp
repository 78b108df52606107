#include "app/page/still_page.h"

#include <array>
#include <cmath>
#include <vector>

#include "app/figure/plan/names.h"
#include "app/page/page.h"
#include "app/page/page_parts.h"
#include "app/page/page_picture.h"
#include "engine/core/digits.h"

namespace headlight {
namespace {

constexpr std::array kStillModules = {"still.js"};
constexpr std::array kStillLayerStyles = {"page.css", "layer.css"};
constexpr Stage kStage = Stage::Weights;       // that a still page shows
constexpr Index kMostTabled = Index{1} << 14;  // numbers of a picture that stand in a table too
constexpr std::size_t kMostStillJson = std::size_t{4} << 20;  // bytes of the session in a still page

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

// The figure of all heads of the first sequence.
std::string weights_svg(const Session& session, const ComputedSession& computed) {
  FigureChoice choice;
  choice.part.stage = kStage;
  return figure_svg(choice, computed, session.lesson ? session.lesson->count_from.value_or(0) : 0);
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

std::string still_data(const Session& session, const ComputedSession& computed) {
  const double numbers = number_count(session.layer);
  std::string json = numbers < kMostPageNumbers / 4 ? layer_text(session) : "null";
  if (json.size() > kMostStillJson) json = "null";
  const bool few = numbers_shown(computed.layer()) <= 4 * kMostTabled;
  return "{\"session\":" + json + ",\"stages\":" +
         (few ? "{\"" + std::string(stage_info(kStage).name) + "\":" + stage_json(computed) + "}" : "{}") +
         "}";
}

}  // namespace

std::string page_title(const Session& session) {
  return session.title.empty() ? "A layer of attention" : session.title;
}

std::string layer_text(const Session& session) {
  Session alone = session;
  alone.work = nullptr;
  alone.lesson.reset();
  return session_text(alone);
}

std::string still_content(const Session& session, const ComputedSession& computed, const std::string& said,
                          const std::string& more) {
  const Counting counting{session.lesson ? session.lesson->count_from.value_or(0) : 0};
  std::string body =
      "<div class=\"page\">\n<header><h1><bdi>" + html_text(page_title(session)) + "</bdi></h1>\n";
  if (!session.notes.empty()) body += "<p class=\"notes\"><bdi>" + html_text(session.notes) + "</bdi></p>\n";
  body += "<p class=\"hint\">" + html_text(said) + "</p></header>\n<main><figure class=\"still\">" +
          weights_svg(session, computed) + "</figure>\n" + more +
          "<details class=\"behind\"><summary>The picture as a table of numbers</summary>\n<div "
          "class=\"scrolled\">" +
          tables_of(computed, counting) +
          "</div></details></main>\n<footer><span>made with Headlight</span></footer>\n</div>\n";
  return body;
}

std::string still_words(const std::string& why) {
  return "This page stands still: " + why + ". Headlight itself computes it.";
}

std::string still_page(const Session& session, const ComputedSession& computed, const std::string& why,
                       const std::string& more) {
  return page_document({page_title(session), still_data(session, computed), page_script(kStillModules),
                        page_style(kStillLayerStyles),
                        still_content(session, computed, still_words(why), more)});
}

}  // namespace headlight
