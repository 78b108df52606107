// The commands `headlight check`, `headlight handout` and `headlight answers`.
#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/answers/answer_table.h"
#include "app/cli/commands.h"
#include "app/export/exported_files.h"
#include "app/figure/paint/figure_file.h"
#include "app/handout/class_pages.h"
#include "app/handout/handout.h"
#include "app/lesson_text/lesson_check.h"
#include "app/settings/assets.h"
#include "app/settings/version.h"
#include "app/terminal/font_note.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/foreign/visible_text.h"
#include "engine/session/session.h"

namespace headlight {
namespace {

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// The question, its labels and its right answer, a line for each reader unless `anonymous`, and what all
// answered, in columns.
void write_question(const AnsweredQuestion& asked, bool anonymous, std::ostream& out) {
  const std::string all = asked.kind == AnswerKind::Numbers ? "mean" : "all";
  std::size_t widest = 5;
  if (!anonymous)
    for (const ReaderAnswer& reader : asked.readers)
      widest = std::max(widest, characters(visible_text(reader.name)));
  const auto line = [&](const std::string& name, const std::string& guess, const std::string& outcome) {
    const std::string shown = visible_text(name);
    out << "  " << shown << std::string(widest - characters(shown) + 2, ' ') << visible_text(guess)
        << (outcome.empty() ? "" : "  ") << outcome << '\n';
  };
  out << visible_text(asked.lesson) << ", " << asked.place() << ": " << visible_text(asked.question) << '\n';
  if (const std::string labels = label_line(asked); !labels.empty()) line("", labels, "");
  if (!asked.right.empty()) line("right", guess_line(asked, asked.right), "");
  if (!anonymous)
    for (const ReaderAnswer& reader : asked.readers)
      line(reader.name, guess_line(asked, reader.guess), outcome_text(reader.outcome));
  line(all, tally_line(asked), "");
  out << "  " << asked.summary() << "\n";
}

std::string class_bytes(const std::vector<AnsweredQuestion>& questions, const ClassOptions& options,
                        std::ostream& err) {
  if (options.output.extension() == ".csv") {
    if (options.anonymous)
      throw Error("a table for grading needs the names", "--anonymous",
                  "leave it out, or save a page: -o class.pdf");
    return grades_csv(questions);
  }
  if (figure_format(options.output) != FigureFormat::Pdf)
    throw Error("the answers are saved as .pdf or .csv", options.output.string(),
                "give a name with one of these endings");
  note_fonts(err);
  return class_pages_bytes(questions, options.anonymous, std::string("Headlight ") + kVersion);
}

// "lesson.steps[2].ask.replies[1]" as the other faults name it: "step 3, reply 2".
std::string step_place(const std::string& where) {
  constexpr std::string_view kBegin = "lesson.steps[";
  if (!where.starts_with(kBegin)) return where;
  std::string place = "step ";
  bool first = true;  // the list of steps, whose name is left out
  for (std::size_t at = kBegin.size() - 1; at < where.size(); ++at) {
    if (where[at] == '[') {
      const std::size_t end = std::min(where.find(']', at), where.size());
      int index = 0;
      std::from_chars(where.data() + at + 1, where.data() + end, index);
      place += (first ? "" : " ") + std::to_string(index + 1);
      first = false;
      at = end;
    } else {
      place += where[at] == '.' ? std::string(", ") : std::string(1, where[at]);
    }
  }
  for (const auto& [from, to] : {std::pair(", ask", ""), std::pair("replies", "reply")})
    if (const std::size_t at = place.find(from); at != std::string::npos)
      place.replace(at, std::string_view(from).size(), to);
  return place;
}

bool is_of_course(const std::filesystem::path& file) {
  const std::vector<std::filesystem::path> lessons = lesson_files();
  std::error_code unreadable;
  return std::any_of(lessons.begin(), lessons.end(), [&](const std::filesystem::path& lesson) {
    return std::filesystem::equivalent(lesson, file, unreadable);
  });
}

}  // namespace

bool check_lesson(const std::filesystem::path& file, std::ostream& out) {
  std::vector<Error> unread;
  const Session session = load_session(file, &unread);
  const std::vector<LessonFault> faults = lesson_faults(session);
  const std::string name = visible_text(file.string());  // without line breaks: each fault is one line
  for (const Error& error : unread)
    out << name << ": "
        << visible_text(Error(error.summary(), step_place(error.where()), error.hint()).what()) << '\n';
  for (const LessonFault& fault : faults)
    out << name << ": " << visible_text(fault.place + (fault.place.empty() ? "" : ": ") + fault.what) << '\n';
  const std::size_t count = unread.size() + faults.size();
  const std::size_t steps = session.lesson ? session.lesson->steps.size() : 0;
  out << name << ": " << counted(steps, "step") << ", "
      << (count == 0 ? "nothing to mend" : counted(count, "thing") + " to mend") << '\n';
  return count == 0;
}

void save_handout(const std::filesystem::path& file, const std::filesystem::path& output, bool force,
                  std::ostream& out, std::ostream& err) {
  if (figure_format(output) != FigureFormat::Pdf)
    throw Error("a handout is saved as .pdf", output.string(), "give a name with this ending");
  require_free(output, force);
  note_fonts(err);
  const std::string bytes =
      handout_bytes(load_session(file), is_of_course(file), std::string("Headlight ") + kVersion);
  write_file_atomically(output, bytes);
  out << output.string() << " saved\n";
}

void compare_answers(const std::vector<std::string>& files, const ClassOptions& options, std::ostream& out,
                     std::ostream& err) {
  std::vector<AnswerFile> answers;
  answers.reserve(files.size());
  for (const std::string& file : files)
    answers.push_back(load_answer_file(file));
  const std::vector<AnsweredQuestion> questions = compared_answers(answers);
  if (questions.empty())
    throw Error("no question is answered in these files", files.front(),
                "answer a question, then save the answers");
  if (options.output.empty()) {
    for (const AnsweredQuestion& asked : questions) {
      if (&asked != &questions.front()) out << '\n';
      write_question(asked, options.anonymous, out);
    }
    return;
  }
  const std::string bytes = class_bytes(questions, options, err);
  require_free(options.output, options.force);
  write_file_atomically(options.output, bytes);
  out << options.output.string() << " saved\n";
}

}  // namespace headlight
