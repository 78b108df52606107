#include "app/cli/ask_command.h"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>

#include "app/cli/ask_steps.h"
#include "app/cli/changed_pass.h"
#include "app/cli/option_checks.h"
#include "app/cli/word_option.h"
#include "app/export/about.h"
#include "app/export/analysis_words.h"
#include "app/export/exported_files.h"
#include "app/export/result_files.h"
#include "app/export/typed_tokens.h"
#include "app/figure/plan/names.h"
#include "app/terminal/terminal_text.h"
#include "engine/analysis/steering.h"
#include "engine/analysis/typed_place.h"
#include "engine/core/digits.h"
#include "engine/core/error.h"
#include "engine/core/file.h"

namespace headlight {
namespace {

constexpr std::uint64_t kMostTexts = std::uint64_t{1} << 26;  // bytes of a file with a text a line

// Four decimals; whole numbers without any; "" for none.
std::string shown(float value) {
  if (std::isnan(value)) return "";
  const bool whole = std::abs(value) < 1e9f && value == std::round(value);
  return whole ? fixed_digits(double{value}, 0) : four_decimals(double{value});
}

using Lines = std::vector<std::vector<std::string>>;

// Aligned to the right; the last column, of remarks, to the left.
std::string aligned(const Lines& lines, bool remarks) {
  std::vector<std::size_t> widths(lines.front().size());
  for (const std::vector<std::string>& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], terminal_width(line[i]));
  std::string text;
  for (const std::vector<std::string>& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const bool left = remarks && i + 1 == line.size();
      text += (i == 0 ? "" : "  ") + (left ? line[i] : right_aligned(line[i], widths[i]));
    }
    text += '\n';
  }
  return text;
}

// "0.4911 ± 0.0162"
std::string shown_in(const ResultTable& table, std::size_t row, std::size_t column) {
  const auto r = static_cast<Index>(row), c = static_cast<Index>(column);
  std::string mean = shown(table.values(r, c));
  if (table.error.size() == 0 || std::isnan(table.error(r, c))) return mean;
  return mean + " ± " + four_decimals(double{table.error(r, c)});
}

std::string table_text(const ResultTable& table) {
  const std::string corner =
      table.column_axis.empty() ? table.row_axis : table.row_axis + " \\ " + table.column_axis;
  Lines lines = {{corner}};
  for (const std::string& column : table.columns)
    lines.front().push_back(visible_label(column));
  if (!table.remarks.empty()) lines.front().push_back(table.remark_title);
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    lines.push_back({visible_label(table.rows[row])});
    for (std::size_t column = 0; column < table.columns.size(); ++column)
      lines.back().push_back(table.texts.empty()
                                 ? shown_in(table, row, column)
                                 : visible_label(table.texts[row * table.columns.size() + column]));
    if (!table.remarks.empty()) lines.back().push_back(visible_label(table.remarks[row]));
  }
  return aligned(lines, !table.remarks.empty());
}

// A line for each row of a data set, with its number of the target.
std::string rows_text(const AnalysisResult& result) {
  Lines lines = {{"row", "metric", "text"}};
  for (std::size_t at = 0; at < result.rows.size(); ++at) {
    const std::optional<double>& metric = result.rows[at].metric;
    if (!metric) return "";
    const std::string text = result.set->cell(result.set->rows[at], "text");
    lines.push_back({std::to_string(at + 1), four_decimals(*metric), visible_label(text)});
  }
  return "\nrows\n" + aligned(lines, true);
}

std::string result_text(const AnalysisResult& result) {
  std::string text = result.title + '\n';
  for (const std::string& note : result.notes)
    text += visible_label(note) + '\n';
  for (const ResultTable& table : result.tables) {
    text += '\n';
    if (result.tables.size() > 1) text += table.name + '\n';
    text += table_text(table);
  }
  return result.set ? text + rows_text(result) : text;
}

