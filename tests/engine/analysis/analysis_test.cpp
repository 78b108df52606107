#include "engine/analysis/analysis.h"

#include <cmath>

#include "engine/core/error.h"
#include "engine/interpretation/attribution.h"
#include "engine/interpretation/patch_map.h"
#include "engine/interpretation/predictions.h"
#include "tests/engine/analysis/words_model.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/dictionaries.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

using namespace headlight;
using namespace headlight_test;

namespace {

Analysis asked(AnalysisKind kind, std::vector<TokenIds> texts) {
  Analysis analysis;
  analysis.kind = kind;
  analysis.layer = 1;
  analysis.head = 1;
  analysis.texts = std::move(texts);
  return analysis;
}

void check_shape(const ResultTable& table) {
  INFO(table.name);
  CHECK(table.values.rows() == static_cast<Index>(table.rows.size()));
  CHECK(table.values.cols() == static_cast<Index>(table.columns.size()));
  CHECK((table.texts.empty() || static_cast<Index>(table.texts.size()) == table.values.size()));
  CHECK((table.remarks.empty() || table.remarks.size() == table.rows.size()));
  CHECK(table.values.size() > 0);
}

}  // namespace

TEST_CASE("analyses: each has a name of its own, and each result names its rows and columns") {
  NetworkPass pass = golden_pass("gpt2");
  const TokenIds ids = pass.ids();
  TokenIds other = ids;
  other.back() = (other.back() + 1) % 20;
  const TemporaryFolder folder;
  const std::string dictionary = folder / "identity.npz";
  write_identity_dictionary(dictionary, pass.network().config().width);
  for (const AnalysisInfo& info : analysis_table()) {
    INFO(info.name);
    CHECK(analysis_named(info.name) == info.kind);
    CHECK(&analysis_info(info.kind) == &info);
    Analysis analysis = asked(info.kind, {ids});
    analysis.others = {other};
    analysis.dictionary = dictionary;
    const AnalysisResult result = run_analysis(pass, analysis, kUnwatched);
    CHECK(!result.tables.empty());
    for (const ResultTable& table : result.tables)
      check_shape(table);
    CHECK(pass.ids() == ids);
    analysis.texts = {ids, other};
    analysis.others = {other, ids};
    if (info.of_set)
      for (const ResultTable& table : run_analysis(pass, analysis, kUnwatched).tables)
        check_shape(table);
    else
      CHECK_THROWS_AS(run_analysis(pass, analysis, kUnwatched), Error);
  }
  CHECK(analysis_named("lose") == std::nullopt);
}

TEST_CASE("analyses: over a set of texts the parts are their means, and losses weigh by token") {
  NetworkPass pass = golden_pass("llama"), plain = golden_pass("llama");
  const std::vector<TokenIds> texts = {{1, 5, 9, 2}, {7, 3}};
  Analysis analysis = asked(AnalysisKind::Parts, texts);
  analysis.target = 6;
  Matrix heads = Matrix::Zero(plain.network().config().layers, plain.network().config().heads);
  double loss = 0;
  for (const TokenIds& ids : texts) {
    plain.set_ids(ids);
    heads += attribute(plain, {plain.token_count() - 1, 6, {}}).heads / 2;
    for (const TokenLoss& one : token_losses(plain))
      loss += one.loss / 4;
  }
  CHECK(run_analysis(pass, analysis, kUnwatched).tables[0].values.isApprox(heads, 1e-5f));
  analysis.kind = AnalysisKind::Loss;
  const AnalysisResult losses = run_analysis(pass, analysis, kUnwatched);
  CHECK(losses.tables[0].values(1, 2) == 1);
  const std::string& note = losses.notes.back();
  CHECK_THAT(std::stod(note.substr(note.find(": ") + 2)), WithinAbs(loss, 1e-4));
}

