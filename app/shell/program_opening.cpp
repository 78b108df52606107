// The program: files of sessions and folders of models that are opened beside the window.
#include <new>
#include <utility>

#include "app/shell/program.h"
#include "engine/core/error.h"
#include "engine/interpretation/model_work.h"

namespace headlight {

void Program::open_file(OpeningWish wish) {
  // What is small is there in the frame that asks for it.
  constexpr std::chrono::milliseconds kPatience{100};
  constexpr double kForever = 1e9;  // seconds: until it is open
  wish.revision = document_.revision();
  const std::string name = wish.path.string();
  const bool anew = wish.step.has_value();
  opening_.start(std::move(wish));
  if (std::optional<OpenedFile> opened = opening_.take(kPatience)) return show_opened(std::move(*opened));
  if (!anew) workbench_.message = {"Opening " + name + "…", false, kForever};
}

void Program::follow_opening() {
  try {
    if (std::optional<OpenedFile> opened = opening_.take()) show_opened(std::move(*opened));
  } catch (const Error& error) {
    complain(error.what());
  } catch (const std::bad_alloc&) {
    complain(kNoMemory);
  }
}

void Program::show_opened(OpenedFile opened) {
  redraw();
  if (opened.wish.step) return show_lesson_anew(std::move(opened));
  if (!opened.session) {
    // A recent file that cannot be opened any more is not offered again.
    std::erase(workbench_.memory.recent, opened.wish.path);
    return complain(opened.failure);
  }
  // What was changed since it was asked for is not lost without a question.
  if (opened.wish.revision != document_.revision() && !nothing_to_lose()) {
    workbench_.message = {};
    const Action action = opened.wish.as_copy ? Action::OpenLesson : Action::OpenPath;
    return dialogs_.ask_unsaved(document_, {action, opened.wish.path, Stage::Weights});
  }
  if (opened.of_model) return show_model(std::move(*opened.session));
  show_session(std::move(opened));
}

void Program::show_session(OpenedFile opened) {
  const std::filesystem::path& path = opened.wish.path;
  if (opened.wish.as_copy) {
    open_session(std::move(*opened.session), std::nullopt);
    workbench_.memory.last = std::filesystem::absolute(path);
  } else {
    open_session(std::move(*opened.session), path, opened.stamp);
    remember_file(workbench_.memory, path);
  }
  if (!opened.faults.empty()) complain(lesson_complaint(opened.faults));
}

void Program::show_model(Session session) {
  open_session(std::move(session), std::nullopt);
  view_.focus_view = FocusView::Model;
  const std::filesystem::path folder = document_.session().work->network->checkpoint().folder();
  remember_file(workbench_.memory, folder);
  workbench_.memory.last = std::filesystem::absolute(folder);
}

}  // namespace headlight
