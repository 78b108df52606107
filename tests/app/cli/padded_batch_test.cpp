// One sequence of a padded batch of arrays: `--sequence` takes it alone, cut to its tokens, and the numbers
// are those that plain loops compute from the cut arrays.
#include "tests/app/cli/array_cases.h"

using namespace headlight;
using namespace headlight_test;

namespace {

struct Cut {
  Index sequence = 0, first = 0, count = 0;
};

// A sequence's tokens out of B x H x T x columns; with `columns`, those of these as well.
NamedArray cut_of(const NamedArray& array, const Cut& cut, bool columns = false) {
  const Index heads = array.shape[1], tokens = array.shape[2], width = array.shape[3];
  const Index begin = columns ? cut.first : 0, end = columns ? cut.first + cut.count : width;
  NamedArray part{array.name, {1, heads, cut.count, end - begin}, {}};
  for (Index h = 0; h < heads; ++h)
    for (Index t = cut.first; t < cut.first + cut.count; ++t)
      for (Index i = begin; i < end; ++i)
        part.values.push_back(
            array.values[static_cast<std::size_t>(((cut.sequence * heads + h) * tokens + t) * width + i)]);
  return part;
}

// The weights of the cut arrays alone.
std::vector<double> weights_alone(const Given& a, const Sizes& s, const Cut& cut, bool is_causal = false) {
  const Given part = {cut_of(a.queries, cut), cut_of(a.keys, cut), cut_of(a.values, cut)};
  const Sizes own = {1, s.heads, s.kv_heads, cut.count, cut.count, s.width};
  return weights_of(part, own, is_causal ? causal(own) : Added(nothing));
}

// The bytes of so many words, with a 0 between two.
NamedArray words(Index count) {
  NamedArray tokens{"tokens", {2 * count - 1}, {}};
  for (Index i = 0; i < count; ++i) {
    if (i > 0) tokens.values.push_back(0);
    tokens.values.push_back(static_cast<float>('a' + i));
  }
  return tokens;
}

NamedArray row_of(const std::string& name, std::vector<float> values) {
  const auto count = static_cast<Index>(values.size());
  return {name, {count}, std::move(values)};
}

struct Batch {
  Draw draw{7};
  Sizes s{3, 2, 1, 8, 8, 3};
  Given a = given(draw, s);
  Cases cases;

  std::vector<std::string> options(const std::string& sequence, std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--layout", "bhtd", "--sequence", sequence});
    return more;
  }
  std::vector<double> saved_weights() {
    std::vector<double> weights;
    for (Index i = 0; i < 3 * 2 * 8 * 8; ++i)
      weights.push_back(static_cast<double>((i * 7) % 11) / 44);
    return weights;
  }
  NamedArray attentions() {
    const std::vector<double> weights = saved_weights();
    return {"attentions", {3, 2, 8, 8}, {weights.begin(), weights.end()}};
  }
  std::vector<double> attentions_of(const Cut& cut) {
    const NamedArray part = cut_of(attentions(), cut, true);
    return {part.values.begin(), part.values.end()};
  }
};

}  // namespace

TEST_CASE("padded batch: --sequence cuts saved weights to as many tokens as there are names") {
  Batch batch;
  const std::vector<NamedArray> arrays = {batch.attentions(), words(5)};
  for (const Index sequence : {0, 1, 2}) {
    const std::string said = batch.cases.check(arrays, batch.attentions_of({sequence, 0, 5}),
                                               {"--sequence", std::to_string(sequence)});
    CHECK_THAT(said,
               ContainsSubstring("sequence " + std::to_string(sequence) + " (from 0) of 3 is taken alone"));
    CHECK_THAT(said, ContainsSubstring("positions 0 to 4 of its 8"));
  }
  batch.cases.check({batch.attentions(), row_of("tokens", {300, 17, 301})}, batch.attentions_of({1, 0, 3}),
                    {"--sequence", "1"});
  write_file_atomically(batch.cases.path("words.txt"), "the\ncat\nsat\n");
  batch.cases.check({batch.attentions()}, batch.attentions_of({2, 0, 3}),
                    {"--sequence", "2", "--tokens", batch.cases.path("words.txt")});
}

TEST_CASE("padded batch: tokens of one sequence without --sequence are refused, and the way is named") {
  Batch batch;
  batch.cases.refused({batch.attentions(), words(5)}, {"tokens", "5", "8", "--sequence 0 to 2"});
  NamedArray one = cut_of(batch.attentions(), {0, 0, 8});
  batch.cases.refused({one, words(5)}, {"tokens", "5", "8", "--sequence 0"});
  batch.cases.check({one, words(5)}, batch.attentions_of({0, 0, 5}), {"--sequence", "0"});
}

