#include "app/cli/command_line.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <functional>
#include <iostream>
#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/animate_line.h"
#include "app/cli/array_line.h"
#include "app/cli/ask_command.h"
#include "app/cli/bundle_command.h"
#include "app/cli/changed_pass.h"
#include "app/cli/commands.h"
#include "app/cli/completion.h"
#include "app/cli/export_line.h"
#include "app/cli/model_commands.h"
#include "app/cli/option_checks.h"
#include "app/cli/page_command.h"
#include "app/cli/report_command.h"
#include "app/cli/run_arrays.h"
#include "app/cli/serve_command.h"
#include "app/cli/text_line.h"
#include "app/cli/training_lines.h"
#include "app/settings/version.h"
#include "app/terminal/manual_files.h"
#include "app/terminal/manual_print.h"
#include "app/terminal/terminal_size.h"
#include "app/terminal/visible_output.h"
#include "engine/core/error.h"
#include "engine/core/visible_text.h"

namespace headlight {
namespace {

constexpr int kLeastWindow = 320, kMostWindow = 16384;  // sides in pixels

// The values of options before they are interpreted.
struct Typed {
  std::string file, output, stage, heads = "all", theme, size, layers, decoder_ids, token_types, image, keep;
  std::vector<std::string> changes;  // of a model's folder
  TextLine text;                     // of a model's folder
  ArrayLine arrays;
  Index top = 10, steps = 0;
  std::string print_as = "numbers";
  double scale = 0, text_size = 0;
  bool force = false, without_first_key = false;
};

// The arguments in the reverse order that CLI11 requires. Splits an empty value, as in --text="", off as a
// separate argument: CLI11 would use the next argument as the value.
std::vector<std::string> last_first(int argc, const char* const* argv) {
  std::vector<std::string> arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool empty_value = argument.starts_with("--") && argument.find('=') + 1 == argument.size();
    arguments.push_back(empty_value ? argument.substr(0, argument.size() - 1) : argument);
    if (empty_value) arguments.emplace_back();
  }
  std::reverse(arguments.begin(), arguments.end());
  return arguments;
}

std::vector<std::string> run_array_names() {
  std::vector<std::string> names;
  for (const RunArray& array : run_arrays())
    names.emplace_back(array.name);
  return names;
}

StyleKind parse_theme(const std::string& text) {
  return text == "dark" ? StyleKind::Dark : StyleKind::Light;
}

void add_session(CLI::App& command, Typed& typed) {
  command.add_option("FILE", typed.file, "the session (.headlight)")
      ->type_name("")
      ->required()
      ->check(file_name());
  typed.text.add_model(command);
}

// A session, arrays, or a model's folder with a text.
void add_source(CLI::App& command, Typed& typed) {
  command
      .add_option("FILE", typed.file,
                  "the session (.headlight), arrays (.npy, .npz, .safetensors, .csv, .tsv), or a model (a "
                  "folder or .gguf)")
      ->type_name("")
      ->required()
      ->check(file_name());
  typed.text.add_text(command);
  typed.text.add_model(command);
  typed.arrays.add_to(command);
}

Source source_of(const Typed& typed) {
  Source source = typed.text.source(typed.file);
  source.arrays = typed.arrays.answers();
  return source;
}

void add_stage_options(CLI::App& command, Typed& typed) {
  add_source(command, typed);
  typed.text.add_layer(command);
  command.add_option("--stage", typed.stage, "which stage")
      ->type_name("NAME")
      ->check(CLI::IsMember(stage_names()));
  command.add_option("--head", typed.heads, kHeadsHelp)->type_name("LIST");
}

std::vector<std::string> measure_names() {
  std::vector<std::string> names = {"number"};
  for (const HeadMeasureInfo& info : head_measure_table())
    names.emplace_back(info.name);
  return names;
}

// "3" or "mask". Throws a usage error.
HeadPicture parse_picture(const std::string& text) {
  if (text == "mask") return {PictureKind::Mask, 0};
  Index head = 0;
  const auto [next, failed] = std::from_chars(text.data(), text.data() + text.size(), head);
  if (failed != std::errc() || next != text.data() + text.size() || head < 0)
    throw CLI::ValidationError("--like", "'" + text + "' is neither a head, as 3, nor mask");
  return {PictureKind::Head, head};
}

void add_theme(CLI::App& app, Typed& typed) {
  app.add_option("--theme", typed.theme, "dark or light")
      ->type_name("NAME")
      ->check(CLI::IsMember({"dark", "light"}));
}

StageChoice stage_choice(const Typed& typed) {
  StageChoice choice{*stage_from_name(typed.stage), parse_heads(typed.heads),
                     typed.arrays.sequence().value_or(0)};
  choice.pool = parse_head_pool(typed.heads);
  choice.without_first = typed.without_first_key;
  if (choice.without_first && choice.pool != HeadPool::Each)
    throw CLI::ValidationError("--without-first-key",
                               "it goes with each head's own weights, not with mean or max");
  return choice;
}

// Standard output as it is, without the filter for terminals: replies have bytes in them.
class PlainOutput : public std::streambuf {
 protected:
  std::streamsize xsputn(const char* bytes, std::streamsize count) override {
    return static_cast<std::streamsize>(std::fwrite(bytes, 1, static_cast<std::size_t>(count), stdout));
  }
  int_type overflow(int_type byte) override {
    return traits_type::eq_int_type(byte, traits_type::eof()) ? traits_type::not_eof(byte)
                                                              : std::putc(byte, stdout);
  }
  int sync() override { return std::fflush(stdout); }
};

// Whether the model could be opened.
bool serve_on_standard_streams(const std::string& folder) {
  PlainOutput buffer;
  std::ostream out(&buffer);
  return serve_model(folder, std::cin, out);
}

// The options of `headlight heads`.
class HeadsLine {
 public:
  void add_to(CLI::App& command, Typed& typed) {
    add_source(command, typed);
    typed.text.add_layer(command);
    command.add_option("-o,--output", typed.output, "a file of the table (.csv, .tsv, .json, .npz)")
        ->type_name("FILE")
        ->check(file_name());
    command.add_flag("--force", typed.force, "replace the file if it exists");
    command.add_option("--sort", sort_, "which measure the heads are sorted by, the largest first")
        ->type_name("MEASURE")
        ->check(CLI::IsMember(measure_names()));
    command.add_flag("--ascending", ascending_, "the smallest first");
    command
        .add_option("--like", like_,
                    "what like_picture compares the weights with: a head, as 3, or mask, the painted one")
        ->type_name(words_type("PICTURE", {"mask"}));
  }
  // Throws a usage error.
  HeadsOptions options(const Typed& typed) const {
    HeadsOptions options;
    options.source = source_of(typed);
    options.arrays_typed = typed.arrays.words();
    if (!typed.output.empty()) options.output = typed.output;
    options.force = typed.force;
    options.sequence = typed.arrays.sequence().value_or(0);
    options.sort = head_measure_named(sort_);
    options.ascending = ascending_;
    if (!like_.empty()) options.picture = parse_picture(like_);
    if (options.sort == HeadMeasure::LikePicture && like_.empty())
      throw CLI::ValidationError("--sort", "like_picture needs --like: a head, as 3, or mask");
    return options;
  }