// The share that is done, on one line of a terminal, from a second on.
class ProgressLine {
 public:
  explicit ProgressLine(std::ostream& err) : state_(std::make_shared<State>(err)) {}
  void operator()(double share) const {
    const auto now = Clock::now();
    if (!state_->shown || now - state_->last < std::chrono::seconds(1)) return;
    state_->last = now;
    state_->err << "\rheadlight: " << static_cast<int>(100 * share) << " % (Ctrl+C ends it)" << std::flush;
    state_->written = true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct State {
    explicit State(std::ostream& to) : err(to) {}
    std::ostream& err;
    Clock::time_point last = Clock::now();
    const bool shown = isatty(STDERR_FILENO) == 1;
    bool written = false;
    ~State() {
      if (written) err << "\r" << std::string(40, ' ') << "\r" << std::flush;
    }
  };
  std::shared_ptr<State> state_;
};

TextSet texts_of(const Network& network, const GivenText& text, const std::filesystem::path& file) {
  if (!file.empty()) {
    require_file(file, kMostTexts);
    return parse_text_set(network, read_text_file(file), file.string());
  }
  if (text.empty()) return {};
  TextSet set{{ids_of(network, text)}, {}};
  network.require_ids(set.texts.front());
  return set;
}

// "2.1,2.3": layers and heads.
std::vector<HeadPlace> parse_head_places(const std::string& list) {
  std::vector<HeadPlace> heads;
  for (const char* at = list.data(); at != list.data() + list.size();) {
    const char* const end = list.data() + list.size();
    HeadPlace place;
    const auto layer = std::from_chars(at, end, place.layer);
    const bool dot = layer.ec == std::errc() && layer.ptr != end && *layer.ptr == '.';
    const auto head = dot ? std::from_chars(layer.ptr + 1, end, place.head) : layer;
    if (!dot || head.ec != std::errc() || (head.ptr != end && *head.ptr != ','))
      throw CLI::ValidationError("--together", "'" + list + "' is not a list of heads such as 2.1,2.3");
    heads.push_back(place);
    at = head.ptr == end ? end : head.ptr + 1;
  }
  return heads;
}

std::optional<std::int32_t> target_of(const Network& network, const std::string& typed, const char* option,
                                      std::ostream& err) {
  if (typed.empty()) return std::nullopt;
  try {
    const TypedTarget target = typed_target(network, typed);
    if (!target.said.empty()) err << "headlight: " << visible_label(target.said) << "\n";
    return target.id;
  } catch (const Error& failure) {
    throw Error(failure.summary(), option, failure.hint());
  }
}

// What is typed of paths, and of tokens of the first text.
void read_places(const Network& network, const AskedAnalysis& asked, Analysis& analysis) {
  if (!asked.sender.empty()) analysis.sender = typed_sender(network.config(), asked.sender, "--sender");
  if (!asked.receiver.empty())
    analysis.receiver = typed_receiver(network.config(), asked.receiver, "--receiver");
  if (asked.query.empty() && asked.key.empty() && asked.positions.empty()) return;
  if (analysis.set) {  // names of it, which run_analysis() looks for
    analysis.query_name = asked.query;
    analysis.key_name = asked.key;
    if (!asked.positions.empty()) analysis.position_names = typed_list(asked.positions);
    return;
  }
  const TokenIds& ids = analysis.texts.front();
  if (!asked.query.empty()) analysis.query = typed_position(network, ids, asked.query, "--query");
  if (!asked.key.empty()) analysis.key = typed_position(network, ids, asked.key, "--key");
  if (!asked.positions.empty())
    analysis.positions = typed_positions(network, ids, asked.positions, "--positions");
}

// The analysis with its texts and their targets.
Analysis with_texts(const Network& network, const AskedAnalysis& asked, std::ostream& err) {
  Analysis analysis = asked.analysis;
  TextSet set = texts_of(network, asked.text, asked.texts);
  if (analysis.repeated) set.texts = {repeated_tokens(network, *analysis.repeated)};
  analysis.texts = std::move(set.texts);
  if (asked.target.empty()) analysis.targets = std::move(set.targets);
  analysis.others = texts_of(network, asked.from, asked.from_texts).texts;
  if (!asked.tokens.empty()) analysis.tokens = typed_tokens(network, asked.tokens);
  if (!asked.set.empty()) analysis.set = std::make_shared<const DataSet>(read_data_set(network, asked.set));
  // By the weights alone: no text is needed beside tokens.
  if (analysis.texts.empty() && !analysis.tokens.empty()) analysis.texts = {{analysis.tokens.front()}};
  if (analysis.texts.empty() && !analysis.set && analysis.kind != AnalysisKind::Composition)
    throw Error("a model's folder needs a text", asked.folder.string(),
                "give one with --text, ids with --ids, a file with --texts, a data set with --set, or random "
                "tokens with --repeated");
  analysis.target = target_of(network, asked.target, "--target", err);
  analysis.against = target_of(network, asked.against, "--against", err);
  if (!asked.measure_chosen && has_against(analysis)) analysis.measured = OutputMeasure::Kind::Logit;
  return analysis;
}

}  // namespace

