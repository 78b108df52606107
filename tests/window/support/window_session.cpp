#include "tests/window/support/window_session.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "tests/support/places.h"
#include "tests/window/support/x_messages.h"

namespace headlight_test {
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

// Far longer than any step takes, so that only failures reach it.
constexpr std::chrono::seconds kPatience{90};

// xdotool's click waits for 100 ms after a click unless it is told otherwise.
std::vector<std::string> click_of(const std::string& button, int times = 1) {
  return {"click", "--repeat", std::to_string(times), "--delay", "0", button};
}

Widget widget_from(const Json& json) {
  const Json& rectangle = json.at("rectangle");
  return {json.at("name"), json.at("value"), rectangle.at(0),   rectangle.at(1),
          rectangle.at(2), rectangle.at(3),  json.at("enabled")};
}

// The display's number, which Xvfb writes into the pipe when it is ready; "" if it does not.
std::string display_number(int pipe_end) {
  std::string number;
  pollfd waiting{pipe_end, POLLIN, 0};
  const auto deadline = Clock::now() + kPatience;
  while (number.find('\n') == std::string::npos && Clock::now() < deadline) {
    if (poll(&waiting, 1, 100) <= 0) continue;
    char letter = 0;
    if (read(pipe_end, &letter, 1) != 1) break;
    number += letter;
  }
  if (number.find('\n') == std::string::npos) return {};
  return number.substr(0, number.find('\n'));
}

}  // namespace

const Widget* Moment::find(const std::string& name) const {
  for (const Widget& widget : widgets) {
    if (widget.name == name) return &widget;
  }
  return nullptr;
}

fs::path headlight_program() {
  const char* other = std::getenv("HEADLIGHT_BINARY");
  return other && *other ? other : built_program();
}

fs::path lesson_file(const std::string& stem) {
  return fs::path(source_root()) / "assets" / "lessons" / (stem + ".headlight");
}

WindowSession::WindowSession(const std::vector<std::string>& arguments, ScreenSize screen,
                             FirstStart first_start, fs::path home_folder)
    : log_(folder_.path() / "program.log"), size_(screen) {
  require_program("Xvfb", "xvfb");
  require_program("xdotool", "xdotool");
  require_program("xclip", "xclip");
  for (const char* name : {"home", "screen", "automation"})
    fs::create_directories(folder() / name);
  if (home_folder.empty()) home_folder = folder() / "home";
  const std::string home = home_folder.string();
  if (first_start == FirstStart::Known) {  // the hint for new users would cover other widgets
    fs::create_directories(home_folder / "headlight");
    std::ofstream(home_folder / "headlight" / "window.json") << R"({"hint_seen": true, "strip_height": 216})";
  }
  environment_ = {{"HOME", home},           {"XDG_CONFIG_HOME", home},
                  {"XDG_STATE_HOME", home}, {"XDG_SESSION_TYPE", "x11"},
                  {"WAYLAND_DISPLAY", ""},  {"LIBGL_ALWAYS_SOFTWARE", "1"},
                  {"LC_ALL", "C.UTF-8"}};
  start_display(screen);
  start_program(arguments);
}

void WindowSession::start_display(ScreenSize screen) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe for Xvfb");
  const std::string size = std::to_string(screen.width) + "x" + std::to_string(screen.height) + "x24";
  // -fbdir: the screen is a file, which screen() reads. -r: keys do not repeat, even if a busy machine takes
  // long from a press to its release.
  display_ = std::make_unique<ChildProcess>(
      std::vector<std::string>{"Xvfb", "-displayfd", "3", "-noreset", "-r", "-nolisten", "tcp", "-screen",
                               "0", size, "-fbdir", (folder() / "screen").string()},
      std::map<std::string, std::string>{}, folder() / "xvfb.log", ends[1]);
  close(ends[1]);
  const std::string number = display_number(ends[0]);
  close(ends[0]);
  if (number.empty()) throw std::runtime_error("Xvfb does not start: " + text_of(folder() / "xvfb.log"));
  environment_["DISPLAY"] = ":" + number;
}

void WindowSession::end_display() {
  ::kill(display_->pid(), SIGKILL);
  display_.reset();
}

