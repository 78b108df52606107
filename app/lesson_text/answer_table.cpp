#include "app/lesson_text/answer_table.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "app/figure/plan/heatmap_figure.h"
#include "app/lesson_text/lesson_labels.h"
#include "engine/core/separated_fields.h"

namespace headlight {
namespace {

constexpr std::size_t kLeastColumn = 6, kWidestColumn = 12;

// Characters, not bytes.
std::size_t length_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string at_right(const std::string& text, std::size_t width) {
  const std::size_t length = length_of(text);
  return std::string(length < width ? width - length : 0, ' ') + text;
}

// The first characters of a long label.
std::string shortened(const std::string& text) {
  if (length_of(text) <= kWidestColumn) return text;
  std::string part;
  std::size_t characters = 0;
  for (const char c : text) {
    if ((c & 0xC0) != 0x80 && ++characters == kWidestColumn) break;
    part += c;
  }
  return part + "…";
}

// One text for each label, in columns that fit both.
std::string columns_line(const std::vector<std::string>& labels, const std::vector<std::string>& texts) {
  std::string line;
  for (std::size_t i = 0; i < texts.size(); ++i)
    line += (i > 0 ? "  " : "") + at_right(texts[i], std::max(kLeastColumn, length_of(shortened(labels[i]))));
  return line;
}

std::string with_comma(const std::string& list, const std::string& next) {
  return list.empty() ? next : list + ", " + next;
}

// What a question without an id asks for. Marks may name other labels in each file: the right ones count.
std::vector<std::string> asked_for(const SavedAnswer& answer) {
  if (answer.kind == AnswerKind::Numbers) return answer.labels;
  std::vector<std::string> right;
  for (std::size_t i = 0; i < answer.right.size(); ++i)
    if (answer.right[i] > 0) right.push_back(answer.labels[i]);
  return right;
}

// Marks are judged by what is right, whether or not the change was tried; numbers only by the window, which
// knows how near is near enough.
AnswerOutcome outcome_of(const SavedAnswer& answer) {
  if (answer.is_right) return *answer.is_right ? AnswerOutcome::Right : AnswerOutcome::Wrong;
  if (answer.kind == AnswerKind::Numbers || answer.right.empty()) return AnswerOutcome::Open;
  return answer.guess == answer.right ? AnswerOutcome::Right : AnswerOutcome::Wrong;
}

// A number for each label of the question, which gets those that it does not have yet.
std::vector<double> placed(AnsweredQuestion& asked, const SavedAnswer& answer,
                           const std::vector<double>& numbers) {
  if (answer.kind == AnswerKind::Numbers) return numbers;
  std::vector<double> marks(asked.labels.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto found = std::find(asked.labels.begin(), asked.labels.end(), answer.labels[i]);
    const auto at = static_cast<std::size_t>(std::distance(asked.labels.begin(), found));
    if (found == asked.labels.end()) {
      asked.labels.push_back(answer.labels[i]);
      marks.push_back(0);
    }
    marks[at] = numbers[i];
  }
  return marks;
}

void add(AnsweredQuestion& asked, const std::string& reader, const SavedAnswer& answer) {
  if (asked.right.empty() && !answer.right.empty()) asked.right = placed(asked, answer, answer.right);
  asked.readers.push_back({reader, placed(asked, answer, answer.guess), outcome_of(answer)});
}

// Labels that were added for a later reader are marked by none of the earlier ones.
void fill_up(AnsweredQuestion& asked) {
  if (!asked.right.empty()) asked.right.resize(asked.labels.size());
  for (ReaderAnswer& reader : asked.readers)
    reader.guess.resize(asked.labels.size());
}

std::size_t count_of(const AnsweredQuestion& asked, AnswerOutcome outcome) {
  return static_cast<std::size_t>(
      std::count_if(asked.readers.begin(), asked.readers.end(),
                    [&](const ReaderAnswer& reader) { return reader.outcome == outcome; }));
}

// The title of each file's lesson. Files that ask the same question are of one lesson, whose title was edited
// between them: all have the title that most of them have.
std::vector<std::string> lessons_of(const std::vector<AnswerFile>& files) {
  std::map<std::string, std::size_t> first;  // the first file with this title or id
  std::vector<std::size_t> group(files.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  const auto join = [&](std::size_t file, const std::string& key) {
    const std::size_t from = group[file], to = group[first.emplace(key, file).first->second];
    std::replace(group.begin(), group.end(), std::max(from, to), std::min(from, to));
  };
  for (std::size_t file = 0; file < files.size(); ++file) {
    join(file, "title " + files[file].lesson);
    for (const SavedAnswer& answer : files[file].answers)
      if (!answer.id.empty()) join(file, "id " + answer.id);
  }
  std::map<std::size_t, std::map<std::string, int>> titles;
  for (std::size_t file = 0; file < files.size(); ++file)
    ++titles[group[file]][files[file].lesson];
  std::vector<std::string> lessons;
  lessons.reserve(group.size());
  for (const std::size_t of : group)
    lessons.push_back(
        std::max_element(titles[of].begin(), titles[of].end(), [](const auto& a, const auto& b) {
          return a.second < b.second;
        })->first);
  return lessons;
}

// The reader of each file: its name, with a number where another file of the lesson has it already.
std::vector<std::string> told_apart(const std::vector<AnswerFile>& files,
                                    const std::vector<std::string>& lessons) {
  std::set<std::pair<std::string, std::string>> taken;
  std::vector<std::string> names;
  for (std::size_t file = 0; file < files.size(); ++file) {
    std::string name = files[file].name;
    for (int count = 2; !taken.insert({lessons[file], name}).second; ++count)
      name = files[file].name + " (" + std::to_string(count) + ")";
    names.push_back(name);
  }
  return names;
}

std::vector<std::string> same_names(const std::vector<AnswerFile>& files,
                                    const std::vector<std::string>& lessons,
                                    const std::vector<std::string>& names) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> readers;
  for (std::size_t file = 0; file < files.size(); ++file)
    readers[{lessons[file], files[file].name}].push_back(names[file]);
  std::vector<std::string> told;
  for (const auto& [of, all] : readers) {
    if (all.size() < 2) continue;
    std::string counted;
    for (const std::string& name : all)
      counted = with_comma(counted, name);
    told.push_back(std::to_string(all.size()) + " files have the name “" + of.second +
                   "”; they are counted as different readers: " + counted);
  }
  return told;
}

bool same_right(const std::vector<double>& a, const std::vector<double>& b) {
  constexpr double kShown = 0.00005;  // half of the fourth decimal
  if (a.empty() || b.empty()) return true;
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::abs(x - y) <= kShown * std::max(1.0, std::abs(x));
  });
}

