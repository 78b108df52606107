// The statements of the lessons as they open and after the edits that they suggest, and the words of their
// texts. That each number and each sentence is the right one, after random edits too, is compared with the
// reader of lesson texts in a page (tests/page/lesson_test.mjs).
#include <functional>
#include <map>

#include "app/document/document.h"
#include "app/figure/plan/heatmap_figure.h"
#include "app/lesson_text/wording.h"
#include "tests/app/lesson_text/lesson_support.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

class LessonCheck {
 public:
  LessonCheck(const Session& session, const LessonStep& step)
      : session_(session), step_(step), first_(pass_of(session, step)), opened_(evaluate(session.layer)) {}

  // The texts of the step for this layer.
  std::string texts(const Layer& layer) const {
    const Evaluator now = evaluate(layer);
    const Goal* const goal = session_.goal.get();
    const PassValues of_now(now, goal), of_first(first_, goal), of_opened(opened_, goal);
    std::string all;
    for (const LessonText& text : step_.texts())
      all += told(text.pieces(), {&of_now, &of_first, &of_opened}) + "\n";
    return all;
  }

  // Checks that every {if} of the step takes its first branch when the step begins; those of the replies,
  // after the change that the question asks for.
  void check_first_branches() {
    const Goal* const goal = session_.goal.get();
    const PassValues of_first(first_, goal), of_opened(opened_, goal);
    LessonStep asking = step_;
    if (asking.question) asking.question->replies.clear();
    check_first(asking.texts(), {&of_first, &of_first, &of_opened});
    if (!step_.question) return;
    const Evaluator done = evaluate(asked_model(session_, step_));
    const PassValues of_done(done, goal);
    check_first(step_.question->replies, {&of_done, &of_first, &of_opened});
  }

 private:
  void check_first(const std::vector<LessonText>& texts, const ReferencedStates& states) const {
    for (const LessonText& text : texts)
      first_branches(text.pieces(), states);
  }
  static void first_branches(const std::vector<TextPiece>& pieces, const ReferencedStates& states) {
    for (const TextPiece& piece : pieces) {
      if (piece.branches.empty()) continue;
      const bool compares = !piece.branches.back().condition.has_value();
      INFO(told(piece.branches.front().pieces, states));
      if (compares) CHECK(verdict(*piece.branches.front().condition, states) == Verdict::Yes);
      for (const TextBranch& branch : piece.branches)
        if (branch.condition && verdict(*branch.condition, states) == Verdict::Yes)
          first_branches(branch.pieces, states);
    }
  }

  const Session& session_;
  const LessonStep& step_;
  Evaluator first_, opened_;
};

using Doing = std::function<void(Document&)>;

Doing set_cell(InputKind kind, Index row, Index column, float value) {
  return [=](Document& document) {
    document.run(SetCells{{kind, 0, Parameter::Query}, row, column, Matrix::Constant(1, 1, value), 0});
  };
}

Doing multiply_row(Index row, float by) {
  return [=](Document& document) {
    const Matrix values = document.layer().embeddings[0].row(row) * by;
    document.run(SetCells{{InputKind::Embeddings, 0, Parameter::Query}, row, 0, values, 0});
  };
}

Doing set_attention(const std::function<void(AttentionSettings&)>& change) {
  return [=](Document& document) {
    AttentionSettings changed = document.layer().attention;
    change(changed);
    document.run(SetAttention{changed, 0});
  };
}

Doing draw_weights(const std::function<void(WeightRecipe&)>& change) {
  return [=](Document& document) {
    WeightRecipe recipe = *document.layer().weights.recipe;
    change(recipe);
    document.run(DrawWeights{recipe});
  };
}

