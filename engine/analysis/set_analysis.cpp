#include "engine/analysis/set_analysis.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/analysis/ablation_tables.h"
#include "engine/analysis/feature_results.h"
#include "engine/analysis/mean_direction.h"
#include "engine/analysis/neurons.h"
#include "engine/analysis/path_results.h"
#include "engine/analysis/steering.h"
#include "engine/analysis/tables.h"
#include "engine/analysis/typed_place.h"
#include "engine/core/digits.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

using Names = std::vector<std::string>;

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

std::string row_name(std::size_t row) {
  return "row " + std::to_string(row + 1);
}

// "4.1234 ± 0.0512"
std::string with_error(const MeanWithError& one) {
  const std::string mean = four_decimals(double{one.mean(0)});
  return std::isnan(one.error(0)) ? mean : mean + " ± " + four_decimals(double{one.error(0)});
}

MeanWithError mean_of(const std::vector<double>& numbers) {
  std::vector<Matrix> values;
  values.reserve(numbers.size());
  for (const double number : numbers)
    values.push_back(Matrix::Constant(1, 1, static_cast<float>(number)));
  return mean_with_error(values);
}

// The chosen rows of a matrix where `by_row`, else the chosen columns.
Matrix chosen_of(const Matrix& values, const std::vector<Index>& chosen, bool by_row) {
  const auto count = static_cast<Index>(chosen.size());
  Matrix part(by_row ? count : values.rows(), by_row ? values.cols() : count);
  for (Index i = 0; i < count; ++i)
    if (by_row)
      part.row(i) = values.row(chosen[static_cast<std::size_t>(i)]);
    else
      part.col(i) = values.col(chosen[static_cast<std::size_t>(i)]);
  return part;
}

// One analysis of a set as it runs.
class SetAnalysis {
 public:
  SetAnalysis(NetworkPass& pass, NetworkPass& source, const Analysis& analysis,
              const AnalysisProgress& progress)
      : pass_(pass),
        source_(source),
        analysis_(analysis),
        set_(*analysis.set),
        progress_(progress),
        own_patches_(pass.patches()) {}

  AnalysisResult find() {
    check();
    result_.set = analysis_.set;
    result_.rows.resize(set_.rows.size());
    const auto count = static_cast<std::int64_t>(set_.rows.size());
    say("means over the " + counted(count, "row", "rows") + " of " +
        std::filesystem::path(set_.file).filename().string() +
        (count == 1
             ? ""
             : "; error: the standard error, the deviation over rows divided by the root of their number"));
    switch (analysis_.kind) {
      case AnalysisKind::Ablation:
        ablation();
        break;
      case AnalysisKind::Direction:
        direction();
        break;
      case AnalysisKind::Neurons:
        neurons();
        break;
      case AnalysisKind::Loss:
      case AnalysisKind::Lens:
      case AnalysisKind::Parts:
      case AnalysisKind::Patches:
      case AnalysisKind::Measures:
      case AnalysisKind::Circuit:
      case AnalysisKind::Composition:
      case AnalysisKind::Norms:
      case AnalysisKind::Moved:
      case AnalysisKind::Rollout:
      case AnalysisKind::Paths:
      case AnalysisKind::Edges:
      case AnalysisKind::Score:
        each_row();
        break;
      case AnalysisKind::Features:
        features();
        break;
    }
    if (analysis_.kind == AnalysisKind::Patches) say_patches();
    say_metric();
    for (std::string& note : common_notes_)
      say(std::move(note));
    if (is(AnalysisKind::Score)) say_score();
    add_means();
    if (is(AnalysisKind::Score) || is(AnalysisKind::Edges)) add_strongest(result_, analysis_.top);
    for (ResultTable& table : of_all_rows_)
      result_.tables.push_back(std::move(table));
    take_text(pass_, set_.rows.front().text, own_patches_);
    return std::move(result_);
  }

 private:
  void say(std::string note) { result_.notes.push_back(std::move(note)); }

