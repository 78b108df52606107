#include "app/ui/lesson/walk.h"

#include <algorithm>
#include <string>

#include "app/figure/plan/names.h"

namespace headlight {
namespace {

// Builds the steps in order; sentences about stages that were left out are prepended to the next step.
class Walk {
 public:
  Walk(const Layer& layer, const WalkQuery& query, Counting counting)
      : layer_(layer), at_(query), counting_(counting) {}

  std::vector<LessonStep> steps() {
    if (settings().projection == Projection::Weights) {
      given_weights();
    } else {
      if (stage_exists(layer_, Stage::Embeddings)) embedding();
      projections();
      rotated();
      scores();
      scaled();
      capped();
      biased();
      masked();
      weights();
    }
    dropped();
    if (!stage_exists(layer_, Stage::Context)) return std::move(steps_);
    context();
    concat();
    output();
    return std::move(steps_);
  }

 private:
  bool several_heads() const { return layer_.head_count() > 1; }
  const AttentionSettings& settings() const { return layer_.attention; }

  // "{scores[1,2]}", "{scores[1,2] terms}", "{scores[1] sum}"
  static std::string reference(const std::string& stage, Index row, const std::string& word = "") {
    return "{" + stage + "[" + std::to_string(row) + "]" + (word.empty() ? "" : " " + word) + "}";
  }
  static std::string cell(const std::string& stage, Index row, Index column, const std::string& word = "") {
    return "{" + stage + "[" + std::to_string(row) + "," + std::to_string(column) + "]" +
           (word.empty() ? "" : " " + word) + "}";
  }
  std::string token(Index at) const {
    return "“{token[" + std::to_string(at) + "]}” (" + counting_.number(at) + ")";
  }
  std::string query() const { return token(at_.row); }
  // Keys of other tokens have names that no reference of a text reads.
  std::string key() const {
    if (layer_.self_attention()) return token(at_.column);
    const std::string name = literal_text(layer_.key_tokens[static_cast<std::size_t>(at_.column)]);
    return "“" + name + "” (" + counting_.number(at_.column) + ")";
  }
  std::string of_head() const {
    return several_heads() ? " in " + head_name(at_.head, counting_) : std::string();
  }

  LessonStep& add(Stage stage, const std::string& title, const std::string& text, Index row) {
    LessonStep step;
    step.title = title;
    step.stage = stage;
    if (stage_info(stage).per_head && several_heads()) step.head = stage_head(layer_, stage, at_.head);
    step.sequence = at_.sequence;
    step.text = LessonText(left_out_ + text, step.sequence, step.first_head());
    left_out_.clear();
    step.rows = {row};
    step.selected = {row, is_pair(stage) ? at_.column : 0};
    step.weight = parameter_of(layer_, stage);  // shows the grid of the weights that the text refers to
    steps_.push_back(std::move(step));
    return steps_.back();
  }
  void leave_out(const std::string& why) { left_out_ += why + " "; }

  void embedding() {
    add(Stage::Embeddings, "The embedding",
        "The pass begins with one token, " + query() +
            ". Its embedding is a row of X, {d_in} numbers: " + reference("embeddings", at_.row) + ".",
        at_.row);
  }

  void given() {
    add(Stage::Queries, "Its query",
        "Queries, keys and values are given here, nothing is projected. The query of " + query() + of_head() +
            " is " + reference("queries", at_.row) + ".",
        at_.row);
    add(Stage::Keys, "The keys", "The key of " + key() + " is " + reference("keys", at_.column) + ".",
        at_.column);
    add(Stage::Values, "The values",
        "Its value, what it hands over to those who attend to it, is " + reference("values", at_.column) +
            ".",
        at_.column);
  }

  void given_weights() {
    add(Stage::Weights, "The weights",
        "The weights are given here, so that nothing is computed before them. " + key() + " gets " +
            cell("weights", at_.row, at_.column) + " of " + query() + of_head() + ". The largest share, " +
            reference("weights", at_.row, "largest") + ", goes to “" +
            reference("weights", at_.row, "largest_token") + "”.",
        at_.row);
  }

  void rotated() {
    if (!stage_exists(layer_, Stage::RotatedQueries)) return;
    add(Stage::RotatedQueries, "Turned by its position",
        "Rotary positions turn pairs of numbers of the query by angles that grow with its position. The "
        "query of " +
            query() + of_head() + " becomes " + reference("rotated_queries", at_.row) + ".",
        at_.row);
    add(Stage::RotatedKeys, "The keys, turned",
        "Keys are turned in the same way, so that their dot product depends on the distance. The key of " +
            key() + " becomes " + reference("rotated_keys", at_.column) + ".",
        at_.column);
  }

