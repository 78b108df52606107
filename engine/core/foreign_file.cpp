#include "engine/core/foreign_file.h"

#include <algorithm>
#include <array>

#include "engine/core/ascii.h"
#include "engine/core/file.h"
#include "engine/core/nearest.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

struct Nature {
  const char* what;
  const char* hint;
};

constexpr Nature kPointer = {"this is a Git LFS pointer, a few lines of text in the place of the file itself",
                             "run git lfs pull in the folder that was cloned, or download the file itself"};
constexpr Nature kPage = {
    "this is a web page (HTML or XML) that was saved in the place of the file",
    "download the file itself: /resolve/ in the place of /blob/ in its address on the hub; "
    "where the page asks for it, log in first"};
constexpr Nature kEmpty = {"the file is empty: it is too short for anything",
                           "it may not have been written or downloaded completely: copy it again"};
constexpr Nature kTorch = {
    "this is a file of torch.save: it is pickled, may hold programs, and is not opened",
    "save its tensors in Python: t = torch.load(path, map_location='cpu'); numpy.savez('arrays.npz', **{n: "
    "a.float().numpy() for n, a in t.items()}), or numpy.save of one; of a model: "
    "AutoModelForCausalLM.from_pretrained(folder).save_pretrained(folder, safe_serialization=True)"};
constexpr Nature kPickle = {"this is a pickle of Python: it may hold programs, and is not opened",
                            "save its arrays in Python: a = pickle.load(open(path, 'rb')); "
                            "numpy.savez('arrays.npz', **a) of a dictionary, "
                            "numpy.save('array.npy', a) of one array"};
constexpr Nature kHdf5 = {
    "this is an HDF5 file (.h5), as Keras writes it, and is not opened",
    "save its arrays in Python: d = {}; h5py.File(path).visititems(lambda n, a: d.update({n: a[()]}) if "
    "hasattr(a, 'shape') else None); numpy.savez('arrays.npz', **d)"};
constexpr Nature kKeras = {"this is a model of Keras (.keras), and is not opened",
                           "save its arrays in Python: m = keras.models.load_model(path); "
                           "numpy.savez('arrays.npz', **{w.path: w.numpy() "
                           "for w in m.weights})"};
constexpr Nature kCheckpoint = {
    "this is a checkpoint (.ckpt), which holds programs or belongs to other files, and is not opened",
    "save its arrays in Python: of PyTorch t = torch.load(path, map_location='cpu')['state_dict'], of "
    "TensorFlow r = "
    "tf.train.load_checkpoint(path); t = {n: r.get_tensor(n) for n in r.get_variable_to_shape_map()}; then "
    "numpy.savez('arrays.npz', **t), with a.float().numpy() of tensors"};
constexpr Nature kPacked = {"this file is packed (gzip, 7z, xz, bzip2, zstd, rar or tar)",
                            "unpack it first, as with gunzip, 7z x or tar xf, and open what is in it"};
constexpr Nature kZip = {"this is a zip archive of other files", "unpack it first, and open what is in it"};
constexpr Nature kSheet = {"this is a file of a spreadsheet",
                           "save the sheet as CSV (UTF-8) there, and open that"};
constexpr Nature kMatlab = {"this is a file of MATLAB",
                            "save its arrays in Python: numpy.savez('arrays.npz', **{n: a for n, a in "
                            "scipy.io.loadmat(path).items() if not n.startswith('__')})"};
constexpr Nature kParquet = {
    "this is a table in Parquet, Feather or Arrow",
    "save it as text in Python: pandas.read_parquet(path).to_csv('table.csv'), or read_feather"};
constexpr Nature kOtherWeights = {
    "these are weights in the form of another program (ONNX, TensorFlow, Flax), and are not opened",
    "take the folder of the model with model.safetensors; from Flax or TensorFlow: "
    "AutoModelForCausalLM.from_pretrained(folder, from_flax=True).save_pretrained(folder, "
    "safe_serialization=True), or from_tf=True"};
constexpr Nature kGguf = {"this is a whole model in one file (GGUF), and no file of arrays",
                          "open it as a model: headlight FILE.gguf, or with --text where a command "
                          "takes a model's folder"};
constexpr Nature kNpy = {"this is a .npy file under another name", "rename it so that it ends in .npy"};
constexpr Nature kNpz = {"this is a .npz file under another name", "rename it so that it ends in .npz"};
constexpr Nature kTensors = {"this is a .safetensors file under another name",
                             "rename it so that it ends in .safetensors"};