void WindowSession::start_program(const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {headlight_program().string(), "--automation",
                                      (folder() / "automation").string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  program_ = std::make_unique<ChildProcess>(command, environment_, log_);
  now();
}

void WindowSession::start_again(const std::vector<std::string>& arguments) {
  program_.reset();
  for (const char* name : {"state.json", "widgets.json"})
    fs::remove(folder() / "automation" / name);
  marks_ = 0;
  start_program(arguments);
}

std::optional<Moment> WindowSession::read_moment() const {
  const fs::path folder_of_files = folder() / "automation";
  // state.json is written last: if it is the same before and after, the widgets are no older than it.
  const std::string before = text_of(folder_of_files / "state.json");
  const std::string widgets = text_of(folder_of_files / "widgets.json");
  if (before.empty() || before != text_of(folder_of_files / "state.json")) return std::nullopt;
  Moment moment;
  moment.state = Json::parse(before);
  const Json list = Json::parse(widgets);
  for (const Json& entry : list.at("widgets"))
    moment.widgets.push_back(widget_from(entry));
  return moment;
}

void WindowSession::fail(const std::string& waited_for) const {
  std::string text =
      "the window did not come to this: " + waited_for + "\nprinted by the program: " + output();
  text += "\nstate: " + text_of(folder() / "automation" / "state.json") + "\nwidgets:";
  if (const std::optional<Moment> moment = read_moment()) {
    for (const Widget& widget : moment->widgets)
      text += " " + widget.name;
  }
  throw std::runtime_error(text);
}

Moment WindowSession::until(const std::string& description,
                            const std::function<bool(const Moment&)>& reached) {
  const auto deadline = Clock::now() + kPatience;
  std::string seen;
  while (Clock::now() < deadline) {
    // Reading the files is cheap, parsing them is not: they are parsed once for each new state.
    std::string text = text_of(folder() / "automation" / "state.json");
    if (text != seen) {
      std::optional<Moment> moment = read_moment();
      if (moment && reached(*moment)) return *std::move(moment);
      if (moment) seen = std::move(text);
    }
    if (const std::optional<int> status = program_->exit_status()) {
      fail(description + " (" + headlight_program().string() + " has ended with status " +
           std::to_string(*status) + ")");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  fail(description);
}

Moment WindowSession::now() {
  return until("a settled window", [](const Moment&) { return true; });
}

void WindowSession::unfold_inputs(const std::string& name) {
  if (!name.starts_with("inputs.") || name.starts_with("inputs.fold.")) return;
  bool tokens = false;
  for (const char* part : {"embeddings", "key_embeddings", "token", "text", "add_", "sequence", "d_in"})
    tokens = tokens || name.starts_with(std::string("inputs.") + part);
  const std::string fold = tokens ? "inputs.fold.tokens" : "inputs.fold.weights";
  const Moment moment = now();
  const Widget* const folded = moment.find(fold);
  if (moment.find(name) || !folded || folded->value == "open") return;
  click_at(folded->x + folded->width / 2, folded->y + folded->height / 2);
  until_value(fold, "open");
}

Widget WindowSession::widget(const std::string& name) {
  unfold_inputs(name);
  const Moment moment = until("\"" + name + "\" is in sight",
                              [&](const Moment& candidate) { return candidate.find(name) != nullptr; });
  return *moment.find(name);
}

void WindowSession::until_value(const std::string& name, const std::string& value) {
  unfold_inputs(name);
  until("\"" + name + "\" shows \"" + value + "\"", [&](const Moment& moment) {
    const Widget* found = moment.find(name);
    return found && found->value == value;
  });
}

void WindowSession::until_gone(const std::string& name) {
  until("\"" + name + "\" is gone", [&](const Moment& moment) { return moment.find(name) == nullptr; });
}

void WindowSession::xdotool(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "xdotool");
  const RunResult result = run(arguments, environment_);
  if (result.exit_status != 0) throw std::runtime_error("xdotool failed: " + result.output);
}

// Keys arrive in order, so that the mark (Pause) is the last one. The next mark is sent after the program has
// reported this one: GLFW reads quick presses of one key as its repetition.
void WindowSession::act(std::vector<std::string> arguments) {
  xdotool(std::move(arguments));
  xdotool({"key", "Pause"});
  ++marks_;
  until("the window has seen the input",
        [this](const Moment& moment) { return moment.state.at("input").at("marks") == marks_; });
}

void WindowSession::move_pointer(double x, double y) {
  const double column = std::floor(x), row = std::floor(y);
  xdotool({"mousemove", std::to_string(static_cast<int>(column)), std::to_string(static_cast<int>(row))});
  until("the pointer has arrived", [&](const Moment& moment) {
    const Json& pointer = moment.state.at("input").at("pointer");
    return pointer.at(0) == column && pointer.at(1) == row;
  });
}

void WindowSession::hover(const std::string& name) {
  const Widget target = widget(name);
  move_pointer(target.x + target.width / 2, target.y + target.height / 2);
}

void WindowSession::click_at(double x, double y) {
  move_pointer(x, y);
  act(click_of("1"));
}

void WindowSession::click(const std::string& name) {
  unfold_inputs(name);
  until("\"" + name + "\" can be clicked", [&](const Moment& moment) {
    const Widget* target = moment.find(name);
    return target && target->enabled;
  });
  const Widget target = widget(name);
  click_at(target.x + target.width / 2, target.y + target.height / 2);
}

void WindowSession::right_click(const std::string& name) {
  hover(name);
  act(click_of("3"));
}

void WindowSession::shift_click(const std::string& name) {
  hover(name);
  act({"keydown", "shift", "click", "--delay", "0", "1", "keyup", "shift"});
}

void WindowSession::click_and_end(const std::string& name) {
  hover(name);
  xdotool(click_of("1"));
}

void WindowSession::key_and_end(const std::string& keys) {
  xdotool({"key", keys});
}

void WindowSession::drag(const std::string& name, double dx, double dy) {
  const Widget target = widget(name);
  pull(target.x + target.width / 2, target.y + target.height / 2, dx, dy);
}

void WindowSession::pull(double x, double y, double dx, double dy) {
  move_pointer(x, y);
  xdotool({"mousedown", "1"});
  constexpr int kSteps = 4;
  for (int step = 1; step <= kSteps; ++step)
    move_pointer(x + dx * step / kSteps, y + dy * step / kSteps);
  act({"mouseup", "1"});
}

void WindowSession::wheel(const std::string& name, int steps, double across, double down) {
  const Widget target = widget(name);
  move_pointer(target.x + target.width * across, target.y + target.height * down);
  act(click_of(steps > 0 ? "4" : "5", std::abs(steps)));
}

void WindowSession::close_window() {
  send_close(environment_.at("DISPLAY"));
}

void WindowSession::drop(const std::vector<fs::path>& files) {
  drop_files(environment_.at("DISPLAY"), files);
}

void WindowSession::resize(ScreenSize size) {
  act({"search", "--onlyvisible", "--name", "Headlight", "windowsize", std::to_string(size.width),
       std::to_string(size.height)});
}

void WindowSession::resize_quickly(const std::vector<ScreenSize>& sizes) {
  std::vector<std::string> arguments = {"search", "--onlyvisible", "--name", "Headlight"};
  for (const ScreenSize& size : sizes)
    arguments.insert(arguments.end(), {"windowsize", std::to_string(size.width), std::to_string(size.height),
                                       "sleep", "0.01"});
  xdotool(std::move(arguments));
}

void WindowSession::type(const std::string& ascii) {
  act({"type", "--delay", "0", "--", ascii});
}

void WindowSession::key(const std::string& keys) {
  act({"key", keys});
}

void WindowSession::choose(const std::string& name, const std::string& entry) {
  click(name);
  click(name + "." + entry);
  until_gone(name + "." + entry);
}

void WindowSession::add_step(const std::string& id) {
  click("strip.add");
  click("strip.add." + id);
}

void WindowSession::fill(const std::string& name, const std::string& ascii) {
  click(name);
  key("ctrl+a");
  type(ascii);
}

void WindowSession::put_on_clipboard(const std::string& text) {
  const fs::path file = folder() / "clipboard.txt";
  std::ofstream(file, std::ios::binary) << text;
  // xclip runs in the background until another program owns the clipboard or the display ends.
  const RunResult result = run({"xclip", "-selection", "clipboard", "-in", file.string()}, environment_);
  if (result.exit_status != 0) throw std::runtime_error("xclip failed: " + result.output);
}

std::unique_ptr<ChildProcess> WindowSession::hold_clipboard() const {
  const fs::path file = folder() / "held.txt";
  std::ofstream(file) << "held";
  return std::make_unique<ChildProcess>(
      std::vector<std::string>{"xclip", "-quiet", "-selection", "clipboard", "-in", file.string()},
      environment_, folder() / "holder.log");
}

std::string WindowSession::clipboard() {
  return run({"xclip", "-selection", "clipboard", "-out"}, environment_).output;
}

std::string WindowSession::clipboard(const std::string& target) {
  return run({"xclip", "-selection", "clipboard", "-out", "-target", target}, environment_).output;
}

Picture WindowSession::screen() const {
  return read_xwd(folder() / "screen" / "Xvfb_screen0");
}

int WindowSession::wait_for_exit() {
  const auto deadline = Clock::now() + kPatience;
  while (Clock::now() < deadline) {
    if (const std::optional<int> status = program_->exit_status()) return *status;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  fail("the program has ended");
}

}  // namespace headlight_test
