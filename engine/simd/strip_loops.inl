// The loops over strips of scores, included in vector_loops.cpp's unnamed namespace for its vector types.

struct Pair {  // one row of a strip
  Vector of[kVectors];
};

[[gnu::always_inline]] inline Pair load(const float* from) {
  Pair pair;
#pragma GCC unroll 2
  for (std::ptrdiff_t j = 0; j < kVectors; ++j)
    pair.of[j] = *reinterpret_cast<const Stored*>(from + j * kLanes);
  return pair;
}

[[gnu::always_inline]] inline void store(const Pair& pair, float* to) {
#pragma GCC unroll 2
  for (std::ptrdiff_t j = 0; j < kVectors; ++j)
    *reinterpret_cast<Stored*>(to + j * kLanes) = pair.of[j];
}

// score * factor + (bias - maximum): the exponent of a weight.
[[gnu::always_inline]] inline Vector below_maximum(const Vector& score, float factor, const Vector& bias,
                                                   const Vector& maximum) {
  return rounded(score * factor) + (bias - maximum);
}

[[gnu::always_inline]] inline Pair scaled(const float* strip, float factor, const float* bias,
                                          std::ptrdiff_t key) {
  Pair pair = load(strip + key * kColumns);
  const Pair added = bias ? load(bias + key * kColumns) : Pair{};
#pragma GCC unroll 2
  for (int j = 0; j < kVectors; ++j)
    pair.of[j] = pair.of[j] * factor + added.of[j];
  return pair;
}

void strip_maximum(const float* strip, std::ptrdiff_t keys, float factor, const float* bias, float* maximum) {
  Pair most = load(maximum);
  for (std::ptrdiff_t key = 0; key < keys; ++key) {
    const Pair here = scaled(strip, factor, bias, key);
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; ++j)
      most.of[j] = here.of[j] > most.of[j] ? here.of[j] : most.of[j];
  }
  store(most, maximum);
}

void strip_ends(const float* strip, std::ptrdiff_t keys, const float* bias, float* low, float* high) {
  Pair least = load(low), most = load(high);
  for (std::ptrdiff_t key = 0; key < keys; ++key) {
    const Pair here = load(strip + key * kColumns), added = bias ? load(bias + key * kColumns) : Pair{};
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; ++j) {
      const Vector above = here.of[j] + added.of[j], below = here.of[j] - added.of[j];
      least.of[j] = below < least.of[j] ? below : least.of[j];
      most.of[j] = above > most.of[j] ? above : most.of[j];
    }
  }
  store(least, low);
  store(most, high);
}

void strip_pool(const float* strip, std::ptrdiff_t keys, const float* bias, float* low, float* high,
                float* sum) {
  Pair least, most, all = {};
#pragma GCC unroll 2
  for (int j = 0; j < kVectors; ++j) {
    least.of[j] = Vector{} + __builtin_inff();
    most.of[j] = -least.of[j];
  }
  for (std::ptrdiff_t key = 0; key < keys; ++key) {
    const Pair here = load(strip + key * kColumns);
    const Pair added = bias ? load(bias + key * kColumns) : Pair{};
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; ++j) {
      const Vector above = here.of[j] + added.of[j], below = here.of[j] - added.of[j];
      least.of[j] = below < least.of[j] ? below : least.of[j];
      most.of[j] = above > most.of[j] ? above : most.of[j];
      all.of[j] += bias ? (added.of[j] == Vector{} ? here.of[j] : Vector{}) : here.of[j];
    }
  }
  store(least, low);
  store(most, high);
  store(all, sum);
}

// Joins halves of the vectors of the first half with those of the second, then quarters, and so on, until
// each of kLanes vectors is reduced to one lane: that of its index.
template <std::ptrdiff_t kHalf = kLanes / 2, class Join>
[[gnu::always_inline]] inline void fold_square(Vector (&rows)[kLanes], Join join) {
#pragma GCC unroll 8
  for (std::ptrdiff_t i = 0; i < kHalf; ++i) {
    exchange<static_cast<std::size_t>(kHalf)>(rows[i], rows[i + kHalf], std::make_index_sequence<kLanes>());
    rows[i] = join(rows[i], rows[i + kHalf]);
  }
  if constexpr (kHalf > 1) fold_square<kHalf / 2>(rows, join);
}

template <class Join>
[[gnu::always_inline]] inline void fold(const float* strip, std::ptrdiff_t rows, std::ptrdiff_t lanes,
                                        float* out, Join join) {
  std::ptrdiff_t lane = 0;
  for (; lane + kLanes <= lanes; lane += kLanes) {
    std::ptrdiff_t row = 0;
    for (; row + kLanes <= rows; row += kLanes) {
      Vector square[kLanes];
#pragma GCC unroll 16
      for (int i = 0; i < kLanes; ++i)
        square[i] = *reinterpret_cast<const Stored*>(strip + (row + i) * kColumns + lane);
      fold_square(square, join);
      Stored* const at = reinterpret_cast<Stored*>(out + row);
      const Vector before = *at;  // a copy is aligned; a reference to the memory would not be
      *at = join(before, square[0]);
    }
    for (; row < rows; ++row)
      for (int i = 0; i < kLanes; ++i)
        out[row] = join(out[row], strip[row * kColumns + lane + i]);
  }
  for (; lane < lanes; ++lane)
    for (std::ptrdiff_t row = 0; row < rows; ++row)
      out[row] = join(out[row], strip[row * kColumns + lane]);
}

