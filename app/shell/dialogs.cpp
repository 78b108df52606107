#include "app/shell/dialogs.h"

#include <utility>

namespace headlight {
namespace {

std::filesystem::path folder_of(const Document& document) {
  if (document.path() && document.path()->has_parent_path()) return document.path()->parent_path();
  std::error_code unreadable;
  return std::filesystem::current_path(unreadable);
}

// A file name made of the title: what export calls a picture of the session, without the stage.
std::string proposed_name(const Document& document) {
  if (document.path()) return document.path()->filename().string();
  const std::string picture = export_file_name(document.session().title, Stage::Output, std::nullopt, 1);
  return picture.substr(0, picture.rfind("-output")) + ".headlight";
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

void Dialogs::ask_open(const Document& document) {
  open_file_browser(browser_,
                    {FileBrowserMode::Open, "Open a session", ".headlight", folder_of(document), {}});
}

void Dialogs::ask_save(const Document& document, std::optional<ActionRequest> next) {
  next_ = std::move(next);
  open_file_browser(browser_, {FileBrowserMode::Save, "Save the session", ".headlight", folder_of(document),
                               proposed_name(document)});
}

void Dialogs::ask_export(const Document& document, Stage stage, std::optional<Index> head, ThemeKind theme) {
  const std::filesystem::path folder =
      last_export_folder_.empty() ? folder_of(document) : last_export_folder_;
  open_export_dialog(export_, document.session(), stage, head, folder, theme);
}

void Dialogs::ask_unsaved(const Document& document, const ActionRequest& next) {
  next_ = next;
  open_confirm_dialog(confirm_, document.session().title, purpose(next.action));
}

std::optional<DialogResult> Dialogs::draw(const UiContext& ui) {
  if (auto path = file_browser(ui, browser_)) {
    if (browser_.options.mode == FileBrowserMode::Open)
      return DialogResult{DialogResult::Kind::Opened, *path, {}, {}};
    return DialogResult{DialogResult::Kind::Saved, *path, {}, std::exchange(next_, std::nullopt)};
  }
  if (auto picture = export_dialog(ui, export_)) {
    last_export_folder_ = picture->path.parent_path();
    return DialogResult{DialogResult::Kind::Exported, {}, *picture, {}};
  }
  const auto answer = confirm_dialog(ui, confirm_);
  if (!answer) return std::nullopt;
  auto next = std::exchange(next_, std::nullopt);
  if (*answer == ConfirmAnswer::Cancel) return std::nullopt;
  const bool save = *answer == ConfirmAnswer::Save;
  return DialogResult{
      save ? DialogResult::Kind::SaveFirst : DialogResult::Kind::Discarded, {}, {}, std::move(next)};
}

}  // namespace headlight
