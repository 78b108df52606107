// The history alone: its limit, and the saved point when steps are forgotten.
#include "app/document/history.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.h"

using namespace headlight;

namespace {

// A step whose two directions hold `floats` numbers each.
Step step(const std::string& name, Index floats) {
  Step result;
  result.name = name;
  result.forward.edit = CellsEdit{{}, 0, 0, Matrix::Zero(1, floats)};
  result.backward.edit = CellsEdit{{}, 0, 0, Matrix::Zero(1, floats)};
  return result;
}

// The names from the newest step to the oldest. Leaves the history at its beginning.
std::vector<std::string> undo_all(History& history) {
  std::vector<std::string> names;
  while (history.can_undo()) {
    names.push_back(history.undo_name());
    history.step_back();
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
    history.add(step(std::to_string(i), 1024));  // 8 KB of numbers and a little more
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
  history.step_forward();
  history.add(step("larger", 8192));
  CHECK(undo_all(history) == std::vector<std::string>{"larger"});
  history.step_forward();
  history.add(step("small", 8));
  CHECK(undo_all(history) == std::vector<std::string>{"small"});
}

TEST_CASE("history: whole models count with all their numbers") {
  History history(100 * kKilobyte);
  for (int i = 0; i < 20; ++i) {
    const auto model = std::make_shared<Model>();
    model->embeddings = {Matrix::Zero(32, 32)};
    model->custom_mask = Matrix::Zero(32, 32);
    model->weights.matrices[0] = Matrix::Zero(32, 32);
    Step whole;
    whole.name = std::to_string(i);
    whole.forward.edit = ModelEdit{model};
    whole.backward.edit = ModelEdit{model};
    history.add(std::move(whole));
  }
  const std::vector<std::string> names = undo_all(history);
  CHECK(names.size() == 4);  // 24 KB each
  CHECK(names.front() == "19");
}

TEST_CASE("history: the saved point moves along with the steps that are kept") {
  History history(100 * kKilobyte);
  for (int i = 0; i < 30; ++i)
    history.add(step(std::to_string(i), 1024));
  history.mark_saved();
  history.add(step("later", 1024));
  CHECK_FALSE(history.at_saved_point());
  history.step_back();
  CHECK(history.at_saved_point());
  CHECK(history.undo_name() == "29");
}

TEST_CASE("history: a saved point among forgotten steps is lost") {
  History history(100 * kKilobyte);
  for (int i = 0; i < 30; ++i)
    history.add(step(std::to_string(i), 1024));  // the fresh state was the saved one
  while (history.can_undo()) {
    CHECK_FALSE(history.at_saved_point());
    history.step_back();
  }
  CHECK_FALSE(history.at_saved_point());
}

TEST_CASE("history: clearing it forgets everything and makes the present the saved point") {
  History history;
  history.add(step("a", 8));
  history.add(step("b", 8));
  history.step_back();
  history.clear();
  CHECK_FALSE(history.can_undo());
  CHECK_FALSE(history.can_redo());
  CHECK(history.undo_name().empty());
  CHECK(history.redo_name().empty());
  CHECK(history.at_saved_point());
}
