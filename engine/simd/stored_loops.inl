// The loops over weights as they are stored, included in vector_loops.cpp's unnamed namespace for its vector
// types.

using Halves [[gnu::vector_size(kLanes * 2)]] = unsigned short;
using UnalignedHalves [[gnu::vector_size(kLanes * 2), gnu::aligned(1), gnu::may_alias]] = unsigned short;

template <StoredType kType>
constexpr std::ptrdiff_t kStoredBytes = kType == StoredType::F32 ? 4 : 2;

// As float_from_half() in engine/checkpoint/half.h; without operations on subnormal numbers, which are slow.
[[gnu::always_inline]] inline Vector widened_halves(Bits bits) {
  constexpr float kExponentMoved = 0x1p112f, kSubnormalStep = 0x1p-24f;
  const Bits magnitude = bits & 0x7fff, normal = magnitude >= 0x400;
  const Vector large = (Vector)((magnitude << 13) | (~normal & 0x3f800000)) * kExponentMoved;
  const Vector small = __builtin_convertvector(magnitude, Vector) * kSubnormalStep;
  const Bits special = (large >= 65536.0f) & normal & 0x7f800000;
  const Bits wide = normal ? (Bits)large | special : (Bits)small;
  return (Vector)(wide | ((bits & 0x8000) << 16));
}

// Each number as the lower half of 32 bits. By name, because g++ 12 makes two instructions and a joining of it.
[[gnu::always_inline]] inline Bits zero_extended(Halves halves) {
#if defined(__AVX512F__)
  return (Bits)_mm512_maskz_cvtepu16_epi32(0xffff, (__m256i)halves);  // without a mask it warns (bug 105593)
#elif defined(__AVX2__)
  return (Bits)_mm256_cvtepu16_epi32((__m128i)halves);
#else
  return __builtin_convertvector(halves, Bits);
#endif
}

// kLanes numbers.
template <StoredType kType>
[[gnu::always_inline]] inline Vector load_stored(const char* from) {
  if constexpr (kType == StoredType::F32) {
    return *reinterpret_cast<const Unaligned*>(from);
  } else {
    const Bits bits = zero_extended(*reinterpret_cast<const UnalignedHalves*>(from));
    if constexpr (kType == StoredType::BF16)
      return (Vector)(bits << 16);
    else
      return widened_halves(bits);
  }
}

// The first `count` numbers of a vector; the others are zero.
template <StoredType kType>
Vector load_some(const char* from, std::ptrdiff_t count) {
  char room[static_cast<std::size_t>(kLanes * kStoredBytes<kType>)] = {};
  std::memcpy(room, from, static_cast<std::size_t>(count * kStoredBytes<kType>));
  return load_stored<kType>(room);
}

template <StoredType kType>
[[gnu::always_inline]] inline Vector load_up_to(const char* from, std::ptrdiff_t count) {
  if (count >= kLanes) return load_stored<kType>(from);
  return count > 0 ? load_some<kType>(from, count) : Vector{};
}

template <StoredType kType>
void pack_inputs(const StoredFactor& w, float* to) {
  const std::ptrdiff_t step = w.stride * kStoredBytes<kType>;
  const auto pack_all = [&](auto load) {
    for (std::ptrdiff_t input = 0; input < w.inputs; ++input)
#pragma GCC unroll 4
      for (std::ptrdiff_t j = 0; j < kVectors; ++j)
        *reinterpret_cast<Stored*>(to + input * kColumns + j * kLanes) =
            load(w.data + input * step + j * kLanes * kStoredBytes<kType>, w.outputs - j * kLanes);
  };
  if (w.outputs == kColumns)
    pack_all([](const char* from, std::ptrdiff_t) { return load_stored<kType>(from); });
  else
    pack_all([](const char* from, std::ptrdiff_t there) { return load_up_to<kType>(from, there); });
}

template <StoredType kType>
void pack_outputs(const StoredFactor& w, float* to) {
  constexpr std::ptrdiff_t kBytes = kStoredBytes<kType>;
  for (std::ptrdiff_t first = 0; first < kColumns; first += kLanes)
    for (std::ptrdiff_t input = 0; input < w.inputs; input += kLanes) {
      const std::ptrdiff_t there = w.inputs - input;
      Vector square[kLanes];
#pragma GCC unroll 16
      for (int i = 0; i < kLanes; ++i)
        square[i] = first + i < w.outputs
                        ? load_up_to<kType>(w.data + ((first + i) * w.stride + input) * kBytes, there)
                        : Vector{};
      transpose_square(square);
#pragma GCC unroll 16
      for (int i = 0; i < kLanes; ++i)
        if (i < there) *reinterpret_cast<Stored*>(to + (input + i) * kColumns + first) = square[i];
    }
}

// Calls function.template operator()<type>().
template <class Function>
void with_type(StoredType type, Function function) {
  switch (type) {
    case StoredType::F32:
      return function.template operator()<StoredType::F32>();
    case StoredType::BF16:
      return function.template operator()<StoredType::BF16>();
    case StoredType::F16:
      return function.template operator()<StoredType::F16>();
  }
}