 private:
  std::string sort_, like_;
  bool ascending_ = false;
};

// Declares the commands and the window's options to CLI11, and runs the parsed command.
class Parser {
 public:
  Parser() {
    app_.set_version_flag("--version", std::string("headlight ") + kVersion);
    app_.require_subcommand(0, 1);
    app_.add_option("FILE", files_,
                    "a session (.headlight) or a model (a folder or .gguf) to open in the window; arrays "
                    "(.npy, .npz, "
                    ".safetensors, .csv, .tsv) to bring into it")
        ->type_name("")
        ->check(file_name());
    add_theme(app_, typed_);
    app_.add_option("--scale", typed_.scale,
                    "size of everything in the window, 0.5 to 8 (the screen's by default)")
        ->type_name("N")
        ->check(number_between(0.5, 8));
    app_.add_option("--text-size", typed_.text_size,
                    "size of text in per cent, 50 to 300 (the preference by default)")
        ->type_name("N")
        ->check(number_between(50, 300));
    app_.add_option("--size", typed_.size, "size of the window, 1280x800 by default")->type_name("WxH");
    app_.add_option("--automation", automation_,
                    "for tests: once settled, write DIR/widgets.json and DIR/state.json")
        ->type_name("DIR")
        ->check(file_name());
    app_.add_option("--set", set_, "a data set to open beside a model, as `ask --set` takes it")
        ->type_name("FILE")
        ->check(file_name());
    app_.add_flag("--apply", apply_,
                  "bring the arrays of the file into the session at once, as the dialog proposes");
    typed_.arrays.add_to(app_);
    typed_.arrays.add_layer(app_);
    typed_.text.add_model(app_);
    app_.add_option("--screenshot", screenshot_, "write the window's picture as PNG once settled, and quit")
        ->type_name("FILE")
        ->check(file_name());

    app_.add_flag("--force", typed_.force,
                  "without a display: replace headlight-overview.png, the picture that is saved then");

    export_line_.add_to(
        add_command("export", "Save stages as figures or numbers", [this](auto& out, auto& err) {
          const ExportOptions options = export_line_.options();
          options.map ? export_model_map(options, out, err) : export_stages(options, out, err);
        }));
    add_compute_command();
    add_training_commands();
    heads_line_.add_to(
        add_command("heads", "Measure every head: induction, previous token and more",
                    [this](auto& out, auto& err) { measure_heads(heads_line_.options(typed_), out, err); }),
        typed_);
    ask_line_.add_to(
        add_command("ask", "Answer a question about a model and a text, or a set of texts",
                    [this](auto& out, auto& err) { ask_analysis(ask_line_.options(), out, err); }));
    add_serve_command();
    add_lesson_commands();
    add_print_command();
    add_command("manual", "Write a page of the manual to the terminal",
                [this](auto& out, auto&) { print_manual(out); })
        .add_option("PAGE", manual_page_, "the page (index by default, which lists them)")
        ->type_name_fn([] { return words_type("NAME", manual_pages()); });
  }

