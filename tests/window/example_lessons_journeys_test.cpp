// The lessons beside the course, on whole models and on arrays, in the real window: what each step tells to
// press, type, drag and choose is there and does something, and its text has all its numbers afterwards.
#include <algorithm>
#include <string>
#include <vector>

#include "app/lesson_text/lesson_controls.h"
#include "app/lesson_text/reference_text.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/window/journey_support.h"

using namespace headlight_test;
using namespace headlight;

namespace {

constexpr const char* kNamed = "lesson.control.";

// Whatever a control does shows here; not the pointer that rests on it.
std::string seen(const Moment& moment) {
  std::string all = moment.state.at("selection").dump();
  for (const Widget& widget : moment.widgets)
    if (!widget.name.starts_with("tooltip"))
      all += '\n' + widget.name + '=' + widget.value + (widget.enabled ? "" : " (off)");
  return all;
}

const LessonControl& control_of(const std::string& probe) {
  const std::vector<LessonControl>& all = lesson_controls();
  return *std::find_if(all.begin(), all.end(),
                       [&](const LessonControl& control) { return control.probe == probe; });
}

// The controls that the shown texts name, in the order of their words.
std::vector<std::string> named(const Moment& moment) {
  std::vector<std::string> probes;
  for (const Widget& widget : moment.widgets) {
    if (!widget.name.starts_with(kNamed)) continue;
    const std::string probe = widget.name.substr(std::string(kNamed).size());
    if (probes.empty() || probes.back() != probe) probes.push_back(probe);  // each word is a widget
  }
  return probes;
}

void use(WindowSession& window, const LessonControl& control) {
  switch (control.use) {
    case ControlUse::Type:
      return window.fill(control.probe, "Eve and Tom went out, Tom gave the key to\n");
    case ControlUse::Drag:
      // From the middle: to a late step, or to the first one.
      return window.drag(control.probe, window.value(control.probe).starts_with("step 0,") ? 300 : -600);
    default:
      return window.click(control.probe);
  }
}

// What is chosen already stays so when it is chosen once more.
bool is_chosen(WindowSession& window, const LessonControl& control) {
  const Json state = window.state();
  const bool shown = control.place == ControlPlace::Stage &&
                     state.at("in_sight").at("stage") == std::string(stage_info(control.stage).name);
  return shown || (control.use == ControlUse::Open && window.value(control.probe) == "open");
}

// From the first one on: what is done may change which ones follow.
void carry_out(WindowSession& window, int& used) {
  for (std::size_t at = 0; at < named(window.now()).size(); ++at, ++used) {
    const std::string probe = named(window.now())[at];
    INFO(probe);
    const LessonControl& control = control_of(probe);
    window.widget(probe);
    const std::string before = seen(window.now());
    const bool chosen = is_chosen(window, control);
    use(window, control);
    if (!chosen)
      window.until(control.label + " does something",
                   [&](const Moment& moment) { return seen(moment) != before; });
    // A list and the table of heads lie over the window until they are closed.
    if (control.use == ControlUse::Choose || control.name == "heads_table") window.key("Escape");
  }
  window.until("the text has its numbers", [](const Moment& moment) {
    const Widget* text = moment.find("lesson.text");
    return text && text->value.find(kMissingText) == std::string::npos &&
           text->value.find(kPendingText) == std::string::npos;
  });
}

// Whether the step has a question, which is then answered: only then does its text tell what to do.
bool answers(WindowSession& window) {
  for (const char* name : {"lesson.answer.0", "lesson.word.0", "lesson.guess.give"})
    if (window.shows(name)) {
      window.click(name);
      return true;
    }
  return false;
}

int steps_of(const std::string& place) {  // "2 of 5"
  return std::stoi(place.substr(place.rfind(' ') + 1));
}

}  // namespace

TEST_CASE("what the lessons on models and files tell to do is there and does it") {
  int used = 0;
  for (const char* stem :
       {"whole-model", "written-note", "two-steps", "prediction", "induction-head", "previous-token-head"}) {
    INFO(stem);
    WindowSession window({source_root() + "/assets/examples/" + stem + ".headlight"});
    const int steps = steps_of(window.value("lesson.step"));
    for (int step = 1; step <= steps; ++step) {
      INFO("step " << step);
      window.until_value("lesson.step", std::to_string(step) + " of " + std::to_string(steps));
      carry_out(window, used);
      if (answers(window)) carry_out(window, used);
      if (step < steps) window.click("lesson.next");
    }
    CHECK(window.output().find("error") == std::string::npos);
  }
  CHECK(used >= 11);
}