  bool is(AnalysisKind kind) const { return analysis_.kind == kind; }
  bool of_metric() const {
    if (of_text_loss(analysis_)) return false;
    return analysis_info(analysis_.kind).of_target || (is(AnalysisKind::Loss) && has_target(analysis_));
  }

  void check() const {
    const std::string name(analysis_info(analysis_.kind).name);
    if (is(AnalysisKind::Composition))
      throw Error("the question " + name + " is about weights alone, so a set of texts says nothing about it",
                  "set", "leave the set out");
    require_name(analysis_.query_name, "query");
    require_name(analysis_.key_name, "key");
    for (const std::string& name : analysis_.position_names)
      require_name(name, "positions");
    if (is(AnalysisKind::Circuit) && !analysis_.tokens.empty())
      throw Error("tokens that are given are the same in each row of a set", "tokens",
                  "leave the set or the tokens out");
    if (is(AnalysisKind::Circuit) && set_.names.empty())
      throw Error("a circuit is between few tokens, and no column of the set names them", set_.file,
                  "add columns such as @END, or give tokens in place of a set");
    if (is(AnalysisKind::Neurons)) require_sum(analysis_);
    if (analysis_.words)
      throw Error("a set names tokens, so that the pieces of a word are not put together", "words",
                  "leave words out");
    if (needs_other(analysis_) && !set_.has("from"))
      throw Error("the question " + name + " needs a column from, the texts that numbers are taken from",
                  set_.file, "add the column");
    for (const char* column : {"target", "against"})
      if (set_.has(column) && (column == std::string_view("target") ? analysis_.target : analysis_.against))
        throw Error("the set has a column " + std::string(column) + " already", column,
                    "leave one of them out");
    if (of_metric() && target_metric(analysis_) == Metric::LogitDifference && !has_against(analysis_))
      throw Error("a logit difference is of two tokens, and the set has no column against", set_.file,
                  "add the column, or take the metric logit");
  }

  // Throws Error if the set does not name a token so.
  void require_name(const std::string& name, const char* option) const {
    if (name.empty() || place_of_name(name) < set_.names.size()) return;
    std::string known;
    for (const std::string& one : set_.names)
      known += (known.empty() ? "" : ", ") + one;
    throw Error("the set does not name a token " + name, option,
                known.empty() ? "add a column such as @END that names a token of each text"
                              : "give one of its names: " + known);
  }
  std::size_t place_of_name(const std::string& name) const {
    return static_cast<std::size_t>(std::find(set_.names.begin(), set_.names.end(), name) -
                                    set_.names.begin());
  }
  // The token of a row that a name of the set means; none: without a name.
  std::optional<Index> named_token(std::size_t at, const std::string& name) const {
    if (name.empty()) return std::nullopt;
    return set_.rows[at].tokens[place_of_name(name)];
  }

  // Those of the row's text at which something is added, or put in.
  std::vector<Index> named_positions(std::size_t at) const {
    std::vector<Index> tokens;
    for (const std::string& name : analysis_.position_names)
      tokens.push_back(set_.rows[at].tokens[place_of_name(name)]);
    return each_once(std::move(tokens));
  }
  std::string positions_in_words() const {
    std::string names;
    for (const std::string& name : analysis_.position_names)
      names += (names.empty() ? "" : ", ") + name;
    return names.empty() ? "every token" : names;
  }

  // The analysis of one row, as if it was asked by itself.
  Analysis of_row(std::size_t at) const {
    const DataRow& row = set_.rows[at];
    Analysis own = analysis_;
    own.set = nullptr;
    own.texts = {row.text};
    if (row.target) own.target = row.target;
    if (row.against) own.against = row.against;
    own.others.clear();
    own.positions = named_positions(at);
    own.position_names.clear();
    if (is(AnalysisKind::Patches)) {
      own.others = {row.from};
      own.normalized = false;  // by the means over rows
      own.aligned = patched_pairs(at);
    }
    if (is(AnalysisKind::Paths) || is(AnalysisKind::Edges)) own.others = {row.from};
    if (is(AnalysisKind::Score)) {
      own.query = named_token(at, analysis_.query_name);
      own.key = named_token(at, analysis_.key_name);
    }
    if (is(AnalysisKind::Circuit))
      for (const Index token : tokens_of(at))
        own.tokens.push_back(row.text[static_cast<std::size_t>(token)]);
    if (is(AnalysisKind::Loss) && has_target(analysis_)) own.metric = target_metric(analysis_);
    return own;
  }

