#include "app/page/page.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/page/page_parts.h"
#include "app/page/script_compaction.h"
#include "app/page/still_page.h"
#include "engine/core/digits.h"

namespace headlight {
namespace {

// Each after those that it imports from.
constexpr std::array kLiveModules = {
    "random.js",   "session.js", "softmax.js", "layer.js",          "colors.js", "picture.js",
    "sentence.js", "frame.js",   "copying.js", "trace.js",          "inputs.js", "state.js",
    "views.js",    "maps.js",    "panels.js",  "layer_settings.js", "page.js"};
constexpr std::array kStyles = {"page.css", "layer.css"};

// "it has 512 tokens, and a page computes up to 64".
std::string too_many(Index count, const std::string& what, Index most) {
  return count <= most ? "" : "it has " + what + ", and a page computes up to " + std::to_string(most);
}

// Where the page opens: the cell that the lesson looks at.
std::string view_json(const Session& session) {
  if (!session.lesson) return "null";
  const Lesson& lesson = *session.lesson;
  return "{\"head\":" + std::to_string(lesson.head) + ",\"row\":" + std::to_string(lesson.row) +
         ",\"column\":" + std::to_string(lesson.column) +
         ",\"count_from\":" + std::to_string(lesson.count_from.value_or(0)) + "}";
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
  if (!page.still.empty()) {
    page.html = still_page(session, computed, page.still);
    return page;
  }
  const std::string data = "{\"session\":" + layer_text(session) + ",\"view\":" + view_json(session) + "}";
  page.html = page_document(
      {page_title(session), data, compact_script(page_script(kLiveModules)), page_style(kStyles),
       "<noscript>\n" + still_content(session, computed, kWithoutScripts) + "</noscript>\n"});
  return page;
}

}  // namespace headlight
