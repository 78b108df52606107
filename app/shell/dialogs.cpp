#include "app/shell/dialogs.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "app/ui/views/compare_view.h"
#include "app/ui/views/motion_source.h"
#include "engine/core/digits.h"
#include "engine/session/session.h"

namespace headlight {
namespace {

// The name of the reader's account; "" where it is unknown or that of a machine's root: then a name must be
// typed, so that the files of a class do not have one name.
std::string account_name() {
  for (const char* variable : {"USER", "LOGNAME"}) {
    const char* value = std::getenv(variable);
    std::string name = value ? value : "";
    const bool plain =
        !name.empty() && name != "root" && std::all_of(name.begin(), name.end(), [](unsigned char c) {
          return std::isalnum(c) || c == '-' || c == '_' || c == '.';
        });
    if (plain && name.front() != '.') return name;
  }
  return {};
}

std::filesystem::path folder_of(const Document& document) {
  if (document.path() && document.path()->has_parent_path()) return document.path()->parent_path();
  std::error_code unreadable;
  return std::filesystem::current_path(unreadable);
}

std::string proposed_name(const Document& document) {
  if (document.path()) return document.path()->filename().string();
  return file_stem(document.session().title) + ".headlight";
}

// Where the last figure was saved, if that folder is still there.
std::filesystem::path picture_folder(const UiContext& ui) {
  std::filesystem::path last = last_export_settings(ui).folder;
  std::error_code ignored;
  return std::filesystem::is_directory(last, ignored) ? last : folder_of(ui.document);
}

// What is animated of the large picture; nullopt if there is nothing.
std::optional<ExportRequest> animation_on_screen(const UiContext& ui) {
  AnimationOptions options;
  options.style = last_export_settings(ui).options.theme;
  options.look = {ui.counting(), ui.view.picture.decimals, ui.view.picture.colors};
  ExportRequest request;
  FigureChoice choice = choice_on_screen(ui, large_stage(ui.view));
  if (shows_way(ui)) {
    request.way = WayAnimation{choice.part, options};
  } else {
    const std::optional<CellAddress> cell = motion_cell(ui);
    if (!cell) return std::nullopt;
    request.animation = CellAnimation{*cell, options};
    choice = {};
    choice.kind = FigureKind::Pipeline;  // all stages may be read
    choice.part.stage = cell->stage;
  }
  request.items = {{choice, {}, {}}};
  return request;
}

constexpr const char* kArrayEndings[] = {".safetensors", ".npz", ".npy", ".csv", ".tsv"};
constexpr const char* kGgufEnding = ".gguf";

std::vector<std::string> endings_to_open() {
  std::vector<std::string> endings(std::begin(kArrayEndings), std::end(kArrayEndings));
  endings.emplace_back(kGgufEnding);
  return endings;
}

const char* purpose(Action action) {
  switch (action) {
    case Action::Quit:
      return "quit";
    case Action::New:
      return "start a new session";
    case Action::OpenLesson:
      return "open the lesson";
    default:
      return "open another session";
  }
}

}  // namespace

void Dialogs::ask_file(FileBrowserOptions options, Saves saves) {
  saves_ = saves;
  open_file_browser(browser_, std::move(options));
}

DialogResult Dialogs::picture_chosen(UiContext& ui, std::filesystem::path path) {
  const FileFormatInfo* const known = file_format(path);
  const FileFormat format = known ? known->format : FileFormat::Png;
  ExportSettings settings = last_export_settings(ui);
  settings.format = format;
  settings.folder = path.parent_path();
  ui.preferences.exports = export_settings_text(settings);
  picture_.path = std::move(path);
  return {DialogResult::Kind::Exported, {}, {format, {picture_}}, {}, {}, {}};
}

DialogResult Dialogs::chosen(UiContext& ui, FileBrowserMode mode, std::filesystem::path path) {
  using Kind = DialogResult::Kind;
  if (saves_ == Saves::TrainingText) return {Kind::TextChosen, std::move(path), {}, {}, {}, {}};
  if (saves_ == Saves::Set) return {Kind::SetChosen, std::move(path), {}, {}, {}, {}};
  if (saves_ == Saves::Image) return {Kind::ImageChosen, std::move(path), {}, {}, {}, {}};
  if (saves_ == Saves::SessionModel) return {Kind::ModelChosen, std::move(path), {}, {}, {}, {}};
  if (mode == FileBrowserMode::Open) return {Kind::Opened, std::move(path), {}, {}, {}, {}};
  switch (saves_) {
    case Saves::Bytes:
      return {Kind::BytesSaved, std::move(path), {}, {}, {}, std::exchange(bytes_, {})};
    case Saves::Answers:
      return {Kind::AnswersSaved,       std::move(path), {}, std::exchange(after_save_, std::nullopt), {},
              std::exchange(bytes_, {})};
    case Saves::Program:
      return {Kind::ProgramChosen, std::move(path), {}, std::exchange(program_, std::nullopt), {}, {}};
    case Saves::Picture:
      return picture_chosen(ui, std::move(path));
    case Saves::Page:
      return {Kind::Exported, {}, {FileFormat::Svg, {ExportItem{{}, {}, std::move(path)}}, true}, {}, {}, {}};
    case Saves::Animation:
      animation_.items.front().path = std::move(path);
      return {Kind::Exported, {}, animation_, {}, {}, {}};
    case Saves::WindowPicture:
      return {Kind::WindowPictureChosen, std::move(path), {}, {}, {}, {}};
    case Saves::Sentence:
      return {Kind::SentenceChosen, std::move(path), {}, {}, {}, {}};
    case Saves::Bundle:
      return {Kind::BundleChosen, std::move(path), {}, {}, {}, {}};
    case Saves::Report:
      return {Kind::ReportChosen, std::move(path), {}, {}, {}, {}};
    case Saves::Session:
    case Saves::TrainingText:
    case Saves::Image:
    case Saves::SessionModel:
    case Saves::Set:
      break;
  }
  return {Kind::Saved, std::move(path), {}, std::exchange(after_save_, std::nullopt), {}, {}};
}

void Dialogs::ask_open(const Document& document) {
  ask_file({FileBrowserMode::Open,
            "Open a session, arrays or a model in one file",
            ".headlight",
            folder_of(document),
            {},
            endings_to_open()});
}

void Dialogs::ask_arrays(const Document& document) {
  ask_file({FileBrowserMode::Open,
            "Open an array file",
            kArrayEndings[0],
            last_array_folder_.empty() ? folder_of(document) : last_array_folder_,
            {},
            {std::begin(kArrayEndings) + 1, std::end(kArrayEndings)}});
}

void Dialogs::ask_model(const Document& document) {
  ask_file({FileBrowserMode::Open,
            "Open a model's folder: choose its config.json, or a GGUF file",
            ".json",
            folder_of(document),
            {},
            {kGgufEnding}});
}

void Dialogs::ask_image(const Document& document) {
  ask_file(
      {FileBrowserMode::Open, "Open an image", ".png", folder_of(document), {}, {".jpg", ".jpeg", ".npy"}},
      Saves::Image);
}

void Dialogs::ask_set(const Document& document) {
  ask_file({FileBrowserMode::Open, "Open a data set", ".tsv", folder_of(document), {}, {".txt"}}, Saves::Set);
}

void Dialogs::ask_training_text(const Document& document) {
  ask_file({FileBrowserMode::Open, "Choose a text to train on", ".txt", folder_of(document), {}, {".md"}},
           Saves::TrainingText);
}

void Dialogs::choose_arrays(const std::filesystem::path& path, bool apply_at_once,
                            const ArrayOptions& answers) {
  browser_.open = export_.open = confirm_.open = changed_.open = recovery_.open = false;
  last_array_folder_ = path.parent_path();
  open_array_chooser(arrays_, path, apply_at_once, answers);
}

void Dialogs::ask_save(const Document& document, std::optional<ActionRequest> next) {
  ask_file({FileBrowserMode::Save, "Save the session", ".headlight", folder_of(document),
            proposed_name(document)});
  after_save_ = std::move(next);
}

void Dialogs::ask_save_bytes(const Document& document, const std::string& title, FileFormat format,
                             const std::string& name, std::string bytes) {
  const std::string ending = "." + std::string(file_format_info(format).id);
  ask_file({FileBrowserMode::Save, title, ending, folder_of(document), name + ending}, Saves::Bytes);
  bytes_ = std::move(bytes);
}

void Dialogs::ask_save_heads(const UiContext& ui, FileFormat format, std::string bytes) {
  ask_save_bytes(ui.document, "Save the table of heads", format, export_stem(ui) + "-heads",
                 std::move(bytes));
}

void Dialogs::ask_answers(const Document& document, const ActionRequest& next) {
  next_ = next;
  open_answers_dialog(confirm_, document.session().title, purpose(next.action));
}

void Dialogs::ask_save_answers(const Document& document, std::string bytes, const std::string& reader,
                               std::optional<ActionRequest> next) {
  const std::string name = reader.empty() ? account_name() : reader;
  ask_file({FileBrowserMode::Save, "Save my answers: the file's name is my name", ".json",
            folder_of(document), name.empty() ? "" : name + ".json"},
           Saves::Answers);
  bytes_ = std::move(bytes);
  after_save_ = std::move(next);
}

void Dialogs::ask_program(const Document& document, const ActionRequest& copied) {
  const std::string stage(stage_info(copied.stage).name);
  ask_file({FileBrowserMode::Save, "Save the program and its numbers (.npz)", ".py", folder_of(document),
            stage + ".py"},
           Saves::Program);
  program_ = copied;
}

void Dialogs::ask_save_picture(const UiContext& ui, Stage stage) {
  ExportItem picture = picture_on_screen(ui, stage);
  const FileFormatInfo& format = file_format_info(last_export_settings(ui).format);
  const std::string_view ending = format.figure ? format.id : file_format_info(FileFormat::Png).id;
  ask_file({FileBrowserMode::Save,
            "Save the picture: PNG, PDF or SVG, as its name ends",
            "." + std::string(ending),
            picture_folder(ui),
            export_name(export_stem(ui), picture.choice, ending),
            {".png", ".pdf", ".svg"}},
           Saves::Picture);
  picture_ = std::move(picture);
}

void Dialogs::ask_save_page(const UiContext& ui) {
  ask_file({FileBrowserMode::Save, "Save the session as a page", ".html", picture_folder(ui),
            whole_stem(ui) + ".html"},
           Saves::Page);
}

void Dialogs::ask_save_animation(const UiContext& ui) {
  const std::optional<ExportRequest> request = animation_on_screen(ui);
  if (!request) return;
  animation_ = *request;
  const Stage stage = animation_.items.front().choice.part.stage;
  const std::string what =
      animation_.way ? "the way from the kept state to the present one" : "how the cell is computed";
  ask_file({FileBrowserMode::Save,
            "Save " + what + " as an animation: GIF or WebP, as its name ends",
            ".gif",
            picture_folder(ui),
            export_stem(ui) + "-" + std::string(stage_info(stage).name) + ".gif",
            {".gif", ".webp"}},
           Saves::Animation);
}

void Dialogs::ask_save_bundle(const UiContext& ui) {
  const Session& session = ui.document.session();
  const bool with_model = carries_model(session, WithModel::Small);
  const std::string model = session.work ? bytes_text(model_bytes(session)) : "";
  const std::string what = with_model     ? "Bundle: the session, and its model of " + model
                           : session.work ? "Bundle: the session, and the name of its model, which is too "
                                            "large to go in (" +
                                                model + ")"
                                          : std::string("Bundle: the session with all that it needs");
  ask_file({FileBrowserMode::Save, what, ".headlight", folder_of(ui.document),
            whole_stem(ui) + "-bundle.headlight"},
           Saves::Bundle);
}

void Dialogs::ask_save_report(const UiContext& ui) {
  ask_file({FileBrowserMode::Save,
            "Save the report: a page (.html) or PDF, as its name ends",
            ".html",
            folder_of(ui.document),
            whole_stem(ui) + "-report.html",
            {".pdf"}},
           Saves::Report);
}

void Dialogs::ask_missing_model(const std::string& model, const std::string& why) {
  open_missing_model_dialog(missing_model_, model, why);
}

void Dialogs::ask_save_window_picture(const UiContext& ui) {
  const bool whole = ui.view.focus_view == FocusView::Model;
  const std::string name = whole ? whole_stem(ui) + "-model.png" : export_stem(ui) + "-picture.png";
  ask_file({FileBrowserMode::Save, "Save the picture as it is on screen", ".png", picture_folder(ui), name},
           Saves::WindowPicture);
}

void Dialogs::ask_save_sentence(const UiContext& ui) {
  ask_file({FileBrowserMode::Save,
            "Save the sentence as a picture: PNG, PDF or SVG, as its name ends",
            ".png",
            picture_folder(ui),
            "sentence.png",
            {".png", ".pdf", ".svg"}},
           Saves::Sentence);
}

void Dialogs::ask_export(const UiContext& ui, Stage stage) {
  open_export_dialog(export_, ui, stage, folder_of(ui.document));
}

void Dialogs::ask_unsaved(const Document& document, const ActionRequest& next) {
  next_ = next;
  open_confirm_dialog(confirm_, document.session().title, purpose(next.action));
}

void Dialogs::ask_changed(const Document& document, std::optional<ActionRequest> next) {
  next_ = std::move(next);
  open_changed_dialog(changed_, document.path()->filename().string());
}

void Dialogs::offer_recovered(std::vector<RecoveryEntry> entries) {
  recovery_.entries = std::move(entries);
  recovery_.open = !recovery_.entries.empty();
}

void Dialogs::follow_session() {
  close_array_chooser(arrays_);
  browser_.open = export_.open = export_.browser.open = report_.open = false;
}

std::optional<DialogResult> Dialogs::draw(UiContext& ui) {
  array_chooser(ui, arrays_);
  // A file of arrays named on the command line comes first.
  if (!arrays_.open)
    if (auto kept = recovery_dialog(ui, recovery_))
      return DialogResult{DialogResult::Kind::RecoveryChosen, {}, {}, {}, *std::move(kept), {}};
  if (missing_model_dialog(ui, missing_model_))
    ask_file({FileBrowserMode::Open,
              "Choose the model: its config.json, or a GGUF file",
              ".json",
              folder_of(ui.document),
              {},
              {kGgufEnding}},
             Saves::SessionModel);
  // Behind the dialog that asks where to save it.
  if (const auto answer = report_dialog(ui, report_)) {
    DialogResult result{DialogResult::Kind::ReportAnswered, {}, {}, {}, {}, {}};
    result.report = *answer;
    return result;
  }
  if (auto path = file_browser(ui, browser_)) return chosen(ui, browser_.options.mode, *path);
  if (auto request = export_dialog(ui, export_))
    return DialogResult{DialogResult::Kind::Exported, {}, std::move(*request), {}, {}, {}};
  if (const auto answer = changed_dialog(ui, changed_)) {
    if (*answer == ChangedAnswer::Cancel) return std::nullopt;
    const bool same = *answer == ChangedAnswer::Save;
    return DialogResult{same ? DialogResult::Kind::SaveAnyway : DialogResult::Kind::SaveElsewhere,
                        {},
                        {},
                        std::exchange(next_, std::nullopt),
                        {},
                        {}};
  }
  const auto answer = confirm_dialog(ui, confirm_);
  if (!answer) return std::nullopt;
  auto next = std::exchange(next_, std::nullopt);
  if (*answer == ConfirmAnswer::Cancel) return std::nullopt;
  using Kind = DialogResult::Kind;
  const bool save = *answer == ConfirmAnswer::Save;
  const Kind kind = confirm_.of_answers ? (save ? Kind::SaveAnswersFirst : Kind::AnswersLeft)
                                        : (save ? Kind::SaveFirst : Kind::Discarded);
  return DialogResult{kind, {}, {}, std::move(next), {}, {}};
}

}  // namespace headlight
