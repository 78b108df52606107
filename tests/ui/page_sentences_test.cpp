// The sentences and examples above the pages of a whole model, and where they stand.
#include "app/ui/model/page_sentences.h"

#include <cmath>
#include <limits>

#include "app/ui/model/page_intro.h"
#include "tests/support/catch.h"

using namespace headlight;
using headlight_test::ContainsSubstring;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

const SentenceNames kNames = {[](std::int32_t id) {
                                static const std::vector<std::string> kWords = {"no", "Ann", "Tom", "the"};
                                return kWords[static_cast<std::size_t>(id)];
                              },
                              Counting{0}};

// Of one layer: the likeliest token, and the second.
std::vector<Prediction> likely(std::int32_t id, double probability, double second = 0.01) {
  return {{id, 3, probability}, {id == 2 ? 3 : 2, 1, second}};
}

Attribution parts_of(Matrix heads, Eigen::RowVectorXf mlps) {
  Attribution parts;
  parts.of = {3, 1, std::nullopt};
  parts.output_bias = Eigen::RowVectorXf::Zero(heads.rows());
  parts.heads = std::move(heads);
  parts.mlps = std::move(mlps);
  parts.logit = static_cast<double>(parts.heads.sum() + parts.mlps.sum());
  return parts;
}

Matrix two_by_two(float a, float b, float c, float d) {
  Matrix matrix(2, 2);
  matrix << a, b, c, d;
  return matrix;
}

HeadsOverview overview_of(const std::vector<HeadMeasures>& measures, Index layers) {
  HeadsOverview overview;
  overview.layers = layers;
  overview.heads = static_cast<Index>(measures.size()) / layers;
  for (const HeadMeasures& one : measures) {
    overview.all.push_back({});
    overview.all.back().measures = one;
  }
  return overview;
}

HeadMeasures looking(std::optional<float> previous, std::optional<float> induction) {
  HeadMeasures measures;
  measures.values[static_cast<std::size_t>(HeadMeasure::PreviousToken)] = previous;
  measures.values[static_cast<std::size_t>(HeadMeasure::Induction)] = induction;
  return measures;
}

}  // namespace

TEST_CASE("page sentences: differences have two decimals, and no sign where they round to zero") {
  CHECK(two_decimals(-0.004) == "0.00");
  CHECK(two_decimals(-1.5) == "−1.50");
  CHECK(two_decimals(kNaN) == "not a number");
}

TEST_CASE("page sentences: the lens says what the model would answer after the first layer and at the end") {
  CHECK(lens_sentence({likely(3, 0.1), likely(0, 0.12), likely(1, 0.91)}, kNames) ==
        "If the model had to answer after layer 0, it would say “no” (12 %); after the last layer, “Ann” "
        "(91 %).");
  const SentenceNames from_one = {kNames.token, Counting{1}};
  CHECK(lens_sentence({likely(3, 0.1), likely(0, 0.2), likely(1, 0.3), likely(1, 0.4), likely(1, 0.9)},
                      from_one) ==
        "If the model had to answer after layer 1, it would say “no” (20 %); after the last layer, “Ann” "
        "(90 %). It says so from layer 2 on.");
}

TEST_CASE("page sentences: a lens of no layer, of one, with ties and without numbers") {
  CHECK(lens_sentence({}, kNames).empty());
  CHECK(lens_sentence({likely(1, 0.5)}, kNames) ==
        "From the embeddings alone the model would say “Ann” (50 %).");
  CHECK(lens_sentence({likely(0, 0.12), likely(1, 0.9)}, kNames) ==
        "Without its only layer the model would say “no” (12 %); with it, “Ann” (90 %).");
  CHECK_THAT(lens_sentence({likely(0, 0.12), likely(1, 0.25, 0.25)}, kNames),
             ContainsSubstring("“Ann” or “Tom” alike (25 % each)"));
  CHECK_THAT(lens_sentence({likely(0, 0.12), likely(1, kNaN)}, kNames),
             ContainsSubstring("nothing: its logits are not numbers (NaN)"));
  CHECK_THAT(lens_sentence({{}, {}, {}}, kNames), ContainsSubstring("not numbers"));
  CHECK_THAT(lens_example({likely(0, 0.12), likely(1, 0.9)}, kNames), ContainsSubstring("“Ann” (90 %)"));
  CHECK_THAT(lens_example({likely(0, kNaN), likely(1, kNaN)}, kNames), !ContainsSubstring("example"));
}

