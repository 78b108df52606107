// The real program in a real window on a virtual screen, driven through X by the names of its widgets. Every
// wait is for a state that the program itself reports, with a deadline.
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

// One settled moment of the window; see app/shell/automation.h.
struct Moment {
  Json state;
  std::vector<Widget> widgets;
  const Widget* find(const std::string& name) const;
};

struct ScreenSize {
  int width = 1280, height = 800;
};

// Whether the person has seen the program before: newcomers are given a hint.
enum class FirstStart { Known, New };

class WindowSession {
 public:
  // Starts Xvfb and the program with `arguments`, and waits until its window has settled.
  // `home`: that of another session, which lives longer; empty: one of its own.
  explicit WindowSession(const std::vector<std::string>& arguments = {}, ScreenSize screen = {},
                         FirstStart first_start = FirstStart::Known, std::filesystem::path home = {});
  // Once the program has ended: starts it once more, on the same screen with the same home.
  void start_again(const std::vector<std::string>& arguments = {});
  // The X server ends, at once; and another one takes its place.
  void end_display();
  void start_display_again() { start_display(size_); }

  // A folder of this session's own, the program's home and working place among others.
  const std::filesystem::path& folder() const { return folder_.path(); }

  // Waits until `reached` holds; the description completes "waiting until ...".
  Moment until(const std::string& description, const std::function<bool(const Moment&)>& reached);
  Moment now();
  Json state() { return now().state; }
  Widget widget(const std::string& name);  // waits until it is in sight
  std::string value(const std::string& name) { return widget(name).value; }
  bool shows(const std::string& name) { return now().find(name) != nullptr; }
  void until_value(const std::string& name, const std::string& value);
  void until_gone(const std::string& name);

  // Each waits until the program's frames have seen the input and come to rest.
  void hover(const std::string& name);
  void click(const std::string& name);
  void click_at(double x, double y);
  void right_click(const std::string& name);
  void shift_click(const std::string& name);
  // The click that ends the program: nothing answers to it.
  void click_and_end(const std::string& name);
  void key_and_end(const std::string& keys);
  void drag(const std::string& name, double dx, double dy = 0);
  // By so many steps at a place of the widget, from 0 to 1; up zooms in.
  void wheel(const std::string& name, int steps, double across = 0.5, double down = 0.5);
  // As the cross of the window's frame does.
  void close_window();
  // From a file manager, in the middle of the window.
  void drop(const std::vector<std::filesystem::path>& files);
  void type(const std::string& ascii);
  void resize(ScreenSize size);  // the program's window, as its user or a window manager does
  // To one size behind the other, faster than frames are drawn.
  void resize_quickly(const std::vector<ScreenSize>& sizes);
  void key(const std::string& keys);  // as xdotool writes them: "ctrl+shift+z", "Return"
  // Opens a list of choices and takes one: choose("settings.mask", "causal").
  void choose(const std::string& name, const std::string& entry);
  // Replaces the text of a field.
  void fill(const std::string& name, const std::string& ascii);

  // The clipboard of the screen, as another program has it and gets it.
  void put_on_clipboard(const std::string& text);
  std::string clipboard();
  // In one of the forms that it is offered in: "image/png", "TARGETS".
  std::string clipboard(const std::string& target);

  // What stands on the screen.
  Picture screen() const;
  // What the program has printed so far.
  std::string output() const { return text_of(log_); }
  // Waits until the program has ended by itself.
  int wait_for_exit();
  pid_t program_pid() const { return program_->pid(); }

 private:
  void start_display(ScreenSize screen);
  void start_program(const std::vector<std::string>& arguments);
  std::optional<Moment> read_moment() const;
  void xdotool(std::vector<std::string> arguments);
  // The same, and waits until the frames have come past it.
  void act(std::vector<std::string> arguments);
  void move_pointer(double x, double y);
  [[noreturn]] void fail(const std::string& waited_for) const;

  TemporaryFolder folder_;
  std::filesystem::path log_;
  ScreenSize size_;
  std::map<std::string, std::string> environment_;
  std::unique_ptr<ChildProcess> display_, program_;
  unsigned long marks_ = 0;  // put behind the input sent so far
};

// The program under test.
std::filesystem::path headlight_program();
// A lesson's file, by its stem.
std::filesystem::path lesson_file(const std::string& stem);

}  // namespace headlight_test