// A question while the files are gone through.
struct Gathered {
  std::string id;
  std::vector<std::string> asked_for;
  std::vector<double> right;  // of numbers
  AnsweredQuestion question;

  Gathered(const AnswerFile& file, const std::string& lesson, const SavedAnswer& answer)
      : id(answer.id), asked_for(headlight::asked_for(answer)) {
    question.lesson = lesson;
    question.question = answer.question;
    question.step = answer.step;
    question.kind = answer.kind;
    question.labels = answer.labels;
    question.language = file.language;
  }

  bool takes(const std::string& lesson, const SavedAnswer& answer) const {
    if (question.lesson != lesson || question.kind != answer.kind) return false;
    if (id.empty() || answer.id.empty() ? question.step != answer.step : id != answer.id) return false;
    if (answer.kind == AnswerKind::Numbers && !same_right(right, answer.right)) return false;
    const std::vector<std::string> asked = headlight::asked_for(answer);
    return asked == asked_for || asked.empty() || asked_for.empty();
  }

  void take(const std::string& reader, const SavedAnswer& answer) {
    if (right.empty() && answer.kind == AnswerKind::Numbers) right = answer.right;
    if (asked_for.empty()) asked_for = headlight::asked_for(answer);
    add(question, reader, answer);
  }
};

// Each version of a step behind the one that more readers answered.
void number_versions(std::vector<Gathered>& all) {
  const auto place = [](const Gathered& of) { return std::tie(of.question.lesson, of.question.step); };
  std::stable_sort(all.begin(), all.end(), [&](const Gathered& a, const Gathered& b) {
    if (place(a) != place(b)) return place(a) < place(b);
    return a.question.readers.size() > b.question.readers.size();
  });
  for (std::size_t i = 1; i < all.size(); ++i)
    if (place(all[i]) == place(all[i - 1])) all[i].question.version = all[i - 1].question.version + 1;
}

bool has_answer(const AnsweredQuestion& asked, const std::string& name) {
  return std::any_of(asked.readers.begin(), asked.readers.end(),
                     [&](const ReaderAnswer& reader) { return reader.name == name; });
}

