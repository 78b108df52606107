#include "app/lesson_text/lesson_labels.h"

#include <algorithm>
#include <array>

#include "app/figure/plan/heatmap_figure.h"
#include "app/figure/plan/names.h"
#include "engine/core/ascii.h"
#include "engine/core/nearest.h"
#include "engine/views/query.h"

namespace headlight {
namespace {

struct LabelInfo {
  const char *key, *english;
};

constexpr std::array<LabelInfo, static_cast<std::size_t>(LessonLabel::Count)> kLabels = {
    {{"lesson", "Lesson"},
     {"step", "step"},
     {"of", "of"},
     {"back", "Back"},
     {"next", "Next"},
     {"restore", "Restore"},
     {"own_again",
      "This step begins with the lesson's own wish and weights: what the step before added is taken back."},
     {"question", "A question"},
     {"draw_guess", "Draw your guess"},
     {"mark_guess", "Mark your guess"},
     {"try", "Something to try"},
     {"drag_bars", "Drag the bars, or use Tab and the arrow keys."},
     {"mark_cells", "Click the cells, or their names for whole rows and columns, then press See it."},
     {"mark_in_picture", "Mark the cells in the picture."},
     {"choose_word",
      "Choose a word, here or by its cell in the marked row of the picture, then press See it."},
     {"choose_word_by_row", "Choose a word, here or by its row in the picture, then press See it."},
     {"click_cell", "Click the cell in the large picture."},
     {"answer", "Answer"},
     {"see", "See it"},
     {"do", "Do it"},
     {"done", "Done"},
     {"skip", "Skip"},
     {"right", "Right"},
     {"not_quite", "Not quite"},
     {"right_marks", "right"},
     {"wrong_marks", "wrong"},
     {"missed_marks", "missed"},
     {"the_answer", "The answer"},
     {"you_guessed", "You guessed"},
     {"you_clicked", "You clicked"},
     {"you_chose", "You chose"},
     {"the_numbers", "the numbers"},
     {"ask_again", "Ask again"},
     {"at_first", "at first"},
     {"equally", "and equally"},
     {"answers", "Answers"},
     {"what_next", "What next"},
     {"save_answers", "Save my answers"},
     {"all", "all"},
     {"another_version", "another version"},
     {"cells_legend", "numbers: how many marked the cell  ·  framed: right"},
     {"bars_legend", "thin marks: guesses  ·  red: their mean  ·  blue: right"},
     {"dimension", "dimension"},
     {"dropped", "dropped"},
     {"forbidden", "forbidden"},
     {"given_answer", "answer"},
     {"head", "head"},
     {"hidden_by_mask", "hidden by the mask"},
     {"inputs", "Inputs"},
     {"in_all", "in all"},
     {"key", "key"},
     {"masked", "masked"},
     {"matrices", "Weight matrices"},
     {"mean", "mean"},
     {"name", "name"},
     {"no_answer", "no answer"},
     {"none", "none"},
     {"not_tried", "not tried"},
     {"query", "query"},
     {"token", "token"},
     {"value", "value of a dimension"}}};

constexpr std::array kOfFigures = {LessonLabel::Query,       LessonLabel::Key,   LessonLabel::Token,
                                   LessonLabel::Dimension,   LessonLabel::Value, LessonLabel::Head,
                                   LessonLabel::HiddenByMask};

// Begins the keys of the names of stages: "stage_weights".
constexpr std::string_view kStageKey = "stage_";

const LabelInfo& info_of(LessonLabel label) {
  return kLabels[static_cast<std::size_t>(label)];
}

std::string stage_key(Stage stage) {
  return std::string(kStageKey) + std::string(stage_info(stage).name);
}

}  // namespace

const LessonLanguage& english() {
  static const LessonLanguage kEnglish;
  return kEnglish;
}

const LessonLanguage& language_of(const Session& session) {
  return session.lesson ? session.lesson->language : english();
}

std::string label_text(const LessonLanguage& language, LessonLabel label) {
  const auto own = language.labels.find(info_of(label).key);
  return own == language.labels.end() ? info_of(label).english : own->second;
}

bool has_label(const LessonLanguage& language, LessonLabel label) {
  return language.labels.contains(info_of(label).key);
}

std::string stage_label(const LessonLanguage& language, Stage stage) {
  const auto own = language.labels.find(stage_key(stage));
  return own == language.labels.end() ? "" : own->second;
}

std::string stage_word(const LessonLanguage& language, Stage stage) {
  const std::string own = stage_label(language, stage);
  return own.empty() ? std::string(stage_info(stage).name) : own;
}

std::map<std::string, std::string> figure_words(const LessonLanguage& language) {
  std::map<std::string, std::string> words;
  if (language.is_english()) return words;
  for (const LessonLabel label : kOfFigures)
    words[label_text(english(), label)] = label_text(language, label);
  for (const StageInfo& info : stage_table()) {
    TileRequest request;
    request.stage = info.stage;
    const std::string own = stage_label(language, info.stage);
    if (own.empty()) continue;
    words[figure_title(request)] = own;
    if (is_pair(info.stage)) words[bar_title(request)] = own;
  }
  return words;
}

std::vector<std::string> label_keys() {
  std::vector<std::string> keys;
  keys.reserve(std::size(kLabels) + stage_table().size());
  for (const LabelInfo& label : kLabels)
    keys.emplace_back(label.key);
  for (const StageInfo& info : stage_table())
    keys.push_back(stage_key(info.stage));
  return keys;
}

std::vector<std::string> label_faults(const LessonLanguage& language) {
  std::vector<std::string> faults;
  const std::vector<std::string> keys = label_keys();
  for (const auto& [key, words] : language.labels) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      faults.push_back("there is no label " + in_quotes(key) + ": " + nearest_of(key, keys));
    else if (words.empty())
      faults.push_back("the label " + in_quotes(key) + " has no words: leave it out, or write some");
  }
  for (const auto& [term, meaning] : language.glossary)
    if (term.empty() || meaning.empty())
      faults.push_back("the glossary has " + in_quotes(term) + " without " +
                       (term.empty() ? "a term" : "a meaning") + ": leave it out, or write one");
  return faults;
}

std::string localized(const LessonLanguage& language, std::string numbers) {
  if (!language.decimal_comma) return numbers;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] == ',' && numbers.compare(i, 2, ", ") == 0) numbers[i] = ';';
    if (numbers[i] == '.' && i > 0 && is_digit(numbers[i - 1]) && i + 1 < numbers.size() &&
        is_digit(numbers[i + 1]))
      numbers[i] = ',';
  }
  return numbers;
}

}  // namespace headlight