  CommandLine run(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
    CommandLine line;
    if (argc > 1 && std::string_view(argv[1]) == "--complete") {
      for (const std::string& candidate : completions(app_, {argv + 2, argv + argc}))
        out << candidate << '\n';
      line.exit_status = kDone;
      return line;
    }
    app_.parse(last_first(argc, argv));
    for (const Command& command : commands_) {
      if (!command.declared->parsed()) continue;
      line.exit_status = kDone;
      command.run(out, err);
      if (found_faults_) line.exit_status = kBadInput;
      return line;
    }
    return for_window();
  }

  // Help and version go to `out` with status 0; a usage error becomes one line on `err`.
  int report(const CLI::ParseError& error, std::ostream& out, std::ostream& err) const {
    if (error.get_exit_code() == 0) return app_.exit(error, out, err);
    std::string message = error.what();
    for (char& c : message)
      if (c == '\n') c = ' ';
    err << "headlight: " << message << " (see headlight " << command_name() << "--help)\n";
    return kBadUsage;
  }

 private:
  using Run = std::function<void(std::ostream& out, std::ostream& err)>;
  struct Command {
    CLI::App* declared;
    Run run;
  };
  CLI::App& add_command(const char* name, const char* what, Run run) {
    commands_.push_back({app_.add_subcommand(name, what), std::move(run)});
    return *commands_.back().declared;
  }