  // What is put into what; empty: each token from the same one, or all of a head.
  std::vector<TokenPair> patched_pairs(std::size_t at) const {
    const DataRow& row = set_.rows[at];
    const bool whole = has_heads(analysis_.stage) && !set_.differs_in_length();
    if (whole) return {};
    if (set_.names.empty()) {
      tokens_of_row(set_, at);  // throws where the rows differ in length
      if (set_.differs_in_length())
        throw Error("the text has " + std::to_string(row.text.size()) + " tokens and its from " +
                        std::to_string(row.from.size()),
                    "", "name tokens of both in columns, as @END, or give texts of as many tokens");
      return {};
    }
    std::vector<TokenPair> pairs;
    for (std::size_t i = 0; i < row.tokens.size(); ++i) {
      if (!row.from_tokens[i])
        throw Error(in_from(row, i) + " has no such token, or several", "",
                    "the texts differ in length: name a token by words that are in both, or by its number");
      pairs.push_back({row.tokens[i], *row.from_tokens[i]});
    }
    return pairs;
  }

  std::string in_from(const DataRow& row, std::size_t name) const {
    return "column " + set_.names[name] + ": " + set_.cell(row, set_.names[name]) + ": the text from, \"" +
           set_.cell(row, "from") + "\",";
  }

  bool one_length() const {
    return std::all_of(set_.rows.begin(), set_.rows.end(),
                       [&](const DataRow& row) { return row.text.size() == set_.rows.front().text.size(); });
  }

  std::vector<Index> tokens_of(std::size_t at) const { return tokens_of_row(set_, at); }
  Names token_names() const { return names_of_tokens(set_); }

  // Calls body(row) and names the row in what it throws.
  template <class Body>
  void in_row(std::size_t at, Body body) {
    try {
      body();
    } catch (const Error& failure) {
      throw failure.inside(row_name(at)).inside(set_.file);
    }
  }

  void each_row() {
    for (std::size_t at = 0; at < set_.rows.size(); ++at)
      in_row(at, [&] {
        const Analysis own = of_row(at);
        AnalysisResult one = run_analysis(
            pass_, own, [&](double share) { tell(at, share); }, &source_);
        read_metric(at, own);
        if (one.metric) result_.rows[at].metric = one.metric;
        if (one.metric_of_source) of_source_.push_back(*one.metric_of_source);
        if (is(AnalysisKind::Loss)) add_loss_of_text(at, one);
        keep_notes(at, std::move(one.notes));
        if (at == 0) result_.one_range = one.one_range;
        if (at == 0) result_.edges = std::move(one.edges);
        if (at == 0) result_.title = one.title;
        std::erase_if(one.tables, [&](const ResultTable& table) { return left_out(table); });
        for (ResultTable& table : one.tables)
          name_tokens(table, at, own);
        add_row(at, std::move(one.tables));
      });
  }

  void tell(std::size_t row, double share) const {
    progress_((static_cast<double>(row) + share) / static_cast<double>(set_.rows.size()));
  }

  // The number of the target in the row's text, which the pass has.
  void read_metric(std::size_t at, const Analysis& own) {
    if (!of_metric()) return;
    OutputMeasure measure{OutputMeasure::Kind::Logit, own.target, own.against};
    measure.metric = target_metric(own);
    if (measure.metric != Metric::LogitDifference) measure.against.reset();
    result_.rows[at].metric = measured_output(pass_, measure);
  }

