// Programs that reproduce a model's stages: their text, and their output if Python has NumPy or PyTorch.
#include "engine/programs/program_text.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <vector>

#include "engine/arrays/npy.h"
#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "engine/session/session.h"
#include "tests/support/catch.h"
#include "tests/support/format_support.h"
#include "tests/support/places.h"
#include "tests/support/random_models.h"
#include "tests/support/skip.h"

using namespace headlight;
using namespace headlight_test;

namespace {

struct Asked {
  Layer layer;
  ProgramRequest request;
};

// With a nearly cancelling row sum, rounding errors in the last digits of a product become visible in the
// weights, so the order of additions changes the printed numbers.
bool is_well_conditioned(const Layer& layer) {
  constexpr float kMost = 50;
  const Evaluator evaluator = evaluate(layer);
  for (Index b = 0; b < layer.sequence_count(); ++b)
    for (Index h = 0; h < layer.head_count(); ++h)
      if ((evaluator.matrix(Stage::Weights, b, h).array().abs() > kMost).any()) return false;
  return true;
}

// Tokens with characters that would end a line or a string in Python.
Layer awkward_model() {
  Layer layer;
  layer.tokens = {std::string(1, '\0'), "a\rb\nc", "\"\\", "\x1b\x7f"};
  layer.embeddings = {Dice(73).matrix(4, 2)};
  layer.attention.d_out = 2;
  return layer;
}

// Cross-attention with groups, a bias and a mask, with more numbers than a program contains.
Layer large_layer() {
  Dice dice(74);
  Layer layer;
  layer.tokens.assign(40, "q");
  layer.key_tokens.assign(70, "k");
  AttentionSettings& a = layer.attention;
  a.projection = Projection::Given;
  a.num_heads = 6;
  a.num_kv_heads = 2;
  a.d_k = 16;
  a.d_v = 24;
  a.d_out = 6 * 24;
  a.mask = MaskKind::Rules;
  a.rules.causal = true;
  a.rules.offsets = {30, 5};
  layer.score_bias = {1, 6, {}};
  for (int head = 0; head < 6; ++head)
    layer.score_bias.matrices.push_back(dice.matrix(40, 70));
  for (std::size_t p = 0; p < 3; ++p)
    for (int b = 0; b < 2; ++b)
      layer.given[p].push_back(dice.matrix(p == 0 ? 40 : 70, parameter_width(layer, kParameters[p])));
  return layer;
}

Layer large_given_weights() {
  Dice dice(75);
  Layer layer = large_layer();
  layer.attention.projection = Projection::Weights;
  layer.attention.mask = MaskKind::None;
  layer.score_bias = {};
  layer.given[0].clear();
  layer.given[1].clear();
  layer.given_weights = {2, 6, {}};
  for (int i = 0; i < 12; ++i)
    layer.given_weights.matrices.push_back(dice.matrix(40, 70).cwiseAbs());
  return layer;
}

// Every lesson, every golden layer and many random models, each with some of its stages.
std::vector<Asked> many() {
  std::vector<Asked> all;
  Dice dice(71);
  const auto add = [&](const Layer& layer, Stage stage) {
    Asked asked = {layer, {stage, dice.below(layer.sequence_count()), std::nullopt}};
    if (dice.chance(0.5)) asked.request.head = dice.below(stage_heads(layer, stage));
    all.push_back(std::move(asked));
  };
  for (const char* folder : {"/assets/lessons", "/tests/golden/layers"})
    for (const auto& entry : std::filesystem::directory_iterator(source_root() + std::string(folder))) {
      if (entry.path().extension() != ".headlight") continue;
      const Session session = load_session(entry.path());
      for (const Stage stage : stages_in_use(session.layer))
        add(session.layer, stage);
    }
  add(awkward_model(), Stage::Output);
  for (int i = 0; i < 150; ++i) {
    const Layer layer = random_model_where(dice, is_well_conditioned);
    add(layer, dice.pick(stages_in_use(layer)));
  }
  for (int i = 0; i < 400; ++i) {
    const Layer layer = random_cross_layer(dice);
    if (is_well_conditioned(layer)) add(layer, dice.pick(stages_in_use(layer)));
  }
  for (int i = 0; i < 100; ++i) {
    const Layer layer = random_overwritten_layer(dice);
    if (is_well_conditioned(layer)) add(layer, dice.pick(stages_in_use(layer)));
  }
  return all;
}

// The numbers in a program's output.
std::vector<double> numbers_in(std::string text) {
  for (char& c : text)
    if (std::string("[](),").find(c) != std::string::npos) c = ' ';
  std::istringstream words(text);
  std::vector<double> numbers;
  for (std::string word; words >> word;) {
    char* end = nullptr;
    const double number = std::strtod(word.c_str(), &end);
    if (*end == '\0') numbers.push_back(number);
  }
  return numbers;
}

void check_printed(const Asked& asked, const std::string& printed) {
  const Evaluator evaluator = evaluate(asked.layer);
  std::vector<float> expected;
  const Index heads = stage_heads(asked.layer, asked.request.stage);
  for (Index head = 0; head < heads; ++head) {
    if (asked.request.head && head != *asked.request.head) continue;
    const Matrix& matrix = evaluator.matrix(asked.request.stage, asked.request.sequence, head);
    expected.insert(expected.end(), matrix.data(), matrix.data() + matrix.size());
  }
  const std::vector<double> numbers = numbers_in(printed);
  REQUIRE(numbers.size() == expected.size());
  int wrong = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double value = expected[i], tolerance = 6e-5 * std::max(1.0, std::abs(value));
    const bool same = (std::isnan(value) && std::isnan(numbers[i])) || value == numbers[i] ||
                      std::abs(value - numbers[i]) <= tolerance;
    if (!same) ++wrong;
  }
  CHECK(wrong == 0);
}

