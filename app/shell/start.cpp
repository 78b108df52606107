#include "app/shell/start.h"

#include <algorithm>
#include <iostream>
#include <optional>
#include <utility>

#include "app/cli/overview.h"
#include "app/export/exported_files.h"
#include "app/figure/paint/png_picture.h"
#include "app/settings/assets.h"
#include "app/shell/default_session.h"
#include "app/shell/model_session.h"
#include "app/shell/program.h"
#include "app/terminal/font_note.h"
#include "app/terminal/weight_note.h"
#include "engine/array_import/array_file.h"
#include "engine/core/error.h"
#include "engine/core/visible_text.h"

namespace headlight {
namespace {

void add_message(ProgramOptions& options, const std::string& text) {
  options.message += (options.message.empty() ? "" : "; ") + text;
}

// Without a window: saves a picture of every stage.
int export_instead(const ProgramOptions& options, const CommandLine& line, const Error& reason) {
  const Session& session = options.session;
  if (!options.message.empty()) std::cerr << "headlight: " << visible_text(options.message) << '\n';
  for (const std::filesystem::path& file : line.files)
    if (is_array_file(file))
      throw Error("arrays get their places in the window, and there is no display", file.string(),
                  "start it on a desktop, or name the file in a session: {\"file\": \"x.npy\"}");
  const std::filesystem::path path = std::filesystem::current_path() / "headlight-overview.png";
  require_free(path, line.force);
  note_fonts(std::cerr);
  export_overview(session, path);
  note_weights(session.layer, session.title, std::cerr);
  std::cout << "headlight: " << reason.summary() << ": the overview of \"" << session.title << "\" is in "
            << path.string() << '\n';
  return kDone;
}

// Draws the window in memory.
int draw_offscreen(ProgramOptions& options) {
  options.window.offscreen = true;
  return Program(options).run();
}

// Moves an unreadable settings file aside and adds a message. If that fails, this run writes no settings.
template <class Settings>
Settings read_or_put_aside(const std::filesystem::path& path, Settings (*read)(const std::filesystem::path&),
                           ProgramOptions& options) {
  try {
    return read(path);
  } catch (const Error& error) {
    const auto aside = rename_damaged(path);
    if (!aside) options.writes_settings = false;
    add_message(options, error.what() + (aside ? "; the file is now " + aside->filename().string()
                                               : "; it stays as it is, and nothing is kept this time"));
    return {};
  }
}

void read_settings(ProgramOptions& options) {
  options.preferences = read_or_put_aside(preferences_path(), read_preferences, options);
  options.memory = read_or_put_aside(window_memory_path(), read_window_memory, options);
}

// Finds lessons and icons. The program also works without them, with a message.
void find_assets(ProgramOptions& options) {
  try {
    options.lesson_files = lesson_files();
    options.bundled_model = bundled_model();
    for (const std::filesystem::path& file : icon_files()) {
      PngPicture picture = read_png(file);
      options.window.icons.push_back({picture.width, picture.height, std::move(picture.pixels)});
    }
  } catch (const Error& error) {
    if (options.message.empty()) options.message = error.what();
  }
}

// Returns the sessions and models of the command line; the first array file goes into the options.
std::vector<std::filesystem::path> session_files(const CommandLine& line, ProgramOptions& options) {
  std::vector<std::filesystem::path> sessions;
  const bool any_arrays = std::any_of(line.files.begin(), line.files.end(), is_array_file);
  if (line.apply && !any_arrays)
    options.message =
        "--apply brings arrays in, and none of the files holds arrays: name one (.npy, .npz, "
        ".safetensors, .csv, .tsv)";
  for (const std::filesystem::path& file : line.files) {
    if (!is_array_file(file))
      sessions.push_back(file);
    else if (!options.arrays)
      options.arrays = file;
  }
  return sessions;
}

// Opens the data set of the command line beside the model.
void choose_set(const CommandLine& line, ProgramOptions& options) {
  if (line.set.empty()) return;
  if (!options.session.work)
    return add_message(options, "--set opens a data set beside a model: name a model's folder before it");
  auto work = std::make_shared<OpenModel>(*options.session.work);
  work->set = ChosenSet{std::filesystem::absolute(line.set).lexically_normal(), {}};
  options.session.work = std::move(work);
}

ProgramOptions options_for(const CommandLine& line) {
  ProgramOptions options;
  // A screenshot shows the default window, independent of the user's settings.
  options.writes_settings = !line.screenshot;
  options.memory.hint_seen = line.screenshot.has_value();
  if (options.writes_settings) read_settings(options);
  options.window.maximized = options.memory.maximized && !line.size;
  options.window.scale = line.scale;
  if (line.text_scale) options.preferences.text_scale = *line.text_scale;
  options.window.text_scale = static_cast<float>(options.preferences.text_scale);
  if (line.size) {
    options.window.width = line.size->width;
    options.window.height = line.size->height;
  } else if (options.memory.width > 0 && options.memory.height > 0) {
    options.window.width = options.memory.width;
    options.window.height = options.memory.height;
  }
  if (line.theme) options.look = line.theme == StyleKind::Light ? Look::Light : Look::Dark;
  find_assets(options);
  options.automation_folder = line.automation_dir;
  options.screenshot = line.screenshot;
  options.apply_arrays = line.apply;
  options.answers = line.arrays;
  options.session = default_session(options.lesson_files);
  const std::vector<std::filesystem::path> sessions = session_files(line, options);
  if (sessions.empty()) {
    choose_set(line, options);
    if (options.arrays) options.session = new_session();
    // With --automation the start screen is shown at the first start only.
    options.show_start = !options.arrays && !(line.automation_dir && options.memory.hint_seen);
    return options;
  }
  try {
    if (is_model(sessions.front())) {
      options.session = model_session(sessions.front());
      options.model = sessions.front();
      choose_set(line, options);
      return options;
    }
    options.stamp = stamp_of(sessions.front());
    std::vector<Error> faults;
    options.session = load_session(sessions.front(), &faults, line.model);
    if (!faults.empty()) add_message(options, lesson_error_text(faults));
    options.path = sessions.front();
    choose_set(line, options);
    if (sessions.size() > 1)
      add_message(options,
                  "The window shows one session at a time: the first file is open (Ctrl+O opens another)");
  } catch (const ModelNotFound& error) {
    options.unopened = error;
    options.show_start = true;
    options.without_model = {{.path = sessions.front()}, false, {}, {}, {}, error.what(), error.name()};
  } catch (const Error& error) {
    add_message(options, error.what());
    options.unopened = error;
    options.show_start = true;  // it shows the message; an unrelated session would not
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
    // The window cannot show the error.
    if (options.unopened) throw *options.unopened;
    return line.screenshot ? draw_offscreen(options) : export_instead(options, line, error);
  }
  return program->run();
}

}  // namespace headlight