void fold_low(const float* strip, std::ptrdiff_t rows, std::ptrdiff_t lanes, float* out) {
  fold(strip, rows, lanes, out, [](const auto& a, const auto& b) { return b < a ? b : a; });
}

void fold_high(const float* strip, std::ptrdiff_t rows, std::ptrdiff_t lanes, float* out) {
  fold(strip, rows, lanes, out, [](const auto& a, const auto& b) { return b > a ? b : a; });
}

void fold_sum(const float* strip, std::ptrdiff_t rows, std::ptrdiff_t lanes, float* out) {
  fold(strip, rows, lanes, out, [](const auto& a, const auto& b) { return a + b; });
}

void strip_exponentials(const float* strip, std::ptrdiff_t keys, float factor, const float* bias,
                        const float* maximum, float* out, double* sums, float* sixteens) {
  constexpr std::ptrdiff_t kSummed = 8;  // keys summed in float32: few enough that rounding does not matter
  using Doubles [[gnu::vector_size(kLanes * sizeof(double))]] = double;
  const Pair most = load(maximum);
  Doubles all[kVectors] = {};
  for (std::ptrdiff_t begin = 0; begin < keys; begin += kSummed) {
    const std::ptrdiff_t end = begin + kSummed < keys ? begin + kSummed : keys;
    Pair sum = {};
    for (std::ptrdiff_t key = begin; key < end; ++key) {
      Pair here = load(strip + key * kColumns);
      const Pair added = bias ? load(bias + key * kColumns) : Pair{};
#pragma GCC unroll 2
      for (int j = 0; j < kVectors; ++j) {
        here.of[j] = small_power_of_e(below_maximum(here.of[j], factor, added.of[j], most.of[j]));
        sum.of[j] += here.of[j];
      }
      store(here, out + key * kColumns);
    }
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; ++j)
      all[j] += __builtin_convertvector(sum.of[j], Doubles);
    if (!sixteens) continue;
    float* const at = sixteens + begin / 16 * kColumns;
    if (begin % 16 != 0) {
      const Pair before = load(at);
#pragma GCC unroll 2
      for (int j = 0; j < kVectors; ++j)
        sum.of[j] += before.of[j];
    }
    store(sum, at);
  }
  for (int j = 0; j < kVectors; ++j)
    for (int lane = 0; lane < kLanes; ++lane)
      sums[j * kLanes + lane] += all[j][lane];
}

void strip_weights(const float* strip, std::ptrdiff_t keys, float factor, const float* bias,
                   const float* maximum, const float* sum, float masked, float* out) {
  const Pair most = load(maximum), sums = load(sum);
  const Vector nothing = Vector{} - __builtin_inff(), instead = Vector{} + masked;
  for (std::ptrdiff_t key = 0; key < keys; ++key) {
    Pair here = scaled(strip, factor, bias, key);
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; ++j) {
      const Vector weight = power_of_e(here.of[j] - most.of[j]) / sums.of[j];
      here.of[j] = here.of[j] == nothing ? instead : weight;
    }
    store(here, out + key * kColumns);
  }
}

void strip_shares(const float* strip, std::ptrdiff_t keys, float factor, const float* bias,
                  const float* maximum, float away, double* logarithmic, double* distance) {
  constexpr std::ptrdiff_t kSummed = 8;  // as in strip_exponentials
  constexpr int kMagnitude = 0x7FFFFFFF;
  constexpr float kNothing = -200;  // its exponential is 0, and so is their product
  using Doubles [[gnu::vector_size(kLanes * sizeof(double))]] = double;
  const Pair most = load(maximum);
  Pair place;
  for (int lane = 0; lane < kColumns; ++lane)
    place.of[lane / kLanes][lane % kLanes] = away + static_cast<float>(lane);
  Doubles logarithms[kVectors] = {}, distances[kVectors] = {};
  for (std::ptrdiff_t begin = 0; begin < keys; begin += kSummed) {
    const std::ptrdiff_t end = begin + kSummed < keys ? begin + kSummed : keys;
    Pair logarithm = {}, far = {};
    for (std::ptrdiff_t key = begin; key < end; ++key) {
      const Pair here = load(strip + key * kColumns);
      const Pair added = bias ? load(bias + key * kColumns) : Pair{};
#pragma GCC unroll 2
      for (int j = 0; j < kVectors; ++j) {
        Vector below = below_maximum(here.of[j], factor, added.of[j], most.of[j]);
        below = below < kNothing ? Vector{} + kNothing : below;
        const Vector share = small_power_of_e(below);
        logarithm.of[j] += share * below;
        far.of[j] += share * (Vector)((Bits)(place.of[j] - static_cast<float>(key)) & kMagnitude);
      }
    }
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; ++j) {
      logarithms[j] += __builtin_convertvector(logarithm.of[j], Doubles);
      distances[j] += __builtin_convertvector(far.of[j], Doubles);
    }
  }
  for (int lane = 0; lane < kColumns; ++lane) {
    logarithmic[lane] += logarithms[lane / kLanes][lane % kLanes];
    distance[lane] += distances[lane / kLanes][lane % kLanes];
  }
}