// The edit that each lesson's last step suggests, by the number of its file. Files 9 and 22 only ask the
// reader to look.
std::map<int, Doing> tries() {
  const auto embedding = [](Index row, Index column, float value) {
    return set_cell(InputKind::Embeddings, row, column, value);
  };
  std::map<int, Doing> all = {
      {1, embedding(4, 1, 1.5f)},
      {2, embedding(4, 0, -3)},
      {3, embedding(1, 0, 15)},
      {4, embedding(2, 2, 1.6f)},
      {5, embedding(5, 0, 0.9f)},
      {6, multiply_row(0, 2)},
      {7, multiply_row(2, 10)},
      {8, multiply_row(3, 3)},
      {11, set_attention([](AttentionSettings& a) {
         a.scale = {ScaleKind::Number, 5};
       })},
      {12, draw_weights([](WeightRecipe& recipe) { recipe.seed = 7; })},
      {13, embedding(4, 0, 0.03f)},
      {14, draw_weights([](WeightRecipe& recipe) { recipe.init = InitKind::Linear; })},
      {15, [](Document& document) { document.run(SetQkvBias{true}); }},
      {17, embedding(0, 0, 2)},
      {18, set_attention([](AttentionSettings& a) { a.dropout.training = true; })},
      {19, set_attention([](AttentionSettings& a) { a.dropout.seed.reset(); })},
      {20, set_attention([](AttentionSettings& a) { a.disabled_heads = {0}; })},
      {21, [](Document& document) { document.run(SetNumHeads{1}); }},
      {23, embedding(3, 0, 2)},
      {24, set_attention([](AttentionSettings& a) { a.scale.kind = ScaleKind::None; })},
      {26, embedding(4, 1, 3)},
      {27, set_attention([](AttentionSettings& a) {
         a.dropout.training = true;
         a.dropout.probability = 0.8;
       })},
      {28, embedding(2, 1, 5)},
  };
  all[10] = [](Document& document) {
    document.run(SetCells{{InputKind::Weight, 0, Parameter::Query}, 0, 1, Matrix::Zero(3, 1), 0});
  };
  all[16] = [](Document& document) {
    document.run(SetCells{{InputKind::Embeddings, 0, Parameter::Query}, 5, 0, Matrix::Constant(1, 1, 3), 0});
    Matrix painted = Matrix::Zero(6, 6);
    for (Index row = 0; row < 6; ++row)
      painted.row(row).head(row + 1).setOnes();
    painted(0, 1) = 1;
    document.run(SetMask{MaskKind::Custom, painted, 0});
  };
  all[25] = [](Document& document) {
    Matrix painted = Matrix::Zero(4, 4);
    for (Index row = 1; row < 4; ++row)
      painted.row(row).head(row + 1).setOnes();
    document.run(SetMask{MaskKind::Custom, painted, 0});
  };
  return all;
}

// All texts of a step, with its title and its answers.
std::vector<std::string> words_of(const LessonStep& step) {
  std::vector<std::string> words;
  for (const LessonText& text : step.texts())
    words.push_back(text.written());
  words.push_back(step.title);
  if (step.question) words.insert(words.end(), step.question->answers.begin(), step.question->answers.end());
  return words;
}

int number_of(const std::string& stem) {
  return std::isdigit(static_cast<unsigned char>(stem[0])) ? std::stoi(stem) : 0;
}

}  // namespace

TEST_CASE("lessons evaluated: no number and no comparison is typed") {
  for (const std::string& stem : lesson_stems()) {
    INFO(stem);
    const Session session = lesson_session(stem);
    // Notes may quote figures that a source printed or that were measured in a trained layer.
    if (number_of(stem) > 0 && number_of(stem) != 9)
      CHECK_FALSE(std::regex_search(session.notes, number_words()));
    for (const LessonStep& step : session.lesson->steps)
      for (const std::string& text : words_of(step)) {
        INFO(step.title);
        for (const std::string& fault : wording_faults(text))
          FAIL_CHECK(fault);
        for (const std::string& token : session.layer.tokens)
          CHECK(text.find("“" + token + "”") == std::string::npos);  // a token may be renamed
      }
  }
}

TEST_CASE("lessons evaluated: what is typed, or compared without a claim, is found") {
  const auto found = [](const std::string& text) { return wording_faults(text).size(); };
  CHECK(found("Die größten Anteile heißen auch im Süßeton so.") == 0);
  CHECK(found("Er bekommt 0,4 davon.") == 1);
  CHECK(wording_faults("Er bekommt 0,4 davon.").front().starts_with("a bare number, 0,4: "));
  CHECK(found("It is 0.1538.") == 1);
  CHECK(found("All six dot products.") == 1);
  CHECK(found("It is the largest, {scores[1,1]}.") == 1);
  CHECK(found("It is the largest, {scores[1] largest}.") == 0);
  CHECK(found("{if scores[1,1] = scores[1] largest}the largest{else}not the largest{end}") == 0);
  CHECK(found("{if scores[1,1] = scores[1] largest}the smallest{else}b{end}") == 1);
  CHECK(found("{if scores > 0}all are positive{else}{scores count < 0} are negative{end}") == 0);
  CHECK(found("{fixed 1: a row of softmax adds up to it}") == 0);
  CHECK(found("{compare d_k, d_out: less | as much | more}") == 0);
  CHECK(found("{compare d_k, d_out: more | as much | less}") == 1);
  CHECK(found("{compare d_k, d_out:more|as much|less}") == 1);
  // Titles and answers are no lesson texts: braces in them open and close nothing.
  CHECK(found("{elif x}{end}{end} {compare a} words") == 0);
  CHECK(found("{if weights[1,0] > 0.5}more than half{else}less than half{end}") == 0);
  CHECK(found("{if weights[1,0] > 0.5}less than half{else}more than half{end}") == 1);
  CHECK(found("{if scores[1,0] < scores[1,1]}It scores higher.{else}It does not.{end}") == 1);
  const std::string grown = "{if scores largest > first scores largest}the largest has ";
  CHECK(found(grown + "grown{else}b{end}") == 0);
  CHECK(found(grown + "shrunk{else}b{end}") == 1);
}

