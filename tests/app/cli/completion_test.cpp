// The bash completion offers every value that the tables of the program have.
#include <regex>
#include <string>

#include "app/export/figure_preset.h"
#include "app/figure/color/colormap.h"
#include "app/findings/question_words.h"
#include "engine/core/file.h"
#include "engine/model/stage.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"

using namespace headlight;

namespace {

// The words of the list that stands behind `start`, up to the next quotation mark.
std::string list_behind(const std::string& start) {
  const std::string text = read_file(headlight_test::source_root() + "/app/packaging/headlight.bash");
  const std::size_t at = text.find(start);
  REQUIRE(at != std::string::npos);
  const std::size_t begin = text.find('\'', at) + 1;
  return " " +
         std::regex_replace(text.substr(begin, text.find('\'', begin) - begin), std::regex("\\s+"), " ") +
         " ";
}

void check_holds(const std::string& list, std::string_view word) {
  INFO(list << " lacks " << word);
  CHECK(list.find(" " + std::string(word) + " ") != std::string::npos);
}

}  // namespace

TEST_CASE("completion: every question of ask is offered, and what patches put in") {
  const std::string questions = list_behind("if [[ $command == ask ]]; then"),
                    stages = list_behind("[[ $command == ask ]] && stages=");
  for (const QuestionInfo& question : question_table())
    check_holds(questions, question.name);
  for (const Word<PatchStage>& stage : kStageWords)
    check_holds(stages, stage.word);
}

TEST_CASE("completion: every stage, preset and colour map is offered") {
  const std::string stages = list_behind("local stages="), presets = list_behind("--preset)"),
                    maps = list_behind("--colormap)");
  for (const StageInfo& stage : stage_table())
    check_holds(stages, stage.name);
  for (const FigurePreset& preset : figure_preset_table())
    check_holds(presets, preset.id);
  for (const ColormapInfo& map : colormap_table())
    check_holds(maps, map.id);
}
