// What the pages of a whole model copy: the command, run here, gives the numbers on the page.
#include "app/cli/command_line.h"
#include "engine/arrays/npy.h"
#include "engine/core/file.h"
#include "engine/json/json_document.h"
#include "tests/support/catch.h"
#include "tests/ui/support/model_bench.h"

#include <sstream>

using namespace headlight;
using namespace headlight_test;

namespace {

// The words of a line for a shell, of which quotes hold some together.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  bool quoted = false, begun = false, escaped = false;
  for (const char c : line) {
    if (c == ' ' && !quoted) {
      begun = false;
      continue;
    }
    if (!begun) words.emplace_back();
    begun = true;
    const bool plain = std::exchange(escaped, c == '\\' && !quoted && !escaped);
    if (c == '\'' && !plain)
      quoted = !quoted;
    else if (!escaped)
      words.back() += c;
  }
  return words;
}

struct Copied {
  std::string remarks;             // lines with "# "
  std::vector<std::string> words;  // without "headlight"
};

Copied copied(ModelBench& bench, const std::string& page) {
  bench.robot().click(page + ".more");
  bench.click(page + ".copy.command");
  std::istringstream lines(ImGui::GetClipboardText());
  Copied copied;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("# "))
      copied.remarks += line + "\n";
    else
      copied.words = words_of(line);
  REQUIRE(copied.words.at(0) == "headlight");
  copied.words.erase(copied.words.begin());
  return copied;
}

// Runs the command; what it saves is `file`.
void run_as(std::vector<std::string> words, const std::string& file) {
  if (words.size() > 1 && words[words.size() - 2] == "-o") words.resize(words.size() - 2);
  words.insert(words.end(), {"-o", file});
  words.insert(words.begin(), "headlight");
  std::vector<const char*> arguments;
  for (const std::string& word : words) {
    UNSCOPED_INFO(word);
    arguments.push_back(word.c_str());
  }
  std::ostringstream out, err;
  const CommandLine line = run_command_line(static_cast<int>(arguments.size()), arguments.data(), out, err);
  INFO(err.str());
  REQUIRE(line.exit_status == 0);
}

Matrix table_of(const std::string& file, const std::string& name) {
  const NamedArray array = read_npz(file, name);
  Matrix values(array.shape.at(0), array.shape.at(1));
  std::copy(array.values.begin(), array.values.end(), values.data());
  return values;
}

double largest_difference(const Matrix& a, const Matrix& b) {
  REQUIRE(a.rows() == b.rows());
  REQUIRE(a.cols() == b.cols());
  return static_cast<double>((a - b).cwiseAbs().maxCoeff());
}

constexpr double kClose = 2e-4;

}  // namespace

TEST_CASE("copied commands: each page of a whole model copies the command that gives its numbers") {
  const TemporaryFolder folder;
  ModelBench bench("gpt2");
  run_as(copied(bench, "model.heads").words, folder / "weights.npz");
  const NamedArray weights = read_npz(folder / "weights.npz", "layers.1.weights");
  REQUIRE(weights.shape[1] <= 32);  // the small pictures have all numbers
  CHECK_THAT(weights.values[static_cast<std::size_t>(weights.shape[1] * weights.shape[2]) * 2 + 1 +
                            static_cast<std::size_t>(weights.shape[2])],
             WithinAbs(bench.model().answer->glance->of(1, 2).picture.values(1, 1), kClose));

  bench.robot().click("model.measure");
  bench.click("model.measure.previous_token");
  run_as(copied(bench, "model.heads").words, folder / "measures.npz");
  const Matrix measures = table_of(folder / "measures.npz", "measures");
  const Index all = bench.model().answer->glance->heads;
  CHECK_THAT(
      measures(all + 2, 0),
      WithinAbs(*bench.model().answer->glance->of(1, 2).measures.of(HeadMeasure::PreviousToken), kClose));

  bench.click("model.page.parts");
  const Copied parts = copied(bench, "model.parts");
  CHECK(parts.remarks.empty());
  run_as(parts.words, folder / "parts.npz");
  CHECK(largest_difference(table_of(folder / "parts.npz", "heads"), bench.model().answer->parts->heads) <
        kClose);

  bench.click("model.page.layers");
  run_as(copied(bench, "model.lens").words, folder / "lens.npz");
  const Matrix lens = table_of(folder / "lens.npz", "likeliest");
  for (Index layer = 0; layer < lens.rows(); ++layer)
    CHECK_THAT(lens(layer, bench.model().shown_position()),
               WithinAbs(bench.model().answer->lens[static_cast<std::size_t>(layer)][0].probability, kClose));
}

TEST_CASE("copied commands: of an earlier token the text ends there, and the numbers are those of the page") {
  const TemporaryFolder folder;
  ModelBench bench("gpt2");
  bench.click("model.page.parts");
  bench.model().position = 2;
  bench.settle();
  const Copied parts = copied(bench, "model.parts");
  CHECK(parts.remarks.empty());
  run_as(parts.words, folder / "parts.npz");
  CHECK(largest_difference(table_of(folder / "parts.npz", "heads"), bench.model().answer->parts->heads) <
        kClose);
  bench.edit(SetHead{0, 0, HeadState::Off});
  CHECK_THAT(copied(bench, "model.parts").remarks, ContainsSubstring("the page is about token 2"));
}