TEST_CASE("page sentences: the part that adds most to a logit, and the one that takes most away") {
  const Attribution parts = parts_of(two_by_two(0.5f, 0, 0.25f, 2.31f), Eigen::RowVector2f(-0.8f, 0.1f));
  CHECK(parts_sentence(parts, kNames) ==
        "Head 1 of layer 1 adds most to the logit of “Ann”, its score before softmax: 2.31; the MLP of layer "
        "0 takes most away: 0.80.");
  CHECK_THAT(parts_example(parts, kNames), ContainsSubstring("+2.31 at layer 1 under head 1"));
  CHECK_THAT(parts_example(parts, kNames), ContainsSubstring("10.07"));  // e^2.31
}

TEST_CASE("page sentences: what makes one token likelier than another, either way round") {
  Attribution parts = parts_of(two_by_two(0.5f, 0, 0.25f, 2.31f), Eigen::RowVector2f(-0.8f, 0.1f));
  parts.of.other = 2;
  CHECK(parts_sentence(parts, kNames) ==
        "The logit of “Ann” is 2.36 above that of “Tom”. Head 1 of layer 1 adds most to that: 2.31.");
  parts.mlps(0) = -3;
  parts.logit = -1.5;
  CHECK(parts_sentence(parts, kNames) ==
        "The logit of “Tom” is 1.50 above that of “Ann”. The MLP of layer 0 adds most to that: 3.00.");
  parts.logit = 0.001;
  CHECK_THAT(parts_sentence(parts, kNames), ContainsSubstring("“Ann” and “Tom” are equally likely"));
}

TEST_CASE("page sentences: parts that are alike, that are nothing, and that are no numbers") {
  CHECK_THAT(parts_sentence(parts_of(two_by_two(1, 1, 0, 0), Eigen::RowVector2f(0, 0)), kNames),
             ContainsSubstring("Head 0 of layer 0 and head 1 of layer 0 each add most"));
  CHECK_THAT(parts_sentence(parts_of(two_by_two(1, 1, 1, 0), Eigen::RowVector2f(0, 0)), kNames),
             ContainsSubstring("Head 0 of layer 0 and 2 others each add most"));
  CHECK(parts_sentence(parts_of(Matrix::Zero(1, 2), Eigen::RowVectorXf::Zero(1)), kNames) ==
        "No part adds anything to the logit of “Ann”.");
  CHECK_THAT(parts_sentence(parts_of(two_by_two(1, static_cast<float>(kNaN), 0, 0), Eigen::RowVector2f(0, 0)),
                            kNames),
             ContainsSubstring("NaN"));
  CHECK_FALSE(parts_sentence(parts_of(Matrix(), Eigen::RowVectorXf()), kNames).empty());
  CHECK_FALSE(parts_example(parts_of(Matrix(), Eigen::RowVectorXf()), kNames).empty());
}