DataSet read_data_set(const Network& network, const std::filesystem::path& file) {
  require_file(file, kMostTexts);
  return parse_data_set(network, read_text_file(file), file.string());
}

AskResult ask_result(const AskedAnalysis& asked, ChangedPass& changed, std::ostream& err) {
  if (!asked.save_direction.empty()) {
    require_direction_file(asked.save_direction);
    require_free(asked.save_direction, asked.force);
  }
  Analysis analysis = with_texts(*changed.network_owner(), asked, err);
  read_places(changed.network(), asked, analysis);
  // A pass is over a text, also where the weights alone count: the answer does not name it.
  const bool without_text = analysis.texts.empty() && !analysis.set;
  if (without_text) analysis.texts = {TokenIds{0}};
  changed.take(asked.changes, analysis.set ? analysis.set->rows.front().text : analysis.texts.front());
  AskedHow how{asked.texts.string(), asked.from_texts.string(), asked.changes, changed.changes(),
               asked.set.string()};
  AnalysisResult result = run_analysis(changed.pass(), analysis, ProgressLine(err));
  if (without_text) analysis.texts.clear();
  how.place = result.place;
  result.about = about_analysis(changed.network(), analysis, how);
  result.in_words = asked_in_words(analysis, how);
  if (!asked.save_direction.empty()) save_direction(asked.save_direction, result.direction.row(0));
  return {std::move(analysis), std::move(result)};
}

std::string asked_figure(const Network& network, const AskResult& asked, const FigureOptions& options,
                         FigureFormat format) {
  const std::string subtitle = result_subtitle(network, asked.analysis, asked.result);
  const FigureGrid figure = result_figure(asked.result, subtitle, options, format);
  return file_of(figure, format, options.dpi, network.name(), asked.result.about).bytes;
}

void ask_analysis(const AskedAnalysis& asked, std::ostream& out, std::ostream& err) {
  const FileFormatInfo* format = nullptr;
  if (asked.output) {
    format = file_format(*asked.output);
    if (!format || !is_result_format(format->format))
      throw Error("answers are saved as .png, .svg, .pdf, .csv, .tsv, .json or .npz", asked.output->string(),
                  "give a name with one of these endings");
    require_free(*asked.output, asked.force);
  }
  require_exists(asked.folder);
  AskResult answer;
  std::shared_ptr<const Network> network;
  if (asked.checkpoints) {
    StepsAnswer steps = ask_at_checkpoints(asked, err);
    answer = std::move(steps.answer);
    network = std::move(steps.last);
  } else {
    ChangedPass changed(open_text_model(asked.folder));
    answer = ask_result(asked, changed, err);
    network = changed.network_owner();
  }
  if (!format) {
    out << result_text(answer.result);
    return report_omitted(*network, err);
  }
  write_file_atomically(*asked.output, format->figure
                                           ? asked_figure(*network, answer, asked.figure, *format->figure)
                                           : result_bytes(answer.result, format->format));
  out << asked.output->string() << " saved\n";
  report_omitted(*network, err);
}

void AskLine::add_to(CLI::App& command) {
  command_ = &command;
  std::vector<std::string> names;
  for (const AnalysisInfo& info : analysis_table())
    names.emplace_back(info.name);
  command.add_option("FOLDER", folder_, "the model's folder, or one file (.gguf)")
      ->type_name("")
      ->required()
      ->check(file_name());
  command.add_option("QUESTION", name_, "what is asked")
      ->type_name("NAME")
      ->required()
      ->check(CLI::IsMember(names));
  text_.add_text(command);
  const auto file = [&](const char* option, std::string& to, const char* what) {
    command.add_option(option, to, what)->type_name("FILE")->check(file_name());
  };
  file("--texts", texts_,
       "a set of texts to average over, one a line, in the place of --text; TEXT<tab>TOKEN has its own "
       "target");
  file("--set", set_,
       "a data set to average over: a header with the columns text, from, target, against, @NAME, and a row "
       "for each text");
  command
      .add_option("--from", from_, "of patches, path, edges, direction and loss: text A, beside the text, B")
      ->type_name("TEXT");
  command.add_option("--from-ids", from_ids_, "the same as ids")->type_name("LIST");
  file("--from-texts", from_texts_, "the same from a file, one a line");
  add_choices(command);
  add_changes(command, changes_, kChangesHelp);
  add_path_choices(command);
  add_feature_choices(command);
  command.add_flag("--checkpoints", checkpoints_,
                   "the same at each checkpoint of a training (step-N/ in FOLDER): every number by step");
  command
      .add_option("--number", numbers_,
                  "of --checkpoints: only this number, or those whose names begin so, as 'heads 1 2'; may be "
                  "given several times")
      ->type_name("NAME")
      ->allow_extra_args(false);
  file("-o,--output", output_,
       "a figure (.png, .svg, .pdf) or numbers (.csv, .tsv, .json, .npz); without it, the terminal");
  page_.add_to(command);
  command.add_flag("--force", force_, "replace the file if it exists");
}

