#include "app/export/about.h"

#include <charconv>

#include "app/export/option_text.h"
#include "app/export/question_words.h"
#include "app/export/typed_tokens.h"
#include "app/settings/version.h"
#include "engine/architecture/network_config.h"
#include "engine/core/digits.h"
#include "engine/core/file_stamp.h"
#include "engine/json/json_document.h"

namespace headlight {
namespace {

using Words = std::vector<std::string>;

std::string heads_text(const std::vector<HeadPlace>& heads) {
  std::string text;
  for (const auto [layer, head] : heads)
    text += (text.empty() ? "" : ",") + std::to_string(layer) + "." + std::to_string(head);
  return text;
}

// The choices that the question depends on.
std::vector<AskedChoice> choices_of(const Question& question, const AskedHow& how) {
  const QuestionInfo& info = question_info(question.kind);
  std::vector<AskedChoice> choices;
  if (question.repeated) {
    choices.push_back({"repeated", std::to_string(question.repeated->count)});
    choices.push_back({"seed", std::to_string(question.repeated->seed)});
  }
  const auto add = [&](const char* option, std::string value) {
    choices.push_back({option, std::move(value)});
  };
  if (info.of_target && question.target && question.answers.empty())
    add("target", "#" + std::to_string(*question.target));
  if (info.of_target && question.against) add("against", "#" + std::to_string(*question.against));
  if (info.of_layer) add("layer", std::to_string(question.layer));
  if (info.of_head) add("head", std::to_string(question.head));
  if (question.kind == QuestionKind::Patches) {
    add("stage", std::string(word_of(kStageWords, question.stage)));
    if (question.normalized) add("normalized", "");
  }
  if (question.kind == QuestionKind::Ablation) {
    add("ablation", std::string(word_of(kAblationWords, question.ablation)));
    if (question.ablation == AblationKind::Mean)
      add("mean-over", question.mean_over == MeanOver::Others
                           ? how.others_file
                           : std::string(word_of(kMeanOverWords, question.mean_over)));
    if (!question.together.empty()) add("together", heads_text(question.together));
    add("measure", std::string(word_of(kMeasureWords, question.measured)));
  }
  if (question.kind == QuestionKind::Circuit) {
    add("embeddings", std::string(word_of(kEmbeddingWords, question.embeddings)));
    if (!question.tokens.empty()) add("tokens", tokens_text(question.tokens));
  }
  if (info.of_words && question.words) add("words", "");
  const bool lists = question.kind == QuestionKind::Circuit || question.kind == QuestionKind::Neurons ||
                     question.kind == QuestionKind::Direction;
  if (lists) add("top", std::to_string(question.top));
  if (question.kind == QuestionKind::Direction) add("strength", shortest_digits(question.strength));
  return choices;
}

std::string metric_of(const Question& question) {
  if (question.kind == QuestionKind::Loss) return "loss";
  if (question.kind == QuestionKind::Ablation && question.measured == OutputMeasure::Kind::Loss)
    return "loss";
  if (!question_info(question.kind).of_target) return "";
  return question.against ? "logit_difference" : "logit";
}

std::vector<std::string> texts_of(const Network& network, const std::vector<TokenIds>& all) {
  std::vector<std::string> texts;
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
std::vector<AskedChoice> choices_of_patches(const Question& question, bool each) {
  std::vector<AskedChoice> choices;
  if (question.target) choices.push_back({"target", "#" + std::to_string(*question.target)});
  if (question.against) choices.push_back({"against", "#" + std::to_string(*question.against)});
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

// All that does not depend on the command.
About about_question(const Network& network, const Question& question) {
  About about;
  about.model = asked_file(network);
  about.question = question_info(question.kind).name;
  if (!network.reads_images()) about.texts = texts_of(network, question.texts);
  about.ids = question.texts;
  about.from = texts_of(network, question.others);
  if (question_info(question.kind).of_target) {
    if (question.answers.empty()) about.target = question.target;
    about.against = question.against;
  }
  about.metric = metric_of(question);
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

Words asking_command(const Network& network, const Question& question, const AskedHow& how) {
  Words words = {"headlight", "ask", network.checkpoint().folder().string(),
                 std::string(question_info(question.kind).name)};
  if (!question.repeated) add_texts(words, question.texts, how.texts_file, "--texts", "--ids");
  if (question.kind != QuestionKind::Ablation)
    add_texts(words, question.others, how.others_file, "--from-texts", "--from-ids");
  add_choices(words, choices_of(question, how));
  if (!how.changes_file.empty()) words.insert(words.end(), {"--changes", how.changes_file});
  return words;
}

Words patching_command(const Network& network, const Question& question, bool each, const AskedHow& how) {
  Words words = {"headlight", "patches", network.checkpoint().folder().string()};
  add_texts(words, question.texts, "", "", "--ids");
  add_texts(words, question.others, "", "", "--from-ids");
  add_choices(words, choices_of_patches(question, each));
  if (!how.changes_file.empty()) words.insert(words.end(), {"--changes", how.changes_file});
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
  const bool answers = is_answered(words);
  Words saved = saved_as(words, answers ? "answer.json" : "answer.npz");
  saved.emplace_back("--force");
  return std::string("import ") + (answers ? "json" : "numpy") + ", subprocess\nsubprocess.run(" +
         Json(saved).dump() + ", check=True)\nanswer = " +
         (answers ? "json.load(open(\"answer.json\"))" : "numpy.load(\"answer.npz\")") + "\n";
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
  const Json object = {{"version", kVersion},
                       {"model",
                        {{"path", about.model.path},
                         {"family", about.model.family},
                         {"bytes", about.model.bytes},
                         {"header", std::string(header, hash.ptr)}}},
                       {"question", about.question},
                       {"texts", about.texts},
                       {"ids", about.ids},
                       {"from", about.from},
                       {"target", id(about.target)},
                       {"against", id(about.against)},
                       {"metric", about.metric},
                       {"options", options},
                       {"changes", about.changes},
                       {"command", about.command}};
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string about_answer(const Network& network, const Question& question, const AskedHow& how) {
  About about = about_question(network, question);
  about.options = choices_of(question, how);
  about.changes = how.changes;
  about.command = asking_command(network, question, how);
  return about_text(about);
}

std::string about_patches(const Network& network, const Question& question, bool each, const AskedHow& how) {
  About about = about_question(network, question);
  about.options = choices_of_patches(question, each);
  about.changes = how.changes;
  about.command = patching_command(network, question, each, how);
  return about_text(about);
}

std::string asked_in_words(const Question& question, const AskedHow& how) {
  std::string text;
  for (const auto& [option, value] : choices_of(question, how)) {
    if (option == "target" || option == "against" || option == "top") continue;
    if (option == "tokens") {
      text += " · " + std::to_string(question.tokens.size()) + " tokens";
      continue;
    }
    text += (text.empty() ? "" : " · ") + option + (value.empty() ? "" : " " + value);
  }
  if (!how.changes.empty())
    text += (text.empty() ? "" : " · ") + std::to_string(how.changes.size()) +
            (how.changes.size() == 1 ? " change: " : " changes: ") + how.changes.front() +
            (how.changes.size() > 1 ? ", ..." : "");
  return text;
}

}  // namespace headlight