TEST_CASE(
    "analyses: the loss of a target has the metric's name, and another one beside the loss of the text") {
  NetworkPass pass = golden_pass("gpt2");
  const TokenIds ids = pass.ids();
  Analysis analysis = asked(AnalysisKind::Loss, {ids});
  analysis.metric = Metric::Loss;
  const std::vector<ResultTable> of_one = run_analysis(pass, analysis, kUnwatched).tables;
  REQUIRE(of_one.size() == 2);
  CHECK(of_one[1].name == "target");
  CHECK(of_one[1].rows == std::vector<std::string>{"loss"});
  analysis.texts = {ids, ids};
  const ResultTable of_texts = run_analysis(pass, analysis, kUnwatched).tables.front();
  CHECK(of_texts.columns ==
        std::vector<std::string>{"loss", "perplexity", "predicted tokens", "loss of the target"});
}

TEST_CASE("analyses: the parts sum to the logit, with what patches put into the stream") {
  NetworkPass pass = golden_pass("gpt2");
  const Index width = pass.network().config().width;
  pass.set_patches(
      {{PatchStage::Residual, 1, 0, pass.token_count() - 1, 0, Matrix::Constant(1, width, 0.5f)}});
  const std::vector<ResultTable> tables =
      run_analysis(pass, asked(AnalysisKind::Parts, {pass.ids(), pass.ids()}), kUnwatched).tables;
  REQUIRE(tables.size() == 3);
  CHECK(tables[2].rows[3] == "patches");
  for (const ResultTable& table : tables)
    CHECK(table.signed_values);  // a part adds or takes away
  const Index last = tables[2].values.rows() - 1;
  const float sum = tables[0].values.sum() + tables[1].values.sum() + tables[2].values.topRows(last).sum();
  CHECK_THAT(sum, WithinAbs(tables[2].values(last, 0), 1e-4));
}

TEST_CASE("analyses: patches are the changes of the patch map, and between 0 and 1 when normalized") {
  NetworkPass pass = golden_pass("gpt2"), source = golden_pass("gpt2");
  const TokenIds ids = pass.ids();
  TokenIds from = ids;
  from[1] = (from[1] + 3) % 20;
  source.set_ids(from);
  Analysis analysis = asked(AnalysisKind::Patches, {ids});
  analysis.others = {from};
  analysis.stage = PatchStage::Residual;
  const LogitChoice logit = logit_choice(pass, {OutputMeasure::Kind::Logit, {}, {}});
  const float before = chosen_logit(pass.logits(logit.position, 1).row(0), logit);
  const PatchMap map = patch_map(pass, source, PatchStage::Residual, logit, [](Index, Index) {});
  const Matrix change = map.logits.array() - before;
  CHECK(run_analysis(pass, analysis, kUnwatched).tables[0].values.isApprox(change, 1e-4f));
  analysis.normalized = true;
  const Matrix shares = run_analysis(pass, analysis, kUnwatched).tables[0].values;
  // The last token's stream behind the last layer decides alone.
  CHECK_THAT(shares(shares.rows() - 1, shares.cols() - 1), WithinAbs(1.0f, 1e-4f));
  analysis.others = {ids};
  CHECK_THROWS_WITH(run_analysis(pass, analysis, kUnwatched), ContainsSubstring("nothing to normalize"));
}

TEST_CASE("analyses: a direction moves the prediction as the patched stream does, and not at all at 0") {
  NetworkPass pass = golden_pass("llama"), plain = golden_pass("llama");
  const std::vector<TokenIds> b = {{1, 5, 9, 2}, {7, 3}}, a = {{4, 4, 8}};
  Analysis analysis = asked(AnalysisKind::Direction, b);
  analysis.others = a;
  analysis.strength = -1.5;
  analysis.top = 100;
  Eigen::RowVectorXf along = Eigen::RowVectorXf::Zero(plain.network().config().width);
  for (const TokenIds& ids : b) {
    plain.set_ids(ids);
    along -= plain.residual(1).colwise().sum() / 6;
  }
  plain.set_ids(a.front());
  along += plain.residual(1).colwise().sum() / 3;
  plain.set_ids(b.front());
  const Matrix unmoved = plain.logits(3, 1);
  Matrix stream = plain.residual(1);
  stream.rowwise() += -1.5f * along;
  plain.set_patches({{PatchStage::Residual, 1, 0, 0, 0, stream}});
  const Matrix moved = plain.logits(3, 1);
  const AnalysisResult result = run_analysis(pass, analysis, kUnwatched);
  const ResultTable& table = result.tables.front();
  CHECK(table.columns[2] == "x -1.5");
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const auto probability = [&](const Matrix& logits, Index column) {
      for (std::int32_t id = 0; id < logits.cols(); ++id)
        if (std::abs(prediction_of(logits.row(0), id).probability -
                     static_cast<double>(table.values(static_cast<Index>(row), column))) < 1e-5 &&
            pass.network().label(id) == table.rows[row])
          return true;
      return false;
    };
    CHECK(probability(unmoved, 0));
    CHECK(probability(moved, 2));
  }
  CHECK(pass.patches().empty());
}

