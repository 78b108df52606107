// The commands `headlight check`, `headlight handout` and `headlight answers`.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/commands.h"
#include "app/export/exported_files.h"
#include "app/figure/paint/figure_file.h"
#include "app/handout/class_pages.h"
#include "app/handout/handout.h"
#include "app/lesson_text/answer_table.h"
#include "app/lesson_text/lesson_check.h"
#include "app/lesson_text/lesson_labels.h"
#include "app/settings/assets.h"
#include "app/settings/version.h"
#include "app/terminal/font_note.h"
#include "engine/core/digits.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/visible_text.h"
#include "engine/session/session.h"

namespace headlight {
namespace {

std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// The question, its labels and its right answer, a line for each reader unless `anonymous`, and what all
// answered, in columns.
void write_question(const AnsweredQuestion& asked, bool anonymous, std::ostream& out) {
  const auto label = [&](LessonLabel label) { return label_text(asked.language, label); };
  const std::string all = label(asked.kind == AnswerKind::Numbers ? LessonLabel::Mean : LessonLabel::All),
                    right = label(LessonLabel::RightMarks);
  std::size_t widest = std::max(characters(all), characters(right));
  const auto widen = [&](const std::string& name) {
    if (!anonymous) widest = std::max(widest, characters(visible_text(name)));
  };
  for (const ReaderAnswer& reader : asked.readers)
    widen(reader.name);
  for (const std::string& name : asked.missing)
    widen(name);
  const auto line = [&](const std::string& name, const std::string& guess, const std::string& outcome) {
    const std::string shown = visible_text(name);
    out << "  " << shown << std::string(widest - characters(shown) + 2, ' ') << visible_text(guess)
        << (outcome.empty() || guess.empty() ? "" : "  ") << outcome << '\n';
  };
  out << visible_text(asked.lesson) << ", " << asked.place() << ": " << visible_text(asked.question) << '\n';
  if (const std::string labels = label_line(asked); !labels.empty()) line("", labels, "");
  if (!asked.right.empty()) line(right, brief_guess(asked, asked.right), "");
  if (!anonymous) {
    for (const ReaderAnswer& reader : asked.readers)
      line(reader.name, brief_guess(asked, reader.guess), outcome_text(asked.language, reader.outcome));
    for (const std::string& name : asked.missing)
      line(name, "", label(LessonLabel::NoAnswer));
  }
  line(all, tally_line(asked), "");
  out << "  " << asked.summary() << "\n\n";
}

void write_class(const ClassAnswers& answers, bool anonymous, std::ostream& out) {
  for (const AnsweredQuestion& asked : answers.questions)
    write_question(asked, anonymous, out);
  if (anonymous) return;
  out << label_text(answers.language(), LessonLabel::InAll) << '\n';
  for (const ClassReader& reader : answers.readers)
    out << "  " << visible_text(reader.name) << " "
        << total_text(reader.right, reader.judged, answers.language()) << '\n';
}

std::string class_bytes(const ClassAnswers& answers, const ClassOptions& options, std::ostream& err) {
  if (options.output.extension() == ".csv") {
    if (options.anonymous)
      throw Error("a table for grading needs the names", "--anonymous",
                  "leave it out, or save a page: -o class.pdf");
    return grades_csv(answers);
  }
  if (figure_format(options.output) != FigureFormat::Pdf)
    throw Error("the answers are saved as .pdf or .csv", options.output.string(),
                "give a name with one of these endings");
  note_fonts(err);
  return class_pages_bytes(answers, options.anonymous, std::string("Headlight ") + kVersion);
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

// The files, and of a folder those that end in .json, in the order of their names. Throws Error if there are
// none, as in the folder of a class before it has begun, or where a shell has found none for "*.json".
std::vector<std::filesystem::path> answer_files(const std::vector<std::string>& given) {
  std::vector<std::filesystem::path> files;
  for (const std::string& name : given) {
    const std::filesystem::path path = name;
    if (!std::filesystem::is_directory(path)) {
      if (name.find('*') != std::string::npos && !std::filesystem::exists(path))
        throw Error("there are no files of answers like this", name,
                    "each reader saves one with Save my answers in the window");
      files.push_back(path);
      continue;
    }
    std::vector<std::filesystem::path> inside;
    for (const auto& entry : std::filesystem::directory_iterator(path))
      if (entry.path().extension() == ".json") inside.push_back(entry.path());
    if (inside.empty())
      throw Error("there are no files of answers (.json) in this folder", name,
                  "each reader saves one with Save my answers in the window");
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
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
  out << name << ": " << counted(static_cast<Index>(steps), "step", "steps") << ", "
      << (count == 0 ? "nothing to mend" : counted(static_cast<Index>(count), "thing", "things") + " to mend")
      << '\n';
  return count == 0;
}

void save_handout(const Source& source, const std::filesystem::path& output, bool force, std::ostream& out,
                  std::ostream& err) {
  if (figure_format(output) != FigureFormat::Pdf)
    throw Error("a handout is saved as .pdf", output.string(), "give a name with this ending");
  require_free(output, force);
  note_fonts(err);
  const std::string bytes = handout_bytes(load_session_with(source.path, source.model),
                                          is_of_course(source.path), std::string("Headlight ") + kVersion);
  write_file_atomically(output, bytes);
  out << output.string() << " saved\n";
}

void compare_answers(const std::vector<std::string>& files, const ClassOptions& options, std::ostream& out,
                     std::ostream& err) {
  std::vector<AnswerFile> read;
  for (const std::filesystem::path& file : answer_files(files))
    read.push_back(load_answer_file(file));
  const ClassAnswers answers = compared_answers(read);
  if (answers.questions.empty())
    throw Error("no question is answered in " + counted(static_cast<Index>(read.size()), "file", "files"),
                files.front(),
                "a reader answers a question and saves with Save my answers; give those files");
  if (!options.anonymous)
    for (const std::string& note : answers.same_names)
      err << visible_text(note) << '\n';
  if (options.output.empty()) return write_class(answers, options.anonymous, out);
  const std::string bytes = class_bytes(answers, options, err);
  require_free(options.output, options.force);
  write_file_atomically(options.output, bytes);
  out << options.output.string() << " saved\n";
}

}  // namespace headlight
