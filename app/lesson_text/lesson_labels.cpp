#include "app/lesson_text/lesson_labels.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "engine/core/nearest.h"

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
     {"question", "A question"},
     {"draw_guess", "Draw your guess"},
     {"mark_guess", "Mark your guess"},
     {"try", "Something to try"},
     {"drag_bars", "Drag the bars, or use Tab and the arrow keys."},
     {"mark_cells", "Click the cells, or their names for whole rows and columns, then press See it."},
     {"mark_in_picture", "Mark the cells in the picture."},
     {"choose_word", "Choose a word, here or by its cell in the picture, then press See it."},
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
     {"what_next", "What next"}}};

const LabelInfo& info_of(LessonLabel label) {
  return kLabels[static_cast<std::size_t>(label)];
}

// Nearest to `key` first.
std::vector<std::string> known_keys(std::string_view key) {
  std::vector<std::string> keys;
  for (const LabelInfo& label : kLabels)
    keys.emplace_back(label.key);
  return nearest_first(key, std::move(keys));
}

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

}  // namespace

const LessonLanguage& english() {
  static const LessonLanguage kEnglish;
  return kEnglish;
}

std::string label_text(const LessonLanguage& language, LessonLabel label) {
  const auto own = language.labels.find(info_of(label).key);
  return own == language.labels.end() ? info_of(label).english : own->second;
}

bool has_label(const LessonLanguage& language, LessonLabel label) {
  return language.labels.contains(info_of(label).key);
}

std::vector<std::string> label_faults(const LessonLanguage& language) {
  std::vector<std::string> faults;
  for (const auto& [key, words] : language.labels) {
    const auto known = std::find_if(kLabels.begin(), kLabels.end(),
                                    [&key = key](const LabelInfo& label) { return key == label.key; });
    if (known == kLabels.end())
      faults.push_back("there is no label " + in_quotes(key) + "; known are " + listed(known_keys(key)));
    else if (words.empty())
      faults.push_back("the label " + in_quotes(key) + " has no words: leave it out, or write some");
  }
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
