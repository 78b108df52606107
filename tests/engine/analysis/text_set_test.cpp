#include "engine/analysis/text_set.h"

#include "engine/analysis/analysis.h"
#include "engine/core/error.h"
#include "tests/engine/analysis/words_model.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/layer_settings.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

std::string set_refusal(const std::string& content) {
  try {
    parse_text_set(words(), content, "texts.txt");
  } catch (const Error& failure) {
    return failure.what();
  }
  return "";
}

}  // namespace

TEST_CASE("text set: a text a line, whatever the line ends are") {
  const std::vector<TokenIds> texts = parse_text_set(words(), "Ann gave the key to Bob\nthe key", "x").texts;
  REQUIRE(texts.size() == 2);
  CHECK(texts[0] == words().encode("Ann gave the key to Bob"));
  CHECK(texts[1] == words().encode("the key"));
  CHECK(parse_text_set(words(), "Ann gave the key to Bob\r\nthe key\r\n", "x").texts == texts);
  CHECK(parse_text_set(words(), "the key\n", "x").targets.empty());
}

TEST_CASE("text set: what stands behind a tab is the answer to a text, not a part of it") {
  const TextSet set = parse_text_set(words(), "Ann gave the key to\tBob\nthe key\n", "x");
  CHECK(set.texts == parse_text_set(words(), "Ann gave the key to\nthe key\n", "x").texts);
  REQUIRE(set.targets.size() == 2);
  CHECK(set.targets[0] == typed_target(words(), "Bob").id);
  CHECK_FALSE(set.targets[1].has_value());
  CHECK_THAT(set_refusal("the key\nthe\tkey\tBob\n"),
             ContainsSubstring("line 2") && ContainsSubstring("tabs"));
  CHECK_THAT(set_refusal("the key\nthe\t\n"), ContainsSubstring("line 2") && ContainsSubstring("token"));
  CHECK_THAT(set_refusal("\tkey\n"), ContainsSubstring("line 1") && ContainsSubstring("empty"));
}

TEST_CASE("text set: every question about a logit has each text's own answer as its target") {
  const std::vector<std::string> lines = {"Ann gave the key to",
                                          "Leo and Bob went out . Leo gave the lamp to"};
  const std::vector<std::string> words_behind = {"Bob", "Leo"};
  NetworkPass pass(std::make_shared<const Network>(source_root() + "/assets/examples/words"));
  for (const AnalysisKind kind : {AnalysisKind::Parts, AnalysisKind::Ablation}) {
    Analysis analysis;
    analysis.kind = kind;
    analysis.measured = OutputMeasure::Kind::Logit;
    std::vector<Matrix> single;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      analysis.texts = {words().encode(lines[i])};
      analysis.target = typed_target(words(), words_behind[i]).id;
      single.push_back(run_analysis(pass, analysis, [](double) {}).tables.at(0).values);
    }
    const TextSet set = parse_text_set(words(), lines[0] + "\tBob\n" + lines[1] + "\tLeo\n", "x");
    analysis.texts = set.texts;
    analysis.targets = set.targets;
    analysis.target = typed_target(words(), "key").id;  // the answers come before it
    const Matrix mean = run_analysis(pass, analysis, [](double) {}).tables.at(0).values;
    if (kind == AnalysisKind::Parts)
      CHECK((mean - (single[0] + single[1]) / 2).cwiseAbs().maxCoeff() < 1e-4f);
    analysis.ablation = AblationKind::Zero;
    const Matrix zero = run_analysis(pass, analysis, [](double) {}).tables.at(0).values;
    analysis.targets.clear();
    CHECK((zero - run_analysis(pass, analysis, [](double) {}).tables.at(0).values).cwiseAbs().maxCoeff() >
          1e-3f);
  }
}

TEST_CASE("repeated tokens: random ordinary tokens twice, as torch draws them") {
  const std::vector<std::int32_t> ids = repeated_tokens(words(), {40, 0});
  const std::size_t front = words().tokenizer()->prefix_id_count();
  REQUIRE(ids.size() == front + 80);
  const auto middle = ids.begin() + static_cast<std::ptrdiff_t>(front) + 40;
  CHECK(std::equal(ids.begin() + static_cast<std::ptrdiff_t>(front), middle, middle));
  for (auto id = ids.begin() + static_cast<std::ptrdiff_t>(front); id != ids.end(); ++id)
    CHECK_FALSE(words().tokenizer()->is_special(*id));
  CHECK(repeated_tokens(words(), {40, 0}) == ids);
  CHECK(repeated_tokens(words(), {40, 1}) != ids);
  std::vector<std::int32_t> ordinary;
  for (std::int32_t id = 0; id < words().config().vocabulary; ++id)
    if (!words().tokenizer()->is_special(id) && !words().tokenizer()->word(id).empty())
      ordinary.push_back(id);
  // The first words of MT19937 seeded with 0, of which torch.randint(0, 10, (3,)) makes 4, 9 and 3.
  std::size_t at = front;
  for (const std::size_t word : {2357136044u, 2546248239u, 3071714933u})
    CHECK(ids[at++] == ordinary[word % ordinary.size()]);
  CHECK_THROWS_AS(repeated_tokens(words(), {most_repeated(words()) + 1, 0}), Error);
  CHECK(repeated_tokens(words(), {most_repeated(words()), 0}).size() <=
        static_cast<std::size_t>(words().config().positions));
}

TEST_CASE("text set: a line that is no text is refused by its number") {
  CHECK_THAT(set_refusal(""), ContainsSubstring("no text"));
  CHECK_THAT(set_refusal("the key\n\nthe key\n"), ContainsSubstring("line 2") && ContainsSubstring("empty"));
  std::string longer = "the key\n";
  for (int i = 0; i < 300; ++i)
    longer += "key ";
  CHECK_THAT(set_refusal(longer), ContainsSubstring("line 2") && ContainsSubstring("positions for"));
  CHECK_THAT(set_refusal("the key\n\xFF\n"), ContainsSubstring("line 2"));
}

TEST_CASE("text set: pairs have as many tokens") {
  CHECK_NOTHROW(require_pairs({{1, 2}, {3}}, {{4, 5}, {6}}));
  CHECK_THROWS_AS(require_pairs({{1, 2}}, {{4, 5}, {6}}), Error);
  CHECK_THROWS_WITH(require_pairs({{1, 2}, {3}}, {{4, 5}, {6, 7}}), ContainsSubstring("line 2"));
}

TEST_CASE("text set: a mask of its own fits one length") {
  NetworkPass pass = golden_pass("gpt2");
  const Index tokens = pass.token_count();
  pass.set_settings(1, painted_mask(Matrix::Ones(tokens, tokens)));
  CHECK_THROWS_WITH(take_text(pass, {1, 2}, {}),
                    ContainsSubstring("layer 1: mask painted for texts of another length than 2"));
  CHECK_NOTHROW(take_text(pass, TokenIds(static_cast<std::size_t>(tokens), 2), {}));
}
