// The program in a window on a virtual screen, driven through X by the names of its widgets. Every wait is
// for a state that the program reports, with a deadline.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/support/temporary_folder.h"
#include "tests/window/support/child_process.h"
#include "tests/window/support/picture.h"

namespace headlight_test {

using Json = nlohmann::json;

struct Widget {
  std::string name, value;
  double x = 0, y = 0, width = 0, height = 0;
  bool enabled = true;
};

// The state of the settled window; see app/shell/automation.h.
struct Moment {
  Json state;
  std::vector<Widget> widgets;
  const Widget* find(const std::string& name) const;
};

struct ScreenSize {
  int width = 1280, height = 800;
};

// Whether the user has started the program before; new users get a hint.
enum class FirstStart { Known, New };

class WindowSession {
 public:
  // Starts Xvfb and the program with `arguments`, and waits until its window has settled.
  // `home`: the home folder of another session, which has to outlive this one; empty: a new one.
  explicit WindowSession(const std::vector<std::string>& arguments = {}, ScreenSize screen = {},
                         FirstStart first_start = FirstStart::Known, std::filesystem::path home = {});
  // Starts the program again after its end, on the same screen with the same home.
  void start_again(const std::vector<std::string>& arguments = {});
  // Kills the X server; start_display_again() starts another one.
  void end_display();
  void start_display_again() { start_display(size_); }

  // The temporary folder of this session; the program's home and its automation files are in it.
  const std::filesystem::path& folder() const { return folder_.path(); }

  // Waits until `reached` holds. Throws std::runtime_error with the description after 90 s or when the
  // program has ended.
  Moment until(const std::string& description, const std::function<bool(const Moment&)>& reached);
  Moment now();
  Json state() { return now().state; }
  Widget widget(const std::string& name);  // waits until it is in sight
  // Unfolds the inputs to which this widget belongs, if the shown step of a lesson has folded them. The
  // functions that take a widget's name do so.
  void unfold_inputs(const std::string& name);
  std::string value(const std::string& name) { return widget(name).value; }
  bool shows(const std::string& name) { return now().find(name) != nullptr; }
  void until_value(const std::string& name, const std::string& value);
  void until_gone(const std::string& name);

  // Input. Each call waits until the program has handled the input and its window has settled.
  void hover(const std::string& name);
  void click(const std::string& name);
  void click_at(double x, double y);
  void right_click(const std::string& name);
  void shift_click(const std::string& name);
  // For input that ends the program: these do not wait.
  void click_and_end(const std::string& name);
  void key_and_end(const std::string& keys);
  void drag(const std::string& name, double dx, double dy = 0);
  void pull(double x, double y, double dx, double dy);  // a drag from a point of the screen
  // Turns the wheel at a relative position (0 to 1) in the widget; positive steps are up and zoom in.
  void wheel(const std::string& name, int steps, double across = 0.5, double down = 0.5);
  // Closes the window as its frame's close button does.
  void close_window();
  // Drops files in the middle of the window, as a file manager does.
  void drop(const std::vector<std::filesystem::path>& files);
  void type(const std::string& ascii);
  void resize(ScreenSize size);  // the window, as a user or a window manager does
  // Sets one size after another, faster than frames are drawn.
  void resize_quickly(const std::vector<ScreenSize>& sizes);
  void key(const std::string& keys);  // as xdotool writes them: "ctrl+shift+z", "Return"
  // Opens a list of choices and clicks one: choose("settings.mask", "causal").
  void choose(const std::string& name, const std::string& entry);
  // Adds a step to the layer by the button "+" of the strip: add_step("mask").
  void add_step(const std::string& id);
  // Replaces the text of a field.
  void fill(const std::string& name, const std::string& ascii);

  // The display's clipboard, as another program writes and reads it.
  void put_on_clipboard(const std::string& text);
  std::string clipboard();
  // A program that holds "held" on it, and may be stopped.
  std::unique_ptr<ChildProcess> hold_clipboard() const;
  // The clipboard in one of the formats that it offers: "image/png", "TARGETS".
  std::string clipboard(const std::string& target);

  // The current pixels of the screen.
  Picture screen() const;
  // The output of the program so far.
  std::string output() const { return text_of(log_); }
  // Waits until the program ends. Returns its exit status.
  int wait_for_exit();
  pid_t program_pid() const { return program_->pid(); }

 private:
  void start_display(ScreenSize screen);
  void start_program(const std::vector<std::string>& arguments);
  std::optional<Moment> read_moment() const;
  void xdotool(std::vector<std::string> arguments);
  // xdotool(), then waits until the program has handled the input.
  void act(std::vector<std::string> arguments);
  void move_pointer(double x, double y);
  [[noreturn]] void fail(const std::string& waited_for) const;

  TemporaryFolder folder_;
  std::filesystem::path log_;
  ScreenSize size_;
  std::map<std::string, std::string> environment_;
  std::unique_ptr<ChildProcess> display_, program_;
  unsigned long marks_ = 0;  // the number of marks sent, one after each input
};

// The program under test.
std::filesystem::path headlight_program();
// A lesson's file, by its stem.
std::filesystem::path lesson_file(const std::string& stem);

}  // namespace headlight_test
