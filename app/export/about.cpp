#include "app/export/about.h"

#include <algorithm>
#include <charconv>

#include "app/export/analysis_words.h"
#include "app/export/option_text.h"
#include "app/export/typed_tokens.h"
#include "app/figure/plan/names.h"
#include "app/settings/version.h"
#include "engine/analysis/typed_place.h"
#include "engine/architecture/network_config.h"
#include "engine/core/digits.h"
#include "engine/core/file_stamp.h"
#include "engine/json/json_document.h"

namespace headlight {
namespace {

using Words = std::vector<std::string>;

// The tokens at which something is put in, or added; "": all.
std::string positions_text(const Analysis& analysis) {
  std::string positions;
  for (const Index at : analysis.positions)
    positions += (positions.empty() ? "#" : ",#") + std::to_string(at);
  for (const std::string& name : analysis.position_names)
    positions += (positions.empty() ? "" : ",") + name;
  return positions;
}

// Those of paths, of parts of scores, of features and of a direction.
void add_path_choices(const Analysis& analysis, const AskedHow& how, std::vector<AskedChoice>& choices) {
  const auto add = [&](const char* option, std::string value) {
    choices.push_back({option, std::move(value)});
  };
  if (analysis.kind == AnalysisKind::Score) {
    if (analysis.query) add("query", "#" + std::to_string(*analysis.query));
    if (analysis.key) add("key", "#" + std::to_string(*analysis.key));
    if (!analysis.query_name.empty()) add("query", analysis.query_name);
    if (!analysis.key_name.empty()) add("key", analysis.key_name);
  }
  if (analysis.kind == AnalysisKind::Edges) add("steps", std::to_string(analysis.steps));
  if (analysis.kind == AnalysisKind::Features) {
    add("dictionary", analysis.dictionary);
    const std::optional<PatchStage> place = how.place ? how.place : analysis.place;
    if (place) add("place", std::string(word_of(kPlaceWords, *place)));
    if (analysis.reads) add("reads", std::string(word_of(kReadsWords, *analysis.reads)));
    if (analysis.feature) add("feature", std::to_string(*analysis.feature));
    if (analysis.feature) add("strength", shortest_digits(analysis.strength));
  }
  if (analysis.kind == AnalysisKind::Direction && !analysis.direction.empty())
    add("direction", analysis.direction);
  const bool steers = analysis.kind == AnalysisKind::Direction ||
                      (analysis.kind == AnalysisKind::Features && analysis.feature);
  if (steers && analysis.generated > 0) add("steps", std::to_string(analysis.generated));
  const std::string positions = positions_text(analysis);
  if ((steers || analysis.kind == AnalysisKind::Paths) && !positions.empty()) add("positions", positions);
  if (analysis.kind != AnalysisKind::Paths) return;
  if (analysis.sender) add("sender", typed_word(*analysis.sender));
  if (analysis.receiver) add("receiver", typed_word(*analysis.receiver));
  add("mlps", std::string(word_of(kMlpsWords, analysis.mlps_between)));
}

// The choices that the analysis depends on.
std::vector<AskedChoice> choices_of(const Analysis& analysis, const AskedHow& how) {
  const AnalysisInfo& info = analysis_info(analysis.kind);
  std::vector<AskedChoice> choices;
  if (analysis.repeated) {
    choices.push_back({"repeated", std::to_string(analysis.repeated->count)});
    choices.push_back({"seed", std::to_string(analysis.repeated->seed)});
  }
  const auto add = [&](const char* option, std::string value) {
    choices.push_back({option, std::move(value)});
  };
  const bool of_target = info.of_target || analysis.metric.has_value();
  if (of_target && analysis.target && analysis.targets.empty())
    add("target", "#" + std::to_string(*analysis.target));
  if (of_target && analysis.against) add("against", "#" + std::to_string(*analysis.against));
  if (analysis.metric) add("metric", std::string(word_of(kMetricWords, *analysis.metric)));
  if (info.of_layer) add("layer", std::to_string(analysis.layer));
  if (info.of_head) add("head", std::to_string(analysis.head));
  if (analysis.kind == AnalysisKind::Patches) {
    add("stage", std::string(word_of(kStageWords, analysis.stage)));
    if (analysis.normalized) add("normalized", "");
  }
  if (analysis.kind == AnalysisKind::Ablation) {
    add("ablation", std::string(word_of(kAblationWords, analysis.ablation)));
    if (analysis.ablation == AblationKind::Mean)
      add("mean-over", analysis.mean_over == MeanOver::Others
                           ? how.others_file
                           : std::string(word_of(kMeanOverWords, analysis.mean_over)));
    if (!analysis.together.empty()) add("together", typed_word(analysis.together));
    if (!analysis.metric) add("measure", std::string(word_of(kMeasureWords, analysis.measured)));
  }
  if (analysis.kind == AnalysisKind::Circuit) {
    add("embeddings", std::string(word_of(kEmbeddingWords, analysis.embeddings)));
    if (!analysis.tokens.empty()) add("tokens", tokens_text(analysis.tokens));
  }
  if (info.of_words && analysis.words) add("words", "");
  add_path_choices(analysis, how, choices);
  const bool lists = analysis.kind == AnalysisKind::Circuit || analysis.kind == AnalysisKind::Neurons ||
                     analysis.kind == AnalysisKind::Direction || analysis.kind == AnalysisKind::Score ||
                     analysis.kind == AnalysisKind::Edges || analysis.kind == AnalysisKind::Features;
  if (lists) add("top", std::to_string(analysis.top));
  if (analysis.kind == AnalysisKind::Direction) add("strength", shortest_digits(analysis.strength));
  return choices;
}

std::string metric_of(const Analysis& analysis) {
  const bool of_tokens =
      analysis.kind == AnalysisKind::Loss && !analysis.metric && !(analysis.set && has_target(analysis));
  if (of_tokens || of_text_loss(analysis)) return "loss";
  if (!analysis_info(analysis.kind).of_target && analysis.kind != AnalysisKind::Loss) return "";
  return std::string(word_of(kMetricWords, target_metric(analysis)));
}

std::vector<std::string> texts_of(const Network& network, const std::vector<TokenIds>& all) {
  std::vector<std::string> texts;
  texts.reserve(all.size());
  for (const TokenIds& ids : all)
    texts.push_back(asked_text(network, ids));
  return texts;
}

void add_texts(Words& words, const std::vector<TokenIds>& texts, const std::string& file, const char* in_file,
               const char* as_ids) {
  if (!file.empty())
    words.insert(words.end(), {in_file, file});
  else if (!texts.empty())
    words.insert(words.end(), {as_ids, id_list(texts.front())});
}

// The choices of `headlight patches`.
std::vector<AskedChoice> choices_of_patches(const Analysis& analysis, bool each) {
  std::vector<AskedChoice> choices;
  if (analysis.target) choices.push_back({"target", "#" + std::to_string(*analysis.target)});
  if (analysis.against) choices.push_back({"against", "#" + std::to_string(*analysis.against)});
  if (each) choices.push_back({"each", ""});
  return choices;
}

// Whether the command writes its answer to the terminal; other commands save arrays.
bool is_answered(const Words& words) {
  return words.at(1) == "ask";
}

Words saved_as(Words words, const char* file) {
  words.insert(words.end(), {"-o", file});
  return words;
}

// JSON's text is Python's too.
std::string python_text(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// "--from-ids", "1,5" as "from_ids=[1,5]"; of a flag the value is null.
std::string python_argument(const std::string& option, const std::string* value) {
  std::string name = option.substr(2);
  std::replace(name.begin(), name.end(), '-', '_');
  if (name == "from") name += '_';  // a word of Python itself
  if (!value) return name + "=True";
  if (name == "ids") return "text=[" + *value + "]";
  if (name == "from_ids") return name + "=[" + *value + "]";
  const bool number = *value == "0" || (!value->empty() && value->size() < 10 && value->front() != '0' &&
                                        value->find_first_not_of("0123456789") == std::string::npos);
  return name + "=" + (number ? *value : python_text(*value));
}

// Of `headlight ask FOLDER QUESTION ...` and `headlight patches FOLDER ...`: what follows an option, and is
// none itself, is its value.
std::string model_program(const Words& words) {
  const bool question = is_answered(words);
  std::string call = "answer = m." + words.at(1) + "(" + (question ? python_text(words.at(3)) : "");
  const std::size_t first = question ? 4 : 3;
  for (std::size_t i = first; i < words.size(); ++i) {
    const bool flag = i + 1 == words.size() || words[i + 1].starts_with("--");
    call += (i == first && !question ? "" : ", ") + python_argument(words[i], flag ? nullptr : &words[i + 1]);
    if (!flag) ++i;
  }
  return "import headlight\nm = headlight.Model(" + python_text(words.at(2)) + ")\n" + call + ")\n";
}

// All that does not depend on the command.
About about_question(const Network& network, const Analysis& analysis) {
  About about;
  about.model = asked_file(network);
  about.analysis = analysis_info(analysis.kind).name;
  const DataSet* const set = analysis.set.get();
  about.set = analysis.set;
  about.ids = set ? set->texts() : analysis.texts;
  if (!network.reads_images()) about.texts = texts_of(network, about.ids);
  about.from = texts_of(network, set && set->has("from") ? set->froms() : analysis.others);
  if (analysis_info(analysis.kind).of_target || analysis.metric) {
    if (analysis.targets.empty()) about.target = analysis.target;
    about.against = analysis.against;
  }
  about.metric = metric_of(analysis);
  return about;
}

}  // namespace

void add_choices(Words& words, const std::vector<AskedChoice>& choices) {
  for (const auto& [option, value] : choices) {
    words.push_back("--" + option);
    if (!value.empty()) words.push_back(value);
  }
}

std::string id_list(const TokenIds& ids) {
  std::string text;
  for (const std::int32_t id : ids)
    text += (text.empty() ? "" : ",") + std::to_string(id);
  return text;
}

AskedHow asked_how(const Analysis& analysis, const std::string& texts_file) {
  AskedHow how;
  how.texts_file = texts_file;
  if (analysis.set) how.set_file = analysis.set->file;
  return how;
}

std::string asked_of_several(const Analysis& analysis) {
  if (analysis.set)
    return "mean over the " + counted(static_cast<std::int64_t>(analysis.set->rows.size()), "row", "rows") +
           " of " + visible_label(std::filesystem::path(analysis.set->file).filename().string());
  return analysis.texts.size() > 1 ? std::to_string(analysis.texts.size()) + " texts" : "";
}

Words asking_command(const Network& network, const Analysis& analysis, const AskedHow& how) {
  const bool steps = !how.checkpoints.empty();
  Words words = {"headlight", "ask", steps ? how.checkpoints : network.checkpoint().folder().string(),
                 std::string(analysis_info(analysis.kind).name)};
  if (steps) words.emplace_back("--checkpoints");
  for (const std::string& number : how.numbers)
    words.insert(words.end(), {"--number", number});
  if (analysis.set)
    words.insert(words.end(), {"--set", how.set_file});
  else if (!analysis.repeated)
    add_texts(words, analysis.texts, how.texts_file, "--texts", "--ids");
  if (analysis.kind != AnalysisKind::Ablation)
    add_texts(words, analysis.others, how.others_file, "--from-texts", "--from-ids");
  add_choices(words, choices_of(analysis, how));
  for (const std::string& changes : how.changes_from)
    words.insert(words.end(), {"--changes", changes});
  return words;
}

Words patching_command(const Network& network, const Analysis& analysis, bool each, const AskedHow& how) {
  Words words = {"headlight", "patches", network.checkpoint().folder().string()};
  if (analysis.set) words.insert(words.end(), {"--set", how.set_file});
  add_texts(words, analysis.texts, "", "", "--ids");
  add_texts(words, analysis.others, "", "", "--from-ids");
  add_choices(words, choices_of_patches(analysis, each));
  for (const std::string& changes : how.changes_from)
    words.insert(words.end(), {"--changes", changes});
  return words;
}

std::string shell_line(const Words& words) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=+@%";
  std::string line;
  for (const std::string& word : is_answered(words) ? words : saved_as(words, "answer.npz")) {
    line += line.empty() ? "" : " ";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word)
      line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

std::string python_program(const Words& words) {
  if (is_answered(words) || words.at(1) == "patches") {
    std::string command = shell_line(words);  // one line, whatever is in the names of files
    std::replace_if(
        command.begin(), command.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return "# " + command + "\n" + model_program(words);
  }
  Words saved = saved_as(words, "answer.npz");
  saved.emplace_back("--force");
  return "import numpy, subprocess\nsubprocess.run(" + Json(saved).dump() +
         ", check=True)\nanswer = numpy.load(\"answer.npz\")\n";
}

AskedFile asked_file(const Network& network) {
  const Checkpoint& checkpoint = network.checkpoint();
  return {checkpoint.folder().string(), std::string(family_name(network.config())), checkpoint.bytes(),
          checkpoint.header_hash()};
}

AskedFile asked_file(const std::filesystem::path& file, const std::string& family) {
  return {file.string(), family, std::filesystem::file_size(file), content_hash(file)};
}

std::string asked_text(const Network& network, const TokenIds& ids) {
  if (network.tokenizer()) return network.decode(ids);
  std::string text;
  for (const std::int32_t id : ids)
    text += (text.empty() ? "" : " ") + network.token_label(id);
  return text;
}

std::string about_text(const About& about) {
  char header[32];
  const auto hash = std::to_chars(header, header + sizeof header, about.model.header, 16);
  const auto id = [](const std::optional<std::int32_t>& token) { return token ? Json(*token) : Json(); };
  Json options = Json::object();
  for (const auto& [option, value] : about.options)
    options[option] = value.empty() ? Json(true) : Json(value);
  Json object = {{"version", kVersion},
                 {"model",
                  {{"path", about.model.path},
                   {"family", about.model.family},
                   {"bytes", about.model.bytes},
                   {"header", std::string(header, hash.ptr)}}},
                 {"question", about.analysis},
                 {"texts", about.texts},
                 {"ids", about.ids},
                 {"from", about.from},
                 {"target", id(about.target)},
                 {"against", id(about.against)},
                 {"metric", about.metric},
                 {"options", options},
                 {"changes", about.changes},
                 {"command", about.command}};
  if (about.set)
    object["set"] = {
        {"file", about.set_file}, {"rows", about.set->rows.size()}, {"columns", about.set->columns}};
  if (about.set && !about.set->left_out.empty()) object["set"]["left_out"] = about.set->left_out;
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string about_analysis(const Network& network, const Analysis& analysis, const AskedHow& how) {
  About about = about_question(network, analysis);
  about.options = choices_of(analysis, how);
  about.changes = how.changes;
  about.command = asking_command(network, analysis, how);
  about.set_file = how.set_file;
  return about_text(about);
}

std::string about_patches(const Network& network, const Analysis& analysis, bool each, const AskedHow& how) {
  About about = about_question(network, analysis);
  about.options = choices_of_patches(analysis, each);
  about.changes = how.changes;
  about.command = patching_command(network, analysis, each, how);
  about.set_file = how.set_file;
  return about_text(about);
}

std::string about_gradients(const Network& network, const Analysis& analysis, bool each,
                            const AskedHow& how) {
  About about = about_question(network, analysis);
  about.analysis = "gradients";
  about.metric = "loss";
  if (each) about.options = {{"each", ""}};
  about.command = {"headlight", "gradients", network.checkpoint().folder().string()};
  if (analysis.set) about.command.insert(about.command.end(), {"--set", how.set_file});
  add_texts(about.command, analysis.texts, "", "", "--ids");
  add_choices(about.command, about.options);
  about.set_file = how.set_file;
  return about_text(about);
}

std::string asked_in_words(const Analysis& analysis, const AskedHow& how) {
  std::string text;
  for (const auto& [option, value] : choices_of(analysis, how)) {
    if (option == "target" || option == "against" || option == "top") continue;
    if (option == "tokens") {
      text += " · " + std::to_string(analysis.tokens.size()) + " tokens";
      continue;
    }
    // The option's word for a head's context is that of another stage on screen.
    const bool context = option == "stage" && analysis.stage == PatchStage::Context;
    const std::string said = context ? "context (z)" : value;
    text += (text.empty() ? "" : " · ") + option + (said.empty() ? "" : " " + said);
  }
  if (!how.changes.empty())
    text += (text.empty() ? "" : " · ") + std::to_string(how.changes.size()) +
            (how.changes.size() == 1 ? " change: " : " changes: ") + how.changes.front() +
            (how.changes.size() > 1 ? ", ..." : "");
  return text;
}

}  // namespace headlight
