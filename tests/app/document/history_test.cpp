// The history without a document: its limit, and the saved point when steps are dropped.
#include "app/document/history.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.h"

using namespace headlight;

namespace {

// A step that holds `floats` numbers.
Step step(const std::string& name, Index floats) {
  return {name, 0, {CellsEdit{{}, 0, 0, Matrix::Zero(1, floats)}, {}, {}}};
}

void undo(History& history) {
  history.step_back(Change(history.back()));
}
void redo(History& history) {
  history.step_forward(Change(history.forth()));
}

Change whole(std::shared_ptr<const Layer> layer) {
  return {LayerEdit{std::move(layer)}, {}, {}};
}

// Undoes every step. Returns their names, from the newest to the oldest.
std::vector<std::string> undo_all(History& history) {
  std::vector<std::string> names;
  while (history.can_undo()) {
    names.push_back(history.undo_name());
    undo(history);
  }
  return names;
}

constexpr std::size_t kKilobyte = 1024;

}  // namespace

TEST_CASE("history: within its limit it keeps every step") {
  History history(1024 * kKilobyte);
  std::vector<std::string> expected;
  for (int i = 0; i < 100; ++i) {
    history.add(step(std::to_string(i), 8));
    expected.insert(expected.begin(), std::to_string(i));
  }
  CHECK(undo_all(history) == expected);
}

TEST_CASE("history: beyond its limit it forgets the oldest steps and no others") {
  History history(100 * kKilobyte);
  for (int i = 0; i < 50; ++i)
    history.add(step(std::to_string(i), 2048));  // a little over 8 KB each
  const std::vector<std::string> names = undo_all(history);
  CHECK(names.size() >= 10);
  CHECK(names.size() <= 12);
  for (std::size_t i = 0; i < names.size(); ++i)
    CHECK(names[i] == std::to_string(49 - i));
}

TEST_CASE("history: a step larger than the limit stays, alone") {
  History history(4 * kKilobyte);
  for (int i = 0; i < 3; ++i)
    history.add(step("small", 8));
  history.add(step("large", 4096));
  CHECK(undo_all(history) == std::vector<std::string>{"large"});
  redo(history);
  history.add(step("larger", 8192));
  CHECK(undo_all(history) == std::vector<std::string>{"larger"});
  redo(history);
  history.add(step("small", 8));
  CHECK(undo_all(history) == std::vector<std::string>{"small"});
}

TEST_CASE("history: whole models count with all their numbers") {
  History history(100 * kKilobyte);
  for (int i = 0; i < 20; ++i) {
    const auto layer = std::make_shared<Layer>();
    layer->embeddings = {Matrix::Zero(32, 32)};
    layer->custom_mask = Matrix::Zero(32, 32);
    layer->weights.matrices[0] = Matrix::Zero(32, 32);
    history.add({std::to_string(i), 0, whole(layer)});
  }
  const std::vector<std::string> names = undo_all(history);
  CHECK(names.size() == 7);  // a little over 12 KB each
  CHECK(names.front() == "19");
}

TEST_CASE("history: the saved point moves along with the steps that are kept") {
  History history(100 * kKilobyte);
  for (int i = 0; i < 30; ++i)
    history.add(step(std::to_string(i), 1024));
  history.mark_saved();
  history.add(step("later", 1024));
  CHECK_FALSE(history.at_saved_point());
  undo(history);
  CHECK(history.at_saved_point());
  CHECK(history.undo_name() == "29");
}

TEST_CASE("history: a saved point among forgotten steps is lost") {
  History history(100 * kKilobyte);
  for (int i = 0; i < 30; ++i)
    history.add(step(std::to_string(i), 2048));  // the initial state is the saved point
  while (history.can_undo()) {
    CHECK_FALSE(history.at_saved_point());
    undo(history);
  }
  CHECK_FALSE(history.at_saved_point());
}

TEST_CASE("history: steps of the view leave the state saved, wherever the saved point is") {
  const auto look = [](Index floats) {
    Step one = step("look", floats);
    one.of_view = true;
    return one;
  };
  History history;
  history.add(look(8));
  history.add(look(8));
  CHECK(history.at_saved_point());
  CHECK(history.steps_from_saved_point() == 0);
  history.add(step("change", 8));
  CHECK_FALSE(history.at_saved_point());
  history.mark_saved();
  history.add(look(8));
  undo(history);
  undo(history);
  CHECK_FALSE(history.at_saved_point());  // the change is undone
  redo(history);
  CHECK(history.at_saved_point());
  history.add(look(8));  // in place of the one that was undone
  CHECK(history.at_saved_point());
  undo(history);
  history.add(step("change", 8));
  CHECK(history.steps_from_saved_point() == 1);

  // Steps after which the saved point was are replaced.
  History looked;
  looked.add(look(8));
  looked.mark_saved();
  undo(looked);
  looked.add(look(8));
  CHECK(looked.at_saved_point());
  undo(looked);
  looked.mark_saved();
  looked.add(step("change", 8));
  looked.mark_saved();
  undo(looked);
  looked.add(look(8));
  CHECK_FALSE(looked.at_saved_point());  // no step leads to what was saved
}

