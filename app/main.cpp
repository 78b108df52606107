// The program: the command line first, then the window.
#include <chrono>
#include <exception>
#include <iostream>
#include <optional>

#include "app/cli/assets.h"
#include "app/cli/command_line.h"
#include "app/cli/overview.h"
#include "app/shell/default_session.h"
#include "app/shell/program.h"
#include "engine/core/error.h"

namespace {

using namespace headlight;

// Without a display there is no window: the lesson's overview becomes a picture instead.
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
  } catch (const Error& error) {
    options.message = error.what();
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const auto started = std::chrono::steady_clock::now();
  try {
    const CommandLine line = run_command_line(argc, argv, std::cout, std::cerr);
    if (line.exit_status) return *line.exit_status;
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
  } catch (const std::exception& error) {
    std::cerr << "headlight: " << error.what() << '\n';
    return kBadInput;
  }
}