void pack(const StoredFactor& w, float* to) {
  with_type(w.type, [&]<StoredType kType>() {
    w.transposed ? pack_outputs<kType>(w, to) : pack_inputs<kType>(w, to);
  });
}

template <StoredType kType>
void widen_row(const char* from, std::ptrdiff_t count, float* to) {
  std::ptrdiff_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    *reinterpret_cast<Stored*>(to + i) = load_stored<kType>(from + i * kStoredBytes<kType>);
  const Vector rest = load_up_to<kType>(from + i * kStoredBytes<kType>, count - i);
  for (std::ptrdiff_t lane = 0; lane < count - i; ++lane)
    to[i + lane] = rest[lane];
}

void widen_stored(StoredType type, const char* from, std::ptrdiff_t count, float* to) {
  with_type(type, [&]<StoredType kType>() { widen_row<kType>(from, count, to); });
}

float total(Vector vector) {
  float lanes[kLanes];
  *reinterpret_cast<Stored*>(lanes) = vector;
#pragma GCC unroll 4
  for (int half = kLanes / 2; half > 0; half /= 2)
#pragma GCC unroll 8
    for (int i = 0; i < half; ++i)
      lanes[i] += lanes[i + half];
  return lanes[0];
}

// Outputs [output, output + kOutputs), whose rows of weights are read side by side.
template <StoredType kType, int kCount, int kOutputs>
void dot_outputs(const FewRows& rows, const StoredFactor& w, std::ptrdiff_t output) {
  constexpr std::ptrdiff_t kBytes = kStoredBytes<kType>;
  const char* const from = w.data + output * w.stride * kBytes;
  Vector sums[kCount][kOutputs] = {};
  const auto add = [&](std::ptrdiff_t input, auto load_weights, auto load_numbers) {
    Vector x[kCount];
#pragma GCC unroll 4
    for (std::ptrdiff_t i = 0; i < kCount; ++i)
      x[i] = load_numbers(reinterpret_cast<const char*>(rows.x + i * rows.x_stride + input));
#pragma GCC unroll 8
    for (std::ptrdiff_t j = 0; j < kOutputs; ++j) {
      const Vector weights = load_weights(from + (j * w.stride + input) * kBytes);
#pragma GCC unroll 4
      for (std::ptrdiff_t i = 0; i < kCount; ++i)
        sums[i][j] += x[i] * weights;
    }
  };
  std::ptrdiff_t input = 0;
  for (; input + kLanes <= w.inputs; input += kLanes)
    add(
        input, [](const char* at) { return load_stored<kType>(at); },
        [](const char* at) { return load_stored<StoredType::F32>(at); });
  if (const std::ptrdiff_t rest = w.inputs - input; rest > 0)
    add(
        input, [rest](const char* at) { return load_some<kType>(at, rest); },
        [rest](const char* at) { return load_some<StoredType::F32>(at, rest); });
  for (std::ptrdiff_t i = 0; i < kCount; ++i)
    for (std::ptrdiff_t j = 0; j < kOutputs; ++j)
      rows.y[i * rows.y_stride + output + j] = total(sums[i][j]);
}

template <StoredType kType, int kCount>
void few_by_outputs(const FewRows& rows, const StoredFactor& w) {
  constexpr int kOutputs = kCount == 1 ? 8 : 4;  // as many sums as fit the registers
  std::ptrdiff_t output = 0;
  for (; output + kOutputs <= w.outputs; output += kOutputs)
    dot_outputs<kType, kCount, kOutputs>(rows, w, output);
  for (; output < w.outputs; ++output)
    dot_outputs<kType, kCount, 1>(rows, w, output);
}

// As many rows of x and outputs as make kLanes sums, which are then reduced together.
constexpr int kDotRows = 4, kDotOutputs = kLanes / kDotRows;

