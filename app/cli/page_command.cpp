#include "app/cli/page_command.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "app/export/exported_files.h"
#include "app/page/course.h"
#include "app/page/model_page.h"
#include "engine/core/ascii.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/interpretation/first_text.h"
#include "engine/session/model_folder_field.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

// The model with the text; its last layer is shown, whose heads are next to what it predicts.
Session whole_model(const Source& source) {
  require_no_array_options(source);
  require_no_model(source);
  OpenModel work;
  work.network = open_text_model(source.path);
  if (source.text.words)
    set_text(work, *source.text.words);
  else if (!source.text.ids.empty())
    set_ids(work, source.text.ids);
  else
    set_first_text(work);
  work.layer = work.network->config().layers - 1;
  Session session;
  session.title = work.network->name();
  session.layer = shown_layer(work);
  session.work = std::make_shared<const OpenModel>(std::move(work));
  return session;
}

bool is_lesson_file(const fs::path& path) {
  return path.extension() == ".headlight";
}

std::vector<CourseLesson> lessons_in(const fs::path& folder) {
  std::vector<CourseLesson> lessons;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (!is_lesson_file(entry.path())) continue;
    Session session = load_session(entry.path());
    if (!session.lesson || session.lesson->steps.empty())
      throw Error("the session has no lesson with steps", entry.path().string(),
                  "take it out of the folder, or write one as assets/lessons/README.md describes");
    lessons.push_back({entry.path().stem().string(), std::move(session)});
  }
  return lessons;
}

}  // namespace

bool is_course(const Source& source) {
  std::error_code unreadable;
  if (source.layer || !source.text.empty() || !fs::is_directory(source.path, unreadable)) return false;
  if (fs::exists(source.path / "config.json", unreadable))
    return false;  // a model, whose sessions lie beside it
  const fs::directory_iterator files(source.path, unreadable);
  return !unreadable && std::any_of(begin(files), end(files), [](const fs::directory_entry& entry) {
    return is_lesson_file(entry.path());
  });
}

void save_course(const PageOptions& options, std::ostream& out) {
  const fs::path& folder = options.output;
  std::error_code unreadable;
  if (fs::exists(folder, unreadable) && !fs::is_directory(folder, unreadable))
    throw Error("a course is saved as a folder", folder.string(), "give the name of a folder");
  if (options.still)
    throw Error("--still goes with a single page", options.source.path.string(), "leave it out");
  const std::vector<CoursePage> pages = course_of(lessons_in(options.source.path));
  for (const CoursePage& page : pages)
    require_free(folder / page.file, options.force);
  fs::create_directories(folder, unreadable);
  if (unreadable) throw Error("the folder cannot be made", folder.string(), unreadable.message());
  FileSet files;
  for (const CoursePage& page : pages)
    files.add(folder / page.file, page.html);
  files.commit();
  out << (folder / pages.front().file).string() << " saved, with " << pages.size() - 1 << " lessons\n";
  for (const CoursePage& page : pages)
    if (!page.still.empty()) out << "  " << page.file << " stands still: " << page.still << '\n';
}

void save_page(const PageOptions& options, std::ostream& out, std::ostream& err) {
  const std::string ending = lowered(options.output.extension().string());
  if (ending != ".html" && ending != ".htm")
    throw Error("a page is saved as .html", options.output.string(), "give a name with this ending");
  require_free(options.output, options.force);
  const bool whole = is_model_folder(options.source.path) && !options.source.layer;
  const Session session = whole ? whole_model(options.source) : load_source(options.source, err);
  const Evaluator evaluator = evaluate(session.layer);
  const ComputedSession computed(evaluator, session.title);
  const Page page =
      session.work ? model_page(session, computed, options.still) : page_of(session, computed, options.still);
  write_file_atomically(options.output, page.html);
  out << options.output.string() << " saved";
  if (!page.still.empty() && !options.still) out << ", standing still: " << page.still;
  out << '\n';
  if (whole) report_omitted(*session.work->network, err);
}

}  // namespace headlight