TEST_CASE("analyses: the loss of A stands beside that of B") {
  NetworkPass pass = golden_pass("gpt2"), plain = golden_pass("gpt2");
  const TokenIds ids = pass.ids();
  Analysis analysis = asked(AnalysisKind::Loss, {ids});
  NetworkPass source = golden_pass("gpt2");
  source.set_heads(0, {HeadState::Off});
  plain.set_heads(0, {HeadState::Off});
  analysis.others = {ids};
  const ResultTable table = run_analysis(pass, analysis, kUnwatched, &source).tables.front();
  const std::vector<TokenLoss> losses = token_losses(plain);
  REQUIRE(table.columns.size() == 5);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const auto row = static_cast<Index>(i) + 1;
    CHECK_THAT(table.values(row, 3), WithinAbs(losses[i].loss, 1e-5));
    CHECK(table.values(row, 4) == table.values(row, 0) - table.values(row, 3));
  }
}

TEST_CASE("analyses: what the model or the texts do not allow is refused, and the pass stays usable") {
  NetworkPass pass = golden_pass("gpt2");
  const TokenIds ids = pass.ids();
  const auto refusal = [&](const std::function<void(Analysis&)>& change, AnalysisKind kind) {
    Analysis analysis = asked(kind, {ids});
    change(analysis);
    try {
      run_analysis(pass, analysis, kUnwatched);
    } catch (const Error& failure) {
      return std::string(failure.what());
    }
    return std::string();
  };
  CHECK_THAT(refusal([](Analysis& q) { q.target = 1'000'000; }, AnalysisKind::Parts),
             ContainsSubstring("no token 1000000"));
  CHECK_THAT(refusal([](Analysis& q) { q.target = q.against = 3; }, AnalysisKind::Parts),
             ContainsSubstring("less itself"));
  CHECK_THAT(refusal([](Analysis& q) { q.layer = 99; }, AnalysisKind::Neurons),
             ContainsSubstring("no layer 99"));
  CHECK_THAT(refusal([](Analysis& q) { q.head = 99; }, AnalysisKind::Circuit),
             ContainsSubstring("no head 99"));
  CHECK_THAT(refusal([](Analysis& q) { q.layer = 0; }, AnalysisKind::Composition),
             ContainsSubstring("no heads before"));
  CHECK_THAT(refusal([](Analysis&) {}, AnalysisKind::Patches), ContainsSubstring("no text to take"));
  CHECK_THAT(refusal([&](Analysis& q) { q.others = {{1}}; }, AnalysisKind::Patches),
             ContainsSubstring("as many tokens"));
  CHECK(!run_analysis(pass, asked(AnalysisKind::Norms, {ids}), kUnwatched).tables.empty());
}

TEST_CASE("analyses: a target is a word of the vocabulary, an id, or the first token of a text") {
  const NetworkPass pass = words_pass();
  const Network& network = pass.network();
  const Tokenizer& tokenizer = *network.tokenizer();
  const std::int32_t key = tokenizer.encode("key").at(tokenizer.prefix_id_count());
  CHECK(typed_target(network, "key").id == key);
  CHECK(typed_target(network, "#3").id == 3);
  const TypedTarget several = typed_target(network, "key Bob");
  CHECK(several.id == key);
  CHECK_THAT(several.said, ContainsSubstring("tokens: the first, "));
  CHECK_THROWS_AS(typed_target(network, "#99999"), Error);
  CHECK_THROWS_AS(typed_target(network, "#x"), Error);
  CHECK_THROWS_AS(typed_target(network, ""), Error);
  const Network ids_only(source_root() + "/tests/golden/library/llama_yarn");
  CHECK(typed_target(ids_only, "7").id == 7);
  CHECK_THROWS_AS(typed_target(ids_only, "key"), Error);
  // A tokenizer with a token for unknown words: it is not taken for one.
  const Network masked(source_root() + "/tests/golden/models/bert");
  CHECK_THROWS_AS(typed_target(masked, "㊙"), Error);
  CHECK(typed_target(masked, "[UNK]").id == masked.tokenizer()->find("[UNK]"));
}

