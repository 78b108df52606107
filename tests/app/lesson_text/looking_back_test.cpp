// References to an earlier state: they name the same tokens and dimensions, at any position.
#include "app/lesson_text/evaluated_runs.h"
#include "engine/layer/lineage.h"
#include "engine/layer/lines.h"
#include "engine/layer/reshape.h"
#include "engine/layer/tokenize.h"
#include "tests/app/lesson_text/lesson_support.h"
#include "tests/support/catch.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// The evaluated text after the layer `first` has become `now`.
std::string looked_back(const Layer& first, const Layer& now, const std::string& text) {
  const Evaluator before = evaluate(first), after = evaluate(now);
  const PassValues of_first(before), of_now(after);
  return told(parse_text(text, 0, 0), {&of_now, &of_first, &of_first});
}

Verdict decided(const Layer& first, const Layer& now, const std::string& condition) {
  const Evaluator before = evaluate(first), after = evaluate(now);
  const PassValues of_first(before), of_now(after);
  TextScanner in(condition);
  return verdict(read_condition(in, 0, 0), {&of_now, &of_first, &of_first});
}

}  // namespace

TEST_CASE("looking back: lines are followed as they come, go, move and are copied") {
  Origins origins;
  follow_lines(origins, {2, 0, 1, kNewLine}, 3);
  CHECK(origins == Origins{2, 0, 1, kNewLine});
  follow_lines(origins, {0, 0, 3}, 4);  // line 0 twice: the copy counts as a new line
  CHECK(origins == Origins{2, kNewLine, kNewLine});
  resize_lines(origins, 4);
  CHECK(origins == Origins{2, kNewLine, kNewLine, kNewLine});
  const Origins none;
  CHECK(same_line({origins, 4}, 0, {none, 3}) == Index{2});
  CHECK_FALSE(same_line({origins, 4}, 0, {none, 2}));
  CHECK_FALSE(same_line({origins, 4}, 1, {none, 3}));
  CHECK_FALSE(same_line({none, 3}, 3, {none, 5}));
  CHECK(same_line({none, 3}, 2, {origins, 4}) == Index{0});
  CHECK_FALSE(same_line({origins, 5}, 0, {none, 3}));  // sizes that do not fit: no line is known
}

TEST_CASE("looking back: a cell is that of the same pair of tokens") {
  const Layer first = lesson_session("01-one-query-dot-products").layer;
  Layer now = first;
  remove_token(now, 0);
  CHECK(looked_back(first, now, "{now scores[1,4]}") == looked_back(first, first, "{scores[2,5]}"));
  CHECK(looked_back(first, now, "{first scores[0,0]}") == looked_back(first, first, "{scores[1,1]}"));
  CHECK(looked_back(first, now, "{first token[0]}") == "journey");
  CHECK(looked_back(first, now, "{now scores[5,5]}") == "–");
  now.embeddings[0](0, 0) = 5;
  const std::string score = looked_back(now, now, "{scores[0,0]}");
  CHECK(looked_back(first, now, "{now scores[0,0]}") ==
        score + " (at first " + looked_back(first, first, "{scores[1,1]}") + ")");
  insert_token(now, 0, "new", false);
  CHECK(looked_back(first, now, "{now scores[0,1]} {first scores[0,1]}") == "0.0000 –");
  CHECK(looked_back(first, now, "{calc scores[0,1] - first scores[0,1]}") == "–");
  CHECK(decided(first, now, "scores[0,1] < first scores[0,1]") == Verdict::Undecidable);
}

TEST_CASE("looking back: lists go by tokens too, and are gone for claims when they had others") {
  const Layer first = lesson_session("01-one-query-dot-products").layer;
  Layer now = first;
  move_token(now, 0, 5);
  CHECK(decided(first, now, "scores[0] ~ first scores[0]") == Verdict::Yes);
  CHECK(looked_back(first, now, "{first scores[0]}") == looked_back(now, now, "{scores[0]}"));
  CHECK(decided(first, now, "scores ~ first scores transposed") == Verdict::Yes);
  CHECK(decided(first, now, "changed scores[0]") == Verdict::Yes);  // its columns are in another order
  CHECK(decided(first, now, "moved scores[0]") == Verdict::Yes);
  remove_token(now, 5);
  CHECK(decided(first, now, "scores[0] ~ first scores[0]") == Verdict::Undecidable);
  CHECK(looked_back(first, now, "{first scores[0]}") == looked_back(first, first, "{scores[1]}"));
  CHECK(decided(first, now, "moved scores[0,0]") == Verdict::Yes);
  CHECK(decided(first, first, "moved scores or changed lesson") == Verdict::No);
}

TEST_CASE("looking back: dimensions, sequences and copies") {
  const Layer first = lesson_session("10-queries-keys-values").layer;
  Layer now = first;
  change_lines(now, {LineKind::Input, LineChange::Remove, 0, 1, 0});
  CHECK(looked_back(first, now, "{first embeddings[1,0]}") == looked_back(first, first, "{embeddings[1,1]}"));
  CHECK(looked_back(first, now, "{first W_query[0,1]}") == looked_back(first, first, "{W_query[1,1]}"));
  change_lines(now, {LineKind::Output, LineChange::Move, 0, 1, 1});
  CHECK(looked_back(first, now, "{first queries[1,0]}") == looked_back(first, first, "{queries[1,1]}"));
  change_lines(now, {LineKind::Token, LineChange::Duplicate, 1, 1, 0});
  CHECK(looked_back(first, now, "{first queries[2,0]} {first queries[3,0]}") ==
        "– " + looked_back(first, first, "{queries[2,1]}"));
  const Layer batch = lesson_session("17-causal-batch-of-two").layer;
  Layer one = batch;
  one.embeddings[1](0, 0) = 3;
  const Layer differing = one;
  remove_sequence(one, 0);
  CHECK(looked_back(differing, one, "{first embeddings[0,0]}") == "3");
  replace_tokens(now, {"a", "b"}, Matrix::Ones(2, 2));
  CHECK(looked_back(first, now, "{now embeddings[0,0]} {first embeddings[0,0]}") == "1 –");
}

TEST_CASE("looking back: only the part that a claim names, and nothing else") {
  const Layer first = lesson_session("15-linear-layers").layer;
  Layer now = first;
  CHECK(decided(first, now, "changed only embeddings[2]") == Verdict::No);
  now.embeddings[0](2, 1) = 9;
  CHECK(decided(first, now, "changed only embeddings[2]") == Verdict::Yes);
  CHECK(decided(first, now, "changed only embeddings[2,1]") == Verdict::Yes);
  CHECK(decided(first, now, "changed only embeddings[2,0]") == Verdict::No);
  CHECK(decided(first, now, "changed only embeddings[1]") == Verdict::No);
  now.tokens[0] = "renamed";
  CHECK(decided(first, now, "changed only embeddings[2]") == Verdict::Yes);
  now.attention.scale = {ScaleKind::Number, 2};
  CHECK(decided(first, now, "changed only embeddings[2] or changed only scale") == Verdict::No);
  CHECK(decided(first, now, "changed lesson") == Verdict::Yes);
  Layer biased = first, wider = first;
  set_qkv_bias(biased, true);
  CHECK(decided(first, biased, "changed only bias") == Verdict::Yes);
  set_d_out(wider, 8);
  CHECK(decided(first, wider, "changed only d_out and not changed only heads") == Verdict::Yes);
  wider.weights.matrix(Parameter::Key)(0, 0) += 1;
  CHECK(decided(first, wider, "changed only d_out") == Verdict::No);
}