// Runs all programs in one Python process, because starting Python takes longer than running them.
constexpr const char* kRunner = R"(
import contextlib, io, pathlib, sys, warnings
warnings.simplefilter("ignore")
for program in sorted(pathlib.Path(sys.argv[1]).glob("*.py")):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(program.read_text(), str(program), "exec"), {"__file__": str(program)})
    program.with_suffix(".out").write_text(out.getvalue())
)";

// A Python that has the module, or "". Packages of the system are installed for /usr/bin/python3.
std::string python_with(const std::string& module) {
  for (const std::string python : {"python3", "/usr/bin/python3"})
    if (std::system((python + " -c 'import " + module + "' 2>/dev/null").c_str()) == 0) return python;
  return "";
}

// Runs the programs of a folder and checks their output; file names are 1000 + the index in `all`.
void run_folder(const std::filesystem::path& folder, const std::string& python,
                const std::vector<Asked>& all) {
  const auto file = [&](std::size_t i, const char* ending) {
    return folder / (std::to_string(1000 + i) + ending);
  };
  std::ofstream(folder / "runner") << kRunner;
  const std::string command = python + " '" + (folder / "runner").string() + "' '" + folder.string() + "'";
  REQUIRE(std::system(command.c_str()) == 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::ostringstream program, printed;
    program << std::ifstream(file(i, ".py")).rdbuf();
    printed << std::ifstream(file(i, ".out")).rdbuf();
    INFO(program.str() << "printed\n" << printed.str());
    check_printed(all[i], printed.str());
  }
}

void run_all(ProgramKind kind, const std::string& module) {
  const std::string python = python_with(module);
  if (python.empty()) HEADLIGHT_SKIP("no python3 has " + module + " here: the programs are not run");
  const TemporaryFolder folder;
  const std::vector<Asked> all = many();
  for (std::size_t i = 0; i < all.size(); ++i)
    std::ofstream(folder.path() / (std::to_string(1000 + i) + ".py"))
        << program_text(all[i].layer, "a\rtitle", all[i].request, kind);
  run_folder(folder.path(), python, all);
}

// Runs programs that load their numbers from an array file.
void run_with_arrays(ProgramKind kind, const std::string& module) {
  const std::string python = python_with(module);
  if (python.empty()) HEADLIGHT_SKIP("no python3 has " + module + " here: the programs are not run");
  const TemporaryFolder folder;
  std::vector<Asked> all;
  for (const Layer& layer : {large_layer(), large_given_weights()})
    all.push_back({layer, {Stage::Context, 1, 2}});
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string name = std::to_string(1000 + i);
    // The second program names its file by the absolute path.
    const std::string arrays = (i == 0 ? "" : folder.path().string() + "/") + name + ".npz";
    const ProgramWithArrays program = program_with_arrays(all[i].layer, "", all[i].request, kind, arrays);
    REQUIRE(!program.arrays.empty());
    CHECK(program.text.size() < 3000);
    std::vector<NamedArray> saved;
    for (const ProgramArray& array : program.arrays)
      saved.push_back({array.name, array.shape, array.values});
    write_npz(folder.path() / (name + ".npz"), saved);
    std::ofstream(folder.path() / (name + ".py")) << program.text;
  }
  run_folder(folder.path(), python, all);
}

}  // namespace

