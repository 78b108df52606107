// A whole model in the real window: its text, the prediction, heads off and on, and opening the saved session
// again.
#include <filesystem>
#include <fstream>

#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/window/journey_support.h"

using namespace headlight_test;

namespace {

const std::string kFolder = source_root() + "/tests/golden/models/gpt2";

void until_other(WindowSession& window, const std::string& name, const std::string& before) {
  window.until(name + " has changed", [&](const Moment& moment) {
    const Widget* now = moment.find(name);
    return now && now->value != before;
  });
}

// The menu of the picture, where the map of all heads is not what one chooses from.
void choose_layer(WindowSession& window, const std::string& layer) {
  window.click("focus.more");
  window.click("focus.menu.layers");
  window.click("stages.layer." + layer);
}

void show_all_heads(WindowSession& window) {
  window.click("focus.more");
  window.click("focus.menu.heads");
  window.click("stages.heads.all");
}

}  // namespace

TEST_CASE("a text is typed into a model, and what comes next follows, back and forth") {
  WindowSession window({kFolder});
  window.click("model.page.text");
  const std::string before = window.value("model.prediction.0"), text = window.value("model.text");
  window.click("model.text");
  window.key("ctrl+End");
  window.type(" on");
  until_other(window, "model.prediction.0", before);
  window.until_value("model.text", text + " on");
  window.click("model.token.0");
  window.until("the first token's predictions are shown", [](const Moment& moment) {
    return moment.find("model.token.0")->value.find("(chosen)") != std::string::npos;
  });
  window.click("toolbar.undo");
  window.until_value("model.text", text);
}

TEST_CASE("a head of another layer goes off in the map, is listed, and is off in its layer too") {
  WindowSession window({kFolder});
  window.click("model.page.text");
  const std::string before = window.value("model.prediction.0");
  window.click("model.page.heads");
  window.right_click("model.head.1.2");
  window.click("model.head.menu.off");
  window.until_value("model.head.1.2", ", off");
  window.click("model.head.1.2");
  window.click("model.page.text");
  until_other(window, "model.prediction.0", before);
  window.until_value("focus.layer", "1");
  show_all_heads(window);
  window.until_value("focus.head.h2.on", "off");
  window.click("focus.head.h2.on");
  window.until_value("model.prediction.0", before);
  window.key("alt+6");
  window.until_value("model.head.1.2", "");
}

TEST_CASE("a session on a model is saved with its changes alone, and opened again with them") {
  WindowSession window({kFolder});
  window.right_click("model.head.0.1");
  window.click("model.head.menu.mean");
  window.until_value("model.head.0.1", ", its mean over this text");
  window.click("model.page.text");
  const std::string changed = window.value("model.prediction.0");
  window.key("ctrl+s");
  window.fill("dialog.path", window.folder().string());
  window.key("Return");
  window.fill("dialog.name", "changed");
  window.click("dialog.ok");
  window.until("it is saved",
               [](const Moment& moment) { return moment.state.at("document").at("saved").get<bool>(); });
  const std::filesystem::path file = window.folder() / "changed.headlight";
  CHECK(std::filesystem::file_size(file) < 2000);
  window.start_again({file.string()});
  window.click("model.page.text");
  window.until_value("model.prediction.0", changed);
  window.click("model.tab.changes");
  window.until_value("model.change.0", "on");
}

TEST_CASE("a GGUF file is opened through the dialog for models, and a session keeps it by its name") {
  WindowSession window;
  const std::filesystem::path file = window.folder() / "tiny.gguf";
  std::filesystem::copy_file(source_root() + "/tests/golden/gguf/gpt2.gguf", file);
  window.click("toolbar.menu");
  window.click("menu.open_model");
  window.fill("dialog.path", file.string());
  window.key("Return");
  window.until("the model is open",
               [](const Moment& moment) { return moment.find("model.page.text") != nullptr; });
  window.click("model.page.text");
  const std::string prediction = window.value("model.prediction.0");
  window.click("model.page.heads");
  window.right_click("model.head.0.1");
  window.click("model.head.menu.off");
  window.until_value("model.head.0.1", ", off");
  window.click("model.page.text");
  until_other(window, "model.prediction.0", prediction);
  const std::string changed = window.value("model.prediction.0");
  window.key("ctrl+s");
  window.fill("dialog.path", window.folder().string());
  window.key("Return");
  window.fill("dialog.name", "changed");
  window.click("dialog.ok");
  window.until("it is saved",
               [](const Moment& moment) { return moment.state.at("document").at("saved").get<bool>(); });
  window.start_again({(window.folder() / "changed.headlight").string()});
  window.click("model.page.text");
  window.until_value("model.prediction.0", changed);
  CHECK(window.value("toolbar.menu") == "tiny.gguf");
}