void AskLine::add_choices(CLI::App& command) {
  command.add_option("--target", target_, "whose logit: a word, or an id as #42 (the likeliest by default)")
      ->type_name("TOKEN");
  command.add_option("--against", against_, "less the logit of this token")->type_name("TOKEN");
  const auto number = [&](const char* option, Index& to, int least, const char* what) {
    command.add_option(option, to, what)
        ->type_name("N")
        ->check(CLI::Range(least, std::numeric_limits<int>::max()).description(""));
  };
  number("--repeated", repeated_, 1,
         "in the place of --text: so many random tokens, said twice, as induction is measured on");
  command.add_option("--seed", seed_, "of --repeated (0 by default)")->type_name("N");
  number(
      "--layer", layer_, 0,
      "of circuit, composition, neurons, moved, direction, score and features: which layer (0 by default)");
  number("--head", head_, 0, "of circuit, composition, moved and score: which head (0 by default)");
  number("--top", top_, 1,
         "of circuit, neurons, direction, score, edges and features: how many (10 by default)");
  add_word(command, "--stage", stage_, kStageWords, "of patches: what is put in (residual by default)");
  command.add_flag("--normalized", normalized_, "of patches: from 0, as in B, to 1, as in A");
  add_word(command, "--ablation", ablation_, kAblationWords,
           "mean (the default) or zero in the place of each head and MLP");
  command
      .add_option("--mean-over", mean_over_,
                  "of a mean: set (the default: all tokens of the texts), text (of each text its own), or a "
                  "file with a text a line")
      ->type_name(words_type("NAME", {"set", "text"}));
  command.add_option("--together", together_, "of ablation: these heads at once, LAYER.HEAD, as 2.1,2.3")
      ->type_name("LIST");
  add_word(command, "--measure", measured_, kMeasureWords,
           "of ablation: what changes, the text's loss (the default, unless there is a token against the "
           "target) or the target's logit");
  add_word(command, "--metric", metric_, kMetricWords,
           "the number of the target (logit, or logit_difference where there is a token against it)");
  command.add_flag("--words", words_, "of moved and rollout: pieces of a word as one");
  add_word(command, "--embeddings", embeddings_, kEmbeddingWords,
           "of circuit: raw (the default), or effective, with what the first layer's MLP adds to them");
  command
      .add_option("--tokens", tokens_,
                  "of circuit: which, words or ids as #42 with commas between them, or a file with one a "
                  "line (those of the text by default)")
      ->type_name("LIST");
  command
      .add_option("--strength", strength_,
                  "of direction and a feature: how many times it is added (1 by default)")
      ->type_name("X");
}