TEST_CASE("program: a lesson in PyTorch is what one would write") {
  const Session session = load_session(source_root() + "/assets/lessons/16-causal-mask.headlight");
  const std::string text =
      program_text(session.layer, session.title, {Stage::Weights, 0, std::nullopt}, ProgramKind::PyTorch);
  for (const char* part :
       {"import torch\n", "tokens = [\"Your\", \"journey\"", "x = torch.tensor([[0.43, 0.15, 0.89],\n",
        "torch.manual_seed(", "W_query = torch.nn.Linear(3, 2, bias=False)\n", "queries = W_query(x)\n",
        "scaled = scores / 2 ** 0.5\n", "masked = scaled.masked_fill(~allowed, -torch.inf)\n",
        "weights = torch.softmax(masked, dim=-1)\n", "\nprint(weights)\n"}) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK(text.find("dropped") == std::string::npos);  // the stages after the requested one are left out
}

TEST_CASE("program: tokens and titles with control characters stay within their line") {
  Layer layer = awkward_model();
  const std::string text =
      program_text(layer, "a\rimport nothing\n!", {Stage::Embeddings, 0, std::nullopt}, ProgramKind::NumPy);
  CHECK(text.rfind("# a import nothing\nimport numpy", 0) == 0);
  CHECK(text.find(R"(tokens = ["\x00", "a\x0db\nc", "\"\\", "\x1b\x7f"])") != std::string::npos);
  layer.tokens = {"\u202e", "\U000E0041", "größe", "\u0085"};
  layer.tokens.resize(static_cast<std::size_t>(layer.token_count()), "x");
  const std::string turned =
      program_text(layer, "\u202e", {Stage::Embeddings, 0, std::nullopt}, ProgramKind::NumPy);
  CHECK(turned.rfind("# U+202E\n", 0) == 0);
  CHECK(turned.find(R"("\u202e", "\U000e0041", "größe", "\u0085")") != std::string::npos);
}

TEST_CASE("program: the code of a stage is its part of the program, from the first stage to the last") {
  Dice dice(73);
  for (int round = 0; round < 40; ++round) {
    const Layer layer = random_layer(dice);
    const Stage last = stage_exists(layer, Stage::Output) ? Stage::Output : Stage::Concat;
    for (const ProgramKind kind : {ProgramKind::PyTorch, ProgramKind::NumPy}) {
      const std::string whole = program_text(layer, "", {last, 0, std::nullopt}, kind);
      std::size_t at = 0;
      for (const StageCode& code : stage_code(layer, last, kind)) {
        CHECK(stage_exists(layer, code.stage));
        CHECK(code.text.find(std::string(stage_info(code.stage).name) + " = ") != std::string::npos);
        std::istringstream lines(code.text);
        for (std::string line; std::getline(lines, line);) {
          if (line.find("arrays[") != std::string::npos) continue;  // written as literals in the program
          INFO(line);
          const std::size_t found = whole.find("\n" + line + "\n", at);
          CHECK(found != std::string::npos);
          at = found;
        }
      }
    }
  }
  CHECK_THROWS_AS(stage_code(Layer{}, Stage::Capped, ProgramKind::PyTorch), Error);
}

TEST_CASE("program: what cannot be written is refused") {
  Dice dice(72);
  Layer layer;
  layer.tokens.assign(200, "t");
  layer.embeddings = {dice.matrix(200, 200)};
  layer.attention.d_out = 200;
  CHECK_THROWS_AS(program_text(layer, "", {}, ProgramKind::NumPy), Error);
  layer.embeddings = {dice.matrix(200, 4)};
  layer.attention.d_out = 4;
  CHECK_NOTHROW(program_text(layer, "", {}, ProgramKind::NumPy));
  CHECK(program_with_arrays(layer, "", {}, ProgramKind::NumPy, "a.npz").arrays.empty());
  CHECK_THROWS_AS(program_text(layer, "", {Stage::Weights, 1, std::nullopt}, ProgramKind::NumPy), Error);
  CHECK_THROWS_AS(program_text(layer, "", {Stage::Weights, 0, 1}, ProgramKind::NumPy), Error);
  CHECK_THROWS_AS(program_text(layer, "", {Stage::Capped, 0, std::nullopt}, ProgramKind::NumPy), Error);
}

TEST_CASE("program: run by Python with NumPy, it prints the evaluator's numbers") {
  run_all(ProgramKind::NumPy, "numpy");
}

TEST_CASE("program: run by Python with PyTorch, it prints the evaluator's numbers") {
  run_all(ProgramKind::PyTorch, "torch");
}

TEST_CASE("program: many numbers are loaded from an .npz by NumPy") {
  run_with_arrays(ProgramKind::NumPy, "numpy");
}

TEST_CASE("program: many numbers are loaded from an .npz by PyTorch") {
  run_with_arrays(ProgramKind::PyTorch, "torch");
}
