#include "app/shell/start.h"

#include <iostream>
#include <optional>
#include <utility>

#include "app/cli/assets.h"
#include "app/cli/overview.h"
#include "app/shell/default_session.h"
#include "app/shell/program.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

int export_instead(const Session& session, const Error& reason) {
  const std::filesystem::path path = std::filesystem::current_path() / "headlight-overview.png";
  export_overview(session, path);
  std::cout << "headlight: " << reason.summary() << ": the overview of \"" << session.title << "\" is in "
            << path.string() << '\n';
  return kDone;
}

ProgramOptions options_for(const CommandLine& line) {
  ProgramOptions options;
  options.window.width = line.width;
  options.window.height = line.height;
  options.window.scale = line.scale;
  options.theme = line.theme == StyleKind::Light ? ThemeKind::Light : ThemeKind::Dark;
  options.lesson_files = lesson_files();
  options.automation_folder = line.automation_dir;
  options.screenshot = line.screenshot;
  options.session = default_session(options.lesson_files);
  if (line.files.empty()) return options;
  try {
    options.session = load_session(line.files.front());
    options.path = line.files.front();
    if (line.files.size() > 1)
      options.message =
          "The window shows one session at a time: the first file is open (Ctrl+O opens another)";
  } catch (const Error& error) {
    options.message = error.what();
  }
  return options;
}

}  // namespace

int run_window(const CommandLine& line, std::chrono::steady_clock::time_point started) {
  ProgramOptions options = options_for(line);
  options.started = started;
  std::optional<Program> program;
  try {
    program.emplace(options);
  } catch (const Error& error) {
    if (error.where() != "display") throw;
    return export_instead(options.session, error);
  }
  return program->run();
}

}  // namespace headlight