void AskLine::add_path_choices(CLI::App& command) {
  const auto text = [&](const char* option, std::string& to, const char* type, const char* what) {
    command.add_option(option, to, what)->type_name(type);
  };
  text("--query", query_, "TOKEN",
       "of score: which token of the text looks, its number (#4, #-1 the last) or its words (the last one by "
       "default); with --set one of its names, as @END");
  text("--key", key_, "TOKEN",
       "of score: which token is looked at (the one that the query attends to most by default)");
  text("--sender", sender_, "PART",
       "of path: embedding, a head as 0.1, or an MLP as mlp.0 (each of them by default)");
  text("--receiver", receiver_, "PART",
       "of path: queries.1.0, keys.1.0, values.1.0, mlp.1 or logits (each of them by default)");
  add_word(command, "--mlps", mlps_, kMlpsWords,
           "of path: MLPs between sender and receiver are held (the default) or recomputed");
  text("--positions", positions_, "LIST",
       "of path: tokens at which the sender's output is A's; of direction and a feature: at which it is "
       "added; "
       "as --query, with commas between them (all by default)");
  command
      .add_option(
          "--steps", steps_,
          "of edges: gradients on the way from A's embeddings to B's (5 by default; 1: at B alone); of "
          "direction and a feature: so many likeliest next tokens, one after the other, at each "
          "strength (none by default)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000).description(""));
}

void AskLine::add_feature_choices(CLI::App& command) {
  command
      .add_option("--dictionary", dictionary_,
                  "of features: a file with W_enc, W_dec, b_enc and b_dec (.safetensors, .npz), and of a "
                  "transcoder perhaps W_skip")
      ->type_name("FILE")
      ->check(file_name());
  add_word(command, "--place", place_, kPlaceWords,
           "of features: the stream into the layer (residual, the default), or what its attention or MLP "
           "adds (mlp, "
           "the only one of a transcoder)");
  add_word(
      command, "--reads", reads_, kReadsWords,
      "of features: a transcoder, which writes what the MLP adds, and reads what the MLP does (mlp_input), "
      "the same without the norm's weights (normalized), or the stream before the norm");
  command.add_option("--feature", feature_, "of features: this one, also steered by --strength")
      ->type_name("N")
      ->check(CLI::Range(0, std::numeric_limits<int>::max()).description(""));
  command
      .add_option("--direction", direction_,
                  "of direction: a file with it (.npy, .npz, .safetensors), in place of A's mean less B's")
      ->type_name("FILE")
      ->check(file_name());
  command
      .add_option("--save-direction", save_direction_,
                  "of direction: also save what was added (.npy, .safetensors)")
      ->type_name("FILE")
      ->check(file_name());
}

// An option that no other questions have.
void AskLine::require_kind(const char* option, std::initializer_list<AnalysisKind> kinds) const {
  if (command_->count(option) == 0) return;
  std::string names;
  for (const AnalysisKind kind : kinds) {
    if (analysis_named(name_) == kind) return;
    names += (names.empty()                ? ""
              : kind == *(kinds.end() - 1) ? " and "
                                           : ", ") +
             std::string(analysis_info(kind).name);
  }
  throw CLI::ValidationError(option,
                             (kinds.size() == 1 ? "is of the question " : "is of the questions ") + names);
}

void AskLine::read_features(AskedAnalysis& asked) const {
  for (const char* option : {"--dictionary", "--place", "--reads", "--feature"})
    require_kind(option, {AnalysisKind::Features});
  asked.analysis.dictionary = dictionary_;
  if (!place_.empty()) asked.analysis.place = value_of(kPlaceWords, place_);
  if (!reads_.empty()) {
    if (asked.analysis.place.value_or(PatchStage::MlpAdded) != PatchStage::MlpAdded)
      throw CLI::ValidationError("--reads",
                                 "is of a transcoder, which writes what the MLP adds: --place mlp");
    asked.analysis.reads = value_of(kReadsWords, reads_);
  }
  if (command_->count("--feature") > 0) asked.analysis.feature = feature_;
}

void AskLine::read_paths(AskedAnalysis& asked) const {
  using Kind = AnalysisKind;
  for (const char* option : {"--query", "--key"})
    require_kind(option, {Kind::Score});
  for (const char* option : {"--sender", "--receiver", "--mlps"})
    require_kind(option, {Kind::Paths});
  require_kind("--positions", {Kind::Paths, Kind::Direction, Kind::Features});
  require_kind("--steps", {Kind::Edges, Kind::Direction, Kind::Features});
  asked.query = query_;
  asked.key = key_;
  asked.positions = positions_;
  asked.sender = sender_;
  asked.receiver = receiver_;
  asked.analysis.mlps_between = value_of(kMlpsWords, mlps_);
  if (asked.analysis.kind == Kind::Edges && steps_ > 0) asked.analysis.steps = steps_;
}

void AskLine::read_steering(AskedAnalysis& asked) const {
  using Kind = AnalysisKind;
  for (const char* option : {"--direction", "--save-direction"})
    require_kind(option, {Kind::Direction});
  const bool of_feature = asked.analysis.kind == Kind::Features;
  if (of_feature && !asked.analysis.feature)
    for (const char* option : {"--positions", "--steps"})
      if (command_->count(option) > 0)
        throw CLI::ValidationError(option, "steers one feature: name it with --feature");
  if (!direction_.empty() && !(asked.from.empty() && asked.from_texts.empty()))
    throw CLI::ValidationError("--direction", "stands in the place of --from, --from-ids and --from-texts");
  if (!save_direction_.empty() && checkpoints_)
    throw CLI::ValidationError("--save-direction", "is of one model: leave --checkpoints out");
  asked.analysis.direction = direction_;
  asked.save_direction = save_direction_;
  if (of_feature || asked.analysis.kind == Kind::Direction) asked.analysis.generated = steps_;
}

// One source of texts, and one of the texts that numbers are taken from.
void AskLine::check_texts(const AskedAnalysis& asked) const {
  if (!texts_.empty() && !asked.text.empty())
    throw CLI::ValidationError("--texts", "stands in the place of --text and --ids");
  if (repeated_ > 0 && !(texts_.empty() && asked.text.empty()))
    throw CLI::ValidationError("--repeated", "stands in the place of --text, --ids and --texts");
  if (command_->count("--seed") > 0 && repeated_ == 0)
    throw CLI::ValidationError("--seed", "goes with --repeated");
  if (!from_texts_.empty() && !asked.from.empty())
    throw CLI::ValidationError("--from-texts", "stands in the place of --from and --from-ids");
  const bool texts = !(texts_.empty() && asked.text.empty() && from_texts_.empty() && asked.from.empty());
  if (!set_.empty() && (texts || repeated_ > 0))
    throw CLI::ValidationError("--set", "stands in the place of the other options of texts");
}

void AskLine::read_metric(AskedAnalysis& asked) const {
  asked.measure_chosen = !measured_.empty();
  if (asked.measure_chosen) asked.analysis.measured = value_of(kMeasureWords, measured_);
  if (metric_.empty()) return;
  if (asked.measure_chosen) throw CLI::ValidationError("--metric", "stands in the place of --measure");
  const AnalysisInfo& info = analysis_info(asked.analysis.kind);
  if (!info.of_target && info.kind != AnalysisKind::Loss)
    throw CLI::ValidationError("--metric", "is of a target, and " + std::string(info.name) + " has none");
  asked.analysis.metric = value_of(kMetricWords, metric_);
}

void AskLine::read_mean_over(AskedAnalysis& asked) const {
  const auto* const word = std::find_if(kMeanOverWords.begin(), kMeanOverWords.end(),
                                        [&](const Word<MeanOver>& one) { return one.word == mean_over_; });
  asked.analysis.mean_over = word == kMeanOverWords.end() ? MeanOver::Others : word->value;
  if (asked.analysis.mean_over == MeanOver::Others) asked.from_texts = mean_over_;
}

void AskLine::read_checkpoints(AskedAnalysis& asked) const {
  if (!numbers_.empty() && !checkpoints_) throw CLI::ValidationError("--number", "goes with --checkpoints");
  asked.checkpoints = checkpoints_;
  asked.numbers = numbers_;
}

AskedAnalysis AskLine::options() const {
  AskedAnalysis asked;
  asked.folder = folder_;
  asked.text = text_.text();
  if (command_->count("--from") > 0) asked.from.words = from_;
  if (!from_ids_.empty()) asked.from.ids = parse_numbers("--from-ids", from_ids_);
  check_texts(asked);
  asked.texts = texts_;
  asked.set = set_;
  asked.from_texts = from_texts_;
  asked.changes = changes_;
  asked.target = target_;
  asked.against = against_;
  asked.analysis.kind = *analysis_named(name_);
  // Layer 0 has no earlier heads to compose with.
  const bool none_before =
      asked.analysis.kind == AnalysisKind::Composition && command_->count("--layer") == 0;
  asked.analysis.layer = none_before ? 1 : layer_;
  asked.analysis.head = head_;
  asked.analysis.top = top_;
  if (repeated_ > 0) asked.analysis.repeated = RepeatedTokens{repeated_, seed_};
  asked.analysis.strength = strength_;
  asked.analysis.normalized = normalized_;
  asked.analysis.stage = value_of(kStageWords, stage_);
  asked.analysis.ablation = value_of(kAblationWords, ablation_);
  read_metric(asked);
  asked.analysis.embeddings = value_of(kEmbeddingWords, embeddings_);
  if (asked.analysis.kind == AnalysisKind::Circuit) asked.tokens = tokens_;
  asked.analysis.words = words_;
  if (words_ && !analysis_info(asked.analysis.kind).of_words)
    throw CLI::ValidationError("--words", "is of the questions moved and rollout");
  asked.analysis.together = parse_head_places(together_);
  if (asked.analysis.kind == AnalysisKind::Ablation && asked.analysis.ablation == AblationKind::Mean)
    read_mean_over(asked);
  read_paths(asked);
  read_features(asked);
  read_steering(asked);
  read_checkpoints(asked);
  if (!output_.empty()) asked.output = output_;
  page_.read(asked.figure);
  asked.force = force_;
  return asked;
}

}  // namespace headlight
