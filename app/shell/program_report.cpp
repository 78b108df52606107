// The report of the open session: what is added to it, its text in the window, and its files.
#include <utility>

#include "app/export/about.h"
#include "app/report/report_entries.h"
#include "app/report/report_page.h"
#include "app/settings/version.h"
#include "app/shell/program.h"
#include "engine/core/ascii.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/interpretation/open_model.h"

namespace headlight {
namespace {

constexpr Index kMostTableRows = 24;  // of an answer: the picture has all

ReportEntry entry_of(const AnalysisRun& answer) {
  FigureOptions options;
  options.theme = StyleKind::Light;
  ReportEntry entry;
  entry.title = answer.result.title;
  entry.name = analysis_info(answer.analysis.kind).name;
  entry.caption = answer_caption(*answer.of, answer.analysis, answer.result.notes);
  entry.picture = AnalysisController::result_file(answer, options, FileFormat::Png);
  entry.about = answer.result.about;
  AskedHow how = asked_how(answer.analysis, answer.texts_file);
  how.place = answer.result.place;
  // Several texts are named by a file alone, and a changed model by its session.
  const bool repeatable = changes_in_words(*answer.of).empty() && !answer.from;
  if (repeatable) entry.command = shell_line(asking_command(*answer.of->network, answer.analysis, how));
  if (!answer.result.tables.empty() && answer.result.tables.front().kind == ResultTable::Kind::List)
    entry.table = markdown_table(answer.result.tables.front(), kMostTableRows);
  return entry;
}

// What a picture of a stage is of, as an answer's `about`.
std::string about_stage(const Session& session, const std::filesystem::path& file, Stage stage) {
  About about;
  about.analysis = stage_info(stage).name;
  if (const OpenModel* const work = session.work.get()) {
    about.model = asked_file(*work->network);
    if (!work->image) about.texts = {asked_text(*work->network, work->ids)};
    about.ids = {work->ids};
    about.options = {{"layer", std::to_string(work->layer.layer)}};
    about.changes = changes_in_words(*work);
  } else {
    about.model = asked_file(file, "session");
  }
  return about_text(about);
}

}  // namespace

std::filesystem::path Program::session_of_report() const {
  if (document_.path()) return *document_.path();
  throw Error("the report lies beside the session, which has no file yet", "report",
              "save the session first (Ctrl+S)");
}

void Program::add_to_report(const ActionRequest& request) {
  const std::filesystem::path session = session_of_report();
  if (request.result) return add_report_entry(session, entry_of(*request.result));
  const UiContext ui = context_between_frames();
  ReportEntry entry;
  entry.title = choice_name(choice_on_screen(ui, request.stage));
  entry.name = entry.title;
  const Session& shown = document_.session();
  entry.caption = shown.work ? model_in_words(*shown.work) : shown.title;
  if (shown.work) entry.caption += " · layer " + std::to_string(shown.work->layer.layer);
  entry.about = about_stage(shown, session, request.stage);
  exports_.draw_stage(request.stage, ui);
  drawn_entry_ = {session, std::move(entry)};
}

void Program::add_drawn_picture(const std::string& png) {
  if (!drawn_entry_) return;
  DrawnEntry drawn = *std::exchange(drawn_entry_, std::nullopt);
  drawn.entry.picture = png;
  try {
    add_report_entry(drawn.session, drawn.entry);
  } catch (const Error& error) {
    show_error(error.what());
  }
}

void Program::add_report_entry(const std::filesystem::path& session, const ReportEntry& entry) {
  Report report = read_report(session);
  add_entry(report, entry, document_.session().title);
  save_report(report, report_folder(session));
  say("Added to " + (report_folder(session) / kReportText).string());
}

void Program::show_report() {
  const std::filesystem::path session = session_of_report();
  const Session& shown = document_.session();
  Report report = read_report(session);
  if (report.text.size() > kMostReportText)
    throw Error("the report is too long to be edited here", report_folder(session).string(),
                "edit its text in another program");
  if (report.text.empty())
    report.text = "# " + markdown_text(shown.title.empty() ? std::string("Report") : shown.title) + "\n";
  ReportDialogState& dialog = dialogs_.report();
  dialog = {true,
            report.text,
            report_folder(session).string(),
            shown.work && !changes_in_words(*shown.work).empty(),
            {}};
}

void Program::store_report_text() {
  const std::filesystem::path session = session_of_report();
  Report report = read_report(session);
  if (report.text == dialogs_.report().text) return;
  report.text = dialogs_.report().text;
  save_report(report, report_folder(session));
}

void Program::answer_report(ReportAnswer answer) {
  ReportDialogState& dialog = dialogs_.report();
  dialog.message.clear();
  try {
    store_report_text();
    if (answer == ReportAnswer::AddChanges) {
      add_report_entry(session_of_report(), changes_entry(*document_.session().work, view_.model.target));
      dialog.text = read_report(session_of_report()).text;
    }
    if (answer == ReportAnswer::SaveAs) dialogs_.ask_save_report(context_between_frames());
  } catch (const Error& error) {
    // The text is not lost: the dialog stays, or opens again.
    dialog.open = true;
    dialog.message = error.what();
  }
}

void Program::save_report_to(const std::filesystem::path& path) {
  const Report report = read_report(session_of_report());
  const bool pdf = lowered(path.extension().string()) == ".pdf";
  write_file_atomically(path,
                        pdf ? report_pdf(report, std::string("Headlight ") + kVersion) : report_html(report));
  say("Saved as " + path.string());
}

}  // namespace headlight
