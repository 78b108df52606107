// Things out of sight in the real window, by name in the palette, by key, and from a text.
#include "tests/support/catch.h"
#include "tests/window/journey_support.h"

using namespace headlight_test;

TEST_CASE("a setting, a stage and a lesson are reached through the command palette") {
  WindowSession window({lesson_file("20-two-heads").string()});
  window.until_value("settings.mask", "causal");
  window.key("ctrl+k");
  window.widget("palette.query");
  window.type("mask none");
  window.until_value("palette.item.0", "mask: none");
  window.key("Return");
  window.until_value("settings.mask", "none");
  window.until_gone("palette.query");

  window.click("toolbar.palette");
  window.type("scores full");
  window.until_value("palette.item.0", "show scores at full size");
  window.click("palette.item.0");
  window.until("the scores are open",
               [](const Moment& moment) { return moment.state.at("opened_stage") == "scores"; });
  window.key("Escape");

  window.key("ctrl+z");
  window.until_value("settings.mask", "causal");
  window.key("ctrl+p");
  window.type("looking back");
  window.key("Return");
  const std::string title = title_of_lesson("16-causal-mask");
  window.until("the lesson is open",
               [&](const Moment& moment) { return moment.state.at("document").at("title") == title; });
}

TEST_CASE("F1 opens the manual, Shift+F1 the sheet of keys, and Ctrl+L the start screen") {
  WindowSession window;
  window.key("F1");
  window.until_value("manual.title", "The Headlight manual");
  window.click("manual.page.figures");
  window.until_value("manual.title", "Figures and numbers");
  window.key("alt+Left");
  window.until_value("manual.title", "The Headlight manual");
  window.click("manual.link.keys");
  window.until_value("manual.title", "Keys and actions");
  window.key("Escape");
  window.until_gone("manual.close");
  window.key("shift+F1");
  window.widget("keys.close");
  CHECK(window.value("keys.Ctrl+K, Ctrl+P") == "Every action, setting, analysis, lesson and page by name");
  window.key("Escape");
  window.until_gone("keys.close");
  window.key("ctrl+l");
  window.widget("start.close");
  window.key("Escape");
  CHECK(window.shows("start.close"));
  window.click("start.close");
  window.until_gone("start.close");
  window.click("toolbar.home");
  window.widget("start.close");
}

TEST_CASE("a sentence becomes tokens: the same word has the same vector, and one undo brings all back") {
  WindowSession window({lesson_file("16-causal-mask").string()});
  window.click("inputs.fold.tokens");
  window.click("inputs.more");
  window.click("inputs.text");
  window.widget("text.input");
  window.key("ctrl+a");
  window.type("the cat, the dog");
  window.until_value("text.count", "5 tokens, 4 different");
  window.click("text.ok");
  window.until_gone("text.ok");
  CHECK(window.value("inputs.token[2]") == ",");
  for (int column = 0; column < 3; ++column) {
    const std::string at = "," + std::to_string(column) + "]";
    CHECK(window.value("inputs.embeddings[0" + at) == window.value("inputs.embeddings[3" + at));
  }
  CHECK(window.value("inputs.embeddings[0,0]") ==
        "0.4498");  // torch.manual_seed(123 + 2**31); torch.rand(4, 3)
  window.key("ctrl+z");
  window.until_value("inputs.token[2]", "starts");
}