  // The losses of tokens are one number for the text before they are those of named tokens.
  void add_loss_of_text(std::size_t at, AnalysisResult& one) {
    ResultTable& tokens = one.tables.front();
    const auto count = tokens.values.rows() - 1;  // nothing predicts the first token
    const double loss = tokens.values.col(0).tail(count).cast<double>().mean();
    if (!has_target(analysis_)) result_.rows[at].metric = loss;
    Matrix values(1, 3);
    values << static_cast<float>(loss), static_cast<float>(std::exp(loss)), static_cast<float>(count);
    tokens.name = "loss_by_token";
    tokens.kind = ResultTable::Kind::List;
    one.tables.insert(
        one.tables.begin(),
        list_table("loss", "", {"text"}, {"loss", "perplexity", "predicted tokens"}, std::move(values)));
  }

  // Words have no mean, nor do lists of the strongest, which differ from row to row; without names the tokens
  // of texts that differ in length have none either.
  bool left_out(const ResultTable& table) const {
    const bool no_tokens = set_.names.empty() && !one_length();
    if (table.name == "strongest") return true;
    return !table.texts.empty() || (is(AnalysisKind::Loss) && table.token_rows && no_tokens);
  }

  // Leaves of a table of tokens those that the results are about, in their order.
  void name_tokens(ResultTable& table, std::size_t at, const Analysis& own) const {
    table.remarks.clear();
    if (is(AnalysisKind::Patches) && !has_heads(analysis_.stage)) table.columns = token_names();
    if (!table.token_rows && !table.token_columns) return;
    std::vector<Index> tokens = tokens_of(at);
    // A circuit has each token once.
    if (is(AnalysisKind::Circuit)) tokens = first_of_each(own.tokens);
    if (table.token_rows) {
      table.values = chosen_of(table.values, tokens, true);
      table.rows = token_names();
    }
    if (table.token_columns) {
      table.values = chosen_of(table.values, tokens, false);
      table.columns = token_names();
    }
    table.token_rows = table.token_columns = false;
  }

  // The place of each id among the different ones.
  static std::vector<Index> first_of_each(const TokenIds& ids) {
    TokenIds once;
    std::vector<Index> places;
    for (const std::int32_t id : ids) {
      const auto found = std::find(once.begin(), once.end(), id);
      places.push_back(found - once.begin());
      if (found == once.end()) once.push_back(id);
    }
    return places;
  }

  void add_row(std::size_t at, std::vector<ResultTable> tables) {
    for (ResultTable& table : tables)
      result_.rows[at].values.push_back(table.values);
    if (at == 0) result_.tables = std::move(tables);
  }

  // Only what is so in every row is said of all.
  void keep_notes(std::size_t at, Names notes) {
    if (at == 0) {
      common_notes_ = std::move(notes);
      return;
    }
    std::erase_if(common_notes_, [&](const std::string& note) {
      return std::find(notes.begin(), notes.end(), note) == notes.end();
    });
  }

  void ablation() {
    result_.title = title();
    OutputMeasure measure{OutputMeasure::Kind::Logit, analysis_.target, analysis_.against};
    measure.metric = target_metric(analysis_);
    if (of_text_loss(analysis_)) measure.kind = OutputMeasure::Kind::Loss;
    for (const DataRow& row : set_.rows) {
      if (row.target) measure.targets.push_back(row.target);
      if (row.against) measure.againsts.push_back(row.against);
    }
    if (measure.metric != Metric::LogitDifference) {
      measure.against.reset();
      measure.againsts.clear();
    }
    const Ablation all = ablate(
        pass_, set_.texts(), {analysis_.ablation, analysis_.mean_over, analysis_.others, analysis_.together},
        measure,
        [&](Index done, Index count) { progress_(static_cast<double>(done) / static_cast<double>(count)); });
    for (std::size_t at = 0; at < all.texts.size(); ++at) {
      const AblatedText& text = all.texts[at];
      before_.push_back(text.before);
      if (of_metric()) result_.rows[at].metric = text.before;
      add_row(at, analysis_.together.empty()
                      ? ablation_tables(analysis_, text.heads.cast<float>(), text.mlps.cast<float>())
                      : std::vector<ResultTable>{together_table(analysis_, text.before, text.together)});
    }
    say("the numbers are changes of the " + measured_in_words(analysis_) + ", which without ablation is " +
        with_error(mean_of(before_)) + (of_text_loss(analysis_) ? ", each row counting as much" : ""));
    say(replaced_in_words(analysis_, all));
  }

