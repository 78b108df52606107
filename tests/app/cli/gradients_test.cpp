// `headlight gradients`: the arrays that it saves, and sessions without a goal.
#include "engine/arrays/npy.h"
#include "tests/app/cli/cli_support.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const std::string kGradientCases = source_root() + "/tests/golden/gradients/";

std::vector<std::string> names_in(const std::filesystem::path& file) {
  std::vector<std::string> names;
  for (const ArrayEntry& entry : list_npz(file))
    names.push_back(entry.name);
  return names;
}

}  // namespace

TEST_CASE("gradients: the loss, the stages up to the goal's and the inputs are saved") {
  const TemporaryFolder folder;
  const std::string out = (folder / "out.npz").string();
  const Outcome done = run({"gradients", kGradientCases + "output-squared.headlight", "-o", out});
  INFO(done.err);
  CHECK(done.status() == 0);
  CHECK_THAT(done.out, ContainsSubstring("loss 3.1"));
  CHECK_THAT(done.out, ContainsSubstring(out + " saved"));
  CHECK(names_in(out) ==
        std::vector<std::string>{"loss", "grad.embeddings", "grad.queries", "grad.keys", "grad.values",
                                 "grad.scores", "grad.scaled", "grad.masked", "grad.weights", "grad.dropped",
                                 "grad.context", "grad.concat", "grad.output_stage", "grad.query", "grad.key",
                                 "grad.value", "grad.output", "grad.output_bias"});
  CHECK(read_npz(out, "loss").shape.empty());
  CHECK(read_npz(out, "grad.weights").shape == std::vector<Index>{1, 2, 4, 4});
  CHECK(read_npz(out, "grad.output").shape == std::vector<Index>{4, 3});
  CHECK(read_npz(out, "grad.output_bias").shape == std::vector<Index>{3});
  CHECK(read_npz(out, "grad.output_stage").shape == std::vector<Index>{1, 4, 3});
}

TEST_CASE("gradients: the stages of a goal of the weights end there; keys of other tokens have theirs") {
  const TemporaryFolder folder;
  const std::string out = (folder / "out.npz").string();
  CHECK(run({"gradients", kGradientCases + "cross-batch-of-two.headlight", "-o", out}).status() == 0);
  CHECK(names_in(out) == std::vector<std::string>{"loss", "grad.embeddings", "grad.queries", "grad.keys",
                                                  "grad.values", "grad.scores", "grad.scaled", "grad.masked",
                                                  "grad.weights", "grad.key_embeddings", "grad.query",
                                                  "grad.key", "grad.value"});
}

TEST_CASE("gradients: what is at fault is said, and no file is replaced unasked") {
  const Workplace place;
  const TemporaryFolder folder;
  const std::string out = (folder / "out.npz").string();
  const Outcome without = run({"gradients", place.session(), "-o", out});
  CHECK(without.status() == 1);
  CHECK_THAT(without.err, ContainsSubstring("has no goal"));
  const std::string file = kGradientCases + "previous-token.headlight";
  CHECK(run({"gradients", file, "-o", (folder / "out.csv").string()}).status() == 1);
  CHECK(run({"gradients", file}).status() == 2);
  CHECK(run({"gradients", file, "-o", out}).status() == 0);
  CHECK(run({"gradients", file, "-o", out}).status() == 1);
  CHECK(run({"gradients", file, "-o", out, "--force"}).status() == 0);
}