TEST_CASE("look, text size and panels are there again the next time, and the file among the recent ones") {
  WindowSession window;
  const std::string file = (window.folder() / "kept.headlight").string();
  window.click("toolbar.view");
  window.click("view.look.light");
  window.key("ctrl+plus");
  window.click("toolbar.view");
  window.until_value("view.text_size", "110");
  window.until_value("view.look.light", "now");
  window.key("Escape");
  window.until_gone("view.text_size");
  hide_lesson_text(window);  // beside a lesson's text the inputs have no edge
  window.drag("splitter.inputs", 60);
  const double width = window.widget("splitter.inputs").x;
  window.key("ctrl+s");
  window.fill("dialog.path", window.folder().string());
  window.key("Return");
  window.fill("dialog.name", "kept");
  window.click("dialog.ok");
  window.until("the session is saved",
               [](const Moment& moment) { return moment.state.at("document").at("saved"); });
  window.key_and_end("ctrl+q");
  CHECK(window.wait_for_exit() == 0);

  window.start_again();
  hide_lesson_text(window);
  CHECK(window.widget("splitter.inputs").x == width);
  window.click("toolbar.view");
  CHECK(window.value("view.text_size") == "110");
  CHECK(window.value("view.look.light") == "now");
  window.key("Escape");
  window.until_gone("view.text_size");
  window.key("ctrl+l");
  window.click("start.menu");
  window.click("menu.recent");
  CHECK(window.value("menu.recent.0") == file);
  window.click("menu.recent.0");
  window.until("the recent file is open",
               [&](const Moment& moment) { return moment.state.at("document").at("path") == file; });
}

TEST_CASE("everything is counted from 0, or from 1 from now on where one wants that, in lessons too") {
  WindowSession window;
  window.until_value("inputs.embeddings.column[0]", "0");
  window.key("ctrl+n");
  window.until_value("inputs.embeddings.column[0]", "0");
  window.click("toolbar.view");
  window.click("view.count_from_1");
  window.until_value("inputs.embeddings.column[0]", "1");
  window.key_and_end("ctrl+q");
  CHECK(window.wait_for_exit() == 0);
  window.start_again();
  window.key("ctrl+n");
  window.until_value("status.saved", "new session  ·  saved");
  CHECK(window.value("inputs.embeddings.column[0]") == "1");
  open_lesson(window, "05-all-queries-at-once");
  window.until_value("inputs.embeddings.column[0]", "1");
}

TEST_CASE("a newcomer begins at the start screen, once, and the lesson's steps are remembered there") {
  WindowSession window({}, {}, FirstStart::New);
  CHECK_FALSE(window.shows("start.continue"));
  window.click("start.course");
  window.until_gone("start.close");
  window.until("the first lesson is open", [](const Moment& moment) {
    return moment.state.at("document").at("title") == title_of_lesson("00-why-attention");
  });
  for (int step = 2; step <= 6; ++step) {
    window.click("lesson.next");
    window.until_value("lesson.step", std::to_string(step) + " of 6");
  }
  window.key_and_end("ctrl+q");
  CHECK(window.wait_for_exit() == 0);
  window.start_again();
  window.widget("toolbar.view");
  CHECK_FALSE(window.shows("start.close"));
  window.key("ctrl+l");
  window.click("start.chapter.0");
  window.widget("start.done.00-why-attention");
  CHECK_FALSE(window.shows("start.done.01-one-query-dot-products"));
  window.click("start.lesson.00-why-attention");
  window.until("the lesson is open again", [](const Moment& moment) {
    return moment.state.at("document").at("title") == title_of_lesson("00-why-attention");
  });
}

TEST_CASE("a file that cannot be opened says so on the start screen, and the next one opens from there") {
  WindowSession window({"/nowhere/missing.headlight"});
  window.until("it says what could not be opened", [](const Moment& moment) {
    const Widget* message = moment.find("start.message");
    return message && message->value.find("missing.headlight") != std::string::npos;
  });
  CHECK_FALSE(window.shows("toolbar.menu"));
  window.click("start.text");
  window.widget("text.input");
  CHECK(window.state().at("document").at("title") == "New session");
}

TEST_CASE("a token is found by its text, and its row is selected") {
  WindowSession window({lesson_file("20-two-heads").string()});
  window.key("ctrl+f");
  window.type("wit");
  window.until_value("palette.item.0", "with (3)");
  window.key("Return");
  window.until("the row of \"with\" is selected", [](const Moment& moment) {
    return !moment.state.at("selection").is_null() && moment.state.at("selection").at("row") == 3;
  });
}