  std::string title() const {
    const AnalysisInfo& info = analysis_info(analysis_.kind);
    const std::string of_layer = info.of_layer ? " of layer " + std::to_string(analysis_.layer) : "";
    return std::string(info.label) + (info.of_layer ? of_layer : ": " + std::string(info.what));
  }

  // What is added, the same in each row.
  Eigen::RowVectorXf direction_added() {
    if (!analysis_.direction.empty()) {
      Eigen::RowVectorXf read = read_direction(analysis_.direction, pass_.network().config().width);
      say(direction_in_words(analysis_.layer, analysis_.direction, read));
      return read;
    }
    Eigen::RowVectorXf mean = mean_direction(pass_, set_.texts(), source_, set_.froms(), analysis_.layer);
    say(direction_in_words(analysis_.layer, set_.rows.size(), set_.rows.size(), mean));
    return mean;
  }

  void direction() {
    result_.title = title();
    check_layer();
    Steering steering{{PatchStage::Residual, analysis_.layer}, direction_added(), {}};
    result_.direction = steering.direction;
    say("added at " + positions_in_words() + " of each row's text");
    Continuations generated(analysis_);
    for (std::size_t at = 0; at < set_.rows.size(); ++at)
      in_row(at, [&] {
        const LogitChoice choice = choice_of(at);
        steering.tokens = named_positions(at);
        Names columns;
        Matrix values(1, static_cast<Index>(kDirectionShares.size()));
        for (std::size_t i = 0; i < kDirectionShares.size(); ++i) {
          const double strength = kDirectionShares[i] * analysis_.strength;
          columns.push_back(strength_label(strength));
          const Matrix logits = logits_along(pass_, steering, strength, choice.position);
          values(static_cast<Index>(i)) = static_cast<float>(chosen_value(logits.row(0), choice));
        }
        if (analysis_.generated > 0) generated.add(pass_, steering, values, at);
        add_row(at, {direction_table(choice.metric, std::move(columns), std::move(values))});
        tell(at, 1);
      });
    if (analysis_.generated > 0) of_all_rows_.push_back(generated.table());
  }

  void check_layer() const {
    // A dictionary may be of the stream that leaves the last layer.
    const bool behind =
        is(AnalysisKind::Features) && analysis_.place.value_or(PatchStage::Residual) == PatchStage::Residual;
    const Index last = pass_.network().config().layers - (behind ? 0 : 1);
    if (analysis_.layer < 0 || analysis_.layer > last)
      throw Error("there is no layer " + std::to_string(analysis_.layer), "layer",
                  "the layers are 0 to " + std::to_string(last));
    if (!std::isfinite(analysis_.strength))
      throw Error("the strength is no number", "strength", "give one such as 1 or -2.5");
  }

  // Takes the row's text and reads its metric.
  LogitChoice choice_of(std::size_t at) {
    take_text(pass_, set_.rows[at].text, own_patches_);
    const Analysis own = of_row(at);
    read_metric(at, own);
    OutputMeasure measure{OutputMeasure::Kind::Logit, own.target, own.against};
    measure.metric = target_metric(own);
    if (measure.metric != Metric::LogitDifference) measure.against.reset();
    return logit_choice(pass_, measure);
  }