TEST_CASE("page sentences: the heads that look at one kind of token") {
  CHECK(
      heads_sentence(overview_of({looking(0.98f, 0.1f), looking(0.2f, 0.87f)}, 2), Counting{0}) ==
      "Head 0 of layer 0 gives 98 % of its attention to the token just before; head 0 of layer 1 gives "
      "87 % of its attention to the token that came after the same token earlier (induction), where a token "
      "repeats.");
  CHECK(heads_sentence(overview_of({looking(0.4f, std::nullopt), looking(0.1f, 0.3f)}, 1), Counting{0}) ==
        "Head 0 of layer 0 gives 40 % of its attention to the token just before: no head has a clearer aim "
        "in "
        "this text.");
  CHECK_THAT(heads_sentence(overview_of({looking(std::nullopt, std::nullopt)}, 1), Counting{1}),
             ContainsSubstring("Here no head looks"));
  CHECK(heads_sentence({}, Counting{0}).empty());
  CHECK_THAT(heads_sentence(overview_of({looking(static_cast<float>(kNaN), std::nullopt)}, 1), Counting{0}),
             ContainsSubstring("no head"));
}

TEST_CASE("page sentences: the example of the heads is the selected head, its tokens in quotes") {
  HeadsOverview overview = overview_of({{}, {}}, 1);
  overview.all[0].picture.values = two_by_two(1, 0, 0.3f, 0.7f);
  overview.all[1].picture.values = two_by_two(1, 0, 0.8f, 0.2f);
  const std::vector<std::string> tokens = {"of", "to"};
  CHECK_THAT(
      heads_example(overview, tokens, Counting{0}, false, std::pair(Index{0}, Index{1})),
      ContainsSubstring("in head 1 of layer 0 the last token, “to” (1), gives its largest share, 80 %, "
                        "to “of” (0)."));
  CHECK_THAT(heads_example(overview, tokens, Counting{0}), ContainsSubstring("in head 0 of layer 0"));
}

TEST_CASE("page sentences: heads by a measure, by what they add and by how far they moved") {
  const std::vector<HeadValue> heads = {{0, 0, 0.25}, {0, 1, -0.5}, {1, 0, 0.75}, {1, 1, std::nullopt}};
  CHECK(measure_sentence(heads, "previous token", Counting{0}) ==
        "Of “previous token”, head 0 of layer 1 has most: 0.75; head 1 of layer 0 has least: −0.50.");
  CHECK_THAT(measure_sentence({{0, 0, std::nullopt}}, "induction", Counting{0}),
             ContainsSubstring("No head has"));
  CHECK_THAT(measure_sentence({{0, 0, 1.0}}, "entropy", Counting{0}), ContainsSubstring("only head"));
  CHECK_THAT(measure_sentence({{0, 0, 1.0}, {0, 1, 1.0}}, "entropy", Counting{0}),
             ContainsSubstring("the same"));
  CHECK(head_parts_sentence(heads, {0, 1, std::nullopt}, kNames) ==
        "Head 0 of layer 1 adds most to the logit of “Ann”: 0.75; head 1 of layer 0 takes most away: 0.50.");
  CHECK_THAT(head_parts_sentence({{0, 0, -1.0}}, {0, 1, 2}, kNames),
             ContainsSubstring("No head adds to the logit of “Ann” less that of “Tom”"));
  CHECK_THAT(head_parts_sentence({{0, 0, 0.0}}, {0, 1, std::nullopt}, kNames),
             ContainsSubstring("No head adds anything"));
  CHECK_THAT(head_changes_sentence({{0, 0, 0.1}, {0, 1, 0.83}}, Counting{0}),
             ContainsSubstring("head 1 of layer 0"));
  CHECK_THAT(head_changes_sentence({{0, 0, 0.0}}, Counting{0}),
             ContainsSubstring("No head's weights differ"));
  CHECK_THAT(head_changes_sentence({{0, 0, std::nullopt}}, Counting{0}), ContainsSubstring("another length"));
}