// The readers of the lesson who answered no version of the step are missing in its first one.
void find_missing(ClassAnswers& all, const std::vector<std::string>& lessons,
                  const std::vector<std::string>& names) {
  for (std::size_t file = 0; file < names.size(); ++file)
    for (AnsweredQuestion& asked : all.questions) {
      if (asked.version > 1 || asked.lesson != lessons[file]) continue;
      const bool answered =
          std::any_of(all.questions.begin(), all.questions.end(), [&](const AnsweredQuestion& version) {
            return version.lesson == asked.lesson && version.step == asked.step &&
                   has_answer(version, names[file]);
          });
      if (!answered) asked.missing.push_back(names[file]);
    }
}

void count_right(ClassAnswers& all, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (std::none_of(all.readers.begin(), all.readers.end(),
                     [&](const ClassReader& reader) { return reader.name == name; }))
      all.readers.push_back({name});
  for (ClassReader& reader : all.readers)
    for (const AnsweredQuestion& asked : all.questions)
      for (const ReaderAnswer& answer : asked.readers) {
        if (answer.name != reader.name || answer.outcome == AnswerOutcome::Open) continue;
        reader.right += answer.outcome == AnswerOutcome::Right ? 1 : 0;
        ++reader.judged;
      }
}

// Blanks between columns of the terminal are one here.
std::string in_one_cell(const std::string& line) {
  std::string text;
  for (const char c : line)
    if (c != ' ' || (!text.empty() && text.back() != ' ')) text += c;
  return text;
}

std::string grade_text(AnswerOutcome outcome) {
  return outcome == AnswerOutcome::Open ? "" : outcome == AnswerOutcome::Right ? "1" : "0";
}

// What a reader answered to each question, and how many are right.
std::vector<std::string> grades_of(const ClassAnswers& all, const ClassReader& reader) {
  std::vector<std::string> cells = {reader.name};
  for (const AnsweredQuestion& asked : all.questions) {
    const auto answer = std::find_if(asked.readers.begin(), asked.readers.end(),
                                     [&](const ReaderAnswer& of) { return of.name == reader.name; });
    const bool given = answer != asked.readers.end();
    cells.push_back(given ? grade_text(answer->outcome) : "");
    cells.push_back(given ? in_one_cell(guess_line(asked, answer->guess)) : "");
  }
  cells.push_back(std::to_string(reader.right));
  cells.push_back(std::to_string(reader.judged));
  return cells;
}

std::string csv_line(const std::vector<std::string>& cells, char separator) {
  std::string line;
  for (const std::string& cell : cells)
    line += (&cell == &cells.front() ? "" : std::string(1, separator)) + csv_field(cell);
  return line + "\n";
}

}  // namespace

std::string outcome_text(const LessonLanguage& language, AnswerOutcome outcome) {
  switch (outcome) {
    case AnswerOutcome::Right:
      return label_text(language, LessonLabel::RightMarks);
    case AnswerOutcome::Wrong:
      return label_text(language, LessonLabel::WrongMarks);
    case AnswerOutcome::Open:
      break;
  }
  return label_text(language, LessonLabel::NotTried);
}

std::string AnsweredQuestion::place() const {
  std::string place = label_text(language, LessonLabel::Step) + " " + std::to_string(step);
  if (version > 1) place += ", " + label_text(language, LessonLabel::AnotherVersion);
  if (version > 2) place += " (" + std::to_string(version - 1) + ")";
  return place;
}

std::string AnsweredQuestion::summary() const {
  const std::size_t open = count_of(*this, AnswerOutcome::Open);
  std::string text = std::to_string(count_of(*this, AnswerOutcome::Right)) + " " +
                     label_text(language, LessonLabel::Of) + " " + std::to_string(readers.size() - open) +
                     " " + outcome_text(language, AnswerOutcome::Right);
  if (open > 0) text += ", " + std::to_string(open) + " " + outcome_text(language, AnswerOutcome::Open);
  if (!missing.empty())
    text += ", " + std::to_string(missing.size()) + " " + label_text(language, LessonLabel::NoAnswer);
  return text;
}

std::vector<double> AnsweredQuestion::tally() const {
  std::vector<double> sums(labels.size());
  for (const ReaderAnswer& reader : readers)
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] += reader.guess[i];
  if (kind == AnswerKind::Numbers)
    for (double& sum : sums)
      sum /= static_cast<double>(readers.size());
  return sums;
}

std::string AnsweredQuestion::number(double value) const {
  return localized(language, number_text(value, 2));
}

const LessonLanguage& ClassAnswers::language() const {
  return questions.empty() ? english() : questions.front().language;
}

