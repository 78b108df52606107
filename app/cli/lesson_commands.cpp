// The commands `headlight check` and `headlight handout`.
#include <string>

#include "app/cli/commands.h"
#include "app/export/exported_files.h"
#include "app/figure/paint/figure_file.h"
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

}  // namespace headlight