TEST_CASE("copied commands: patches, each computed or estimated, are those of the page") {
  const TemporaryFolder folder;
  ModelBench bench("gpt2");
  bench.click("model.page.patches");
  bench.click("model.patches.keep");
  bench.edit_ids([](std::vector<std::int32_t>& ids) { std::swap(ids[1], ids[2]); });
  run_as(copied(bench, "model.patches").words, folder / "estimate.npz");
  const Matrix estimate = bench.model().estimate->estimate.of(PatchStage::Residual);
  CHECK(largest_difference(table_of(folder / "estimate.npz", "estimate.residual"), estimate) < kClose);
  bench.click("model.patches.stage");
  bench.click("model.patches.stage.context");
  bench.click("model.patches.compute");
  run_as(copied(bench, "model.patches").words, folder / "patches.npz");
  const PatchMapResult& patches = *bench.model().patches;
  const Matrix moved = patches.map.logits.array() - static_cast<float>(patches.before);
  CHECK(largest_difference(table_of(folder / "patches.npz", "change"), moved) < kClose);
}

TEST_CASE("copied commands: changes come from the saved session, and are told where they are not saved") {
  const TemporaryFolder folder;
  ModelBench bench("gpt2");
  bench.edit(SetHead{0, 1, HeadState::Off});
  bench.click("model.page.parts");
  CHECK_THAT(copied(bench, "model.parts").remarks, ContainsSubstring("save the session"));
  const std::string session = folder / "it's changed.headlight";
  bench.fixture.document().save(session);
  bench.settle();
  const Copied parts = copied(bench, "model.parts");
  CHECK(parts.remarks.empty());
  run_as(parts.words, folder / "parts.npz");
  CHECK(largest_difference(table_of(folder / "parts.npz", "heads"), bench.model().answer->parts->heads) <
        kClose);
  bench.click("model.page.heads");
  run_as(copied(bench, "model.heads").words, folder / "weights.npz");
  const NamedArray logits = read_npz(folder / "weights.npz", "logits");
  CHECK_THAT(logits.values[logits.values.size() - 1],
             WithinAbs(bench.model().answer->logits->coeff(0, logits.shape[1] - 1), 1e-3));
  bench.click("model.page.questions");
  run_as(copied(bench, "model.question").words, folder / "loss.npz");
  CHECK(largest_difference(table_of(folder / "loss.npz", "loss").bottomRows(2),
                           bench.model().analyses.run->result.tables[0].values.bottomRows(2)) < kClose);
  bench.robot().click("model.question.more");
  bench.click("model.question.copy.python");
  const std::string program = ImGui::GetClipboardText();
  CHECK_THAT(program, ContainsSubstring("\nimport headlight\nm = headlight.Model(\"") &&
                          ContainsSubstring("\nanswer = m.ask(\"loss\", text=[") &&
                          ContainsSubstring(", changes=" + Json(session).dump() + ")\n"));
  CHECK(program.starts_with("# headlight ask "));
}

TEST_CASE("copied commands: in Python a question is asked of headlight.Model, and other commands are run") {
  CHECK(python_program({"headlight", "ask",        "/of \"me\"/gpt2", "patches",  "--ids",
                        "1,5,9",     "--from-ids", "1,6,9",           "--target", "#7",
                        "--stage",   "output",     "--normalized",    "--layer",  "0",
                        "--top",     "10",         "--strength",      "-1.5",     "--from",
                        "A cat",     "--words"}) ==
        "# headlight ask '/of \"me\"/gpt2' patches --ids 1,5,9 --from-ids 1,6,9 --target '#7' --stage output "
        "--normalized --layer 0 --top 10 --strength -1.5 --from 'A cat' --words\n"
        "import headlight\n"
        "m = headlight.Model(\"/of \\\"me\\\"/gpt2\")\n"
        "answer = m.ask(\"patches\", text=[1,5,9], from_ids=[1,6,9], target=\"#7\", stage=\"output\", "
        "normalized=True, layer=0, top=10, strength=\"-1.5\", from_=\"A cat\", words=True)\n");
  CHECK_THAT(python_program({"headlight", "patches", "gpt2", "--ids", "1,5", "--from-ids", "1,6", "--each"}),
             ContainsSubstring("\nanswer = m.patches(text=[1,5], from_ids=[1,6], each=True)\n"));
  CHECK_THAT(python_program({"headlight", "compute", "gpt2", "--ids", "1"}),
             ContainsSubstring("subprocess.run([\"headlight\",\"compute\"") &&
                 ContainsSubstring("numpy.load(\"answer.npz\")"));
}

TEST_CASE("copied commands: a saved page says what it is") {
  ModelBench bench("gpt2");
  bench.click("model.page.parts");
  bench.robot().click("model.parts.more");
  bench.click("model.parts.save.json");
  REQUIRE(bench.saved);
  const std::string bytes = AnalysisController::result_file(*bench.saved->result, {}, FileFormat::Json);
  const Json about = parse_json(bytes).at("about");
  CHECK(about.at("question") == "parts");
  CHECK(about.at("target") == bench.model().logit_choice().id);
}