  void capped() {
    if (!stage_exists(layer_, Stage::Capped)) return;
    add(Stage::Capped, "Capped",
        "A softcap bends large scores: " + cell("scaled", at_.row, at_.column) + " becomes " +
            cell("capped", at_.row, at_.column) + ".",
        at_.row);
  }

  void biased() {
    if (!stage_exists(layer_, Stage::Biased)) return;
    const std::string before(stage_info(stage_before(layer_, Stage::Biased)).name);
    add(Stage::Biased, "Biased",
        "A number of this query and key is added: " + cell(before, at_.row, at_.column) + " becomes " +
            cell("biased", at_.row, at_.column) + ".",
        at_.row);
  }

  void projections() {
    if (settings().projection == Projection::Given) {
      given();
      return;
    }
    if (settings().projection == Projection::None) {
      leave_out("Without a projection the query, key and value of a token are its embedding.");
      return;
    }
    const std::string bias = settings().qkv_bias ? " and the bias added" : "";
    add(Stage::Queries, "Its query",
        "The embedding times W_query" + bias + " is the query of " + query() + of_head() + ": " +
            reference("queries", at_.row) + ". The first number is a sum of products: " +
            cell("queries", at_.row, 0, "terms") + " gives " + cell("queries", at_.row, 0) + ".",
        at_.row);
    add(Stage::Keys, "The keys",
        "Every token has a key as well, its embedding times W_key" + bias +
            ": that is what it can be found by. The key of " + key() + " is " +
            reference("keys", at_.column) + ".",
        at_.column);
    add(Stage::Values, "The values",
        "And every token has a value, its embedding times W_value" + bias +
            ": what it hands over to those who attend to it. The value of " + key() + " is " +
            reference("values", at_.column) + ".",
        at_.column);
  }

  void scores() {
    add(Stage::Scores, "The scores",
        "The query of " + query() + " meets every key, and each dot product is a score. With " + key() +
            ": " + cell("scores", at_.row, at_.column, "terms") + " = " +
            cell("scores", at_.row, at_.column) + ". The whole row: " + reference("scores", at_.row) + ".",
        at_.row);
  }

  void scaled() {
    const ScaleKind kind = settings().scale.kind;
    if (kind == ScaleKind::None) {
      leave_out("The scale is none, so the scores stay as they are.");
    } else if (kind == ScaleKind::InverseSqrtDk && layer_.d_k() == 1) {
      leave_out("A key is one number wide, so 1/√dₖ is 1 and the scores stay as they are.");
    } else {
      const std::string why = kind == ScaleKind::Number
                                  ? "a number of your own"
                                  : "which is 1/√dₖ for keys of {d_k} numbers, so that wide keys alone do "
                                    "not make scores large";
      add(Stage::Scaled, "Scaled",
          "Every score is multiplied by {scale}, " + why + ". " + cell("scores", at_.row, at_.column) +
              " becomes " + cell("scaled", at_.row, at_.column) + ".",
          at_.row);
    }
  }

  Index allowed_keys() const {
    Index count = 0;
    for (Index key = 0; key < layer_.key_count(); ++key)
      count += layer_.may_attend(at_.row, key, at_.sequence, at_.head) ? 1 : 0;
    return count;
  }

  void masked() {
    if (settings().mask == MaskKind::None) {
      leave_out("There is no mask: the query may look at every token.");
      return;
    }
    const std::string rule = settings().mask == MaskKind::Causal
                                 ? "The causal mask puts −∞ wherever a key comes after its query. "
                                 : "The mask puts −∞ wherever a query may not look. ";
    add(Stage::Masked, "Masked",
        rule + query() + " may look at " + std::to_string(allowed_keys()) +
            (layer_.self_attention() ? " of {tokens} tokens: " : " of {key_tokens} tokens: ") +
            reference("masked", at_.row) + ".",
        at_.row);
  }