TEST_CASE("lessons evaluated: as it stands, the first branch of each claim is told") {
  for (const std::string& stem : lesson_stems()) {
    const Session session = lesson_session(stem);
    for (const LessonStep& step : session.lesson->steps) {
      INFO(stem << ": " << step.title);
      LessonCheck check(session, step);
      const std::string text = check.texts(step_model(session, step));
      INFO(text);
      CHECK(text.find("at first") == std::string::npos);
      check.check_first_branches();
    }
  }
}

TEST_CASE("lessons evaluated: the text of a step depends on what it asks to try") {
  const std::map<int, Doing> all = tries();
  for (const std::string& stem : lesson_stems()) {
    const Session session = lesson_session(stem);
    const auto doing = all.find(number_of(stem));
    if (doing == all.end()) continue;
    for (const LessonStep& step : session.lesson->steps) {
      INFO(stem << ": " << step.title);
      Session tried = session;
      tried.layer = step_model(session, step);
      Document document(tried);
      doing->second(document);
      LessonCheck check(session, step);
      const std::string before = check.texts(step_model(session, step));
      const std::string after = check.texts(document.layer());
      if (!step.try_it.empty()) CHECK(after != before);  // the text depends on the edit
    }
  }
}

TEST_CASE("lessons evaluated: the text of a step depends on the change of its question") {
  for (const std::string& stem : lesson_stems()) {
    const Session session = lesson_session(stem);
    for (const LessonStep& step : session.lesson->steps) {
      if (!step.question || !step.question->change) continue;
      INFO(stem << ": " << step.title);
      LessonCheck check(session, step);
      Layer changed = step_model(session, step);
      const std::string before = check.texts(changed);
      apply_change(*step.question->change, changed);
      CHECK(check.texts(changed) != before);  // the text depends on the change
    }
  }
}

TEST_CASE("lessons evaluated: what a lesson says of another one holds") {
  std::map<int, Evaluator> passes;
  for (const std::string& stem : lesson_stems())
    if (number_of(stem) > 0) passes.emplace(number_of(stem), evaluate(lesson_session(stem).layer));
  const auto stage = [&](int lesson, Stage of) -> const Matrix& {
    return passes.at(lesson).matrix(of, 0, 0);
  };
  const auto weight = [&](int lesson, Parameter parameter) -> const Matrix& {
    return passes.at(lesson).layer().weights.matrix(parameter);
  };
  CHECK(stage(5, Stage::Context).row(1) == stage(4, Stage::Context).row(1));
  CHECK(stage(7, Stage::Scores).row(0) == stage(6, Stage::Scores).row(0));
  CHECK(stage(14, Stage::Queries) == stage(10, Stage::Queries));
  CHECK(weight(12, Parameter::Key) == weight(10, Parameter::Query));
  CHECK(weight(12, Parameter::Query) == weight(10, Parameter::Key));
  CHECK(weight(12, Parameter::Value) == weight(10, Parameter::Value));
  CHECK(stage(12, Stage::Keys) == stage(11, Stage::Queries));
  CHECK(stage(12, Stage::Scores).isApprox(stage(11, Stage::Scores).transpose()));
  CHECK((stage(12, Stage::Weights).array() != stage(11, Stage::Weights).array()).all());
  CHECK(stage(13, Stage::Scores).block(1, 0, 1, 4) == stage(11, Stage::Scores).block(1, 0, 1, 4));
  CHECK((stage(13, Stage::Weights).row(1).head(4).array() != stage(11, Stage::Weights).row(1).head(4).array())
            .all());
  CHECK(passes.at(11).layer().token_count() == 6);
}

