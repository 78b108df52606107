// What the shell offers at the end of a command line: what the program parses there.
#include <sstream>

#include "app/cli/command_line.h"
#include "app/export/analysis_words.h"
#include "app/export/figure_preset.h"
#include "app/figure/color/colormap.h"
#include "engine/layer/stage.h"
#include "tests/support/catch.h"

using namespace headlight;

namespace {

using Words = std::vector<std::string>;

std::string answer(const Words& words) {
  std::vector<const char*> arguments = {"headlight"};
  for (const std::string& word : words)
    arguments.push_back(word.c_str());
  std::ostringstream out, err;
  run_command_line(static_cast<int>(arguments.size()), arguments.data(), out, err);
  CHECK(err.str() == "");
  return out.str();
}

Words offered(Words words) {
  words.insert(words.begin(), "--complete");
  std::istringstream lines(answer(words));
  Words found;
  for (std::string line; std::getline(lines, line);)
    found.push_back(line);
  return found;
}

bool has(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

TEST_CASE("completion: commands, files and options where they may stand") {
  const Words first = offered({""});
  for (const char* command : {"export", "compute", "ask", "check", "manual"})
    CHECK(has(first, command));
  CHECK(has(first, "@files headlight gguf npy npz safetensors csv tsv"));
  CHECK(offered({"ex"}) == Words{"@files headlight gguf npy npz safetensors csv tsv", "export"});
  CHECK_FALSE(has(offered({"file.headlight", ""}), "export"));
  CHECK(offered({"check", ""}) == Words{"@files headlight"});
  CHECK(offered({"init", ""}) == Words{"@folders"});
  CHECK(offered({"compute", "a.npz", "-o", ""}) == Words{"@files npz"});
  CHECK(offered({"export", "a", "--for"}) == Words{"--format", "--force"});
  CHECK(offered({"export", "a", "--width", ""}).empty());
  CHECK(offered({}).empty());
}

TEST_CASE("completion: every option that a command's help has is offered, and no other") {
  for (const std::string& command : offered({""})) {
    if (command.starts_with('@')) continue;
    const std::string help = answer({command, "--help"});
    const Words options = offered({command, "--"});
    INFO(command);
    CHECK(options.size() > 0);
    for (const std::string& option : options) {
      INFO(option);
      CHECK(help.find(option) != std::string::npos);
    }
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t at = line.starts_with("  -") ? line.find("--") : std::string::npos;
      if (at == std::string::npos) continue;
      INFO(line);
      CHECK(has(options, line.substr(at, line.find(' ', at) - at)));
    }
  }
}

TEST_CASE("completion: every stage, preset, colour map and question, in lists too") {
  const Words stages = offered({"export", "a", "--stage", ""});
  for (const StageInfo& stage : stage_table())
    CHECK(has(stages, stage.name));
  CHECK(has(stages, "all"));
  CHECK(offered({"export", "a", "--stage", "scores,we"}) == Words{"scores,weights"});
  for (const FigurePreset& preset : figure_preset_table())
    CHECK(has(offered({"export", "a", "--preset", ""}), preset.id));
  for (const ColormapInfo& map : colormap_table())
    CHECK(has(offered({"export", "a", "--colormap", ""}), map.id));
  for (const AnalysisInfo& question : analysis_table())
    CHECK(has(offered({"ask", "folder", ""}), question.name));
  CHECK(has(offered({"ask", "folder", "patches", "--stage", ""}), "residual"));
  CHECK(has(offered({"manual", ""}), "lessons"));
}