  // The largest neurons differ from row to row: those are shown whose parts are largest in the mean.
  void neurons() {
    result_.title = title();
    check_layer();
    std::vector<NeuronParts> all;
    Eigen::RowVectorXd sum;
    for (std::size_t at = 0; at < set_.rows.size(); ++at)
      in_row(at, [&] {
        all.push_back(neuron_parts(pass_, choice_of(at), analysis_.layer));
        if (at == 0) sum = Eigen::RowVectorXd::Zero(all.front().part.size());
        sum += all.back().part.cast<double>();
        tell(at, 1);
      });
    const Eigen::RowVectorXf mean = (sum / static_cast<double>(all.size())).cast<float>();
    const std::vector<Index> numbers = largest_parts(mean, analysis_.top);
    const std::vector<std::vector<Prediction>> raised = promoted_tokens(pass_, analysis_.layer, numbers, 5);
    for (std::size_t at = 0; at < all.size(); ++at) {
      std::vector<Neuron> row;
      for (std::size_t i = 0; i < numbers.size(); ++i)
        row.push_back({numbers[i], all[at].activation(numbers[i]), all[at].part(numbers[i]), raised[i]});
      add_row(at, {neurons_table(pass_.network(), analysis_.layer, row)});
    }
    say("the neurons whose parts are largest in the mean over the rows");
  }

  // As neurons(): the same features of all rows, and behind their means where in the set each fires most.
  void features() {
    result_.title = title();
    check_layer();
    const auto count = static_cast<double>(set_.rows.size());
    SetFeatures features(pass_.network(), analysis_);
    result_.place = features.place();
    for (std::size_t at = 0; at < set_.rows.size(); ++at)
      in_row(at, [&] {
        features.add_row(pass_, choice_of(at));
        progress_(static_cast<double>(at + 1) / count / 2);
      });
    for (std::size_t at = 0; at < set_.rows.size(); ++at)
      in_row(at, [&] {
        const LogitChoice choice = choice_of(at);
        std::vector<ResultTable> tables = features.row(pass_, choice, named_positions(at));
        if (set_.names.empty() && !one_length())
          std::erase_if(tables, [](const ResultTable& table) { return table.token_rows; });
        for (ResultTable& table : tables)
          if (table.token_rows) name_tokens(table, at, of_row(at));
        add_row(at, std::move(tables));
        progress_((1 + static_cast<double>(at + 1) / count) / 2);
      });
    say(features.how());
    say(analysis_.feature ? "the feature that is asked for"
                          : "the features that add most in the mean over the rows, or, where this is not "
                            "known, that fire most");
    const std::string number = metric_in_words(target_metric(analysis_));
    say("adds: the sum over the tokens of a row of activation times direction times the gradient of the " +
        number +
        ", an estimate; without it: the change when it is taken away at every token; not explained: "
        "of the variance over the tokens of each row");
    say("fires_most: the rows, counted from 1, and tokens, from 0, at which each fires most in the set");
    if (analysis_.feature) say("steered at " + positions_in_words() + " of each row's text");
    of_all_rows_.push_back(features.fires_most());
    if (analysis_.feature && analysis_.generated > 0) of_all_rows_.push_back(features.generated());
  }

  void say_patches() {
    std::vector<double> here;
    for (const RowResult& row : result_.rows)
      here.push_back(row.metric.value_or(0));
    say("numbers of the column from, A, are put into those of text, B; " +
        metric_in_words(target_metric(analysis_)) + ": " + with_error(mean_of(of_source_)) + " in A, " +
        with_error(mean_of(here)) + " in B");
    if (has_heads(analysis_.stage) && set_.differs_in_length())
      say("of each head the named tokens, because texts and their from differ in length");
    if (analysis_.normalized) normalize(here);
  }

  // By one number for all rows, so that the mean over rows is the ratio of the means.
  void normalize(const std::vector<double>& here) {
    double difference = 0;
    for (std::size_t at = 0; at < here.size(); ++at)
      difference += (of_source_[at] - here[at]) / static_cast<double>(here.size());
    constexpr double kRounding = 1e-5;  // of passes that were computed in another order
    if (std::abs(difference) <= kRounding)
      throw Error("the " + target_in_words(target_metric(analysis_)) +
                      " is the same in A and B, so there is nothing to normalize by",
                  "target", "take another target, or leave the change as it is");
    for (RowResult& row : result_.rows)
      for (Matrix& values : row.values)
        values /= static_cast<float>(difference);
    result_.tables.front().quantity = "share of the " + result_.tables.front().quantity;
    say("normalized: 0 is B, 1 is A; each row's change by the mean of A less that of B, so that the mean is "
        "the "
        "ratio of the means, not the mean ratio, and the error that of the changes");
  }