ClassAnswers compared_answers(const std::vector<AnswerFile>& files) {
  const std::vector<std::string> lessons = lessons_of(files), names = told_apart(files, lessons);
  std::vector<Gathered> gathered;
  for (std::size_t file = 0; file < files.size(); ++file) {
    std::set<int> steps;
    for (const SavedAnswer& answer : files[file].answers) {
      if (!steps.insert(answer.step).second) continue;
      auto found = std::find_if(gathered.begin(), gathered.end(),
                                [&](const Gathered& known) { return known.takes(lessons[file], answer); });
      if (found == gathered.end())
        found = gathered.insert(gathered.end(), Gathered(files[file], lessons[file], answer));
      if (!has_answer(found->question, names[file])) found->take(names[file], answer);
    }
  }
  number_versions(gathered);
  ClassAnswers all;
  for (Gathered& of : gathered) {
    fill_up(of.question);
    all.questions.push_back(std::move(of.question));
  }
  find_missing(all, lessons, names);
  count_right(all, names);
  all.same_names = same_names(files, lessons, names);
  return all;
}

std::string label_line(const AnsweredQuestion& question) {
  if (question.kind == AnswerKind::Marks) return {};
  std::vector<std::string> texts;
  for (const std::string& label : question.labels)
    texts.push_back(shortened(label));
  return columns_line(question.labels, texts);
}

std::string guess_line(const AnsweredQuestion& question, const std::vector<double>& numbers) {
  if (numbers.empty()) return {};
  if (question.kind == AnswerKind::Marks) {
    std::string line;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (numbers[i] > 0) line = with_comma(line, question.labels[i]);
    return line.empty() ? label_text(question.language, LessonLabel::None) : line;
  }
  std::vector<std::string> texts;
  texts.reserve(numbers.size());
  for (const double number : numbers)
    texts.push_back(question.number(number));
  return columns_line(question.labels, texts);
}

std::string tally_line(const AnsweredQuestion& question) {
  const std::vector<double> tally = question.tally();
  if (question.kind == AnswerKind::Numbers) return guess_line(question, tally);
  std::vector<std::size_t> order(tally.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return tally[a] > tally[b]; });
  std::string line;
  for (const std::size_t at : order)
    if (tally[at] > 0) line = with_comma(line, question.labels[at] + " " + number_text(tally[at], 0));
  return line.empty() ? label_text(question.language, LessonLabel::None) : line;
}

std::string brief_guess(const AnsweredQuestion& question, const std::vector<double>& numbers) {
  constexpr std::ptrdiff_t kMostListed = 8;
  const auto marked = std::count_if(numbers.begin(), numbers.end(), [](double mark) { return mark > 0; });
  const auto wanted =
      std::count_if(question.right.begin(), question.right.end(), [](double mark) { return mark > 0; });
  const bool many = std::max(marked, wanted) > kMostListed && numbers.size() == question.right.size();
  if (question.kind == AnswerKind::Numbers || !many) return guess_line(question, numbers);
  std::ptrdiff_t right = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    right += numbers[i] > 0 && question.right[i] > 0 ? 1 : 0;
  std::string line;
  for (const auto& [label, count] :
       {std::pair(LessonLabel::RightMarks, right), std::pair(LessonLabel::WrongMarks, marked - right),
        std::pair(LessonLabel::MissedMarks, wanted - right)})
    line = with_comma(line, std::to_string(count) + " " + label_text(question.language, label));
  return line;
}

std::string total_text(int right, int judged, const LessonLanguage& language) {
  return std::to_string(right) + " " + label_text(language, LessonLabel::Of) + " " + std::to_string(judged);
}

std::string grades_csv(const ClassAnswers& answers) {
  const LessonLanguage& language = answers.language();
  const char separator = language.decimal_comma ? ';' : ',';
  std::vector<std::string> heads = {label_text(language, LessonLabel::Name)};
  for (const AnsweredQuestion& asked : answers.questions) {
    heads.push_back(asked.lesson + ", " + asked.place());
    heads.push_back(heads.back() + ": " + label_text(language, LessonLabel::GivenAnswer));
  }
  heads.push_back(label_text(language, LessonLabel::RightMarks));
  heads.push_back(label_text(language, LessonLabel::Of));
  std::string text = csv_line(heads, separator);
  for (const ClassReader& reader : answers.readers)
    text += csv_line(grades_of(answers, reader), separator);
  return text;
}

}  // namespace headlight
