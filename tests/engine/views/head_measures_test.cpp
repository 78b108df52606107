// Head measures: against plain loops, on small cases, and for heads of each kind planted among random ones.
#include "engine/views/head_measures.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

using Tokens = std::vector<std::string>;
using Values = std::array<std::optional<float>, kHeadMeasureCount>;

constexpr Index kOffsets[] = {0, 0, 0, 3, -2};

Tokens random_tokens(Dice& dice, Index count, Index different) {
  Tokens tokens;
  for (Index i = 0; i < count; ++i)
    tokens.push_back("t" + std::to_string(dice.below(different)));
  return tokens;
}

// Rows that sum to 1; some rows are 0.
Matrix random_weights(Dice& dice, Index rows, Index columns) {
  Matrix weights = dice.matrix(rows, columns).cwiseAbs();
  for (Index row = 0; row < rows; ++row)
    if (dice.chance(0.1))
      weights.row(row).setZero();
    else
      weights.row(row) /= weights.row(row).sum();
  return weights;
}

struct PlainMean {
  double sum = 0;
  int count = 0;
  void add(double value) {
    sum += value;
    ++count;
  }
  std::optional<float> value() const {
    return count == 0 ? std::nullopt : std::optional(static_cast<float>(sum / count));
  }
};

// The definitions in float64, without shared index structures.
Values plain_measures(const Matrix& w, const Tokens& queries, const Tokens& keys, Index offset) {
  std::array<PlainMean, kHeadMeasureCount> means;
  const auto mean = [&](HeadMeasure measure) -> PlainMean& {
    return means[static_cast<std::size_t>(measure)];
  };
  for (Index i = 0; i < w.rows(); ++i) {
    double all = 0;
    for (Index j = 0; j < w.cols(); ++j)
      all += std::abs(double{w(i, j)});
    if (all == 0) continue;
    const Index p = i + offset;
    double entropy = 0, distance = 0;
    for (Index j = 0; j < w.cols(); ++j) {
      const double share = std::abs(double{w(i, j)}) / all;
      if (share > 0) entropy -= share * std::log2(share);
      distance += share * static_cast<double>(std::abs(p - j));
    }
    mean(HeadMeasure::Entropy).add(entropy);
    mean(HeadMeasure::Distance).add(distance);
    if (p < 0 || p >= w.cols()) continue;
    mean(HeadMeasure::Diagonal).add(std::abs(double{w(i, p)}) / all);
    if (p == 0) continue;
    mean(HeadMeasure::PreviousToken).add(std::abs(double{w(i, p - 1)}) / all);
    mean(HeadMeasure::FirstToken).add(std::abs(double{w(i, 0)}) / all);
    double same = 0, behind = 0;
    bool repeated = false;
    for (Index j = 0; j < p; ++j) {
      if (keys[static_cast<std::size_t>(j)] != queries[static_cast<std::size_t>(i)]) continue;
      repeated = true;
      same += std::abs(double{w(i, j)}) / all;
      behind += std::abs(double{w(i, j + 1)}) / all;
    }
    if (!repeated) continue;
    mean(HeadMeasure::DuplicateToken).add(same);
    mean(HeadMeasure::Induction).add(behind);
  }
  Values values;
  for (std::size_t i = 0; i < kHeadMeasureCount; ++i)
    values[i] = means[i].value();
  return values;
}

std::optional<float> plain_cosine(const Matrix& a, const Matrix& b) {
  double product = 0, first = 0, second = 0;
  for (Index row = 0; row < a.rows(); ++row)
    for (Index column = 0; column < a.cols(); ++column) {
      product += double{a(row, column)} * double{b(row, column)};
      first += double{a(row, column)} * double{a(row, column)};
      second += double{b(row, column)} * double{b(row, column)};
    }
  if (first == 0 || second == 0) return std::nullopt;
  return static_cast<float>(product / std::sqrt(first * second));
}

void check_close(const HeadMeasures& measures, const Values& expected) {
  for (std::size_t i = 0; i < kHeadMeasureCount; ++i) {
    INFO(head_measure_table()[i].name);
    REQUIRE(measures.values[i].has_value() == expected[i].has_value());
    if (expected[i]) CHECK_THAT(*measures.values[i], WithinAbs(*expected[i], 2e-5));
  }
}

HeadMeasures of_square(const Matrix& weights, const Tokens& tokens) {
  return measured({weights, TokenMatches(tokens, tokens), std::nullopt});
}

// Makes a row that of a head of some kind: most of the weight on `keys`, the rest on the random weights.
void plant(Matrix& weights, Index row, const std::vector<Index>& keys) {
  if (keys.empty()) return;
  weights.row(row) *= 0.3f;
  for (const Index key : keys)
    weights(row, key) += 0.7f / static_cast<float>(keys.size());
}