  void say_score() {
    std::vector<double> scores;
    for (const RowResult& row : result_.rows)
      scores.push_back(row.metric.value_or(0));
    const std::string &query = analysis_.query_name, &key = analysis_.key_name;
    say("query: " + (query.empty() ? "the last token of each row" : query) +
        "; key: " + (key.empty() ? "of each row the one to which the query attends most" : key) + "; score " +
        with_error(mean_of(scores)) + ", the sum of the means of all cells");
  }

  void say_metric() {
    std::vector<double> numbers;
    for (const RowResult& row : result_.rows)
      if (row.metric) numbers.push_back(*row.metric);
    if (numbers.empty() || !of_metric()) return;
    const bool difference = target_metric(analysis_) == Metric::LogitDifference;
    std::string note = set_.has("target") ? "target: of each row its own"
                       : analysis_.target ? "target: the same in each row"
                                          : "target: the likeliest token of each row";
    if (difference) note += set_.has("against") ? ", less its against" : ", less the same token against it";
    say(note + "; " + metric_in_words(target_metric(analysis_)) + " " + with_error(mean_of(numbers)));
  }

  void add_means() {
    for (std::size_t i = 0; i < result_.tables.size(); ++i) {
      std::vector<Matrix> values;
      for (const RowResult& row : result_.rows)
        values.push_back(row.values[i]);
      MeanWithError one = mean_with_error(values);
      result_.tables[i].values = std::move(one.mean);
      result_.tables[i].error = std::move(one.error);
    }
  }

  NetworkPass &pass_, &source_;
  const Analysis& analysis_;
  const DataSet& set_;
  const AnalysisProgress& progress_;
  std::vector<Patch> own_patches_;
  std::vector<double> of_source_, before_;  // of each row
  Names common_notes_;
  std::vector<ResultTable> of_all_rows_;  // that are no means, behind all others
  AnalysisResult result_;
};

}  // namespace

MeanWithError mean_with_error(const std::vector<Matrix>& values) {
  const Index rows = values.front().rows(), columns = values.front().cols();
  // Where no row has a number, the mean says as a row does whether there can be one.
  MeanWithError all{values.front(), Matrix::Constant(rows, columns, kNone)};
  for (Index row = 0; row < rows; ++row)
    for (Index column = 0; column < columns; ++column) {
      double sum = 0, squares = 0, count = 0;
      for (const Matrix& one : values)
        if (const auto value = static_cast<double>(one(row, column)); !std::isnan(value)) {
          sum += value;
          count += 1;
        }
      if (count == 0) continue;
      const double mean = sum / count;
      all.mean(row, column) = static_cast<float>(mean);
      if (count < 2) continue;
      for (const Matrix& one : values)
        if (const auto value = static_cast<double>(one(row, column)); !std::isnan(value))
          squares += (value - mean) * (value - mean);
      all.error(row, column) = static_cast<float>(std::sqrt(squares / (count - 1) / count));
    }
  return all;
}

std::string mean_in_words(const std::vector<double>& numbers) {
  return with_error(mean_of(numbers));
}

std::vector<Index> tokens_of_row(const DataSet& set, std::size_t row) {
  if (!set.names.empty()) return set.rows[row].tokens;
  const std::size_t own = set.rows[row].text.size(), first = set.rows.front().text.size();
  if (own != first)
    throw Error("it has " + std::to_string(own) + " tokens, the first row " + std::to_string(first) +
                    ", and no column names tokens",
                "", "add a column such as @END that names a token of each text");
  std::vector<Index> all(own);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<std::string> names_of_tokens(const DataSet& set) {
  return set.names.empty() ? index_names(static_cast<Index>(set.rows.front().text.size())) : set.names;
}

AnalysisResult run_set_analysis(NetworkPass& pass, NetworkPass& source, const Analysis& analysis,
                                const AnalysisProgress& progress) {
  return SetAnalysis(pass, source, analysis, progress).find();
}

}  // namespace headlight
