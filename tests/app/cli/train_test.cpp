// `headlight train`: what it writes and saves, and sessions that cannot be trained.
#include <nlohmann/json.hpp>

#include "engine/core/file.h"
#include "tests/app/cli/cli_support.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;
using nlohmann::json;

namespace {

const std::string kTrainCases = source_root() + "/tests/golden/gradients/";

json golden_document(const std::string& name) {
  return json::parse(read_file(kTrainCases + name + ".headlight"));
}

// Writes the session into the folder and trains it for so many steps.
Outcome train(const TemporaryFolder& folder, const json& document, const std::string& steps) {
  write_file_atomically(folder / "in.headlight", document.dump());
  return run({"train", (folder / "in.headlight").string(), "--steps", steps, "-o",
              (folder / "out.headlight").string(), "--force"});
}

}  // namespace

TEST_CASE("train: the loss is written sparsely, and the session saved after its steps") {
  const TemporaryFolder folder;
  json document = golden_document("previous-token");
  document["training"] = {{"optimizer", "adam"}, {"rate", 0.05}, {"steps", 7}};
  const Outcome done = train(folder, document, "30");
  INFO(done.err);
  CHECK(done.status() == 0);
  CHECK(done.err.empty());
  std::vector<std::string> steps;
  std::istringstream lines(done.out);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("step ")) steps.push_back(line.substr(5, line.find(", loss ") - 5));
  CHECK(steps == std::vector<std::string>{"7", "8", "9", "10", "12", "13", "16", "17", "19", "22", "25", "27",
                                          "28", "31", "34", "37"});
  CHECK_THAT(done.out, ContainsSubstring((folder / "out.headlight").string() + " saved"));
  const Session trained = load_session(folder / "out.headlight");
  CHECK(trained.training->steps == 37);
  CHECK(trained.goal != nullptr);
  // The last loss is that of the saved numbers.
  const Outcome loss =
      run({"gradients", (folder / "out.headlight").string(), "-o", (folder / "out.npz").string()});
  const std::string first = loss.out.substr(0, loss.out.find('\n'));
  CHECK_THAT(done.out, ContainsSubstring("step 37, " + first));
}

TEST_CASE("train: ten steps after ten are twenty, with an optimizer that remembers nothing") {
  const TemporaryFolder folder;
  json document = golden_document("two-rows-alone");
  document["training"] = {{"optimizer", "sgd"}, {"rate", 0.5}};
  CHECK(train(folder, document, "20").status() == 0);
  const std::string at_once = read_file(folder / "out.headlight");
  CHECK(train(folder, document, "10").status() == 0);
  CHECK(train(folder, json::parse(read_file(folder / "out.headlight")), "10").status() == 0);
  CHECK(read_file(folder / "out.headlight") == at_once);
}

TEST_CASE("train: a session without training takes the defaults and says so") {
  const TemporaryFolder folder;
  json document = golden_document("previous-token");
  document.erase("training");
  const Outcome done = train(folder, document, "1");
  CHECK(done.status() == 0);
  CHECK_THAT(done.err, ContainsSubstring("no training: sgd with a rate of 0.5 is used"));
  CHECK(load_session(folder / "out.headlight").training->steps == 1);
}

TEST_CASE("train: what is at fault is said, and nothing is saved then") {
  const TemporaryFolder folder;
  const Workplace place;
  const std::string out = (folder / "out.headlight").string();
  const Outcome without = run({"train", place.session(), "--steps", "1", "-o", out});
  CHECK(without.status() == 1);
  CHECK_THAT(without.err, ContainsSubstring("has no goal to be trained towards"));
  const std::string file = kTrainCases + "previous-token.headlight";
  CHECK(run({"train", file, "--steps", "1", "-o", (folder / "out.npz").string()}).status() == 1);
  CHECK(run({"train", file, "-o", out}).status() == 2);
  CHECK(run({"train", file, "--steps", "0", "-o", out}).status() == 2);
  json document = golden_document("output-squared");
  document["training"] = {{"rate", 1e30}};
  const Outcome diverged = train(folder, document, "100");
  CHECK(diverged.status() == 1);
  CHECK_THAT(diverged.err, ContainsSubstring("in.headlight: training.rate: training diverges: at step 1"));
  CHECK_THAT(diverged.err, ContainsSubstring("not finite"));
  CHECK_FALSE(std::filesystem::exists(out));
  CHECK(train(folder, golden_document("no-projection"), "1").err.find("there is nothing to train") !=
        std::string::npos);
  CHECK(run({"train", file, "--steps", "1", "-o", out}).status() == 0);
  CHECK(run({"train", file, "--steps", "1", "-o", out}).status() == 1);
  CHECK(run({"train", file, "--steps", "1", "-o", out, "--force"}).status() == 0);
}
