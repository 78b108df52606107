#include "tests/window/journey_support.h"

#include <cmath>
#include <stdexcept>

namespace headlight_test {

void open_lesson(WindowSession& window, const std::string& stem) {
  window.click("toolbar.menu");
  window.click("menu.lessons");
  window.click("menu.lesson." + stem);
  const std::string title = title_of_lesson(stem);
  window.until("the lesson \"" + title + "\" is open", [&](const Moment& moment) {
    return moment.state.at("document").at("title") == title && !moment.find("menu.lesson." + stem);
  });
}

void hide_lesson_text(WindowSession& window) {
  window.click("toolbar.view");
  window.click("menu.lesson.text");
}

void open_file(WindowSession& window, const std::filesystem::path& path) {
  window.key("ctrl+o");
  window.fill("dialog.path", path.string());
  window.key("Return");
  window.until_gone("dialog.ok");
}

double value_of_cell(WindowSession& window, const std::string& heatmap, int size, int row, int column) {
  const Widget cells = window.widget(heatmap);
  window.click_at(cells.x + cells.width * (column + 0.5) / size, cells.y + cells.height * (row + 0.5) / size);
  window.until("the clicked cell is selected", [&](const Moment& moment) {
    const Json& selection = moment.state.at("selection");
    return !selection.is_null() && selection.at("row") == row && selection.at("column") == column &&
           heatmap.find(selection.at("stage").get<std::string>()) != std::string::npos;
  });
  return number_from(window.value("inspector.value"));
}

void set_cell(WindowSession& window, const std::string& cell, const std::string& number) {
  window.click(cell);
  window.type(number);
  window.key("Return");
  window.until(cell + " holds " + number, [&](const Moment& moment) {
    const Widget* found = moment.find(cell);
    return found && number_from(found->value) == number_from(number);
  });
}

Rows shown_embeddings(WindowSession& window, int rows, int columns) {
  Rows x(static_cast<std::size_t>(rows));
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const std::string cell =
          "inputs.embeddings[" + std::to_string(row) + "," + std::to_string(column) + "]";
      x[static_cast<std::size_t>(row)].push_back(number_from(window.value(cell)));
    }
  }
  return x;
}

Rows simple_attention_weights(const Rows& x, bool causal) {
  Rows weights;
  for (std::size_t query = 0; query < x.size(); ++query) {
    std::vector<double> row(x.size(), 0);
    double sum = 0;
    for (std::size_t key = 0; key < (causal ? query + 1 : x.size()); ++key) {
      double score = 0;
      for (std::size_t i = 0; i < x[query].size(); ++i)
        score += x[query][i] * x[key][i];
      row[key] = std::exp(score);
      sum += row[key];
    }
    for (double& weight : row)
      weight /= sum;
    weights.push_back(row);
  }
  return weights;
}

Picture pixels_of(WindowSession& window, const std::string& name) {
  const Widget widget = window.widget(name);
  const Picture screen = window.screen();
  Picture part{static_cast<int>(widget.width), static_cast<int>(widget.height), {}};
  for (int y = 0; y < part.height; ++y) {
    for (int x = 0; x < part.width; ++x) {
      part.pixels.push_back(screen.at(static_cast<int>(widget.x) + x, static_cast<int>(widget.y) + y));
    }
  }
  return part;
}

double number_from(std::string text) {
  const std::string minus = "\xE2\x88\x92";
  if (const std::size_t at = text.find(minus); at != std::string::npos) text.replace(at, minus.size(), "-");
  std::size_t used = 0;
  const double number = std::stod(text, &used);
  if (used != text.size()) throw std::runtime_error("no number: " + text);
  return number;
}

std::string title_of_lesson(const std::string& stem) {
  return Json::parse(text_of(lesson_file(stem))).at("title");
}

std::string message_of(WindowSession& window) {
  return window.state().at("message");
}

}  // namespace headlight_test