  void add_lesson_commands() {
    CLI::App& check =
        add_command("check", "Say everything that is wrong with lessons", [this](auto& out, auto&) {
          for (const std::string& file : files_)
            found_faults_ |= !check_lesson(file, out);
        });
    check.add_option("FILE", files_, "the lessons (.headlight)")
        ->type_name("")
        ->required()
        ->check(file_name());
    CLI::App& handout = add_command(
        "handout", "Save a lesson as pages to print, with answers at the end", [this](auto& out, auto& err) {
          save_handout(typed_.text.source(typed_.file), typed_.output, typed_.force, out, err);
        });
    add_session(handout, typed_);
    handout.add_option("-o,--output", typed_.output, "the pages (.pdf)")
        ->type_name("FILE")
        ->required()
        ->check(file_name());
    handout.add_flag("--force", typed_.force, "replace the file if it exists");
    add_page_command();
    animate_line_.add_to(
        add_command("animate", "Save how a cell is computed as an animation",
                    [this](auto& out, auto& err) { save_animation(animate_line_.options(), out, err); }));
    add_bundle_command();
    add_report_command();
    CLI::App& answers =
        add_command("answers", "Compare the answers that the readers of a lesson have saved",
                    [this](auto& out, auto& err) {
                      compare_answers(files_, {typed_.output, typed_.force, anonymous_}, out, err);
                    });
    answers.add_option("FILE", files_, "the files of answers (.json), or a folder of them")
        ->type_name("")
        ->required()
        ->check(file_name());
    answers
        .add_option("-o,--output", typed_.output,
                    "a page with all of them (.pdf), or a table for grading (.csv); without it, the terminal")
        ->type_name("FILE")
        ->check(file_name());
    answers.add_flag("--anonymous", anonymous_, "without names: what all answered, taken together");
    answers.add_flag("--force", typed_.force, "replace the file if it exists");
  }

  void add_serve_command() {
    CLI::App& serve =
        add_command("serve", "Keep a model open, and answer requests on the standard streams",
                    [this](auto&, auto&) { found_faults_ = !serve_on_standard_streams(typed_.file); });
    serve.add_option("FOLDER", typed_.file, "the model's folder, or one file (.gguf)")
        ->type_name("")
        ->required()
        ->check(file_name());
  }

  void add_page_command() {
    CLI::App& page = add_command(
        "page",
        "Save a session or a small model as one HTML file that shows and computes it in any browser; a "
        "folder of lessons as a course",
        [this](auto& out, auto& err) {
          const PageOptions options = {source_of(typed_), typed_.output, still_, typed_.force};
          if (is_course(options.source)) return save_course(options, out);
          save_page(options, out, err);
        });
    add_source(page, typed_);
    typed_.text.add_layer(page);
    page.add_option("-o,--output", typed_.output, "the page (.html), or the folder of a course")
        ->type_name("FILE")
        ->required()
        ->check(file_name());
    page.add_flag("--still", still_, "a picture and its numbers, without a script that computes them");
    page.add_flag("--force", typed_.force, "replace the file if it exists");
  }

  void add_bundle_command() {
    CLI::App& bundle =
        add_command("bundle", "Save a session with all that it needs as one file for another machine",
                    [this](auto& out, auto& err) { save_bundle_of(out, err); });
    add_session(bundle, typed_);
    bundle.add_option("-o,--output", typed_.output, "the bundle (.headlight)")
        ->type_name("FILE")
        ->required()
        ->check(file_name());
    bundle
        .add_option("--with-model", with_model_,
                    "whether the files of the session's model go in: small (those of at most 64 MB, the "
                    "default), always or never")
        ->type_name("WORD")
        ->check(CLI::IsMember({"always", "never", "small"}));
    bundle.add_flag("--force", typed_.force, "replace the file if it exists");
  }

  void add_report_command() {
    CLI::App& report = add_command(
        "report", "Save the report of a session as one page, as PDF or as Markdown with its pictures",
        [this](auto& out, auto&) {
          make_report({typed_.file, typed_.output, typed_.text.model(), add_changes_, target_, typed_.force},
                      out);
        });
    report.add_option("FILE", typed_.file, "the session (.headlight), or the text of a report (.md)")
        ->type_name("")
        ->required()
        ->check(file_name());
    typed_.text.add_model(report);
    report.add_option("-o,--output", typed_.output, "a page (.html), a PDF (.pdf), or a folder")
        ->type_name("FILE")
        ->check(file_name());
    CLI::Option* changes = report.add_flag(
        "--add-changes", add_changes_,
        "add a table to the report: each change of the session's model alone, and all together");
    report
        .add_option("--target", target_,
                    "of that table: whose logit, a word or an id as #42 (the likeliest by default)")
        ->type_name("TOKEN")
        ->needs(changes);
    report.add_flag("--force", typed_.force, "replace the file, or the report in the folder");
  }

