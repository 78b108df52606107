#include "app/cli/report_command.h"

#include <optional>
#include <system_error>

#include "app/cli/source.h"
#include "app/export/exported_files.h"
#include "app/report/report_entries.h"
#include "app/report/report_page.h"
#include "app/settings/version.h"
#include "engine/analysis/analysis.h"
#include "engine/core/ascii.h"
#include "engine/core/error.h"
#include "engine/core/file.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

bool is_markdown(const fs::path& path) {
  return lowered(path.extension().string()) == ".md";
}

enum class ReportForm { Page, Pdf, Folder };

ReportForm form_of(const fs::path& output) {
  const std::string ending = lowered(output.extension().string());
  if (ending == ".html" || ending == ".htm") return ReportForm::Page;
  if (ending == ".pdf") return ReportForm::Pdf;
  if (ending.empty() || !output.has_filename()) return ReportForm::Folder;
  throw Error("a report is saved as .html, as .pdf or as a folder", output.string(),
              "give a name with one of these endings, or the name of a folder");
}

void add_changes_table(const ReportOptions& options, std::ostream& out) {
  if (is_markdown(options.source))
    throw Error("--add-changes takes a session, whose model is changed", options.source.string(),
                "give the session (.headlight)");
  const Session session = load_session_with(options.source, options.model);
  if (!session.work)
    throw Error("the session has no model, and so no changes of one", options.source.string(),
                "give a session that was saved while a model was open");
  std::optional<std::int32_t> target;
  if (!options.target.empty()) target = typed_target(*session.work->network, options.target).id;
  Report report = read_report(options.source);
  add_entry(report, changes_entry(*session.work, target), session.title);
  const fs::path folder = report_folder(options.source);
  save_report(report, folder);
  out << (folder / kReportText).string() << " saved\n";
}

void save_as(const Report& report, const ReportOptions& options) {
  switch (form_of(options.output)) {
    case ReportForm::Page:
      require_free(options.output, options.force);
      return write_file_atomically(options.output, report_html(report));
    case ReportForm::Pdf:
      require_free(options.output, options.force);
      return write_file_atomically(options.output, report_pdf(report, std::string("Headlight ") + kVersion));
    case ReportForm::Folder:
      require_free(options.output / kReportText, options.force);
      return save_report(report, options.output);
  }
}

}  // namespace

void make_report(const ReportOptions& options, std::ostream& out) {
  require_exists(options.source);
  if (!options.output.empty()) (void)form_of(options.output);  // before anything is computed
  if (options.add_changes) add_changes_table(options, out);
  if (options.output.empty()) {
    if (options.add_changes) return;
    throw Error("it is not said what is made of the report", options.source.string(),
                "give a file with -o, or --add-changes");
  }
  const Report report =
      is_markdown(options.source) ? read_report_text(options.source) : read_report(options.source);
  if (report.text.empty())
    throw Error("there is no report", report_folder(options.source).string(),
                "add pictures and answers to one in the window (Add to report), or give its text (.md)");
  save_as(report, options);
  out << options.output.string() << " saved\n";
}

}  // namespace headlight