// w: kDotOutputs outputs of float32, one row each. rows.rows: at most kDotRows.
void multiply_dots(const FewRows& rows, const StoredFactor& w, Upcoming& to_request) {
  const float* x[kDotRows];
  for (std::ptrdiff_t i = 0; i < kDotRows; ++i)
    x[i] = rows.x + (i < rows.rows ? i : rows.rows - 1) * rows.x_stride;  // missing rows repeat the last one
  Vector sums[kLanes] = {};
  Upcoming upcoming = to_request;
  const auto add_step = [&](std::ptrdiff_t input, auto load) {
    Vector weights[kDotOutputs];
#pragma GCC unroll 4
    for (std::ptrdiff_t j = 0; j < kDotOutputs; ++j)
      weights[j] = load(w.data + (j * w.stride + input) * 4);
#pragma GCC unroll 4
    for (std::ptrdiff_t i = 0; i < kDotRows; ++i) {
      const Vector numbers = load(reinterpret_cast<const char*>(x[i] + input));
#pragma GCC unroll 4
      for (std::ptrdiff_t j = 0; j < kDotOutputs; ++j)
        sums[i * kDotOutputs + j] += numbers * weights[j];
    }
  };
  std::ptrdiff_t input = 0;
  for (; input + kLanes <= w.inputs; input += kLanes) {
    if (upcoming.rows > 0) request(upcoming, input / kLanes);
    add_step(input, [](const char* at) { return load_stored<StoredType::F32>(at); });
  }
  if (const std::ptrdiff_t rest = w.inputs - input; rest > 0)
    add_step(input, [rest](const char* at) { return load_some<StoredType::F32>(at, rest); });
  to_request = upcoming;
  fold_square(sums, [](const auto& a, const auto& b) { return a + b; });
  float all[kLanes];
  *reinterpret_cast<Stored*>(all) = sums[0];
  for (std::ptrdiff_t i = 0; i < rows.rows; ++i)
    for (std::ptrdiff_t j = 0; j < kDotOutputs; ++j)
      rows.y[i * rows.y_stride + j] = all[i * kDotOutputs + j];
}

// Adds what `inputs` inputs from `input` on contribute to at most kColumns outputs from `output` on; overwrites
// what the first inputs meet. kWhole: all of these outputs exist.
template <StoredType kType, int kCount, bool kWhole>
[[gnu::always_inline]] inline void add_inputs(const FewRows& rows, const StoredFactor& w, std::ptrdiff_t input,
                                              std::ptrdiff_t inputs, std::ptrdiff_t output) {
  constexpr std::ptrdiff_t kBytes = kStoredBytes<kType>;
  const std::ptrdiff_t step = w.stride * kBytes, there = w.outputs - output;
  const auto load = [&](const char* from, std::ptrdiff_t j) {
    if constexpr (kWhole)
      return load_stored<kType>(from + j * kLanes * kBytes);
    else
      return load_up_to<kType>(from + j * kLanes * kBytes, there - j * kLanes);
  };
  const char* from = w.data + input * step + output * kBytes;
  Vector sums[kCount][kVectors] = {};
  for (std::ptrdiff_t k = input; k < input + inputs; ++k, from += step) {
    __builtin_prefetch(from + inputs * step);  // the same outputs of the inputs that come next
    Vector weights[kVectors];
#pragma GCC unroll 4
    for (std::ptrdiff_t j = 0; j < kVectors; ++j)
      weights[j] = load(from, j);
#pragma GCC unroll 4
    for (std::ptrdiff_t i = 0; i < kCount; ++i)
#pragma GCC unroll 4
      for (std::ptrdiff_t j = 0; j < kVectors; ++j)
        sums[i][j] += rows.x[i * rows.x_stride + k] * weights[j];
  }
  for (std::ptrdiff_t i = 0; i < kCount; ++i) {
    float* const to = rows.y + i * rows.y_stride + output;
    if constexpr (kWhole) {
#pragma GCC unroll 4
      for (std::ptrdiff_t j = 0; j < kVectors; ++j) {
        Stored* const at = reinterpret_cast<Stored*>(to + j * kLanes);
        *at = input > 0 ? *at + sums[i][j] : sums[i][j];
      }
    } else {
      for (std::ptrdiff_t j = 0; j < there; ++j)
        to[j] = (input > 0 ? to[j] : 0.0f) + sums[i][j / kLanes][j % kLanes];
    }
  }
}

// Reads the weights of kInputs inputs side by side, so that memory is read in a few long streams.
template <StoredType kType, int kCount>
void few_by_inputs(const FewRows& rows, const StoredFactor& w) {
  constexpr std::ptrdiff_t kInputs = 8;
  const auto add = [&](std::ptrdiff_t input, std::ptrdiff_t inputs) {
    std::ptrdiff_t output = 0;
    for (; output + kColumns <= w.outputs; output += kColumns)
      add_inputs<kType, kCount, true>(rows, w, input, inputs, output);
    if (output < w.outputs) add_inputs<kType, kCount, false>(rows, w, input, inputs, output);
  };
  std::ptrdiff_t input = 0;
  for (; input + kInputs <= w.inputs; input += kInputs)
    add(input, kInputs);
  if (input < w.inputs || w.inputs == 0) add(input, w.inputs - input);
}

template <StoredType kType, int kCount>
void multiply_few_rows(const FewRows& rows, const StoredFactor& w) {
  w.transposed ? few_by_outputs<kType, kCount>(rows, w) : few_by_inputs<kType, kCount>(rows, w);
}

void multiply_few(const FewRows& rows, const StoredFactor& w) {
  with_type(w.type, [&]<StoredType kType>() {
    if (rows.rows == 1) return multiply_few_rows<kType, 1>(rows, w);
    rows.rows == 2 ? multiply_few_rows<kType, 2>(rows, w) : multiply_few_rows<kType, 3>(rows, w);
  });
}