TEST_CASE("a figure of one of the layers names it in its file and in its title") {
  WindowSession window({kFolder});
  choose_layer(window, "2");
  window.until_value("focus.layer", "2");
  window.key("alt+1");
  show_all_heads(window);
  window.key("ctrl+e");
  window.click("dialog.format.svg");
  window.until_value("dialog.name", "gpt2-layer2-weights.svg");
  window.fill("dialog.path", window.folder().string());
  window.click("dialog.ok");
  window.until("it is saved", [](const Moment& moment) {
    return moment.state.at("message").get<std::string>().find("gpt2-layer2-weights.svg") != std::string::npos;
  });
  const std::string svg = text_of(window.folder() / "gpt2-layer2-weights.svg");
  CHECK(svg.find(">Attention weights, layer 2</text>") != std::string::npos);
  CHECK(svg.find(">head 3</text>") != std::string::npos);
}

TEST_CASE("a training is gone through with the slider over its checkpoints, and undone") {
  WindowSession window({source_root() + "/assets/examples/words"});
  window.click("model.page.text");
  window.until_value("model.checkpoint", "step 2000, 8 of 8");
  window.until("the heads are measured", [](const Moment& moment) {
    const Widget* curve = moment.find("model.checkpoint.curve");
    return curve && curve->value.find(" %") != std::string::npos;
  });
  const std::string trained = window.value("model.prediction.0"), text = window.value("model.text");
  window.click("model.checkpoint");  // its middle, between two checkpoints
  window.until("one of the two in the middle is shown", [](const Moment& moment) {
    const Widget* slider = moment.find("model.checkpoint");
    return slider && (slider->value == "step 300, 4 of 8" || slider->value == "step 400, 5 of 8");
  });
  window.key("Home");
  window.until_value("model.checkpoint", "step 0, 1 of 8");
  until_other(window, "model.prediction.0", trained);
  CHECK(window.value("model.text") == text);
  window.key("End");
  window.until_value("model.checkpoint", "step 2000, 8 of 8");
  window.until_value("model.prediction.0", trained);
  window.click("toolbar.undo");
  window.until_value("model.checkpoint", "step 0, 1 of 8");
}

TEST_CASE("a new model is trained on a text from the start screen, and its checkpoints follow") {
  WindowSession window(std::vector<std::string>{});
  std::string text;
  for (int i = 0; i < 60; ++i)
    text += "the cat sat on the mat and the dog sat on the log and the bird saw them all. ";
  std::ofstream(window.folder() / "text.txt") << text;
  window.key("ctrl+p");
  window.type("train a model");
  window.key("Return");
  window.fill("train.text.0", (window.folder() / "text.txt").string());
  window.fill("train.output", (window.folder() / "model").string());
  window.fill("train.steps", "300");
  window.click("train.ok");
  window.until("it is trained", [](const Moment& moment) {
    const Widget* told = moment.find("training.text");
    return told && told->value.find("Trained: 300 steps") == 0;
  });
  window.until_value("model.checkpoint", "step 300, 21 of 21");
  window.click("model.page.text");
  const std::string trained = window.value("model.prediction.0");
  window.click("model.checkpoint.curve");  // its middle
  window.until_value("model.checkpoint", "step 150, 11 of 21");
  window.key("Home");
  window.until_value("model.checkpoint", "step 0, 1 of 21");
  until_other(window, "model.prediction.0", trained);
  CHECK(std::filesystem::exists(window.folder() / "model" / "model.safetensors"));
}

