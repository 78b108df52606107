#include "app/ui/model/page_command.h"

#include <filesystem>
#include <utility>

namespace headlight {
namespace {

// A command may be run in any folder.
std::string absolute_path(const std::filesystem::path& path) {
  std::error_code failed;
  const std::filesystem::path absolute = std::filesystem::absolute(path, failed);
  return failed ? path.string() : absolute.string();
}

// Whether the session's file has the changes of the model.
bool are_saved(const UiContext& ui, const OpenModel& of) {
  const std::shared_ptr<const OpenModel>& work = ui.document.session().work;
  return ui.document.path() && ui.document.saved() && work && work->on == of.on;
}

AskedHow asked_how(const UiContext& ui, const OpenModel& of, const std::string& texts_file) {
  AskedHow how;
  if (!texts_file.empty()) how.texts_file = absolute_path(texts_file);
  how.changes = changes_in_words(of);
  if (!how.changes.empty() && are_saved(ui, of)) how.changes_from = {absolute_path(*ui.document.path())};
  return how;
}

PageCommand page_command(std::vector<std::string> words, const AskedHow& how, const OpenModel* from) {
  PageCommand command{std::move(words), {}};
  command.words[2] = absolute_path(command.words[2]);  // the model
  if (!how.changes.empty() && how.changes_from.empty())
    command.remarks.push_back("without the changes of the model (" + std::to_string(how.changes.size()) +
                              "), which are not saved: save the session and copy this again");
  if (from && !(from->on == ModelChanges{}))
    command.remarks.emplace_back("text A is read without the changes that it has in the window");
  return command;
}

std::string copied_text(const PageCommand& command, std::string (*as)(const std::vector<std::string>&)) {
  std::string text;
  for (const std::string& remark : command.remarks)
    text += "# " + remark + "\n";
  text += as(command.words);
  return text.ends_with('\n') ? text : text + "\n";
}

}  // namespace

bool can_ask(const Network& network) {
  return !network.encoder() && !network.reads_images();
}

AskedHow asked_how(const UiContext& ui, const AnalysisRun& answer) {
  AskedHow how = asked_how(ui, *answer.of, answer.texts_file);
  if (answer.analysis.set) how.set_file = absolute_path(answer.analysis.set->file);
  how.place = answer.result.place;
  return how;
}

PageCommand asking(const UiContext& ui, const AnalysisRun& answer) {
  const AskedHow how = asked_how(ui, answer);
  PageCommand command =
      page_command(asking_command(*answer.of->network, answer.analysis, how), how, answer.from.get());
  if (answer.analysis.set && !answer.analysis.set->left_out.empty())
    command.remarks.push_back("with all rows of the data set, also those that are switched off (" +
                              std::to_string(answer.analysis.set->left_out.size()) + ")");
  return command;
}

PageCommand estimating(const UiContext& ui, const AnalysisRun& answer) {
  const AskedHow how = asked_how(ui, *answer.of, "");
  return page_command(patching_command(*answer.of->network, answer.analysis, false, how), how,
                      answer.from.get());
}

PageCommand computing(const UiContext& ui, const OpenModel& of) {
  AskedHow how = asked_how(ui, of, "");
  if (!can_ask(*of.network)) how.changes_from.clear();  // `compute` takes none there
  std::vector<std::string> words = {"headlight", "compute", of.network->checkpoint().folder().string()};
  if (of.image)
    words.insert(words.end(), {"--image", absolute_path(of.image->path)});
  else
    words.insert(words.end(), {"--ids", id_list(of.network->encoder() ? of.source_ids : of.ids)});
  if (of.network->encoder()) words.insert(words.end(), {"--decoder-ids", id_list(of.ids)});
  for (const std::string& changes : how.changes_from)
    words.insert(words.end(), {"--changes", changes});
  return page_command(std::move(words), how, nullptr);
}

std::shared_ptr<const AnalysisRun> described(const UiContext& ui, AnalysisRun answer) {
  const AskedHow how = asked_how(ui, answer);
  answer.result.about = about_analysis(*answer.of->network, answer.analysis, how);
  answer.result.in_words = asked_in_words(answer.analysis, how);
  return std::make_shared<const AnalysisRun>(std::move(answer));
}

std::string copied_command(const PageCommand& command) {
  return copied_text(command, shell_line);
}

std::string copied_python(const PageCommand& command) {
  return copied_text(command, python_program);
}

}  // namespace headlight