std::vector<Index> keys_for(HeadMeasure kind, const Tokens& tokens, Index row) {
  std::vector<Index> keys;
  if (kind == HeadMeasure::PreviousToken && row > 0) keys = {row - 1};
  if (kind == HeadMeasure::FirstToken) keys = {0};
  if (kind == HeadMeasure::Diagonal) keys = {row};
  const Index behind = kind == HeadMeasure::Induction ? 1 : 0;
  if (kind == HeadMeasure::Induction || kind == HeadMeasure::DuplicateToken)
    for (Index j = 0; j < row; ++j)
      if (tokens[static_cast<std::size_t>(j)] == tokens[static_cast<std::size_t>(row)])
        keys.push_back(j + behind);
  return keys;
}

// The weights of a head with a causal mask and random scores.
Matrix random_causal_head(Dice& dice, Index tokens) {
  Matrix weights = (dice.matrix(tokens, tokens, 3.0).array().exp()).matrix();
  for (Index row = 0; row < tokens; ++row) {
    weights.row(row).tail(tokens - row - 1).setZero();
    weights.row(row) /= weights.row(row).sum();
  }
  return weights;
}

}  // namespace

TEST_CASE("head measures: agree with plain loops on random weights, queries and keys apart") {
  Dice dice(301);
  for (int i = 0; i < 200; ++i) {
    const bool square = dice.chance(0.5);
    const Index rows = dice.between(1, 40), columns = square ? rows : dice.between(1, 40);
    const Index different = dice.between(1, 30);
    const Tokens queries = random_tokens(dice, rows, different);
    const Tokens keys = square ? queries : random_tokens(dice, columns, different);
    const Index offset = square ? 0 : kOffsets[dice.below(5)];
    const Matrix weights = random_weights(dice, rows, columns);
    const Matrix picture = dice.matrix(rows, columns);
    Values expected = plain_measures(weights, queries, keys, offset);
    expected[static_cast<std::size_t>(HeadMeasure::LikePicture)] = plain_cosine(weights, picture);
    INFO("rows " << rows << ", columns " << columns << ", offset " << offset);
    check_close(measured({weights, TokenMatches(queries, keys, offset), picture}), expected);
  }
}

TEST_CASE("head measures: queries of another text than the keys have no place among them") {
  Dice dice(307);
  const Tokens queries = {"a", "b"}, keys = {"a", "b", "a"};
  const HeadMeasures measures =
      measured({random_weights(dice, 2, 3), TokenMatches(queries, keys, std::nullopt), std::nullopt});
  for (const HeadMeasureInfo& info : head_measure_table()) {
    CAPTURE(info.name);
    CHECK(measures.of(info.measure).has_value() == (info.measure == HeadMeasure::Entropy));
  }
}

TEST_CASE("head measures: rows that are made as they are read, and a pause after each, change nothing") {
  Dice dice(302);
  const Index tokens = 700;
  const Tokens labels = random_tokens(dice, tokens, 90);
  const Matrix weights = random_causal_head(dice, tokens), picture = dice.matrix(tokens, tokens);
  const RowSource made(tokens, tokens, 64,
                       [&](Index first, MatrixOut rows) { rows = weights.middleRows(first, rows.rows()); });
  HeadMeasuring measuring(made, TokenMatches(labels, labels), picture);
  int steps = 1;
  double share = 0;
  while (!measuring.go_on(HeadMeasuring::Clock::now())) {
    CHECK(measuring.share() > share);
    share = measuring.share();
    ++steps;
  }
  CHECK(steps > 10);
  CHECK(measuring.share() == 1);
  CHECK(measuring.result().values == measured({weights, TokenMatches(labels, labels), picture}).values);
}

TEST_CASE("head measures: what each of them is of, on four tokens") {
  const Tokens tokens = {"a", "b", "a", "b"};
  const auto of = [&](const Matrix& weights, HeadMeasure measure) {
    return of_square(weights, tokens).of(measure).value();
  };
  Matrix previous = Matrix::Zero(4, 4);
  previous(0, 0) = previous(1, 0) = previous(2, 1) = previous(3, 2) = 1;
  CHECK(of(previous, HeadMeasure::PreviousToken) == 1);
  // The token occurred two places before, and the token after that occurrence is the previous one.
  CHECK(of(previous, HeadMeasure::Induction) == 1);
  CHECK(of(previous, HeadMeasure::DuplicateToken) == 0);
  CHECK(of(previous, HeadMeasure::Distance) == 0.75f);
  Matrix duplicate = Matrix::Identity(4, 4);
  duplicate.row(2) = duplicate.row(0);
  duplicate.row(3) = duplicate.row(1);
  CHECK(of(duplicate, HeadMeasure::DuplicateToken) == 1);
  CHECK(of(duplicate, HeadMeasure::Diagonal) == 0.5f);
  CHECK_THAT(of(duplicate, HeadMeasure::FirstToken), WithinAbs(1.0 / 3, 1e-6));  // one row of three
  const Matrix even = Matrix::Constant(4, 4, 0.25f);
  CHECK(of(even, HeadMeasure::Entropy) == 2);
}