  void save_bundle_of(std::ostream& out, std::ostream& err) const {
    BundleOptions options{typed_.file, typed_.output, typed_.text.model(), WithModel::Small, typed_.force};
    if (with_model_ == "always") options.with_model = WithModel::Always;
    if (with_model_ == "never") options.with_model = WithModel::Never;
    bundle_session(options, out, err);
  }

  void add_compute_command() {
    CLI::App& command = add_command("compute", "Save every stage as arrays", [this](auto& out, auto& err) {
      compute(err);
      out << typed_.output << " saved\n";
    });
    add_source(command, typed_);
    typed_.arrays.add_layer(command);
    command
        .add_option("--layers", typed_.layers,
                    "with a model's folder: whose stages are saved beside ids, residual and logits: all (the "
                    "default), none, or 0,3")
        ->type_name("LIST");
    command
        .add_option("--keep", typed_.keep,
                    "with a model's folder: in the place of stages these arrays of all layers, as "
                    "mlp,context,logits")
        ->type_name(words_type("LIST", run_array_names()))
        ->excludes("--layers");
    command
        .add_option("--decoder-ids", typed_.decoder_ids,
                    "with a model of two sides: the ids of its decoder, beside those of --text or --ids")
        ->type_name("LIST");
    command
        .add_option("--token-types", typed_.token_types,
                    "with a model that has them (bert): the segment of each token, as 0,0,0,1,1")
        ->type_name("LIST");
    command
        .add_option(
            "--image", typed_.image,
            "with a model of images: a picture (.png, .jpg), or the numbers as the model takes them (.npy)")
        ->type_name("FILE")
        ->check(file_name());
    add_changes(command, typed_.changes, std::string("with a model's folder: ") + kChangesHelp);
    command.add_option("-o,--output", typed_.output, "the arrays (.npz)")
        ->type_name("FILE")
        ->required()
        ->check(file_name());
    command.add_flag("--force", typed_.force, "replace the file if it exists");
  }

  void add_training_commands() {
    CLI::App& gradients_of = add_command("gradients", "Save how the loss of a goal changes with every number",
                                         [this](auto& out, auto& err) { gradients(out, err); });
    gradients_of
        .add_option("FILE", typed_.file,
                    "the session (.headlight), or a model's folder: the loss of predicting a text")
        ->type_name("")
        ->required()
        ->check(file_name());
    typed_.text.add_text(gradients_of);
    gradients_line_.add_to(gradients_of);
    typed_.text.add_model(gradients_of);
    gradients_of.add_option("-o,--output", typed_.output, "the arrays (.npz)")
        ->type_name("FILE")
        ->required()
        ->check(file_name());
    gradients_of.add_flag("--force", typed_.force, "replace the file if it exists");
    patches_line_.add_to(
        add_command("patches",
                    "Save what numbers of another text do to a model's prediction, estimated by its gradient",
                    [this](auto& out, auto& err) {
                      save_patches(patches_line_.options(typed_.text.text()), out, err);
                    }),
        typed_.text);
    CLI::App& training = add_command("train", "Train a session towards its goal, or a model on texts",
                                     [this](auto& out, auto& err) { train(out, err); });
    training.add_option("FILE", typed_.file, "the session (.headlight), or a model's folder")
        ->type_name("")
        ->required()
        ->check(file_name());
    train_line_.add_to(training);
    training
        .add_option("-o,--output", typed_.output,
                    "the trained session (.headlight), or the folder of the trained model")
        ->type_name("OUTPUT")
        ->check(file_name());
    training.add_flag("--force", typed_.force, "replace the file, or the model in that folder");
    CLI::App& init = add_command("init", "Make an untrained model, and its tokenizer from texts",
                                 [this](auto& out, auto& err) {
                                   make_model(init_line_.options(typed_.output), typed_.force, out, err);
                                 });
    init.add_option("FOLDER", typed_.output, "the folder of the model")
        ->type_name("")
        ->required()
        ->check(file_name());
    init_line_.add_to(init);
    init.add_flag("--force", typed_.force, "replace the model in that folder");
  }

