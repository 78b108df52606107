#include "app/handout/figure_words.h"

#include <algorithm>
#include <map>

#include "app/figure/plan/hatching.h"
#include "app/figure/plan/heatmap_figure.h"
#include "app/figure/plan/names.h"
#include "app/lesson_text/lesson_labels.h"
#include "engine/views/query.h"

namespace headlight {
namespace {

// "head 2" with the language's word.
std::string with_head(const LessonLanguage& language, std::string text) {
  const std::string english_head = label_text(english(), LessonLabel::Head) + " ";
  const std::size_t at = text.find(english_head);
  const std::size_t digit = at + english_head.size();
  const bool begins = at == 0 || (at != std::string::npos && text[at - 1] == ' ');
  if (begins && digit < text.size() && text[digit] >= '0' && text[digit] <= '9')
    text.replace(at, english_head.size() - 1, label_text(language, LessonLabel::Head));
  return text;
}

// A title begins with that of its stage: "Attention weights, head 1". The longest that fits is the right one.
std::string with_stage(const LessonLanguage& language, const std::string& text) {
  std::string english_title, title;
  for (const StageInfo& info : stage_table()) {
    TileRequest request;
    request.stage = info.stage;
    const std::string of_stage = figure_title(request), own = stage_label(language, info.stage);
    if (own.empty() || !text.starts_with(of_stage) || of_stage.size() <= english_title.size()) continue;
    english_title = of_stage;
    title = own;
  }
  return title + text.substr(english_title.size());
}

std::string said_in(const LessonLanguage& language, const std::string& text) {
  const std::map<std::string, std::string> axes = axis_words(language);
  if (const auto words = axes.find(text); words != axes.end()) return words->second;
  if (text == kHiddenByMask) return label_text(language, LessonLabel::HiddenByMask);
  return with_head(language, with_stage(language, text));
}

void put_into(const LessonLanguage& language, const std::vector<std::string>& labels,
              std::vector<PlannedText>& texts) {
  for (PlannedText& text : texts) {
    if (text.face == FontFace::Number)
      text.text = localized(language, text.text);
    else if (std::find(labels.begin(), labels.end(), text.text) == labels.end())
      text.text = said_in(language, text.text);
  }
}

}  // namespace

void put_into(const LessonLanguage& language, const std::vector<std::string>& labels, FigureGrid& figure) {
  if (language.is_english()) return;
  put_into(language, labels, figure.texts);
  for (PlacedPlan& placed : figure.plans)
    put_into(language, labels, placed.plan.texts);
  for (PlacedDrawing& placed : figure.drawings)
    put_into(language, labels, placed.drawing.texts);
}

}  // namespace headlight