TEST_CASE("head measures: a head has none where there is nothing to be asked") {
  const Tokens different = {"a", "b", "c"};
  const HeadMeasures plain = of_square(Matrix::Identity(3, 3), different);
  CHECK_FALSE(plain.of(HeadMeasure::DuplicateToken));
  CHECK_FALSE(plain.of(HeadMeasure::Induction));
  CHECK_FALSE(plain.of(HeadMeasure::LikePicture));
  CHECK(plain.of(HeadMeasure::Diagonal) == 1.0f);
  const HeadMeasures one = of_square(Matrix::Ones(1, 1), {"a"});
  CHECK_FALSE(one.of(HeadMeasure::PreviousToken));
  CHECK_FALSE(one.of(HeadMeasure::FirstToken));
  const HeadMeasures nothing = of_square(Matrix::Zero(2, 2), {"a", "a"});
  CHECK(nothing.rows == 0);
  CHECK(nothing.values == Values{});
  Matrix broken = Matrix::Identity(3, 3);
  broken(1, 1) = std::numeric_limits<float>::quiet_NaN();
  CHECK(of_square(broken, different).rows == 2);
  CHECK(of_square(broken, different).of(HeadMeasure::Diagonal) == 1.0f);
}

TEST_CASE("head measures: the cosine is 1 with itself, and leaves out rows that are not finite") {
  Dice dice(303);
  const Matrix weights = random_weights(dice, 9, 9);
  const Tokens tokens = random_tokens(dice, 9, 4);
  const TokenMatches matches(tokens, tokens);
  CHECK_THAT(measured({weights, matches, weights}).of(HeadMeasure::LikePicture).value(),
             WithinAbs(1.0, 1e-6));
  CHECK_THAT(measured({weights, matches, Matrix(-weights)}).of(HeadMeasure::LikePicture).value(),
             WithinAbs(-1.0, 1e-6));
  Matrix holed = weights;
  holed(4, 2) = std::numeric_limits<float>::infinity();
  CHECK_THAT(measured({weights, matches, holed}).of(HeadMeasure::LikePicture).value(), WithinAbs(1.0, 1e-6));
  CHECK_FALSE(measured({weights, matches, Matrix(Matrix::Zero(9, 9))}).of(HeadMeasure::LikePicture));
}

TEST_CASE("head measures: planted heads come first among 12 x 12 by their measure") {
  Dice dice(304);
  const Index tokens = 40, heads = 144;
  const Tokens labels = random_tokens(dice, tokens, 16);
  constexpr HeadMeasure kKinds[] = {HeadMeasure::PreviousToken, HeadMeasure::FirstToken,
                                    HeadMeasure::DuplicateToken, HeadMeasure::Induction,
                                    HeadMeasure::Diagonal};
  constexpr Index kPlaces[] = {17, 60, 61, 143, 0};  // layer * 12 + head
  std::vector<Matrix> weights;
  for (Index head = 0; head < heads; ++head)
    weights.push_back(random_causal_head(dice, tokens));
  for (std::size_t kind = 0; kind < std::size(kKinds); ++kind)
    for (Index row = 0; row < tokens; ++row)
      plant(weights[static_cast<std::size_t>(kPlaces[kind])], row, keys_for(kKinds[kind], labels, row));
  std::vector<HeadMeasures> measures;
  for (const Matrix& head : weights)
    measures.push_back(of_square(head, labels));
  for (std::size_t kind = 0; kind < std::size(kKinds); ++kind) {
    INFO(head_measure_info(kKinds[kind]).name);
    std::vector<std::optional<float>> values;
    for (const HeadMeasures& head : measures)
      values.push_back(head.of(kKinds[kind]));
    CHECK(sorted_places(values, false).front() == kPlaces[kind]);
    CHECK(sorted_places(values, true).back() == kPlaces[kind]);
  }
}

TEST_CASE("head measures: what has no value comes last both ways, and equals keep their order") {
  const std::vector<std::optional<float>> values = {0.5f, std::nullopt, 0.75f, 0.5f, std::nullopt, 0.25f};
  CHECK(sorted_places(values, false) == std::vector<Index>{2, 0, 3, 5, 1, 4});
  CHECK(sorted_places(values, true) == std::vector<Index>{5, 0, 3, 2, 1, 4});
}

TEST_CASE("head measures: each has a name of its own, at its place in the table") {
  for (std::size_t i = 0; i < kHeadMeasureCount; ++i) {
    const HeadMeasureInfo& info = head_measure_table()[i];
    CHECK(static_cast<std::size_t>(info.measure) == i);
    CHECK(head_measure_named(info.name) == info.measure);
  }
  CHECK_FALSE(head_measure_named("previous token"));
}

TEST_CASE("token matches: a long text of few repeats costs little memory, and finds them") {
  const Index count = 32768;
  Tokens tokens;
  for (Index i = 0; i < count; ++i)
    tokens.push_back("w" + std::to_string(i % 16000));
  const TokenMatches matches(tokens, tokens);
  CHECK(matches.earlier(15999).empty());
  REQUIRE(matches.earlier(32500).size() == 2);
  CHECK(matches.earlier(32500)[0] == 500);
  CHECK(matches.earlier(32500)[1] == 16500);
}