constexpr Nature kSession = {"this is a Headlight session under another name",
                             "rename it so that it ends in .headlight"};
constexpr Nature kPicture = {"this is a picture or a document, and holds no arrays",
                             "open the numbers that it was made of"};

struct Beginning {
  std::string_view bytes;
  const Nature* nature;
};

// Byte sequences at the start of binary files.
constexpr std::string_view kHdf5Bytes = "\x89HDF\r\n\x1a\n", kPngBytes = "\x89PNG\r\n\x1a\n";
constexpr std::array<Beginning, 15> kBeginnings = {{{"\x1f\x8b", &kPacked},
                                                    {"7z\xbc\xaf\x27\x1c", &kPacked},
                                                    {"\xfd\x37zXZ", &kPacked},
                                                    {"BZh", &kPacked},
                                                    {"\x28\xb5\x2f\xfd", &kPacked},
                                                    {"Rar!\x1a", &kPacked},
                                                    {kHdf5Bytes, &kHdf5},
                                                    {kPngBytes, &kPicture},
                                                    {"\xff\xd8\xff", &kPicture},
                                                    {"%PDF-", &kPicture},
                                                    {"MATLAB 5.0 MAT-file", &kMatlab},
                                                    {"PAR1", &kParquet},
                                                    {"ARROW1", &kParquet},
                                                    {"GGUF", &kGguf},
                                                    {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", &kSheet}}};

// File extensions in lower case, for formats that are recognized by name.
constexpr std::array<Beginning, 33> kEndings = {{{".pt", &kTorch},
                                                 {".pth", &kTorch},
                                                 {".bin", &kTorch},
                                                 {".pkl", &kPickle},
                                                 {".pickle", &kPickle},
                                                 {".joblib", &kPickle},
                                                 {".ckpt", &kCheckpoint},
                                                 {".h5", &kHdf5},
                                                 {".hdf5", &kHdf5},
                                                 {".keras", &kKeras},
                                                 {".gz", &kPacked},
                                                 {".tgz", &kPacked},
                                                 {".7z", &kPacked},
                                                 {".xz", &kPacked},
                                                 {".bz2", &kPacked},
                                                 {".zst", &kPacked},
                                                 {".rar", &kPacked},
                                                 {".tar", &kPacked},
                                                 {".zip", &kZip},
                                                 {".xlsx", &kSheet},
                                                 {".xls", &kSheet},
                                                 {".ods", &kSheet},
                                                 {".mat", &kMatlab},
                                                 {".parquet", &kParquet},
                                                 {".feather", &kParquet},
                                                 {".arrow", &kParquet},
                                                 {".gguf", &kGguf},
                                                 {".onnx", &kOtherWeights},
                                                 {".pb", &kOtherWeights},
                                                 {".tflite", &kOtherWeights},
                                                 {".msgpack", &kOtherWeights},
                                                 {".html", &kPage},
                                                 {".ggml", &kOtherWeights}}};

// The text without a UTF-8 byte order mark and leading blanks.
std::string_view without_blanks(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  return head.substr(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
}

bool is_page(std::string_view head) {
  const std::string text = lowered(without_blanks(head).substr(0, 64));
  return text.starts_with("<!doctype") || text.starts_with("<html") || text.starts_with("<?xml") ||
         text.starts_with("<error") || text.starts_with("<head");
}

bool is_pickle(std::string_view head) {
  return head.size() > 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5;
}

// The format of torch.save before it became a zip archive.
bool is_old_torch(std::string_view head) {
  return is_pickle(head) && head.find("\x8a\x0a\x6c\xfc\x9c\x46\xf9") != std::string_view::npos;
}

// The name of an archive's first member.
std::string_view first_member(std::string_view head) {
  constexpr std::size_t kLength = 26, kName = 30;
  if (head.size() < kName) return {};
  const std::size_t length = static_cast<unsigned char>(head[kLength]) |
                             static_cast<std::size_t>(static_cast<unsigned char>(head[kLength + 1])) << 8;
  return head.substr(kName, length);
}

const Nature* nature_of_zip(std::string_view head, FileForm form) {
  const std::string_view name = first_member(head);
  for (const char* of_torch : {"data.pkl", "constants.pkl", "/version", "/byteorder", "/.format_version"})
    if (name.ends_with(of_torch)) return &kTorch;
  for (const char* of_sheet : {"[Content_Types].xml", "_rels/.rels", "mimetype"})
    if (name == of_sheet) return &kSheet;
  for (const char* of_keras : {"metadata.json", "config.json", "model.weights.h5"})
    if (name == of_keras) return &kKeras;
  if (form == FileForm::Session) return nullptr;  // its members have no fixed order
  if (name == "session.json") return &kSession;
  if (form == FileForm::Npz) return nullptr;
  return name.ends_with(".npy") ? &kNpz : &kZip;
}

bool begins_as_tensors(std::string_view head) {
  return head.size() > 9 && head[8] == '{' && head[6] == '\0' && head[7] == '\0';
}

const Nature* nature_of(std::string_view head, FileForm form) {
  const bool text_form = form == FileForm::Table || form == FileForm::Json || form == FileForm::Session;
  if (head.empty()) return text_form ? nullptr : &kEmpty;
  if (head.starts_with("version https://git-lfs")) return &kPointer;
  if (form == FileForm::Gguf && head.starts_with("GGUF")) return nullptr;
  // Tested first: the header's length may contain the first bytes of any other format.
  if (form == FileForm::Safetensors && begins_as_tensors(head)) return nullptr;
  if (is_page(head)) return &kPage;
  if (head.starts_with("PK\3\4")) return nature_of_zip(head, form);
  const bool has_controls = std::any_of(head.begin(), head.end(), [](unsigned char letter) {
    return letter < 0x20 && letter != '\n' && letter != '\r' && letter != '\t';
  });
  for (const Beginning& known : kBeginnings)  // a text may begin with a word such as GGUF
    if (head.starts_with(known.bytes) && (has_controls || known.nature == &kPicture)) return known.nature;
  if (head.size() > 262 && head.substr(257, 5) == "ustar") return &kPacked;
  if (is_old_torch(head)) return &kTorch;
  if (is_pickle(head)) return &kPickle;
  if (head.starts_with("\x93NUMPY")) return form == FileForm::Npy ? nullptr : &kNpy;
  if (begins_as_tensors(head)) return &kTensors;
  const bool no_json = form != FileForm::Json && form != FileForm::Session;
  if (no_json && head.find("\"headlight-session\"") != std::string_view::npos) return &kSession;
  return nullptr;
}

// A server's error message that was saved as the file: not found, or no permission.
std::optional<Error> error_text(std::string_view head, FileForm form, const std::string& where) {
  if (head.size() >= kForeignHead || form == FileForm::Session) return {};
  const std::string_view text = without_blanks(head);
  const std::string small = lowered(text);
  const bool answer = small.starts_with("{\"error\"") || small.starts_with("entry not found") ||
                      small.starts_with("repository not found") || small.starts_with("not found") ||
                      small.starts_with("invalid ") || small.starts_with("unauthorized") ||
                      small.starts_with("forbidden") || small.starts_with("access to ") ||
                      small.starts_with("404");
  if (!answer || (form == FileForm::Table && small.find(',') != std::string::npos)) return {};
  return Error("this is an error message that was saved in the place of the file: " +
                   in_quotes(text.substr(0, text.find_last_not_of("\r\n") + 1)),
               where, "check the address, log in where that is needed, and download the file again");
}

std::string head_of(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) ? read_piece(path, 0, kForeignHead) : std::string("?");
}

}  // namespace

std::optional<Error> foreign_content(std::string_view head, FileForm form, const std::string& where) {
  head = head.substr(0, kForeignHead);
  const Nature* nature = nature_of(head, form);
  if (!nature) return error_text(head, form, where);
  return Error(nature->what, where, nature->hint);
}

void require_form(const fs::path& path, FileForm form) {
  // A session's archive is opened as FileForm::Npz to read its arrays.
  const bool is_session = form == FileForm::Npz && lowered(path.extension().string()) == ".headlight";
  if (is_session) form = FileForm::Session;
  const std::optional<Error> error = foreign_content(head_of(path), form, path.string());
  if (error) throw *error;
}

std::optional<Error> foreign_file(const fs::path& path) {
  const std::string head = head_of(path);
  if (auto by_content = foreign_content(head, FileForm::Session, path.string())) return by_content;
  if (without_blanks(head).starts_with('{')) return {};  // a session may have any name
  const std::string ending = lowered(path.extension().string());
  for (const Beginning& known : kEndings)
    if (ending == known.bytes) return Error(known.nature->what, path.string(), known.nature->hint);
  return {};
}

}  // namespace headlight
