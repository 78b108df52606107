// Every step of every lesson, carried out as its text says: each control that the text names is on screen,
// does something, and the text holds afterwards.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <regex>
#include <thread>

#include <imgui_internal.h>

#include "app/lesson_text/lesson_controls.h"
#include "app/lesson_text/reference_text.h"
#include "app/ui/main_window/workbench.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/ui/support/judged.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using namespace headlight_test;

namespace {

constexpr const char* kNamed = "lesson.control.";

// So large that nothing is scrolled.
struct ReadWindow {
  WorkbenchState state;
  PanelFixture fixture;

  explicit ReadWindow(Session session)
      : fixture(std::move(session), [this](UiContext& ui) { draw(ui); }, {1600, 1000}) {
    fixture.preferences().motion = false;
    state.lesson.guide = begin_guide(fixture.document().session());
    fixture.robot().frames(8);
  }
  void draw(UiContext& ui) {
    ImGui::BringWindowToDisplayBack(ImGui::GetCurrentWindow());  // the robot's window
    workbench(ui, state);
  }
  PanelRobot& robot() { return fixture.robot(); }
};

// What a reader sees of the window: whatever a control does shows here.
std::string seen(ReadWindow& window) {
  std::string all = window.fixture.view().picture.paints_mask ? "paints\n" : "";
  PanelRobot& robot = window.robot();
  for (const ProbedWidget& widget : robot.probe().widgets())
    all += widget.name + '=' + widget.value + (widget.enabled ? '\n' : '-');
  return all;
}

const LessonControl& control_of(const std::string& probe) {
  const std::vector<LessonControl>& all = lesson_controls();
  return *std::find_if(all.begin(), all.end(),
                       [&](const LessonControl& control) { return control.probe == probe; });
}

std::string told(PanelRobot& robot, const std::string& text) {
  return robot.shows(text) ? robot.value(text) : "";
}

// The number that the texts ask to type after the control's name, another one than stands there.
std::string asked_number(PanelRobot& robot, const LessonControl& control, const std::string& label) {
  const std::string words = told(robot, "lesson.text") + " " + told(robot, "lesson.try");
  std::smatch found;
  const std::regex number("(^|\\W)" + label + " to ([0-9]+(\\.[0-9]+)?)");
  const std::string asked = std::regex_search(words, found, number) ? found[2].str() : "2";
  return robot.value(control.probe) == asked ? asked + "1" : asked;
}

void use(PanelRobot& robot, const LessonControl& control, const std::string& label) {
  switch (control.use) {
    case ControlUse::Press:
      return robot.click(control.probe);
    case ControlUse::Choose:
      return robot.click(control.probe);
    case ControlUse::Type:
      robot.double_click(control.probe);
      robot.key(Key::A, {true});
      robot.type(asked_number(robot, control, label));
      return robot.key(Key::Enter);
    case ControlUse::Drag:
      return robot.drag(control.probe, -40);
    case ControlUse::Open:
      if (robot.value(control.probe) != "open") robot.click(control.probe);
      return;
  }
}

// Something that can be restored.
void change_something(ReadWindow& window) {
  auto changed = std::make_shared<Layer>(window.fixture.layer());
  changed->embeddings.front()(0, 0) += 1;
  window.fixture.document().run(Command{ReplaceLayer{changed, "An edit"}});
  window.robot().frames(4);
}

using Faults = std::vector<std::string>;

void try_control(ReadWindow& window, const std::string& probe, const std::string& label, Faults& faults) {
  PanelRobot& robot = window.robot();
  const LessonControl& control = control_of(probe);
  if (control.place == ControlPlace::Changed && !robot.shows(probe)) change_something(window);
  if (!robot.shows(probe)) return faults.push_back(label + " is not on screen");
  const std::string before = seen(window);
  const bool shown =
      control.place == ControlPlace::Stage && window.fixture.view().focused_stage == control.stage;
  const bool open = shown || (control.use == ControlUse::Open && robot.value(probe) == "open");
  const bool waits = !robot.widget(probe).enabled && robot.shows("lesson.guess.skip");  // for the guess
  use(robot, control, label);
  robot.frames(6);
  if (open || waits) return;
  // What training takes back comes from another thread.
  headlight_test::frames_until(robot, [&] { return seen(window) != before; });
  if (seen(window) == before) faults.push_back(label + " does nothing");
  if (control.use == ControlUse::Choose) robot.key(Key::Escape);
  if (!window.fixture.errors().empty()) faults.push_back(label + ": " + window.fixture.errors().front());
  if (window.state.lesson.guide.walk) leave_walk(window.state.lesson.guide);
  robot.frames(4);
}

void restore(ReadWindow& window) {
  if (window.state.lesson.guide.departure != Departure::None && window.robot().shows("lesson.restore"))
    window.robot().click("lesson.restore");
  window.robot().frames(4);
}

std::vector<std::string> sliders(PanelRobot& robot) {
  std::vector<std::string> all;
  for (const ProbedWidget& widget : robot.probe().widgets())
    if (widget.name.starts_with("lesson.slider.")) all.push_back(widget.name);
  return all;
}

// A slider stays below the pointer that drags it, and the question asks what it asked before.
void try_sliders(ReadWindow& window, Faults& faults) {
  PanelRobot& robot = window.robot();
  for (const std::string& slider : sliders(robot)) {
    if (!robot.shows(slider)) continue;
    const Rect place = robot.widget(slider).rect;
    const std::string asked = told(robot, "lesson.question");
    const auto at = [&](double part) {
      return ImVec2{static_cast<float>(place.x + part * place.width),
                    static_cast<float>(place.y + place.height / 2)};
    };
    robot.move_to(at(0.5));
    robot.press(true);
    for (const double part : {0.2, 0.9}) {
      robot.move_to(at(part));
      robot.frames(3);
      if (robot.widget(slider).rect != place) faults.push_back(slider + " leaves the pointer");
    }
    robot.press(false);
    robot.frames(4);
    if (told(robot, "lesson.question") != asked)
      faults.push_back(slider + " makes another question: " + told(robot, "lesson.question"));
    restore(window);
  }
}

// A text that speaks of the state it compares with does not know of another one that is kept in its place.
void keep_another(ReadWindow& window, Faults& faults) {
  PanelRobot& robot = window.robot();
  robot.key(Key::K, {.ctrl = true, .shift = true});
  robot.frames(4);
  if (!robot.shows("lesson.departure")) return faults.push_back("another state is kept, and nothing says so");
  robot.click("lesson.restore");
  robot.frames(4);
}

// The controls that the shown texts name, in their order, and the words that name them.
std::vector<std::pair<std::string, std::string>> named(PanelRobot& robot) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const ProbedWidget& widget : robot.probe().widgets())
    if (widget.name.starts_with(kNamed))
      if (all.empty() || all.back().first != widget.name.substr(std::string(kNamed).size()))
        all.emplace_back(widget.name.substr(std::string(kNamed).size()), widget.value);
  return all;
}

