// Opens session files and model folders in the background.
#include <new>
#include <utility>

#include "app/cli/bundle_command.h"
#include "app/export/exported_files.h"
#include "app/figure/paint/cairo_painter.h"
#include "app/shell/program.h"
#include "app/ui/start/sentence_figure.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/interpretation/open_model.h"

namespace headlight {

void Program::open_file(OpenRequest requested) {
  // A small file is shown in the frame that requests it.
  constexpr std::chrono::milliseconds kPatience{100};
  constexpr double kForever = 1e9;  // seconds: until the file is open
  requested.revision = document_.revision();
  const std::string name = requested.path.string();
  const bool anew = requested.step.has_value();
  opening_.start(std::move(requested));
  if (std::optional<OpenedFile> opened = opening_.take(kPatience)) return show_opened(std::move(*opened));
  if (!anew) workbench_.message = {"Opening " + name + "…", false, kForever};
}

void Program::follow_opening() {
  try {
    if (std::optional<OpenedFile> opened = opening_.take()) show_opened(std::move(*opened));
  } catch (const Error& error) {
    show_error(error.what());
  } catch (const std::bad_alloc&) {
    show_error(kNoMemory);
  }
}

void Program::follow_sentence() {
  if (!workbench_.show_start) return;
  if (sentence_.follow(options_.bundled_model.parent_path(), workbench_.start.sentence)) redraw();
}

void Program::open_sentence() {
  const SentenceState& sentence = workbench_.start.sentence;
  if (!sentence.reading || sentence.reading->failure) return;
  const std::shared_ptr<const TextReading> reading = sentence.reading;
  const TextHead shown = sentence.shown();
  const Index query = sentence.query();
  const std::optional<MovedAttention> supposed = sentence.supposed;
  show_model(sentence_.session_of(*reading, supposed, shown.layer));
  // The beams of the sentence go on: the same head, or the mean of all, asked by the same word.
  if (query + 1 < reading->token_count()) view_.model.position = query;
  view_.focus_view = FocusView::Heatmap;
  view_.head = shown.head;
  if (!shown.head) {
    view_.heads.pool = HeadPool::Mean;  // a cell of it is of no single head
    return;
  }
  Index key = 0;
  sentence.weights_of(query).maxCoeff(&key);
  view_.selection.cell = CellAddress{Stage::Weights, 0, *shown.head, query, key};
}

void Program::ask_save_sentence() {
  const std::shared_ptr<const TextReading>& reading = workbench_.start.sentence.reading;
  if (!reading || reading->token_count() == 0)
    throw Error("there is no sentence to draw", "Save picture", "type a sentence that the model reads");
  dialogs_.ask_save_sentence(context_between_frames());
}

void Program::save_sentence_to(const std::filesystem::path& path) {
  const SentenceState& sentence = workbench_.start.sentence;
  const FigureOptions options;
  const FigureStyle style = figure_style(options);
  const FigureGrid figure =
      sentence_figure(sentence.told(), {sentence.shown(), sentence.query()},
                      Counting{preferences_.count_from}, style, pango_measure(style.fonts));
  const FileFormatInfo* const known = file_format(path);
  const FigureFormat format = known && known->figure ? *known->figure : FigureFormat::Png;
  write_file_atomically(path, file_of(figure, format, options.dpi, figure.title).bytes);
  say("Saved as " + path.string());
}

void Program::open_new_model(const std::optional<TrainingView::NewModel>& made) {
  if (!made) return;
  if (has_nothing_to_lose())
    open_file({.path = made->folder, .text = made->text});
  else
    confirm_unsaved({Action::OpenPath, made->folder, Stage::Weights});
}

void Program::show_opened(OpenedFile opened) {
  redraw();
  if (opened.requested.step) return show_lesson_anew(std::move(opened));
  if (opened.missing_model) return ask_missing_model(opened);
  if (!opened.session) {
    // A recent file that cannot be opened any more is not offered again.
    std::erase(workbench_.memory.recent, opened.requested.path);
    return show_error(opened.failure);
  }
  // Changes made since the request are not lost without a question.
  if (opened.requested.revision != document_.revision() && !has_nothing_to_lose()) {
    workbench_.message = {};
    const Action action = opened.requested.as_copy ? Action::OpenLesson : Action::OpenPath;
    return dialogs_.ask_unsaved(document_, {action, opened.requested.path, Stage::Weights});
  }
  if (opened.of_model) return show_model(std::move(*opened.session));
  show_session(std::move(opened));
}

void Program::ask_missing_model(const OpenedFile& opened) {
  workbench_.message = {};
  without_model_ = opened.requested;
  dialogs_.ask_missing_model(*opened.missing_model, opened.failure);
}

void Program::open_with_model(const std::filesystem::path& model) {
  if (!without_model_) return;
  OpenRequest again = *std::exchange(without_model_, std::nullopt);
  again.model = model;
  open_file(std::move(again));
}

void Program::save_bundle_to(const std::filesystem::path& path) {
  std::error_code missing;
  if (document_.path() && std::filesystem::equivalent(path, *document_.path(), missing))
    throw Error("the bundle would replace the session that is open", path.string(), "give it another name");
  const Session& session = document_.session();
  const bool with_model = carries_model(session, WithModel::Small);
  save_bundle(session, path, {with_model, document_.path().value_or(std::filesystem::path())});
  say("Saved as " + path.string() + ": " + bundle_in_words(session, with_model));
}

void Program::show_session(OpenedFile opened) {
  const std::filesystem::path& path = opened.requested.path;
  if (opened.requested.as_copy) {
    const auto& left = document_.session().lesson;
    const int left_order = left ? left->order : 0;
    open_session(std::move(*opened.session), std::nullopt);
    workbench_.memory.last = std::filesystem::absolute(path);
    return_to_page(left_order);
  } else {
    open_session(std::move(*opened.session), path, opened.stamp);
    remember_file(workbench_.memory, path);
  }
  if (!opened.faults.empty()) show_error(lesson_error_text(opened.faults));
}

// A lesson opens at the step that it was left at; one that was left at its end opens there only for those who
// go back to it from a later lesson.
void Program::return_to_page(int left_order) {
  const auto page = lesson_pages_.find(workbench_.memory.last);
  const auto& lesson = document_.session().lesson;
  if (page == lesson_pages_.end() || !lesson) return;
  const bool ended = page->second + 1 >= lesson->steps.size();
  if (!ended || left_order > lesson->order) go_to_step(workbench_.lesson.guide, page->second);
}

void Program::show_model(Session session) {
  open_session(std::move(session), std::nullopt);
  view_.focus_view = FocusView::Model;
  view_.head = 0;
  const std::filesystem::path folder = document_.session().work->network->checkpoint().folder();
  remember_file(workbench_.memory, folder);
  workbench_.memory.last = std::filesystem::absolute(folder);
}

}  // namespace headlight
