// The distribution of queued input events over frames.
#include "app/platform/input_replay.h"

#include <string>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "tests/support/catch.h"

using namespace headlight;

namespace {

InputEvent key(int code, int action) {
  return {InputEvent::Kind::Key, code, 0, action, 0, 0, 0};
}
InputEvent character(char letter) {
  return {InputEvent::Kind::Character, letter, 0, 0, 0, 0, 0};
}
InputEvent button(int action) {
  return {InputEvent::Kind::Button, 0, 0, action, 0, 0, 0};
}
InputEvent pointer(double x) {
  return {InputEvent::Kind::Pointer, 0, 0, 0, 0, x, 0};
}
InputEvent wheel(double y) {
  return {InputEvent::Kind::Wheel, 0, 0, 0, 0, 0, y};
}

// The number of events in each frame.
std::string dealt(std::deque<InputEvent> queue) {
  std::string counts;
  while (!queue.empty())
    counts += std::to_string(take_frame_events(queue).size()) + " ";
  return counts;
}

}  // namespace

TEST_CASE("input: a key pressed and released at once is down for a frame") {
  CHECK(dealt({key(GLFW_KEY_A, GLFW_PRESS), key(GLFW_KEY_A, GLFW_RELEASE)}) == "1 1 ");
}

TEST_CASE("input: Ctrl is still held in the frame that sees the Z of Ctrl+Z") {
  const InputEvent ctrl_down = key(GLFW_KEY_LEFT_CONTROL, GLFW_PRESS);
  const InputEvent ctrl_up = key(GLFW_KEY_LEFT_CONTROL, GLFW_RELEASE);
  const InputEvent z_down = key(GLFW_KEY_Z, GLFW_PRESS), z_up = key(GLFW_KEY_Z, GLFW_RELEASE);
  CHECK(dealt({ctrl_down, z_down, z_up, ctrl_up}) == "2 1 1 ");
  CHECK(dealt({ctrl_down, z_down, ctrl_up, z_up}) == "2 2 ");
}

TEST_CASE("input: a click happens where the pointer was, not where it went after") {
  CHECK(dealt({pointer(10), button(GLFW_PRESS), button(GLFW_RELEASE), pointer(90), button(GLFW_PRESS)}) ==
        "2 1 2 ");
}

TEST_CASE("input: characters keep their order among keys, and a click waits for the typing before it") {
  CHECK(dealt({character('1'), character('2'), key(GLFW_KEY_BACKSPACE, GLFW_PRESS), character('3')}) ==
        "2 1 1 ");
  CHECK(dealt({character('1'), button(GLFW_PRESS), character('2')}) == "1 1 1 ");
  // Each letter of fast typing gets its own frame: "a" and "b"; then "a", Enter and "b".
  const InputEvent a_down = key(GLFW_KEY_A, GLFW_PRESS), a_up = key(GLFW_KEY_A, GLFW_RELEASE);
  const InputEvent b_down = key(GLFW_KEY_B, GLFW_PRESS);
  CHECK(dealt({a_down, character('a'), a_up, b_down, character('b')}) == "2 3 ");
  const InputEvent enter_down = key(GLFW_KEY_ENTER, GLFW_PRESS);
  CHECK(dealt({a_down, character('a'), a_up, enter_down, b_down, character('b')}) == "2 3 1 ");
}

TEST_CASE("input: moves between clicks join, each turn of the wheel has its frame") {
  CHECK(dealt({pointer(1), pointer(2), pointer(3)}) == "3 ");
  CHECK(dealt({pointer(1), wheel(1), wheel(1), pointer(2)}) == "1 1 1 1 ");
}