constexpr const char* kTexts[] = {"lesson.text", "lesson.try", "lesson.reply"};

bool lacks_number(const std::string& text) {
  return text.find(kMissingText) != std::string::npos || text.find(kPendingText) != std::string::npos;
}

// Until the numbers of the texts are computed, which other threads do.
void until_told(ReadWindow& window) {
  constexpr int kTries = 200;
  const auto lacks = [&](const char* text) { return lacks_number(told(window.robot(), text)); };
  for (int i = 0; i < kTries && std::any_of(std::begin(kTexts), std::end(kTexts), lacks); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    window.robot().frames(1);
  }
}

// Uses what the shown texts name, and what they name once that is done; each once.
void carry_out(ReadWindow& window, Faults& faults, int& used) {
  std::vector<std::string> done;
  for (bool more = true; more;) {
    more = false;
    for (const auto& [probe, label] : named(window.robot())) {
      if (std::find(done.begin(), done.end(), probe) != done.end()) continue;
      done.push_back(probe);
      try_control(window, probe, label, faults);
      ++used;
      more = true;
      break;
    }
  }
  for (int turn = 0; turn < 40 && window.state.stages.play.playing; ++turn)
    window.robot().rest(0.1f);
  until_told(window);
  for (const char* text : kTexts)
    if (lacks_number(told(window.robot(), text)))
      faults.push_back(std::string(text) + " has no number: " + told(window.robot(), text));
}

