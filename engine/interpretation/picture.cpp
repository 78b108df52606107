#include "engine/interpretation/picture.h"

#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include <jpeglib.h>
#include <png.h>

#include "engine/core/error.h"
#include "engine/core/file.h"

namespace headlight {
namespace {

constexpr const char* kMendPicture = "save it again as a PNG or JPEG file";

[[noreturn]] void refuse_picture(const std::string& what, const std::filesystem::path& path) {
  throw Error("the picture cannot be read: " + what, path.string(), kMendPicture);
}

// What the libraries report. They leave their functions by longjmp, so that what they call and what calls
// them has no objects with destructors.
struct Failure {
  std::jmp_buf leave;
  char message[256] = "";
};

void copy_message(Failure& failure, const char* message) {
  std::snprintf(failure.message, sizeof failure.message, "%s", message);
}

// ---- PNG ----

struct PngBytes {
  const unsigned char* next;
  std::size_t left;
};

void fail_png(png_structp png, png_const_charp message) {
  auto& failure = *static_cast<Failure*>(png_get_error_ptr(png));
  copy_message(failure, message);
  std::longjmp(failure.leave, 1);
}

void pass_over(png_structp /*png*/, png_const_charp /*message*/) {}

void read_png_bytes(png_structp png, png_bytep to, png_size_t count) {
  auto& bytes = *static_cast<PngBytes*>(png_get_io_ptr(png));
  if (count > bytes.left) png_error(png, "the file is cut");
  std::memcpy(to, bytes.next, count);
  bytes.next += count;
  bytes.left -= count;
}

// Reads the header and sets the size; false on failure.
bool begin_png(png_structp png, png_infop info, Failure& failure, Picture& picture) {
  if (setjmp(failure.leave)) return false;
  png_read_info(png, info);
  const int color = png_get_color_type(png, info);
  png_set_expand(png);
  png_set_strip_16(png);
  png_set_strip_alpha(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  picture.width = static_cast<Index>(png_get_image_width(png, info));
  picture.height = static_cast<Index>(png_get_image_height(png, info));
  picture.channels = (color & PNG_COLOR_MASK_COLOR) != 0 ? 3 : 1;
  return true;
}

bool finish_png(png_structp png, Failure& failure, png_bytepp rows) {
  if (setjmp(failure.leave)) return false;
  png_read_image(png, rows);
  png_read_end(png, nullptr);
  return true;
}

// ---- JPEG ----

struct JpegErrors {
  jpeg_error_mgr manager;  // first, because the library gives a pointer to it
  Failure failure;
};

void fail_jpeg(j_common_ptr jpeg) {
  auto& errors = *reinterpret_cast<JpegErrors*>(jpeg->err);
  char message[JMSG_LENGTH_MAX];
  jpeg->err->format_message(jpeg, message);
  copy_message(errors.failure, message);
  std::longjmp(errors.failure.leave, 1);
}

// A warning means that bytes are missing or damaged.
void warn_jpeg(j_common_ptr jpeg, int level) {
  if (level < 0) fail_jpeg(jpeg);
}

bool begin_jpeg(jpeg_decompress_struct& jpeg, std::string_view bytes, Failure& failure, Picture& picture) {
  if (setjmp(failure.leave)) return false;
  jpeg_create_decompress(&jpeg);
  jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(bytes.data()),
               static_cast<unsigned long>(bytes.size()));
  jpeg_read_header(&jpeg, TRUE);
  if (jpeg.jpeg_color_space != JCS_GRAYSCALE) jpeg.out_color_space = JCS_RGB;
  jpeg_calc_output_dimensions(&jpeg);
  picture.width = static_cast<Index>(jpeg.output_width);
  picture.height = static_cast<Index>(jpeg.output_height);
  picture.channels = jpeg.out_color_space == JCS_RGB ? 3 : 1;
  return true;
}

bool finish_jpeg(jpeg_decompress_struct& jpeg, Failure& failure, unsigned char* to, std::size_t row_bytes) {
  if (setjmp(failure.leave)) return false;
  jpeg_start_decompress(&jpeg);
  while (jpeg.output_scanline < jpeg.output_height) {
    JSAMPROW row = to + jpeg.output_scanline * row_bytes;
    jpeg_read_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_decompress(&jpeg);
  return true;
}

void make_room(Picture& picture, const std::filesystem::path& path) {
  if (picture.width < 1 || picture.height < 1 || picture.height > kMostPixels / picture.width)
    refuse_picture("it has " + std::to_string(picture.width) + " x " + std::to_string(picture.height) +
                       " pixels, and at most " + std::to_string(kMostPixels) + " are read",
                   path);
  picture.bytes.resize(static_cast<std::size_t>(picture.width * picture.height * picture.channels));
}

Picture read_png(std::string_view bytes, const std::filesystem::path& path) {
  Failure failure;
  Picture picture;
  PngBytes source = {reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()};
  struct Reader {
    png_structp png;
    png_infop info;
    ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
  } reader = {png_create_read_struct(PNG_LIBPNG_VER_STRING, &failure, fail_png, pass_over), nullptr};
  if (reader.png) reader.info = png_create_info_struct(reader.png);
  if (!reader.info) throw std::bad_alloc();
  png_set_read_fn(reader.png, &source, read_png_bytes);
  if (!begin_png(reader.png, reader.info, failure, picture)) refuse_picture(failure.message, path);
  make_room(picture, path);
  std::vector<png_bytep> rows;
  for (Index row = 0; row < picture.height; ++row)
    rows.push_back(picture.bytes.data() + row * picture.width * picture.channels);
  if (!finish_png(reader.png, failure, rows.data())) refuse_picture(failure.message, path);
  return picture;
}

Picture read_jpeg(std::string_view bytes, const std::filesystem::path& path) {
  JpegErrors errors;
  Picture picture;
  struct Reader {
    jpeg_decompress_struct jpeg = {};
    ~Reader() { jpeg_destroy_decompress(&jpeg); }
  } reader;
  reader.jpeg.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = fail_jpeg;
  errors.manager.emit_message = warn_jpeg;
  if (!begin_jpeg(reader.jpeg, bytes, errors.failure, picture)) refuse_picture(errors.failure.message, path);
  make_room(picture, path);
  const auto row_bytes = static_cast<std::size_t>(picture.width * picture.channels);
  if (!finish_jpeg(reader.jpeg, errors.failure, picture.bytes.data(), row_bytes))
    refuse_picture(errors.failure.message, path);
  return picture;
}

}  // namespace

Picture read_picture(const std::filesystem::path& path) {
  require_file(path, std::uint64_t{1} << 30);
  const std::string bytes = read_file(path);
  if (bytes.starts_with("\x89PNG")) return read_png(bytes, path);
  if (bytes.starts_with("\xff\xd8\xff")) return read_jpeg(bytes, path);
  refuse_picture("it is neither PNG nor JPEG", path);
}

}  // namespace headlight