TEST_CASE("history: forgotten steps of the view do not lose the saved point") {
  History history(100 * kKilobyte);
  for (int i = 0; i < 60; ++i) {
    Step one = step(std::to_string(i), 2048);
    one.of_view = true;
    history.add(std::move(one));
  }
  CHECK(history.at_saved_point());
  CHECK(undo_all(history).size() < 60);
  CHECK(history.at_saved_point());
}

TEST_CASE("history: clearing it forgets everything and makes the present the saved point") {
  History history;
  history.add(step("a", 8));
  history.add(step("b", 8));
  undo(history);
  history.clear();
  CHECK_FALSE(history.can_undo());
  CHECK_FALSE(history.can_redo());
  CHECK(history.undo_name().empty());
  CHECK(history.redo_name().empty());
  CHECK(history.at_saved_point());
}

TEST_CASE("history: every matrix and every text of a change has its weight") {
  constexpr std::size_t kSide = 100, kMatrix = kSide * kSide * sizeof(float);
  const Matrix matrix = Matrix::Zero(kSide, kSide);
  const std::size_t empty = bytes_of(whole(std::make_shared<Layer>()));
  const auto weight = [&](auto&& fill) {
    const auto layer = std::make_shared<Layer>();
    fill(*layer);
    return bytes_of(whole(layer)) - empty;
  };
  CHECK(weight([&](Layer& m) { m.embeddings = {matrix, matrix}; }) >= 2 * kMatrix);
  CHECK(weight([&](Layer& m) { m.custom_mask = matrix; }) >= kMatrix);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(weight([&](Layer& m) { m.weights.matrices[i] = matrix; }) >= kMatrix);
    CHECK(weight([&](Layer& m) { m.weights.biases[i] = matrix; }) >= kMatrix);
  }
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(weight([&](Layer& m) { m.given[i] = {matrix, matrix, matrix}; }) >= 3 * kMatrix);
  CHECK(weight([&](Layer& m) { m.tokens = {std::string(5000, 'x')}; }) >= 5000);
  const Change labels = {
      {},
      Labels{
          {std::string(1000, 'x')}, {std::string(500, 'y')}, std::string(2000, 'x'), std::string(3000, 'x')},
      {}};
  CHECK(bytes_of(labels) >= 6500);
}

TEST_CASE("history: what was undone counts by what would be made again") {
  History history(100 * kKilobyte);
  for (int i = 0; i < 10; ++i)
    history.add(step(std::to_string(i), 8));
  while (history.can_undo())
    history.step_back(step("", 8192).change);  // 32 KB each
  int again = 0;
  for (; history.can_redo(); ++again)
    redo(history);
  CHECK(again == 3);
}

TEST_CASE("history: twenty steps of six megabytes do not stay within a limit of a hundred kilobytes") {
  History history(100 * kKilobyte);
  for (int i = 0; i < 20; ++i) {
    const auto layer = std::make_shared<Layer>();
    for (std::vector<Matrix>& given : layer->given)
      given = {Matrix::Zero(1000, 512)};
    history.add({std::to_string(i), 0, whole(layer)});
  }
  CHECK(undo_all(history) == std::vector<std::string>{"19"});
}

TEST_CASE("history: undo stops at a floor, redo does not, and saving knows the way below it") {
  History history;
  history.add(step("edit", 1));
  Step floor = step("set up", 1);
  floor.is_floor = floor.of_view = true;
  history.add(floor);
  CHECK_FALSE(history.can_undo());
  CHECK(history.undo_name().empty());
  CHECK(history.steps_from_saved_point() == 1);  // the edit
  history.add(step("later", 1));
  REQUIRE(history.can_undo());
  undo(history);
  CHECK_FALSE(history.can_undo());
  REQUIRE(history.can_redo());
  redo(history);
  CHECK(undo_all(history) == std::vector<std::string>{"later"});
}