  void train(std::ostream& out, std::ostream& err) const {
    require_exists(typed_.file);
    if (const auto last = train_line_.continued_to()) return continue_training(typed_.file, *last, out, err);
    if (typed_.output.empty()) throw CLI::RequiredError("--output");
    if (!is_model_folder(typed_.file)) {
      const Index steps = train_line_.steps_of_session();
      return train_session({typed_.file, typed_.output, steps, typed_.force}, out, err);
    }
    train_model(train_line_.options(typed_.file, typed_.output, typed_.force), out, err);
  }

  void add_print_command() {
    CLI::App& command =
        add_command("print", "Write a stage's numbers, or what a model expects, to the terminal",
                    [this](auto& out, auto& err) { print(out, err); });
    add_stage_options(command, typed_);
    command
        .add_option("--top", typed_.top,
                    "with a model's folder and no stage: so many of the likeliest tokens (10 by default)")
        ->type_name("N")
        ->check(CLI::Range(1, std::numeric_limits<int>::max()).description(""));
    command.add_flag("--without-first-key", typed_.without_first_key, kWithoutFirstHelp);
    command
        .add_option("--as", typed_.print_as,
                    "numbers (the default), or pytorch or numpy: a program that computes and prints them")
        ->type_name("NAME")
        ->check(CLI::IsMember({"numbers", "pytorch", "numpy"}));
    command
        .add_option("-o,--output", typed_.output,
                    "with --as pytorch or numpy: save the program (.py); more than 20,000 numbers go into "
                    "an .npz beside it")
        ->type_name("FILE")
        ->check(file_name());
    command.add_flag("--force", typed_.force, "replace these files if they exist");
  }

  void print_manual(std::ostream& out) const {
    constexpr std::size_t kLeast = 40, kWithoutTerminal = 100;
    const std::size_t columns = std::max(kLeast, terminal_columns().value_or(kWithoutTerminal));
    print_manual_page(read_manual_page(manual_page_), columns, out);
  }

  void compute(std::ostream& err) const {
    const GivenText text = typed_.text.text();
    if (!is_model_folder(typed_.file)) {
      if (!text.empty()) require_exists(typed_.file);
      if (!text.empty() || !typed_.layers.empty() || !typed_.decoder_ids.empty() ||
          !typed_.token_types.empty() || !typed_.image.empty() || !typed_.changes.empty() ||
          !typed_.keep.empty())
        throw CLI::ValidationError(
            "--text, --ids, --layers, --keep, --decoder-ids, --token-types, --image and --changes",
            "go with a model's folder");
      if (typed_.arrays.sequence() && !is_array_file(typed_.file))
        throw CLI::ValidationError("--sequence",
                                   "it goes with arrays: of a session all sequences are computed");
      return compute_stages(source_of(typed_), typed_.output, typed_.force, err);
    }
    if (typed_.arrays.any())
      throw CLI::ValidationError("--layer and the options of arrays",
                                 "go with a file of arrays or a session");
    refuse_model();
    ModelArrays requested{typed_.file,    text,          {},          {}, {}, typed_.image,
                          typed_.changes, typed_.output, typed_.force};
    if (!typed_.token_types.empty())
      requested.token_types = parse_numbers("--token-types", typed_.token_types);
    if (!typed_.decoder_ids.empty())
      requested.decoder_ids = parse_numbers("--decoder-ids", typed_.decoder_ids);
    if (!typed_.keep.empty()) requested.keep = CLI::detail::split(typed_.keep, ',');
    if (typed_.layers == "none")
      requested.layers.emplace();
    else if (!typed_.layers.empty() && typed_.layers != "all")
      requested.layers = parse_numbers("--layers", typed_.layers);
    compute_model(requested, err);
  }

  void gradients(std::ostream& out, std::ostream& err) const {
    const GivenText text = typed_.text.text();
    if (is_model_folder(typed_.file)) {
      refuse_model();
      ModelGradients requested = gradients_line_.options(typed_.file, text);
      requested.output = typed_.output;
      requested.force = typed_.force;
      return save_model_gradients(requested, out, err);
    }
    if (!text.empty() || gradients_line_.any()) {
      require_exists(typed_.file);
      throw CLI::ValidationError("--text, --ids, --set and --each", "go with a model's folder");
    }
    save_gradients(typed_.text.source(typed_.file), typed_.output, typed_.force, out);
  }

