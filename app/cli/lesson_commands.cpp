// The commands `headlight check`, `headlight handout` and `headlight answers`.
#include <algorithm>
#include <string>
#include <vector>

#include "app/answers/answer_table.h"
#include "app/cli/commands.h"
#include "app/export/exported_files.h"
#include "app/figure/paint/figure_file.h"
#include "app/handout/class_pages.h"
#include "app/handout/handout.h"
#include "app/lesson_text/lesson_check.h"
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

// The question, its labels and its right answer, and a line for each reader, in columns.
void write_question(const AnsweredQuestion& asked, std::ostream& out) {
  std::size_t widest = 5;
  for (const ReaderAnswer& reader : asked.readers)
    widest = std::max(widest, characters(visible_text(reader.name)));
  const auto line = [&](const std::string& name, const std::string& guess, const std::string& outcome) {
    const std::string shown = visible_text(name);
    out << "  " << shown << std::string(widest - characters(shown) + 2, ' ') << visible_text(guess)
        << (outcome.empty() ? "" : "  ") << outcome << '\n';
  };
  out << visible_text(asked.lesson) << ", step " << asked.step << ": " << visible_text(asked.question)
      << '\n';
  if (!asked.labels.empty()) line("", asked.labels, "");
  if (!asked.right.empty()) line("right", asked.right, "");
  for (const ReaderAnswer& reader : asked.readers)
    line(reader.name, reader.guess, reader.outcome);
  out << "  " << asked.summary() << "\n";
}

}  // namespace

bool check_lesson(const std::filesystem::path& file, std::ostream& out) {
  std::vector<Error> unread;
  const Session session = load_session(file, &unread);
  const std::vector<LessonFault> faults = lesson_faults(session);
  const std::string name = visible_text(file.string());  // without line breaks: each fault is one line
  for (const Error& error : unread)
    out << name << ": " << visible_text(error.what()) << '\n';
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
  const std::string bytes = handout_bytes(load_session(file), std::string("Headlight ") + kVersion);
  write_file_atomically(output, bytes);
  out << output.string() << " saved\n";
}

void compare_answers(const std::vector<std::string>& files, const std::filesystem::path& output, bool force,
                     std::ostream& out, std::ostream& err) {
  std::vector<AnswerFile> answers;
  answers.reserve(files.size());
  for (const std::string& file : files)
    answers.push_back(load_answer_file(file));
  const std::vector<AnsweredQuestion> questions = compared_answers(answers);
  if (questions.empty())
    throw Error("no question is answered in these files", files.front(),
                "answer a question, then save the answers");
  if (output.empty()) {
    for (const AnsweredQuestion& asked : questions) {
      if (&asked != &questions.front()) out << '\n';
      write_question(asked, out);
    }
    return;
  }
  if (figure_format(output) != FigureFormat::Pdf)
    throw Error("the answers are saved as .pdf", output.string(), "give a name with this ending");
  require_free(output, force);
  note_fonts(err);
  write_file_atomically(output, class_pages_bytes(questions, std::string("Headlight ") + kVersion));
  out << output.string() << " saved\n";
}

}  // namespace headlight