  void weights() {
    if (allowed_keys() == 0) {
      add(Stage::Weights, "The weights", query() + " may look at nothing, so all its weights are 0.",
          at_.row);
      return;
    }
    const bool sum = settings().normalization == Normalization::Sum;
    const std::string guard = settings().normalization == Normalization::Softmax
                                  ? ", the largest score of the row being subtracted first"
                                  : "";
    const std::string how = sum ? "Each score is divided by the sum of its row. "
                                : "Softmax takes exponentials" + guard + ", and divides each by their sum. ";
    const std::string share = cell("weights", at_.row, at_.column, "exponential") + " ÷ " +
                              cell("weights", at_.row, at_.column, "row_sum") + " = " +
                              cell("weights", at_.row, at_.column);
    add(Stage::Weights, "The weights",
        how + key() + " gets " + share + ". The largest share, " + reference("weights", at_.row, "largest") +
            ", goes to “" + reference("weights", at_.row, "largest_token") + "”.",
        at_.row);
  }

  void dropped() {
    const Dropout& dropout = settings().dropout;
    if (!dropout.active()) {
      leave_out(dropout.probability > 0 ? "In evaluation dropout lets all weights pass."
                                        : "There is no dropout, so the weights pass as they are.");
      return;
    }
    add(Stage::Dropped, "Dropout",
        "Each weight becomes 0 with probability {dropout:2}; those that stay are multiplied by "
        "{dropout_factor:2}. The row is now " +
            reference("dropped", at_.row) + ", which adds up to " + reference("dropped", at_.row, "sum") +
            ".",
        at_.row);
  }

  void context() {
    add(Stage::Context, "The context",
        "The values of all tokens are mixed in these shares" + of_head() + ". The first number: " +
            cell("context", at_.row, 0, "terms") + " = " + cell("context", at_.row, 0) + ". The context of " +
            query() + " is " + reference("context", at_.row) + ".",
        at_.row);
  }

  void concat() {
    if (!several_heads()) {
      leave_out("With one head there is nothing to put side by side.");
      return;
    }
    const std::string off =
        settings().disabled_heads.empty() ? "" : " Heads that are switched off leave zeros.";
    LessonStep& step =
        add(Stage::Concat, "Heads side by side",
            "The contexts of all {heads} heads are put side by side: " + reference("concat", at_.row) +
                ". What glows came from " + head_name(at_.head, counting_) + "." + off,
            at_.row);
    for (Index column = 0; column < layer_.d_v(); ++column)
      step.columns.push_back(at_.head * layer_.d_v() + column);
    step.selected = {at_.row, step.columns.front()};
  }

  void output() {
    if (!settings().output_projection) {
      add(Stage::Output, "The output",
          "Without an output projection that is already the output of " + query() + ": " +
              reference("output", at_.row) + ".",
          at_.row);
      return;
    }
    const std::string bias = layer_.uses_bias(Parameter::Output) ? ", and the bias on top" : "";
    add(Stage::Output, "The output",
        "A last linear layer mixes the heads. The first number is " + cell("output", at_.row, 0, "terms") +
            bias + ": " + cell("output", at_.row, 0) + ". The output of " + query() + " is " +
            reference("output", at_.row) + ".",
        at_.row);
  }

  const Layer& layer_;
  WalkQuery at_;
  Counting counting_;
  std::vector<LessonStep> steps_;
  std::string left_out_;
};

}  // namespace

WalkQuery walk_query(const Layer& layer, const std::optional<CellAddress>& selected,
                     std::optional<Index> shown_head, Index sequence) {
  WalkQuery query;
  query.sequence = sequence;
  query.head = std::min(shown_head.value_or(0), layer.head_count() - 1);
  query.row = layer.token_count() - 1;
  if (selected && address_exists(layer, *selected)) {
    query.sequence = selected->sequence;
    const StageInfo& info = stage_info(selected->stage);
    // A row of keys of other tokens is no query.
    if (info.rows == StageRows::Queries || layer.self_attention())
      query.row = selected->row;
    else
      query.column = selected->row;
    if (info.heads == StageHeads::Queries) query.head = selected->head;
    if (info.heads == StageHeads::Keys)  // the first of the heads that share these keys
      query.head = selected->head * (layer.head_count() / layer.kv_head_count());
    if (is_pair(selected->stage)) query.column = selected->column;
  }
  if (layer.may_attend(query.row, query.column, query.sequence, query.head)) return query;
  for (Index key = 0; key < layer.key_count(); ++key) {
    if (!layer.may_attend(query.row, key, query.sequence, query.head)) continue;
    query.column = key;
    break;
  }
  return query;
}

std::vector<LessonStep> walk_steps(const Layer& layer, const WalkQuery& query, Counting counting) {
  return Walk(layer, query, counting).steps();
}

}  // namespace headlight