  // Throws a usage error if a model was named for a session, and the source is a model itself.
  void refuse_model() const {
    if (!typed_.text.model().empty())
      throw CLI::ValidationError("--model", "it goes with a session of a model");
  }

  void print(std::ostream& out, std::ostream& err) const {
    if (typed_.print_as == "numbers" && !typed_.output.empty())
      throw CLI::ValidationError("--output", "saves programs: add --as pytorch or --as numpy");
    if (typed_.print_as != "numbers" && typed_.without_first_key)
      throw CLI::ValidationError("--without-first-key", "programs print the stage itself: leave it out");
    const bool predictions = typed_.stage.empty() && is_model_folder(typed_.file);
    if (!typed_.text.text().empty() && !predictions) require_exists(typed_.file);
    if (typed_.stage.empty() && !predictions) throw CLI::RequiredError("--stage");
    if (predictions && typed_.text.source(typed_.file).layer)
      throw CLI::ValidationError("--layer", "it goes with --stage");
    if (predictions) refuse_model();
    if (predictions)
      print_predictions(typed_.file, typed_.text.text(), typed_.top, out, err);
    else if (typed_.print_as == "numbers")
      print_stage(source_of(typed_), stage_choice(typed_), out, err);
    else
      print_program(source_of(typed_), stage_choice(typed_),
                    typed_.print_as == "numpy" ? ProgramKind::NumPy : ProgramKind::PyTorch, typed_.output,
                    typed_.force, out, err);
  }

  CommandLine for_window() const {
    CommandLine line;
    line.files.assign(files_.begin(), files_.end());
    line.model = typed_.text.model();
    line.set = set_;
    if (!automation_.empty()) line.automation_dir = automation_;
    if (!screenshot_.empty()) line.screenshot = screenshot_;
    if (!typed_.theme.empty()) line.theme = parse_theme(typed_.theme);
    if (!typed_.size.empty()) {
      const auto [width, height] = parse_pixels("--size", typed_.size, kLeastWindow, kMostWindow);
      line.size = {width, height};
    }
    line.scale = static_cast<float>(typed_.scale);
    if (typed_.text_size > 0) line.text_scale = typed_.text_size / 100;
    line.force = typed_.force;
    line.apply = apply_;
    line.arrays = typed_.arrays.answers();
    return line;
  }

  std::string command_name() const {
    for (const Command& command : commands_)
      if (command.declared->parsed()) return command.declared->get_name() + " ";
    return "";
  }

  CLI::App app_{"A workbench for attention: every number on screen, traceable and editable.", "headlight"};
  std::vector<Command> commands_;
  ExportLine export_line_;
  AnimateLine animate_line_;
  HeadsLine heads_line_;
  AskLine ask_line_;
  PatchesLine patches_line_;
  GradientsLine gradients_line_;
  TrainModelLine train_line_;
  InitLine init_line_;
  Typed typed_;
  std::vector<std::string> files_;
  std::string automation_, screenshot_, set_, manual_page_ = "index", with_model_ = "small", target_;
  bool apply_ = false, anonymous_ = false, still_ = false, found_faults_ = false, add_changes_ = false;
};

}  // namespace

int checked_output(int status, std::ostream& out, std::ostream& err) {
  if (out.flush()) return status;
  err << "headlight: standard output: not everything could be written (is the disk full, or the output "
         "closed?)\n";
  return status == kDone ? int{kBadInput} : status;
}

CommandLine run_command_line(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  const VisibleOutput visible_out(out), visible_err(err);
  CommandLine line;
  Parser parser;
  try {
    line = parser.run(argc, argv, out, err);
  } catch (const CLI::ParseError& error) {
    line.exit_status = parser.report(error, out, err);
  } catch (const Error& error) {
    err << "headlight: " << visible_text(error.what())
        << '\n';  // one line, even if names contain line breaks
    line.exit_status = kBadInput;
  } catch (const std::bad_alloc&) {
    err << "headlight: there is not enough memory for this session (use fewer tokens or heads)\n";
    line.exit_status = kBadInput;
  }
  if (line.exit_status) line.exit_status = checked_output(*line.exit_status, out, err);
  return line;
}

}  // namespace headlight