TEST_CASE("padded batch: lengths and masks of keys say how many tokens a sequence has") {
  Batch batch;
  const auto left = [](Index row, Index column) { return column >= row ? 1.0f : 0.0f; };
  const auto right = [](Index row, Index column) { return column < 8 - 2 * row ? 1.0f : 0.0f; };
  const auto is_padding = [&](Index row, Index column) { return 1 - right(row, column); };
  const std::vector<std::pair<NamedArray, Cut>> cases = {
      {row_of("valid_lens", {8, 6, 4}), {2, 0, 4}},
      {row_of("lengths", {8, 6, 4}), {1, 0, 6}},
      {mask_array("attention_mask", {3, 8}, right), {2, 0, 4}},
      {mask_array("attention_mask", {3, 8}, left), {2, 2, 6}},
      {mask_array("key_padding_mask", {3, 8}, is_padding), {1, 0, 6}},
      {mask_array("attention_mask", {3, 1, 1, 8}, right), {2, 0, 4}},
  };
  for (const auto& [array, cut] : cases) {
    INFO(array.name << ", sequence " << cut.sequence);
    const std::string number = std::to_string(cut.sequence);
    batch.cases.check(batch.a.with({array}), weights_alone(batch.a, batch.s, cut), batch.options(number));
    batch.cases.check(batch.a.with({array}), weights_alone(batch.a, batch.s, cut, true),
                      batch.options(number, {"--causal"}));
    batch.cases.check({batch.attentions(), array}, batch.attentions_of(cut), {"--sequence", number});
    batch.cases.check({batch.attentions(), array, words(cut.count)}, batch.attentions_of(cut),
                      {"--sequence", number});
  }
}

TEST_CASE("padded batch: a batch without padding gives the whole sequence, alone") {
  Batch batch;
  batch.cases.check(batch.a.with(), weights_alone(batch.a, batch.s, {1, 0, 8}), batch.options("1"));
  const auto holes = [](Index, Index column) { return column % 2 == 0 ? 1.0f : 0.0f; };
  const Sizes alone = {1, 2, 1, 8, 8, 3};
  const Cut cut = {1, 0, 8};
  const Given part = {cut_of(batch.a.queries, cut), cut_of(batch.a.keys, cut), cut_of(batch.a.values, cut)};
  const Added closed = [](Index, Index, Index, Index k) { return k % 2 == 0 ? 0.0 : kClosed; };
  batch.cases.check(batch.a.with({mask_array("attention_mask", {3, 8}, holes)}),
                    weights_of(part, alone, closed), batch.options("1"));
}

TEST_CASE("padded batch: what cannot be is refused by name, place and mend") {
  Batch batch;
  batch.cases.refused({batch.attentions()}, {"--sequence", "no sequence 3", "0 to 2"}, {"--sequence", "3"});
  batch.cases.refused({batch.attentions(), words(9)}, {"tokens", "9 tokens", "8 positions"},
                      {"--sequence", "1"});
  batch.cases.refused({batch.attentions(), words(5), row_of("lengths", {8, 6, 4})},
                      {"tokens", "5 tokens", "6 by lengths"}, {"--sequence", "1"});
  batch.cases.refused({batch.attentions(), row_of("lengths", {8, 9, 4})}, {"lengths", "9", "8 positions"},
                      {"--sequence", "1"});
  const auto right = [](Index row, Index column) { return column < 8 - row ? 1.0f : 0.0f; };
  batch.cases.refused(
      {batch.attentions(), row_of("lengths", {8, 6, 4}), mask_array("attention_mask", {3, 8}, right)},
      {"attention_mask", "7 tokens", "6 by lengths"}, {"--sequence", "1"});
  const Workplace place;
  CHECK(run({"compute", place.session(), "--sequence", "0", "-o", place.path("o.npz")}).status() == 2);
}

TEST_CASE("padded batch: print, heads and export show the sequence under its number in the batch") {
  Batch batch;
  const std::string file = batch.cases.path("case.npz");
  write_npz(file, {batch.attentions(), words(5)});
  const std::vector<std::string> which = {"--sequence", "2"};
  const auto with = [&](std::vector<std::string> line) {
    line.insert(line.end(), which.begin(), which.end());
    const Outcome outcome = run(line);
    INFO(outcome.err);
    CHECK(outcome.status() == 0);
    return outcome.out;
  };
  CHECK_THAT(with({"print", file, "--stage", "weights"}), ContainsSubstring("sequence 2, head 0, 5 x 5"));
  with({"heads", file, "-o", batch.cases.path("heads.json")});
  CHECK_THAT(read_text_file(batch.cases.path("heads.json")), ContainsSubstring("\"sequence\": 2"));
  with({"export", file, "--stage", "weights", "-o", batch.cases.path("w.json")});
  CHECK_THAT(read_text_file(batch.cases.path("w.json")), ContainsSubstring("\"sequence\": 2"));
  with({"export", file, "--stage", "weights", "--panel-title", "s{sequence}", "-o",
        batch.cases.path("w.svg")});
  CHECK_THAT(read_text_file(batch.cases.path("w.svg")), ContainsSubstring("s2"));
}