// What looks like a field takes what is typed.
void type_guess(ReadWindow& window, const AskedNumber& number, Faults& faults) {
  PanelRobot& robot = window.robot();
  const std::string before = robot.value("lesson.guess");
  robot.click("lesson.guess.typed");
  robot.key(Key::A, {.ctrl = true});
  robot.type(std::to_string(number.low + 0.3 * (number.high - number.low)));
  robot.key(Key::Enter);
  robot.frames(4);
  if (robot.value("lesson.guess") == before) faults.push_back("the field refuses what is typed");
}

// An answer to the shown question, given with the mouse or the keys.
void answer(ReadWindow& window, const LessonQuestion& question, Faults& faults) {
  PanelRobot& robot = window.robot();
  if (question.number) type_guess(window, *question.number, faults);
  if (robot.shows("lesson.answer.0"))
    robot.click("lesson.answer.0");
  else if (robot.shows("lesson.word.0"))
    robot.click("lesson.word.0");
  else if (robot.shows("lesson.guess.give"))
    robot.click("lesson.guess.give");
  else
    window.state.lesson.guide.answers[window.state.lesson.guide.step].cell = CellAddress{};  // of the picture
  robot.frames(6);
}

Faults walk_step(ReadWindow& window, std::size_t step, int& used) {
  Faults faults;
  PanelRobot& robot = window.robot();
  window.state.lesson.guide.wanted = step;
  robot.frames(6);
  const LessonStep shown = window.fixture.document().session().lesson->steps[step];
  try_sliders(window, faults);
  if (shown.against) keep_another(window, faults);
  carry_out(window, faults, used);
  if (shown.question) {
    window.state.lesson.guide.wanted = step;
    robot.frames(4);
    answer(window, *shown.question, faults);
    try_sliders(window, faults);
    carry_out(window, faults, used);
  }
  window.state.stages.play = {};
  window.fixture.clear();
  restore(window);
  return faults;
}

Faults walk(const Session& session, int& used) {
  ReadWindow window(session);
  Faults all;
  for (std::size_t step = 0; step < session.lesson->steps.size(); ++step)
    for (const std::string& fault : walk_step(window, step, used))
      all.push_back("step " + std::to_string(step + 1) + ": " + fault);
  return all;
}

// The last step of the lesson on what dropout does to the mean, with other words to try.
Session mean_of_draws(const std::string& try_it) {
  Session session = lesson_session("27-what-dropout-does-to-the-mean");
  LessonStep step = session.lesson->steps[4];
  step.try_it = LessonText(try_it);
  step.question.reset();
  session.lesson->steps = {step};
  return session;
}

std::string walked(const Session& session) {
  int used = 0;
  std::string all;
  for (const std::string& fault : walk(session, used))
    all += fault + '\n';
  return all;
}

}  // namespace

TEST_CASE("lesson walk: what each step of each lesson tells to press, type and choose is there and does it") {
  int used = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_root() + "/assets/lessons")) {
    if (entry.path().extension() != ".headlight") continue;
    INFO(entry.path().stem().string());
    const Faults faults = walk(lesson_session(entry.path().stem().string()), used);
    std::string all;
    for (const std::string& fault : faults)
      all += fault + '\n';
    INFO(all);
    CHECK(faults.empty());
  }
  CHECK(used > 40);
}

TEST_CASE("lesson walk: a wrong instruction is found") {
  const std::string mean = " The mean is {dropped[1,1] drawn_mean}.";
  CHECK(walked(mean_of_draws("Switch {control training} on, set {control dropout} to {type 0.8}. Press "
                             "{control many_draws}." +
                             mean))
            .empty());
  // The animation instead of the draws: the promised mean never comes.
  CHECK(walked(mean_of_draws("Press {control play}." + mean)).find("has no number") != std::string::npos);
  // As the lesson once had it.
  const std::string once =
      "Switch {control training} on, set {control dropout} to {type 0.8}, {slide dropout 0 0.9}, and press "
      "{control play} above the picture. {if dropout is off}The mean of the draws will stand here.{else}The "
      "mean of the draws for “{token[1]}” and itself is {dropped[1,1] drawn_mean}, the weight {weights[1,1]}."
      "{end}";
  CHECK(walked(mean_of_draws(once)).find("has no number") != std::string::npos);
  // A control of another stage, of training, of several heads.
  for (const char* absent : {"{control learn}", "{control key_tokens}", "{control layers}"})
    CHECK(walked(mean_of_draws(std::string("Press ") + absent + ".")).find("is not on screen") !=
          std::string::npos);
}
