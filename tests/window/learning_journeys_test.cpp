// Learning in the real window: a goal, training, the way back, and beams that are pulled.
#include <chrono>
#include <cmath>
#include <fstream>
#include <numbers>

#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "tests/window/journey_support.h"

using namespace headlight_test;

namespace {

// Six tokens, each with its place in its embedding, and four heads with random weights.
std::filesystem::path four_heads(const TemporaryFolder& folder) {
  Json embeddings = Json::array();
  for (int token = 0; token < 6; ++token) {
    const double angle = 2 * std::numbers::pi * token / 8;
    embeddings.push_back({0.1 * token, 0.5 - 0.1 * token, 1.5 * std::cos(angle), 1.5 * std::sin(angle)});
  }
  const Json session = {
      {"format", "headlight-session"},
      {"version", 1},
      {"tokens", {"Your", "journey", "starts", "with", "one", "step"}},
      {"embeddings", embeddings},
      {"attention",
       {{"projection", "linear"},
        {"d_out", 16},
        {"num_heads", 4},
        {"mask", "causal"},
        {"scale", "inverse_sqrt_dk"}}},
      {"weights", {{"init", "linear"}, {"seed", 123}, {"order", {"query", "key", "value"}}}}};
  const std::filesystem::path path = folder.path() / "four-heads.headlight";
  std::ofstream(path) << session;
  return path;
}

double loss_of(const Moment& moment) {
  const Widget* const loss = moment.find("learning.loss");
  return loss ? number_from(loss->value) : 1e9;
}

}  // namespace

TEST_CASE("four heads of random weights learn to attend to the token before, and undo takes it back") {
  const TemporaryFolder folder;
  WindowSession window({four_heads(folder).string()});
  const double before = value_of_cell(window, "stage.weights.h0", 6, 4, 3);
  const auto begin = std::chrono::steady_clock::now();
  window.key("alt+l");
  window.choose("learning.goal", "previous_token");
  window.click("learning.learn");
  window.until("the loss is near zero", [](const Moment& moment) { return loss_of(moment) < 0.02; });
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  window.click("learning.learn");
  window.until("the training rests", [](const Moment& moment) { return moment.state.at("settled") == true; });
  WARN("learnt in " << taken.count() << " s, with a key and four clicks");
  for (int head = 0; head < 4; ++head)
    CHECK(value_of_cell(window, "stage.weights.h" + std::to_string(head), 6, 4, 3) > 0.9);
  window.click("learning.reset");
  window.until_value("learning.curve", "0");
  CHECK_THAT(value_of_cell(window, "stage.weights.h0", 6, 4, 3), WithinAbs(before, 1e-6));
  window.click("toolbar.undo");
  window.until_gone("learning.curve");
}

TEST_CASE("a beam is pulled to another key, and a line says what had to move") {
  WindowSession window({lesson_file("16-causal-mask").string()});
  window.key("alt+2");
  const Widget lines = window.widget("flow.lines");
  const auto key_y = [&](int key) {
    const Widget label = window.widget("flow.key." + std::to_string(key));
    return label.y + label.height / 2;
  };
  // Near its end, where it is level, the only line to the last token.
  window.pull(lines.x + 0.95 * lines.width, key_y(5), 0, key_y(3) - key_y(5));
  window.until("the pull says what was reached",
               [](const Moment& moment) { return moment.find("flow.pull") != nullptr; });
  CHECK(window.value("flow.pull").find("most moved: W_") != std::string::npos);
  window.click("toolbar.undo");
  window.until_gone("flow.pull");
}

TEST_CASE("a lesson shows gradients where it speaks of them, and its question trains the layer") {
  WindowSession window;
  open_lesson(window, "34-what-a-loss-is");
  window.until("the wish is measured", [](const Moment& moment) { return loss_of(moment) < 1e9; });
  CHECK_FALSE(window.shows("inspector.gradient"));
  window.click("lesson.next");
  const double loss = loss_of(window.now());
  window.click("lesson.answer.0");
  window.click("lesson.do");
  window.until("the loss has fallen", [loss](const Moment& moment) { return loss_of(moment) < 0.8 * loss; });
  window.click("lesson.next");
  window.until("the derivation is one of a gradient",
               [](const Moment& moment) { return moment.find("inspector.gradient") != nullptr; });
  CHECK(number_from(window.value("inspector.gradient")) < -3);
}