// Wang et al. 2022 find copying with effective embeddings; by the raw ones far fewer tokens are copied.
TEST_CASE(
    "questions: heads of the example copy names, and one copies them negatively, by effective embeddings") {
  NetworkPass pass = words_pass();
  const Tokenizer& tokenizer = *pass.network().tokenizer();
  Analysis analysis = asked(AnalysisKind::Circuit, {{1, 2}});
  analysis.layer = 2;
  for (std::int32_t id = 0; id < tokenizer.size(); ++id) {
    const std::string word = tokenizer.text_of(id);
    const std::size_t first = word.starts_with(' ') ? 1 : 0;
    const bool capital =
        word.size() > first + 1 && std::isupper(static_cast<unsigned char>(word[first])) != 0;
    if (capital) analysis.tokens.push_back(id);
  }
  REQUIRE(analysis.tokens.size() == 58);
  const auto counted = [&](Index head, EmbeddingKind kind) {
    analysis.head = head;
    analysis.embeddings = kind;
    const std::vector<std::string> notes = run_analysis(pass, analysis, kUnwatched).notes;
    return notes[notes.size() - 2] + "; " + notes.back();
  };
  const auto raw = EmbeddingKind::Raw, effective = EmbeddingKind::Effective;
  // The counts are those of NumPy in float64.
  CHECK_THAT(counted(1, raw), ContainsSubstring("it copies 17 of 58 tokens, 29 %"));
  CHECK_THAT(counted(1, effective), ContainsSubstring("it copies 32 of 58 tokens, 55 %"));
  CHECK_THAT(counted(5, raw), ContainsSubstring("it copies 9 of 58 tokens, 16 %"));
  CHECK_THAT(counted(5, effective), ContainsSubstring("it copies 34 of 58 tokens, 59 %"));
  CHECK_THAT(counted(3, raw), ContainsSubstring("it copies 7 of 58 tokens, 12 %"));
  CHECK_THAT(counted(3, effective), ContainsSubstring("it copies 23 of 58 tokens, 40 %"));
  CHECK_THAT(counted(2, raw), ContainsSubstring("negatively 28 of 58 tokens, 48 %"));
  CHECK_THAT(counted(2, effective), ContainsSubstring("negatively 35 of 58 tokens, 60 %"));
}

TEST_CASE("analyses: circuits are of the text's tokens without special ones, or of those that are given") {
  NetworkPass pass = words_pass();
  const TokenIds ids = pass.network().encode("Leo and Mary");
  REQUIRE(pass.network().tokenizer()->is_special(ids.front()));
  Analysis analysis = asked(AnalysisKind::Circuit, {ids});
  CHECK(run_analysis(pass, analysis, kUnwatched).tables[0].rows.size() == ids.size() - 1);
  analysis.tokens = {ids[1], ids[1], ids[3]};
  CHECK(run_analysis(pass, analysis, kUnwatched).tables[0].rows.size() == 2);
  analysis.tokens = {99999};
  CHECK_THROWS_WITH(run_analysis(pass, analysis, kUnwatched), ContainsSubstring("no token 99999"));
  analysis.tokens.clear();
  for (std::int32_t id = 0; id < 300; ++id)
    analysis.tokens.push_back(id);
  const AnalysisResult many = run_analysis(pass, analysis, kUnwatched);
  CHECK(many.tables[0].rows.size() == 256);
  CHECK(many.tables[2].rows.size() == 300);
}