TEST_CASE(
    "a model of two sides: its source is typed, a cross layer opens from the map, and the session has both") {
  WindowSession window({source_root() + "/tests/golden/library/t5"});
  window.click("model.page.text");
  const std::string before = window.value("model.prediction.0");
  window.click("model.source");
  window.key("ctrl+End");
  window.type(", 33, 34");
  until_other(window, "model.prediction.0", before);
  window.until_value("model.source", "0, 1, 2, 3, 4, 5, 6, 7, 33, 34");
  window.click("model.continue");
  window.until("a token is added",
               [](const Moment& moment) { return moment.find("model.token.8") != nullptr; });
  window.click("model.page.heads");
  window.click("model.head.cross.1.2");
  window.until_value("focus.layer", "cross 1");
  window.click("model.page.text");
  const std::string changed = window.value("model.prediction.0");
  choose_layer(window, "encoder 0");
  window.until_value("focus.layer", "encoder 0");
  window.key("alt+6");  // the heads
  window.right_click("model.head.cross.0.1");
  window.click("model.head.menu.off");
  window.until_value("model.head.cross.0.1", ", off");
  window.click("model.page.text");
  until_other(window, "model.prediction.0", changed);
  const std::string off = window.value("model.prediction.0");
  window.key("ctrl+s");
  window.fill("dialog.path", window.folder().string());
  window.key("Return");
  window.fill("dialog.name", "sides");
  window.click("dialog.ok");
  window.until("it is saved",
               [](const Moment& moment) { return moment.state.at("document").at("saved").get<bool>(); });
  window.start_again({(window.folder() / "sides.headlight").string()});
  window.click("model.page.text");
  window.until_value("model.prediction.0", off);
  window.until_value("focus.layer", "encoder 0");
  CHECK(window.value("model.source") == "0, 1, 2, 3, 4, 5, 6, 7, 33, 34");
}

TEST_CASE("a model of images: a patch is pointed at and clicked, and a picture is dropped onto the window") {
  WindowSession window({source_root() + "/tests/golden/library/vit"});
  window.click("model.head.1.3");
  window.click("model.page.text");
  CHECK(window.value("model.image.name") == "a picture made by the program");
  const std::string before = window.value("model.prediction.0");
  window.hover("model.image");
  window.until_value("model.image", "patch 1,1");
  window.click("model.image");
  window.until("the patch is selected", [](const Moment& moment) {
    return moment.state.at("selection").dump().find("\"row\":5") != std::string::npos;
  });
  window.drop({source_root() + "/tests/golden/images/colours.png"});
  window.until_value("model.image.name", "colours.png");
  until_other(window, "model.prediction.0", before);
  window.click("toolbar.undo");
  window.until_value("model.image.name", "a picture made by the program");
  window.until_value("model.prediction.0", before);
}

TEST_CASE("why a head gives a pair of tokens its score is asked at the cell, and by the keyboard") {
  WindowSession window({source_root() + "/assets/examples/words"});
  window.click("model.head.1.2");
  window.until_value("focus.layer", "1");
  const auto answered = [&](const std::string& pair) {
    window.until("the parts of the score of " + pair + " are shown", [&](const Moment& moment) {
      const Widget* notes = moment.find("model.question.notes");
      return notes && notes->value.find(pair) != std::string::npos &&
             notes->value.find("the sum of all cells") != std::string::npos;
    });
  };
  window.click("focus.weights.h2");  // its middle: the sixth of eleven tokens, at itself
  window.click("inspector.step.scores.why");
  window.until_value("model.question", "score");
  answered("key: \" the\" (token 5)");
  window.click("focus.weights.h2");
  window.key("Left");
  answered("key: \" on\" (token 4)");
  window.click("model.page.heads");
  window.key("ctrl+p");
  window.type("why this score");
  window.key("Return");
  window.until_value("model.page.questions", "chosen");
  answered("key: \" on\" (token 4)");
}

TEST_CASE("an intervention is added by hand, changed, and undone") {
  WindowSession window({kFolder});
  window.click("model.page.text");
  const std::string before = window.value("model.prediction.0");
  window.click("model.tab.changes");
  window.click("model.change.add");
  window.choose("intervention.place", "mlp");
  window.choose("intervention.layer", "1");
  window.fill("intervention.positions", "99");
  window.click("intervention.ok");
  window.until("the mistake is told at its field", [](const Moment& moment) {
    const Widget* message = moment.find("intervention.message.positions");
    return message && message->value.find("there is no token 99") != std::string::npos;
  });
  window.fill("intervention.positions", "-1");
  window.key("Return");
  window.until_gone("intervention.ok");
  window.until_value("model.change.0", "on");
  window.click("model.tab.predictions");
  until_other(window, "model.prediction.0", before);
  window.click("model.tab.changes");
  window.click("model.change.0.edit");
  window.until_value("intervention.positions", "-1");
  window.choose("intervention.how", "value");
  window.fill("intervention.value", "0.5");
  window.click("intervention.ok");
  window.until_gone("intervention.ok");
  window.click("toolbar.undo");
  window.click("toolbar.undo");
  window.until_gone("model.change.0");
  window.click("model.tab.predictions");
  window.until_value("model.prediction.0", before);
}
