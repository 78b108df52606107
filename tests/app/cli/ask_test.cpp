// `headlight ask`: questions about a model, in the terminal and as files.
#include "engine/arrays/npy.h"
#include "engine/core/file.h"
#include "engine/json/json_document.h"
#include "engine/network/network_pass.h"
#include "engine/questions/question.h"
#include "tests/app/cli/cli_support.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const std::string kModel = source_root() + "/tests/golden/models/gpt2";

std::vector<std::string> asking(const std::string& question, const std::vector<std::string>& more = {}) {
  std::vector<std::string> line = {"ask", kModel, question, "--ids", "1,5,9,2"};
  line.insert(line.end(), more.begin(), more.end());
  return line;
}

}  // namespace

TEST_CASE("ask: every question is answered in the terminal and in every format") {
  const TemporaryFolder folder;
  for (const QuestionInfo& info : question_table()) {
    INFO(info.name);
    std::vector<std::string> more = {"--layer", "1", "--head", "1"};
    if (info.of_other) more.insert(more.end(), {"--from-ids", "1,6,9,2"});
    const Outcome shown = run(asking(std::string(info.name), more));
    INFO(shown.err);
    CHECK(shown.status() == 0);
    CHECK_THAT(shown.out, ContainsSubstring(std::string(info.label)));
    for (const std::string ending : {"png", "svg", "pdf", "csv", "tsv", "json", "npz"}) {
      const std::string file = folder / (std::string(info.name) + "." + ending);
      std::vector<std::string> saving = more;
      saving.insert(saving.end(), {"-o", file});
      CHECK(run(asking(std::string(info.name), saving)).status() == 0);
      CHECK(read_file(file).size() > 100);
      CHECK(run(asking(std::string(info.name), saving)).status() == 1);  // it exists
    }
  }
}

TEST_CASE("ask: the arrays are those of the engine") {
  const TemporaryFolder folder;
  const std::string file = folder / "norms.npz";
  REQUIRE(run(asking("norms", {"-o", file})).status() == 0);
  NetworkPass pass(std::make_shared<const Network>(kModel));
  pass.set_ids({1, 5, 9, 2});
  const NamedArray stream = read_npz(file, "stream");
  CHECK(stream.shape == std::vector<Index>{pass.network().config().layers + 1, 4});
  CHECK_THAT(stream.values[0], WithinRel(pass.residual_row(0, 0).norm(), 1e-5f));
  const std::string json = folder / "lens.json";
  REQUIRE(run(asking("lens", {"-o", json})).status() == 0);
  const Json lens = parse_json(read_file(json));
  CHECK(lens.at("tables").at(0).at("words").size() == stream.values.size());
}

TEST_CASE("ask: changes of a session apply, and a text that fits nothing is refused") {
  const TemporaryFolder folder;
  folder.write("texts.txt", "the key\nthe cabinet\n");
  folder.write("changed.headlight", R"({"format": "headlight-session", "version": 1, "title": "off",
    "model_folder": {"path": ")" + kModel +
                                        R"(", "ids": [1, 5, 9, 2], "layer": 0,
    "changes": [{"layer": 0, "head": 0, "state": "off"}]}})");
  const std::string lines = folder / "texts.txt", session = folder / "changed.headlight";
  const Outcome plain = run(asking("loss")), changed = run(asking("loss", {"--changes", session})),
                texts = run({"ask", kModel, "loss", "--texts", lines});
  CHECK(changed.status() == 0);
  CHECK(changed.out != plain.out);
  CHECK(texts.status() == 0);
  CHECK_THAT(texts.out, ContainsSubstring("text 2"));
  const Outcome none = run({"ask", kModel, "loss"});
  CHECK(none.status() == 1);
  CHECK_THAT(none.err, ContainsSubstring("needs a text"));
  CHECK(run(asking("lose")).status() == 2);
  CHECK(run(asking("patches")).status() == 1);
  CHECK(run(asking("neurons", {"--layer", "99"})).status() == 1);
  CHECK(run(asking("parts", {"--target", "#99999"})).status() == 1);
  CHECK(run(asking("loss", {"-o", std::string(folder / "loss.txt")})).status() == 1);
  CHECK(run(asking("loss", {"--texts", lines})).status() == 2);
}
