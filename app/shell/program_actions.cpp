// Runs the actions that menus, keys and dialogs request.
#include <new>
#include <utility>

#include <imgui.h>

#include "app/cli/save_program.h"
#include "app/export/about.h"
#include "app/shell/default_session.h"
#include "app/shell/program.h"
#include "app/ui/main_window/action_table.h"
#include "app/ui/main_window/saved_answers.h"
#include "engine/core/error.h"
#include "engine/core/file.h"

namespace headlight {
namespace {

// Enough to store a small session for recovery; limits the delay of saving a large one.
constexpr std::chrono::milliseconds kBeforeSaving{200};

ProgramKind program_kind(Action action) {
  return action == Action::CopyNumPy ? ProgramKind::NumPy : ProgramKind::PyTorch;
}

const char* library_name(Action action) {
  return action == Action::CopyNumPy ? "NumPy" : "PyTorch";
}

}  // namespace

void Program::run_actions() {
  for (const ActionRequest& request : std::exchange(actions_, {})) {
    redraw();
    try {
      run_action(request);
    } catch (const Error& error) {
      show_error(error.what());
    } catch (const std::bad_alloc&) {
      show_error(kNoMemory);
    }
  }
}

// Also true if only a lesson's own steps changed the session. A recovered session is always the reader's own.
bool Program::has_nothing_to_lose() const {
  return document_.saved() || (!recovered_ && only_guided(workbench_.lesson.guide, document_));
}

UiContext Program::context(const ViewResult* answer, ViewRequest& requested) {
  return {document_, answer,   theme_,    view_,        probe_,        window_.textures(),
          commands_, actions_, requested, preferences_, redraw_timer_, action_info};
}

UiContext Program::context_between_frames() {
  idle_answer_ = result_since(answer_shown_, document_.layer_revision(), view_.baseline.layer);
  idle_request_ = {};
  return context(idle_answer_.get(), idle_request_);
}

void Program::export_heads(const ActionRequest& request) {
  if (file_format_info(request.format).figure) {
    FigureOptions options;
    options.theme = StyleKind::Light;
    options.percent = preferences_.shares != ShareForm::Decimals;
    const std::string name = view_.model.work ? view_.model.work->network->name() : "";
    return dialogs_.ask_save_bytes(document_, "Save the map of heads", request.format, name + "-heads",
                                   AnalysisController::map_bytes(view_.model, options, request.format));
  }
  std::string bytes = shown_head_bytes(context_between_frames(), request.format);
  if (request.action == Action::SaveHeads)
    return dialogs_.ask_save_heads(context_between_frames(), request.format, std::move(bytes));
  ImGui::SetClipboardText(bytes.c_str());
  say("Copied the table of heads");
}

void Program::save_result(const ActionRequest& request) {
  FigureOptions options;
  options.theme = StyleKind::Light;
  const AnalysisRun& answer = *request.result;
  dialogs_.ask_save_bytes(document_, "Save the answer", request.format,
                          AnalysisController::result_name(answer),
                          AnalysisController::result_file(answer, options, request.format));
}

void Program::open_path(const ActionRequest& request) {
  if (is_array_file(request.path))
    dialogs_.choose_arrays(request.path);
  else
    confirm_unsaved(request);
}

void Program::open_data_set(const std::filesystem::path& path) {
  const std::filesystem::path whole = std::filesystem::absolute(path).lexically_normal();
  commands_.push_back(EditOpenModel{ChooseSet{ChosenSet{whole, {}}}, "Data set"});
  view_.model.set.asks = true;
}

void Program::show_recovered() {
  offer_recovered();
  if (recovery_.empty()) say("Nothing was left behind by a program that ended without saving");
}

void Program::run_action(const ActionRequest& request) {
  switch (request.action) {
    case Action::Undo:
      document_.undo();
      return on_edit();
    case Action::Redo:
      document_.redo();
      return on_edit();
    case Action::Open:
    case Action::OpenArrays:
    case Action::OpenModel:
    case Action::ChooseImage:
    case Action::ChooseDataSet:
    case Action::ChooseTrainingText:
    case Action::SaveAs:
      return ask_for_file(request.action);
    case Action::OpenDataSet:
      return open_data_set(request.path);
    case Action::Save:
      return save_own(std::nullopt);
    case Action::SaveAnswers:
    case Action::ExportStage:
    case Action::SavePicture:
    case Action::SavePage:
    case Action::SaveAnimation:
    case Action::SaveBundle:
    case Action::AddToReport:
    case Action::ShowReport:
    case Action::SaveSentence:
    case Action::SaveWindowPicture:
    case Action::CopyPicture:
    case Action::CopyNumbers:
    case Action::CopyHeads:
    case Action::SaveHeads:
    case Action::SaveResult:
    case Action::CopyPyTorch:
    case Action::CopyNumPy:
    case Action::CopyCommand:
      return run_export(request);
    case Action::ShowStart:
      workbench_.show_start = true;
      return;
    case Action::OpenPath:
      return open_path(request);
    case Action::ShowRecovered:
      return show_recovered();
    case Action::OpenImage:
    case Action::ContinueText:
    case Action::StopContinuing:
    case Action::ComputePatches:
    case Action::StopPatches:
      return models_.run(request, document_, view_);
    case Action::New:
    case Action::OpenSentence:
    case Action::OpenLesson:
    case Action::Recover:
    case Action::ViewRecovered:
    case Action::Quit:
      return confirm_unsaved(request);
  }
}

void Program::ask_for_file(Action action) {
  if (action == Action::Open) return dialogs_.ask_open(document_);
  if (action == Action::OpenArrays) return dialogs_.ask_arrays(document_);
  if (action == Action::OpenModel) return dialogs_.ask_model(document_);
  if (action == Action::ChooseImage) return dialogs_.ask_image(document_);
  if (action == Action::ChooseDataSet) return dialogs_.ask_set(document_);
  if (action == Action::ChooseTrainingText) return dialogs_.ask_training_text(document_);
  dialogs_.ask_save(document_, std::nullopt);
}

void Program::run_export(const ActionRequest& request) {
  switch (request.action) {
    case Action::SaveAnswers:
      return save_answers(std::nullopt);
    case Action::ExportStage:
      return dialogs_.ask_export(context_between_frames(), request.stage);
    case Action::SavePicture:
      return dialogs_.ask_save_picture(context_between_frames(), request.stage);
    case Action::SavePage:
      return dialogs_.ask_save_page(context_between_frames());
    case Action::SaveAnimation:
      return dialogs_.ask_save_animation(context_between_frames());
    case Action::SaveBundle:
      return dialogs_.ask_save_bundle(context_between_frames());
    case Action::AddToReport:
      return add_to_report(request);
    case Action::ShowReport:
      return show_report();
    case Action::SaveSentence:
      return ask_save_sentence();
    case Action::SaveWindowPicture:
      return dialogs_.ask_save_window_picture(context_between_frames());
    case Action::CopyPyTorch:
    case Action::CopyNumPy:
      return copy_program(request);
    case Action::CopyCommand:
      return copy_command(request.stage);
    case Action::CopyHeads:
    case Action::SaveHeads:
      return export_heads(request);
    case Action::SaveResult:
      return save_result(request);
    default:
      exports_.copy_stage(request, context_between_frames());
      redraw();
  }
}

ProgramRequest Program::program_request(Stage stage) const {
  const Layer& model = document_.layer();
  std::optional<Index> head;
  if (view_.head && stage_heads(model, stage) > 1) head = stage_head(model, stage, *view_.head);
  return {stage, view_.sequence, head};
}

void Program::copy_program(const ActionRequest& request) {
  const ProgramWithArrays program =
      program_with_arrays(document_.layer(), document_.session().title, program_request(request.stage),
                          program_kind(request.action), "numbers.npz");
  if (!program.arrays.empty()) return dialogs_.ask_program(document_, request);
  ImGui::SetClipboardText(program.text.c_str());
  say(std::string("Copied a program for ") + library_name(request.action) + " that prints “" +
      std::string(stage_info(request.stage).name) + "”");
}

// What the command reads: the saved session, or the folder of a model that is not changed, with its text.
std::vector<std::string> Program::command_source() const {
  const auto& work = document_.session().work;
  if (document_.path() && document_.saved()) return {document_.path()->string()};
  const bool of_folder = work && !work->network->encoder() && !work->image && changes_in_words(*work).empty();
  if (of_folder)
    return {work->network->checkpoint().folder().string(), "--ids", id_list(work->ids), "--layer",
            std::to_string(work->layer.layer)};
  throw Error("a command reads the numbers from a file, and this session is not saved", "Copy as command",
              "save it first (Ctrl+S)");
}

void Program::copy_command(Stage stage) {
  std::vector<std::string> words = {"headlight", "export"};
  for (std::string& word : command_source())
    words.push_back(std::move(word));
  const ProgramRequest shown = program_request(stage);
  words.insert(words.end(), {"--stage", std::string(stage_info(stage).name)});
  if (shown.head) words.insert(words.end(), {"--head", std::to_string(*shown.head)});
  if (shown.sequence > 0) words.insert(words.end(), {"--sequence", std::to_string(shown.sequence)});
  ImGui::SetClipboardText(shell_line(words).c_str());
  say("Copied the command that saves the numbers of “" + std::string(stage_info(stage).name) + "”");
}

void Program::save_program_to(const std::filesystem::path& path, const ActionRequest& request) {
  const std::filesystem::path arrays = std::filesystem::absolute(arrays_beside(path));
  std::error_code ignored;
  if (std::filesystem::exists(arrays, ignored) && !std::filesystem::exists(path, ignored))
    throw Error("there is already such a file, which may not be this program's", arrays.string(),
                "give the program another name");
  const ProgramRequest wanted = program_request(request.stage);
  const ProgramKind kind = program_kind(request.action);
  const std::string& title = document_.session().title;
  save_program(document_.layer(), title, wanted, kind, path);
  const std::string text = program_with_arrays(document_.layer(), title, wanted, kind, arrays.string()).text;
  ImGui::SetClipboardText(text.c_str());
  say("Saved " + path.string() + " and " + arrays.filename().string() +
      ", and copied a program that loads these numbers");
}

void Program::save_answers(std::optional<ActionRequest> next) {
  std::string answers = answers_text(context_between_frames(), workbench_);
  if (answers.empty()) return say("No question of this lesson is answered yet");
  dialogs_.ask_save_answers(document_, std::move(answers), workbench_.memory.reader, std::move(next));
}

void Program::confirm_unsaved(const ActionRequest& request) {
  if (request.action == Action::Quit && owes_answers(workbench_.lesson.guide)) {
    workbench_.lesson.guide.answers_unsaved = false;  // asked once
    return dialogs_.ask_answers(document_, request);
  }
  // Changes tried in a lesson are discarded with it, unless the session has a file or was recovered.
  if (has_nothing_to_lose() || (!recovered_ && is_lesson_copy(workbench_.lesson.guide, document_)))
    run_discarding(request);
  else
    dialogs_.ask_unsaved(document_, request);
}

void Program::run_discarding(const ActionRequest& request) {
  switch (request.action) {
    case Action::New:
      open_session(new_session(), std::nullopt);
      return;
    case Action::OpenSentence:
      open_sentence();
      return;
    case Action::OpenPath:
      open_file({request.path});
      return;
    // A lesson is opened as a copy: saving asks for a path, so that the lesson's own file does not change.
    case Action::OpenLesson:
      open_file({.path = request.path, .as_copy = true});
      return;
    case Action::Recover:
      recover(request.path.string());
      return;
    case Action::ViewRecovered:
      look_at_recovered(request.path.string());
      return;
    case Action::Quit:
      if (dialogs_.report().open) store_report_text();
      quit_ = true;
      return;
    default:
      return;
  }
}

void Program::open_session(Session session, std::optional<std::filesystem::path> path,
                           std::optional<FileStamp> stamp, std::vector<Step> steps) {
  opening_.forget();
  dialogs_.follow_session();
  const LessonGuide& guide = workbench_.lesson.guide;
  if (guide.opened) lesson_pages_[workbench_.memory.last] = guide.step;
  document_.replace(std::move(session), std::move(path), stamp, std::move(steps));
  recovery_.follow_opened();
  recovered_ = file_change_reported_ = false;
  workbench_.memory.last = document_.path() ? std::filesystem::absolute(*document_.path()) : "";
  workbench_.memory.hint_seen = true;
  workbench_.show_start = false;
  workbench_.opened = true;
  workbench_.inputs = {};
  workbench_.message = {};
  look_at(document_.session());
  on_edit();
  if (const auto why = size_error_text()) show_error(*why);
}

std::optional<std::string> Program::size_error_text() const {
  const SizeFaults faults = document_.size_faults();
  if (!faults.any()) return std::nullopt;
  std::string why;
  for (const std::optional<Error>& fault : {faults.normalization, faults.dropout})
    if (fault) why += (why.empty() ? "" : "\n") + std::string(fault->what());
  return why;
}

void Program::save_to(const std::filesystem::path& path) {
  // The recovery files then match the saved file if the process ends before the keeper registers the save.
  recovery_.write_now(kBeforeSaving);
  document_.save(path);
  recovery_.follow_saved();
  recovered_ = file_change_reported_ = false;
  remember_file(workbench_.memory, path);
  workbench_.memory.last = std::filesystem::absolute(path);
  say("Saved as " + path.string());
}

void Program::save_own(const std::optional<ActionRequest>& next) {
  if (!document_.path()) return dialogs_.ask_save(document_, next);
  if (document_.file_changed()) return dialogs_.ask_changed(document_, next);
  save_to(*document_.path());
  if (next) run_discarding(*next);
}

void Program::handle_dialog(const DialogResult& result) {
  redraw();
  try {
    take_dialog_result(result);
  } catch (const Error& error) {
    show_error(error.what());
  } catch (const std::bad_alloc&) {
    show_error(kNoMemory);
  }
}

void Program::take_saved_answers(const DialogResult& result) {
  write_file_atomically(result.path, result.bytes);
  workbench_.lesson.guide.answers_unsaved = false;
  workbench_.lesson.guide.answers_saved = true;
  workbench_.memory.reader = result.path.stem().string();
  say("Saved as " + result.path.string());
  if (result.next) confirm_unsaved(*result.next);
}

void Program::take_dialog_result(const DialogResult& result) {
  switch (result.kind) {
    case DialogResult::Kind::Opened:
      return run_action({Action::OpenPath, result.path, Stage::Weights});
    case DialogResult::Kind::ImageChosen:
      return run_action({Action::OpenImage, result.path, Stage::Weights});
    case DialogResult::Kind::SetChosen:
      return run_action({Action::OpenDataSet, result.path, Stage::Weights});
    case DialogResult::Kind::TextChosen:
      view_.model.training.chosen_text = result.path;
      return;
    case DialogResult::Kind::Saved:
      save_to(result.path);
      if (result.next) run_discarding(*result.next);
      return;
    case DialogResult::Kind::BytesSaved:
      write_file_atomically(result.path, result.bytes);
      say("Saved as " + result.path.string());
      return;
    case DialogResult::Kind::AnswersSaved:
      return take_saved_answers(result);
    case DialogResult::Kind::SaveAnswersFirst:
      return save_answers(result.next);
    case DialogResult::Kind::AnswersLeft:
      return confirm_unsaved(*result.next);
    case DialogResult::Kind::WindowPictureChosen:
      window_picture_ = {result.path, false};
      return;
    case DialogResult::Kind::BundleChosen:
      return save_bundle_to(result.path);
    case DialogResult::Kind::ReportAnswered:
      return answer_report(result.report);
    case DialogResult::Kind::ReportChosen:
      return save_report_to(result.path);
    case DialogResult::Kind::ModelChosen:
      return open_with_model(result.path);
    case DialogResult::Kind::SentenceChosen:
      return save_sentence_to(result.path);
    case DialogResult::Kind::SaveFirst:
      return save_own(result.next);
    case DialogResult::Kind::SaveAnyway:
      save_to(*document_.path());
      if (result.next) run_discarding(*result.next);
      return;
    case DialogResult::Kind::SaveElsewhere:
      return dialogs_.ask_save(document_, result.next);
    case DialogResult::Kind::RecoveryChosen:
      return run_recovery_choice(result.kept);
    case DialogResult::Kind::Discarded:
      return run_discarding(*result.next);
    case DialogResult::Kind::ProgramChosen:
      return save_program_to(result.path, *result.next);
    case DialogResult::Kind::Exported:
      exports_.start(result.exported, context_between_frames());
      redraw();
      return;
  }
}

}  // namespace headlight