TEST_CASE("page sentences: the place of the map of patches that matters most") {
  PatchedMap map{
      two_by_two(0, 0.5f, -2.4f, 0.1f), 3.1, true, "the stream", {"gave", "to"}, {1, 1, std::nullopt}};
  CHECK(patches_sentence(map, kNames) ==
        "It matters most at gave (0) behind the last layer: the stream of the kept text, put in there alone, "
        "moves the logit of “Ann” from 3.10 to 0.70.");
  // What enters the first layer and what leaves the last one says nothing, if there are others.
  PatchedMap longer = map;
  longer.moved = Matrix::Zero(3, 2);
  longer.moved << 5, 0, 0.2f, -0.3f, 0, 9;
  CHECK_THAT(patches_sentence(longer, kNames), ContainsSubstring("to (1) before layer 1"));
  map.is_stream = false;
  CHECK_THAT(patches_sentence(map, kNames), ContainsSubstring("gave (0) in layer 1"));
  CHECK_THAT(patches_example(&map, kNames), ContainsSubstring("−2.40: the logit goes from 3.10 to 0.70"));
  const Matrix estimated = two_by_two(0.1f, 0.5f, -1.4f, 0.1f);
  const std::string difference = estimate_sentence(estimated, map, kNames);
  CHECK_THAT(difference, ContainsSubstring("The correlation of both is 1.00; they differ most at"));
  CHECK_THAT(difference, ContainsSubstring("gave (0) in layer 1: −1.40 and really −2.40."));
  CHECK(estimate_sentence(map.moved, map, kNames) ==
        "The correlation of both is 1.00; they differ nowhere by 0.01.");
  CHECK(estimate_sentence(Matrix::Zero(2, 2), map, kNames).starts_with("They differ most at"));
  CHECK_THAT(estimate_sentence(-estimated, map, kNames), ContainsSubstring("a difference of logits"));
  CHECK_THAT(difference, !ContainsSubstring("a difference of logits"));
  CHECK_THAT(estimate_sentence(Matrix::Constant(2, 2, static_cast<float>(kNaN)), map, kNames),
             ContainsSubstring("cannot be compared"));
  PatchedMap by_gradient = map;
  by_gradient.estimated = by_gradient.of_heads = true;
  CHECK(patches_sentence(by_gradient, kNames) ==
        "By the gradient, it matters most at head 0 of layer 1: the stream in the kept text, put in there "
        "alone, would move the logit of “Ann” by about −2.40.");
  CHECK_THAT(patches_example(&by_gradient, kNames), ContainsSubstring("would go from 3.10 to 0.70"));
  map.moved.setZero();
  by_gradient.moved.setZero();
  CHECK_THAT(patches_sentence(by_gradient, kNames), ContainsSubstring("By the gradient no place matters"));
  CHECK_THAT(patches_sentence(map, kNames), ContainsSubstring("No place matters"));
  map.moved.setConstant(static_cast<float>(kNaN));
  CHECK_THAT(patches_sentence(map, kNames), ContainsSubstring("No place matters"));
  map.before = kNaN;
  CHECK_THAT(patches_sentence(map, kNames), ContainsSubstring("not a number"));
  map.moved = Matrix();
  CHECK(patches_sentence(map, kNames).empty());
  CHECK_FALSE(patches_example(nullptr, kNames).empty());
}

TEST_CASE("page introductions: the example goes first, then the sentence but for a line, then the sentence") {
  const IntroSizes sizes{40, 20, 80, 8, 200};
  const IntroPlan all = plan_intro(340, sizes);
  CHECK(all.sentence == 40);
  CHECK(all.example == 80);
  CHECK(all.page == 136);
  const IntroPlan without = plan_intro(335, sizes);
  CHECK(without.sentence == 40);
  CHECK(without.example == 0);
  CHECK(without.page == 48);
  const IntroPlan line = plan_intro(230, sizes);
  CHECK(line.sentence == 20);
  CHECK(line.example == 0);
  CHECK(plan_intro(210, sizes).page == 0);
  CHECK(plan_intro(0, sizes).page == 0);
  CHECK(plan_intro(340, {0, 0, 80, 8, 200}).example == 80);
  CHECK(plan_intro(340, {0, 0, 0, 8, 200}).page == 0);
}
