#include "app/shell/model_controller.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/interpretation/patch_map.h"

namespace headlight {
namespace {

constexpr std::size_t kMostBases = 16;
constexpr Index kPredictions = 10;

bool same_state(const ModelState& state, const OpenModel& work) {
  return state.network == work.network && state.ids == work.ids && state.layers == work.on.layers &&
         state.patches == work.on.patches;
}

std::shared_ptr<const ModelAnswer> shared(ModelAnswer answer) {
  return std::make_shared<const ModelAnswer>(std::move(answer));
}

// What was asked for beside the predictions stays in sight until it is computed anew: of the same text, so
// that numbers move while something is changed. Of another text, or at another token, it would be told under
// names that it is not of.
void keep_last(const ModelAnswer& before, ModelAnswer& answer) {
  if (answer.state.network != before.state.network || answer.state.ids != before.state.ids) return;
  if (!answer.glance) answer.glance = before.glance;
  if (answer.question.position != before.question.position) return;
  if (answer.lens.empty()) answer.lens = before.lens;
  if (answer.parts) return;
  answer.parts = before.parts;
  answer.sources = before.sources;
  answer.question.sources = before.question.sources;
}

// What panels requested beside the predictions.
void add_requests(const ModelView& view, ModelQuestion& question) {
  const bool predicts = view.work->network->predicts();
  question.lens = view.wants_lens && predicts;
  question.picture_side = view.wants_glance ? view.glance_side : 0;
  const bool sums = view.work->network->config().norm_place != NormPlace::After;
  if (view.wants_parts && predicts && sums && view.fresh) {
    question.parts = view.logit_choice();
    question.sources = view.part;
  }
}

std::vector<std::int32_t> ids_of_label(const Network& network, const std::string& label) {
  if (!network.tokenizer())
    throw Error("the folder has no tokenizer.json, so tokens have no names", "token", "give the text as ids");
  const Tokenizer& tokenizer = *network.tokenizer();
  std::vector<std::int32_t> ids = tokenizer.encode(label);
  ids.erase(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(tokenizer.added_in_front()));
  ids.erase(ids.end() - static_cast<std::ptrdiff_t>(tokenizer.added_behind()), ids.end());
  return ids;
}

// A change of the list of tokens as one of the ids; none of another command.
struct TokenEdit {
  const Network& network;
  std::vector<std::int32_t> ids;

  bool operator()(const RenameToken& c) {
    splice(c.at, 1, ids_of_label(network, c.label));
    return true;
  }
  bool operator()(const InsertToken& c) {
    splice(c.at, 0,
           c.copy ? std::vector{ids[at(std::max<Index>(c.at - 1, 0))]} : ids_of_label(network, c.label));
    return true;
  }
  bool operator()(const RemoveToken& c) {
    splice(c.at, 1, {});
    return true;
  }
  bool operator()(const MoveToken& c) {
    const std::int32_t moved = ids[at(c.from)];
    splice(c.from, 1, {});
    splice(c.to, 0, {moved});
    return true;
  }
  bool operator()(const ChangeLines& c) {
    if (c.edit.kind != LineKind::Token) return false;
    const std::vector<std::int32_t> lines(ids.begin() + c.edit.at,
                                          std::min(ids.begin() + c.edit.at + c.edit.count, ids.end()));
    switch (c.edit.change) {
      case LineChange::Insert:
        splice(c.edit.at, 0, {ids[at(std::min<Index>(c.edit.at, static_cast<Index>(ids.size()) - 1))]});
        return true;
      case LineChange::Duplicate:
        splice(c.edit.at + c.edit.count, 0, lines);
        return true;
      case LineChange::Remove:
        splice(c.edit.at, c.edit.count, {});
        return true;
      case LineChange::Move:
        splice(c.edit.at, c.edit.count, {});
        splice(c.edit.to, 0, lines);
        return true;
    }
    return false;
  }
  template <class Other>
  bool operator()(const Other&) {
    return false;
  }