namespace {

// Calls `read` with the text of a step and the state, after each of fifty edits of the embeddings.
void read_after_edits(const std::string& stem, std::size_t step_index,
                      const std::function<void(const std::string& text, const Evaluator& now)>& read) {
  const Session session = lesson_session(stem);
  const LessonStep& step = session.lesson->steps[step_index];
  LessonCheck check(session, step);
  Dice dice(static_cast<unsigned>(step_index) + 5);
  Document document(session);
  const auto rows = document.layer().token_count();
  for (int edit = 0; edit < 50; ++edit) {
    document.run(SetCells{{InputKind::Embeddings, 0, Parameter::Query},
                          dice.below(rows),
                          dice.below(3),
                          dice.matrix(1, 1, 1.5),
                          0});
    const std::string text = check.texts(document.layer());
    INFO(text);
    read(text, evaluate(document.layer()));
    if (dice.chance(0.3)) document.undo();
  }
}

bool says(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("lessons evaluated: words that are read by hand are those of the matrices") {
  read_after_edits("01-one-query-dot-products", 4, [](const std::string& text, const Evaluator& now) {
    Index at = 0;
    const Matrix& scores = now.matrix(Stage::Scores, 0, 0);
    const float largest = scores.row(1).maxCoeff(&at);
    CHECK(says(text, "The largest is " + number_text(largest, 4) + ", with “" +
                         now.layer().tokens[static_cast<std::size_t>(at)] + "”"));
  });
  read_after_edits("02-dividing-by-the-sum", 4, [](const std::string& text, const Evaluator& now) {
    const Matrix& scores = now.matrix(Stage::Scores, 0, 0);
    const auto negative = (scores.array() < 0).count();
    CHECK(says(text, "all scores are positive") + says(text, "all scores are still positive") ==
          (scores.minCoeff() > 0 ? 1 : 0));
    if (scores.minCoeff() <= 0)
      CHECK(says(text, "Now " + std::to_string(negative) + " of them are negative"));
    CHECK(says(text, "down to " + number_text(scores.minCoeff(), 4)));
  });
  read_after_edits("05-all-queries-at-once", 2, [](const std::string& text, const Evaluator& now) {
    const Matrix& weights = now.matrix(Stage::Weights, 0, 0);
    const float given = weights(0, 1), back = weights(1, 0);
    if (given - back > 1e-3f) CHECK(says(text, "gets back less"));
    if (back - given > 1e-3f) CHECK(says(text, "gets back more"));
  });
  read_after_edits("08-attention-mechanism-all", 0, [](const std::string& text, const Evaluator& now) {
    const Matrix& x = now.layer().embeddings[0];
    Index longest = 0;
    x.rowwise().squaredNorm().maxCoeff(&longest);
    CHECK(says(text, "because its embedding is the longest") == (longest == 3));
  });
  read_after_edits("16-causal-mask", 3, [](const std::string& text, const Evaluator& now) {
    const Matrix& weights = now.matrix(Stage::Weights, 0, 0);  // causal: the step's settings are not applied
    CHECK(says(text, "adds up to " + number_text(weights(1, 0) + weights(1, 1), 2)));
    CHECK_FALSE(says(text, "more than half of its attention goes"));
  });
}

TEST_CASE(
    "lessons told: what is to be done is done as the window does it, and what it shows is there to see") {
  const auto step_of = [](const std::string& stem, std::size_t at) {
    return lesson_session(stem).lesson->steps[at];
  };
  // Cells are dragged sideways.
  CHECK(says(step_of("01-one-query-dot-products", 4).try_it.written(), "to the right"));

  // The largest score minus itself is 0, so that the step selects another cell.
  const Session softmax = lesson_session("04-softmax-and-context");
  const LessonStep& subtracts = softmax.lesson->steps[0];
  Index largest = 0;
  evaluate(softmax.layer).matrix(Stage::Scores, 0, 0).row((*subtracts.selected)[0]).maxCoeff(&largest);
  CHECK((*subtracts.selected)[1] != largest);
  CHECK(subtracts.points_at(1, largest));

  // The initialization of nn.Linear brings the outputs closer together; the text asks about it.
  const Session drawn = lesson_session("14-six-tokens-same-class");
  Document document(drawn);
  tries().at(14)(document);
  const auto spread = [](const Layer& layer) {
    const Evaluator pass = evaluate(layer);
    const auto column = pass.matrix(Stage::Output, 0, 0).col(0);
    return column.maxCoeff() - column.minCoeff();
  };
  LessonCheck check(drawn, drawn.lesson->steps[4]);
  const std::string text = check.texts(document.layer());
  CHECK(says(text, "further or draw together?"));
  CHECK(says(text, number_text(spread(document.layer()), 4) + " (at first " +
                       number_text(spread(drawn.layer), 4) + ")"));

  // The step shows the weights that its text is about.
  CHECK(step_of("12-draw-order-key-first", 0).weight == Parameter::Key);

  // The list of masks names a painted mask by another kind.
  const Session causal = lesson_session("16-causal-mask");
  Document painted(causal);
  tries().at(16)(painted);
  LessonCheck masks(causal, causal.lesson->steps[4]);
  CHECK(says(masks.texts(causal.layer), "has another name in mask, as “prefix”"));
  CHECK(says(masks.texts(painted.layer()), "It is no causal mask now, and has another name in mask"));
}