 private:
  static std::size_t at(Index place) { return static_cast<std::size_t>(place); }
  void splice(Index place, Index count, const std::vector<std::int32_t>& put) {
    const auto begin = ids.begin() + std::clamp<Index>(place, 0, static_cast<Index>(ids.size()));
    const auto end = begin + std::min<Index>(count, ids.end() - begin);
    ids.insert(ids.erase(begin, end), put.begin(), put.end());
  }
};

std::string text_of_command(const Command& command) {
  const auto* words = std::get_if<ReplaceTokens>(&command);
  std::string text;
  for (const std::string& token : words ? words->tokens : std::vector<std::string>{})
    text += (text.empty() ? "" : " ") + token;
  return text;
}

std::shared_ptr<const PatchMapAnswer> patched(PatchMapAnswer answer,
                                              const std::function<void(double)>& progress) {
  try {
    NetworkPass pass(answer.of->network), source(answer.from->network);
    take_state(pass, state_of(*answer.of));
    take_state(source, state_of(*answer.from));
    answer.before =
        static_cast<double>(chosen_logit(pass.logits(answer.logit.position, 1).row(0), answer.logit));
    answer.map = patch_map(pass, source, answer.stage, answer.logit, [&](Index done, Index all) {
      progress(static_cast<double>(done) / static_cast<double>(std::max<Index>(1, all)));
    });
  } catch (const Stopped&) {
    return nullptr;
  } catch (const Error& error) {
    answer.failure = error;
  } catch (const std::bad_alloc&) {
    answer.failure = Error("there is not enough memory for it", "patches", "give shorter texts");
  }
  return std::make_shared<const PatchMapAnswer>(std::move(answer));
}

}  // namespace

std::optional<SetOpenModel> ModelController::follow(Document& document, ViewState& view) {
  ModelView& model = view.model;
  if (!document.session().work) {
    if (current_) begin(document);
    model.work = nullptr;
    model.answer = model.kept = nullptr;
    model.edits.clear();
    return std::nullopt;
  }
  if (document.opening() != opening_) {
    begin(document);
    model.answer = model.kept = nullptr;
  }
  std::optional<SetOpenModel> done = take_answer(document, model);
  if (done) return done;  // the document is as asked for in the next call
  follow_document(document, model);
  follow_layers(view);
  apply_edits(model);
  add_token(model);
  ask(document, view);
  follow_baseline(view);
  follow_patches(view);
  model.progress = worker_.running() ? std::optional(worker_.progress()) : std::nullopt;
  return std::nullopt;
}

void ModelController::begin(const Document& document) {
  opening_ = document.opening();
  revision_ = 0;
  current_ = wanted_ = document.session().work;
  edits_.clear();
  bases_.clear();
  asked_.reset();
  baseline_asked_.reset();
  stream_.reset();
  // Of a model that is closed nobody takes an answer, and who waits for it would wait for ever.
  worker_.forget();
  baseline_worker_.forget();
  patching_.forget();
}

const LayerBase* ModelController::base_of(const std::shared_ptr<const OpenModel>& work) const {
  for (const KnownBase& known : bases_)
    if (known.of == work) return &known.base;
  return nullptr;
}

void ModelController::remember_base(std::shared_ptr<const OpenModel> work, LayerBase base) {
  if (base_of(work)) return;
  if (bases_.size() == kMostBases) bases_.erase(bases_.begin());
  bases_.push_back({std::move(work), std::move(base)});
}

// What was edited of the layer since it was opened, and what is on its way behind that.
void ModelController::follow_document(Document& document, ModelView& view) {
  const std::shared_ptr<const OpenModel> open = document.session().work;
  const LayerBase* base = base_of(open);
  if (document.revision() == revision_ || !base) {
    if (!base && document.revision() != revision_) current_ = wanted_ = open;
    view.work = wanted_;
    return;
  }
  revision_ = document.revision();
  std::shared_ptr<const OpenModel> now = open;
  view.detached.clear();
  try {
    OpenModel edited = with_layer(*open, *base, document.model());
    if (!(edited == *open)) {
      now = std::make_shared<const OpenModel>(std::move(edited));
      remember_base(now, LayerBase(*base));
      document.follow_model(now);
    }
  } catch (const Error& error) {
    view.detached = error.what();
  }
  wanted_ = current_ = now;
  // On what has become of the layer meanwhile.
  view.edits.insert(view.edits.begin(), edits_.begin(), edits_.end());
  edits_.clear();
  view.work = wanted_;
}

void ModelController::apply_edits(ModelView& view) {
  for (ModelChange& edit : std::exchange(view.edits, {})) {
    OpenModel work = *wanted_;
    try {
      edit.edit(work);
      view.trouble.clear();
    } catch (const Error& error) {
      view.trouble = error.what();
      view.adding = 0;
      continue;
    }
    if (work == *wanted_) continue;
    wanted_ = std::make_shared<const OpenModel>(std::move(work));
    edits_.push_back(std::move(edit));
  }
  view.work = wanted_;
}

std::optional<SetOpenModel> ModelController::take_answer(const Document& document, ModelView& view) {
  std::optional<ModelAnswer> answer = worker_.take();
  if (!answer) return std::nullopt;
  if (answer->failure) {
    view.trouble = answer->failure->what();
    view.adding = 0;
    edits_.clear();
    wanted_ = current_;
    return std::nullopt;
  }
  const std::shared_ptr<const OpenModel> open = document.session().work;
  const bool of_open = same_state(answer->state, *open) && answer->question.base == open->layer;
  if (of_open && answer->base && !base_of(open)) {
    remember_base(open, *answer->base);
    revision_ = 0;  // what was edited since can be told now
  }
  const bool of_wanted = wanted_ && same_state(answer->state, *wanted_);
  // Of a model that was open before: its tokens have other names.
  if (answer->state.network != open->network && !of_wanted) return std::nullopt;
  if (view.answer) keep_last(*view.answer, *answer);
  const bool commits = of_wanted && !edits_.empty() && document.revision() == revision_ && answer->layer &&
                       answer->question.layer == wanted_->layer;
  std::optional<SetOpenModel> done;
  if (commits) {
    done = SetOpenModel{wanted_, answer->layer, edits_.back().name, edits_.back().gesture};
    remember_base(wanted_, *answer->base);
    edits_.clear();
    current_ = wanted_;
    asked_.reset();  // the next edit may lead to the same state, and is answered anew
  }
  view.answer = shared(std::move(*answer));
  return done;
}

void ModelController::ask(const Document& document, ViewState& view) {
  ModelView& model = view.model;
  const std::shared_ptr<const OpenModel>& open = document.session().work;
  const bool knows_base = base_of(open) != nullptr;
  const std::shared_ptr<const OpenModel>& work = knows_base ? wanted_ : open;
  ModelState state = state_of(*work);
  ModelQuestion question;
  const std::shared_ptr<const OpenModel> shown = std::exchange(model.work, work);
  question.position = model.shown_position();
  question.top = kPredictions;
  if (!knows_base) question.base = open->layer;
  if (knows_base && !edits_.empty()) question.layer = question.base = wanted_->layer;
  const bool known = model.answer && same_state(model.answer->state, *work);
  model.fresh = known && model.answer->question.position == question.position;
  if (model.fresh && edits_.empty() && knows_base) add_requests(model, question);
  model.work = shown;
  model.wants_lens = model.wants_glance = model.wants_parts = false;
  if (!asked_ || !(asked_->second == question) || !(asked_->first == state)) {
    // What is answered is not asked again when a panel goes that requested for more.
    const bool less = model.fresh && edits_.empty() && knows_base && !question.lens &&
                      question.picture_side == 0 && !question.parts;
    if (!less) {
      worker_.ask(state, question);
      asked_.emplace(std::move(state), question);
    }
  }
}

// The next token, once the one before it is part of the text.
void ModelController::add_token(ModelView& view) {
  if (const Index more = std::exchange(view.add_tokens, 0); more > 0) {
    view.adding = more;
    ++run_;
    view.position.reset();
    if (!stream_) stream_.emplace(view.seed);
  }
  if (std::exchange(view.stop_adding, false)) view.adding = 0;
  if (view.adding == 0) {
    stream_.reset();
    return;
  }
  const bool ready = edits_.empty() && view.answer && same_state(view.answer->state, *wanted_) &&
                     view.answer->logits &&
                     view.answer->question.position == static_cast<Index>(wanted_->ids.size()) - 1;
  if (!ready) return;
  std::vector<std::int32_t> ids = wanted_->ids;
  ids.push_back(drawn_token(view.answer->logits->row(0), view.sampling, *stream_));
  --view.adding;
  view.edits.push_back({"Continue", [ids](OpenModel& work) { set_ids(work, ids); }, run_});
  apply_edits(view);
}

void ModelController::follow_baseline(ViewState& view) {
  ModelView& model = view.model;
  const std::shared_ptr<const OpenModel>& work = view.kept.work;
  if (std::optional<ModelAnswer> answer = baseline_worker_.take()) {
    if (answer->failure)
      model.trouble = answer->failure->what();
    else
      model.kept = shared(std::move(*answer));
  }
  if (!work || work->network->config().vocabulary != model.work->network->config().vocabulary) {
    model.kept = nullptr;
    baseline_asked_.reset();
    return;
  }
  // Of another A than the one that is kept now.
  if (model.kept && !same_state(model.kept->state, *work)) model.kept = nullptr;
  ModelQuestion question;
  ModelView of_baseline;
  of_baseline.work = work;
  of_baseline.position = model.position;
  question.position = of_baseline.shown_position();
  if (model.kept && model.kept->question.position != question.position) model.kept = nullptr;
  question.top = kPredictions;
  question.lens =
      model.page == ModelPage::Layers && view.focus_view == FocusView::Model && work->network->predicts();
  question.picture_side = model.map_colors == MapColors::Change ? model.glance_side : 0;
  if (work->network == model.work->network) question.values = model.wants_of_baseline;
  if (baseline_asked_ && baseline_asked_->first == work && baseline_asked_->second == question) return;
  baseline_asked_.emplace(work, question);
  baseline_worker_.ask(state_of(*work), question);
}

void ModelController::follow_patches(ViewState& view) {
  ModelView& model = view.model;
  if (auto answer = patching_.take(); answer && *answer) model.patches = std::move(*answer);
  if (std::exchange(model.stop_patches, false)) patching_.forget();
  if (std::exchange(model.ask_patches, false) && view.kept.work && model.answer) {
    PatchMapAnswer asked;
    asked.of = wanted_;
    asked.from = view.kept.work;
    asked.logit = model.logit_choice();
    asked.stage = model.patch_stage;
    *patch_progress_ = 0;
    patching_.start([asked = std::move(asked), progress = patch_progress_] {
      return patched(asked, [&](double done) { *progress = done; });
    });
  }
  model.patch_progress = patching_.running() ? std::optional<double>(*patch_progress_) : std::nullopt;
}

// The layers stand in the bar at the top.
void ModelController::follow_layers(ViewState& view) {
  LayersView& layers = view.layers;
  const auto count = static_cast<std::size_t>(view.model.work->network->config().layers);
  if (layers.count != count || layers.names.size() != count) {
    layers.names.clear();
    for (std::size_t i = 0; i < count; ++i)
      layers.names.push_back(std::to_string(i));
    layers.count = count;
  }
  layers.at = static_cast<std::size_t>(view.model.work->layer);
  // What the model cannot take would be lost: it is told why, and what to do about it.
  if (!view.model.detached.empty()) layers.asked.reset();
  if (const auto asked = std::exchange(layers.asked, std::nullopt); asked && *asked != layers.at) {
    const auto layer = static_cast<Index>(*asked);
    view.model.edits.push_back({"Another layer", [layer](OpenModel& work) { work.layer = layer; }});
  }
}

bool ModelController::takes(const Command& command, ViewState& view) const {
  const std::shared_ptr<const OpenModel>& work = view.model.work;
  if (!work) return false;
  if (std::holds_alternative<ReplaceTokens>(command)) {
    view.model.edits.push_back(
        {"Text", [text = text_of_command(command)](OpenModel& of) { set_text(of, text); }});
    return true;
  }
  TokenEdit edit{*work->network, work->ids};
  if (!std::visit(edit, command)) return false;
  view.model.edits.push_back({command_name(command), [ids = edit.ids](OpenModel& of) { set_ids(of, ids); }});
  return true;
}

}  // namespace headlight
