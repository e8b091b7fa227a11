// What translated kernels are made of: numbers, arrays, byte instructions, and their exchange with Python.
//
// A number in a kernel is i64, u64, double or bool, whatever the cells of arrays are. Types never mix by accident:
// what Python code would have to think about (u64 with i64, numbers as truth values) does not compile.
#pragma once
#include "abi3.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

typedef int64_t i64;
typedef uint64_t u64;
#define INLINED static inline __attribute__((always_inline))
#define MEMBER inline __attribute__((always_inline))

template <class A, class B> constexpr bool same = std::is_same_v<A, B>;
template <class T> constexpr bool is_number = same<T, i64> || same<T, u64> || same<T, double> || same<T, bool>;
template <class T> constexpr bool is_whole = same<T, i64> || same<T, bool>;

#ifdef CHECKED
#define WHERE , const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define CHECK(i, size) check(i, size, file, line)
#define CHECK_PART(b, e, size) (check(b, size + 1, file, line), check(e, size + 1, file, line))
[[maybe_unused]] static void check(i64 i, i64 size, const char *file, int line) {
  if (i >= 0 && i < size) return;
  fprintf(stderr, "%s:%d: index %lld of %lld\n", file, line, (long long)i, (long long)size);
  abort();
}
#else
#define WHERE
#define CHECK(i, size) ((void)0)
#define CHECK_PART(b, e, size) ((void)0)
#endif

// Cells become numbers.
INLINED constexpr i64 num(int8_t v) { return v; }
INLINED constexpr i64 num(int16_t v) { return v; }
INLINED constexpr i64 num(int32_t v) { return v; }
INLINED constexpr i64 num(i64 v) { return v; }
INLINED constexpr i64 num(uint8_t v) { return v; }
INLINED constexpr i64 num(uint16_t v) { return v; }
INLINED constexpr i64 num(uint32_t v) { return v; }
INLINED constexpr u64 num(u64 v) { return v; }
INLINED constexpr bool num(bool v) { return v; }
INLINED constexpr double num(double v) { return v; }
INLINED constexpr double num(float v) { return v; }
template <class T> using number = decltype(num(T()));

template <class T> struct Vector {
  typedef T cell;
  T *data;
  i64 size;
  MEMBER i64 shape(int) const { return size; }
  MEMBER Vector part(i64 b, i64 e WHERE) const { return CHECK_PART(b, e, size), Vector{data + b, e - b}; }
};
template <class T> struct Table {
  typedef T cell;
  T *data;
  i64 rows, columns, size;
  MEMBER i64 shape(int d) const { return d ? columns : rows; }
  MEMBER Table part(i64 b, i64 e WHERE) const {
    return CHECK_PART(b, e, rows), Table{data + b * columns, e - b, columns, (e - b) * columns};
  }
};
template <class T> struct Cube {
  typedef T cell;
  T *data;
  i64 planes, rows, columns, size;
  MEMBER i64 shape(int d) const { return d == 0 ? planes : d == 1 ? rows : columns; }
};
// A vector of one of two types of cells.
template <class A, class B> struct Either {
  const void *data;
  i64 size;
  bool second;
};

template <class T> constexpr bool is_array = false;
template <class T> constexpr bool is_array<Vector<T>> = true;
template <class T> constexpr bool is_array<Table<T>> = true;
template <class T> constexpr bool is_array<Cube<T>> = true;

// Conversions that lose nothing; all others must be written in Python.
template <class T, class V> struct Converted {
  static MEMBER T from(V v) {
    if constexpr (same<T, i64>) static_assert(is_whole<V>, "not an int: write int(), or signed() for a word");
    else if constexpr (same<T, u64>) static_assert(same<V, u64>, "not a np.uint64: write np.uint64()");
    else if constexpr (same<T, double>) static_assert(is_whole<V> || same<V, double>, "not a float");
    else static_assert(same<T, V>, "a value of another type");
    return (T)v;
  }
};
template <class T, size_t N, class... V> struct Converted<std::array<T, N>, std::tuple<V...>> {
  static MEMBER std::array<T, N> from(std::tuple<V...> v) {
    static_assert(sizeof...(V) == N, "a tuple of another length");
    return std::apply([](auto... one) { return std::array<T, N>{Converted<T, decltype(one)>::from(one)...}; }, v);
  }
};
template <class T, size_t N, class V> struct Converted<std::array<T, N>, std::array<V, N>> {
  static MEMBER std::array<T, N> from(std::array<V, N> v) {
    return std::apply([](auto... one) { return std::array<T, N>{Converted<T, V>::from(one)...}; }, v);
  }
};
template <class... T, class... V> struct Converted<std::tuple<T...>, std::tuple<V...>> {
  static MEMBER std::tuple<T...> from(std::tuple<V...> v) {
    static_assert(sizeof...(T) == sizeof...(V), "a tuple of another length");
    return std::apply([](auto... one) { return std::tuple<T...>{Converted<T, V>::from(one)...}; }, v);
  }
};
template <class... T, class V, size_t N> struct Converted<std::tuple<T...>, std::array<V, N>> {
  static MEMBER std::tuple<T...> from(std::array<V, N> v) {
    return std::apply([](auto... one) { return std::tuple<T...>{Converted<T, V>::from(one)...}; }, v);
  }
};
template <class T, class V> INLINED T as(V v) {
  if constexpr (same<T, V>) return v;
  else return Converted<T, V>::from(v);
}

// The common type of two numbers, or of two values that are alternatives.
template <class A, class B> constexpr auto common() {
  if constexpr (!is_number<A> || !is_number<B>) {
    static_assert(same<A, B>, "values of different types");
    return std::type_identity<A>();
  } else if constexpr (same<A, double> || same<B, double>) {
    static_assert(!same<A, u64> && !same<B, u64>, "np.uint64 with float: write np.float64()");
    return std::type_identity<double>();
  } else if constexpr (same<A, u64> || same<B, u64>) {
    static_assert(same<A, B>, "np.uint64 with int: write np.uint64() or signed()");
    return std::type_identity<u64>();
  } else return std::type_identity<i64>();
}
template <class A, class B> using joined = typename decltype(common<A, B>())::type;
template <class A, class B> constexpr auto either() {
  if constexpr (same<A, B>) return std::type_identity<A>();
  else return common<A, B>();
}
template <class A, class B> using alternative = typename decltype(either<A, B>())::type;

#define ARITHMETIC(name, op)                                                                                         \
  template <class A, class B> INLINED joined<A, B> name(A a, B b) {                                                  \
    static_assert(is_number<A> && is_number<B>, "arithmetic with something else than numbers");                      \
    typedef joined<A, B> T;                                                                                          \
    return (T)a op (T)b;                                                                                             \
  }
ARITHMETIC(add, +)
ARITHMETIC(sub, -)
ARITHMETIC(mul, *)
#define BITWISE(name, op)                                                                                            \
  template <class A, class B> INLINED alternative<A, B> name(A a, B b) {                                             \
    static_assert(!same<A, double> && !same<B, double>, "bits of a float");                                          \
    typedef alternative<A, B> T;                                                                                     \
    return (T)((T)a op (T)b);                                                                                        \
  }
BITWISE(bit_and, &)
BITWISE(bit_or, |)
BITWISE(bit_xor, ^)
// Left shifts are of the word: what is shifted out of a signed number is lost, as in machine code.
template <class A, class B> INLINED joined<A, B> shl(A a, B b) { return (joined<A, B>)((u64)a << (u64)b); }
template <class A, class B> INLINED joined<A, B> shr(A a, B b) { return (joined<A, B>)a >> (joined<A, B>)b; }
template <class A, class B> INLINED double quotient(A a, B b) {
  static_assert(!same<A, u64> && !same<B, u64>, "np.uint64 divided: write np.float64()");
  return (double)a / (double)b;
}
template <class A, class B> INLINED joined<A, B> floordiv(A a, B b) {
  typedef joined<A, B> T;
  static_assert(!same<T, double>, "// of floats");
  T x = a, y = b, q = x / y;
  if constexpr (same<T, i64>) q -= (x % y != 0) & ((x < 0) != (y < 0));
  return q;
}
template <class A, class B> INLINED joined<A, B> floormod(A a, B b) {
  typedef joined<A, B> T;
  static_assert(!same<T, double>, "% of floats");
  T x = a, y = b, r = x % y;
  if constexpr (same<T, i64>) r += ((r != 0) & ((r < 0) != (y < 0))) * y;
  return r;
}
template <class A> INLINED auto neg(A a) {
  static_assert(!same<A, u64>, "minus of a np.uint64");
  if constexpr (same<A, bool>) return -(i64)a;
  else return -a;
}
template <class A> INLINED A inverted(A a) {
  static_assert(same<A, i64> || same<A, u64>, "~ of something else than an integer");
  return ~a;
}

template <class A, class B> INLINED bool eq(A a, B b) {
  if constexpr ((same<A, u64> && is_whole<B>) || (same<B, u64> && is_whole<A>))
    return a >= 0 && b >= 0 && (u64)a == (u64)b;
  else return (joined<A, B>)a == (joined<A, B>)b;
}
template <class A, class B> INLINED bool lt(A a, B b) {
  if constexpr (same<A, u64> && is_whole<B>) return b >= 0 && a < (u64)b;
  else if constexpr (same<B, u64> && is_whole<A>) return a < 0 || (u64)a < b;
  else return (joined<A, B>)a < (joined<A, B>)b;
}
template <class A, class B> INLINED bool le(A a, B b) {
  if constexpr (same<A, double> || same<B, double>) return (joined<A, B>)a <= (joined<A, B>)b;
  else return !lt(b, a);
}
template <class A, class B> INLINED bool ne(A a, B b) { return !eq(a, b); }
template <class A, class B> INLINED bool gt(A a, B b) { return lt(b, a); }
template <class A, class B> INLINED bool ge(A a, B b) { return le(b, a); }
template <class A, class... B> INLINED bool among(A a, B... b) { return (eq(a, b) || ...); }

// A number as a condition, and a boolean that is a value.
template <class A> INLINED bool truth(A a) {
  static_assert(is_number<A>, "the truth of something else than a number");
  return a != 0;
}
template <class A> INLINED bool boolean(A a) {
  static_assert(same<A, bool>, "and, or and not are for booleans: compare with 0");
  return a;
}
template <class A> INLINED A smallest(A a) { return a; }
template <class A, class B, class... C> INLINED auto smallest(A a, B b, C... c) {
  return smallest(lt(b, a) ? (joined<A, B>)b : (joined<A, B>)a, c...);
}
template <class A> INLINED A largest(A a) { return a; }
template <class A, class B, class... C> INLINED auto largest(A a, B b, C... c) {
  return largest(lt(a, b) ? (joined<A, B>)b : (joined<A, B>)a, c...);
}
INLINED i64 absolute(i64 v) { return v < 0 ? -v : v; }
INLINED double absolute(double v) { return std::fabs(v); }
template <class T, class V> INLINED i64 cast(V v) {
  static_assert(is_number<V>, "a number is expected");
  return num((T)(std::conditional_t<same<V, double>, i64, V>)v);
}
template <class V> INLINED u64 word(V v) {
  static_assert(is_whole<V> || same<V, u64>, "np.uint64 of a float");
  return (u64)v;
}
template <class V> INLINED double real(V v) { return (double)v; }

// Cells by index. Indexes count from 0; only constants may be negative, and they are resolved in translation.
template <class I> INLINED i64 place(I i) {
  static_assert(is_whole<I> || same<I, u64>, "an index that is no integer");
  return (i64)i;
}
INLINED Vector<i64> place(Vector<i64> order) { return order; }
template <class T> INLINED number<T> get(Vector<T> v, i64 i WHERE) { return CHECK(i, v.size), num(v.data[i]); }
template <class T> INLINED Vector<T> get(Table<T> v, i64 i WHERE) {
  return CHECK(i, v.rows), Vector<T>{v.data + i * v.columns, v.columns};
}
template <class T> INLINED Table<T> get(Cube<T> v, i64 i WHERE) {
  return CHECK(i, v.planes), Table<T>{v.data + i * v.rows * v.columns, v.rows, v.columns, v.rows * v.columns};
}
template <class A, class B> INLINED i64 get(Either<A, B> v, i64 i WHERE) {
  return CHECK(i, v.size), v.second ? num(((const B *)v.data)[i]) : num(((const A *)v.data)[i]);
}
template <class T, size_t N> INLINED T get(std::array<T, N> v, i64 i WHERE) { return CHECK(i, (i64)N), v[i]; }
template <class T> INLINED number<T> get2(Table<T> v, i64 i, i64 j WHERE) {
  return CHECK(i, v.rows), CHECK(j, v.columns), num(v.data[i * v.columns + j]);
}
template <class T> INLINED Vector<T> get2(Cube<T> v, i64 i, i64 j WHERE) {
  return CHECK(i, v.planes), CHECK(j, v.rows), Vector<T>{v.data + (i * v.rows + j) * v.columns, v.columns};
}
template <class T> INLINED number<T> get3(Cube<T> v, i64 i, i64 j, i64 k WHERE) {
  return CHECK(i, v.planes), CHECK(j, v.rows), CHECK(k, v.columns), num(v.data[(i * v.rows + j) * v.columns + k]);
}
template <class T, class V> INLINED void put(T &cell, V v) {
  static_assert(is_number<V>, "a cell takes a number");
  if constexpr (same<T, bool>) static_assert(same<V, bool>, "a cell of bool takes a boolean");
  else if constexpr (!std::is_floating_point_v<T>) static_assert(!same<V, double>, "a float in a cell of integers");
  cell = (T)v;
}
template <class T, class V> INLINED void fill(Vector<T> to, V v) {
  if constexpr (is_array<V>) {
    for (i64 i = 0; i < to.size; i++) put(to.data[i], num(v.data[i]));
  } else
    for (i64 i = 0; i < to.size; i++) put(to.data[i], v);
}
template <class T, class V> INLINED void fill(Table<T> to, V v) {
  if constexpr (is_array<V>) static_assert(same<V, Table<T>>, "a table takes a table or a number");
  if constexpr (is_array<V>) fill(Vector<T>{to.data, to.size}, Vector<T>{v.data, v.size});
  else fill(Vector<T>{to.data, to.size}, v);
}
template <class T, class V> INLINED void fill(Cube<T> to, V v) { fill(Vector<T>{to.data, to.size}, v); }
template <class T, class V> INLINED void set(Vector<T> to, V v, i64 i WHERE) { CHECK(i, to.size), put(to.data[i], v); }
template <class T, class V> INLINED void set(Table<T> to, V v, i64 i) { fill(get(to, i), v); }
template <class T, class V> INLINED void set(Cube<T> to, V v, i64 i) { fill(get(to, i), v); }
template <class T, class V> INLINED void set2(Table<T> to, V v, i64 i, i64 j WHERE) {
  CHECK(i, to.rows), CHECK(j, to.columns), put(to.data[i * to.columns + j], v);
}
template <class T, class V> INLINED void set2(Cube<T> to, V v, i64 i, i64 j) { fill(get2(to, i, j), v); }
template <class T, class V> INLINED void set3(Cube<T> to, V v, i64 i, i64 j, i64 k WHERE) {
  CHECK(i, to.planes), CHECK(j, to.rows), CHECK(k, to.columns), put(to.data[(i * to.rows + j) * to.columns + k], v);
}
template <int I, class T> INLINED auto pick(Vector<T> v) { return get(v, I); }
template <int I, class T> INLINED auto pick(Table<T> v) { return get(v, I); }
template <int I, class T> INLINED auto pick(Cube<T> v) { return get(v, I); }
template <int I, class A, class B> INLINED auto pick(Either<A, B> v) { return get(v, I); }
template <int I, class... T> INLINED auto pick(std::tuple<T...> v) { return std::get<I>(v); }
template <int I, class T, size_t N> INLINED auto pick(std::array<T, N> v) { return std::get<I>(v); }
template <class A, class... B> INLINED auto together(A a, B... b) {
  if constexpr ((same<A, B> && ...) && is_number<A>) return std::array<A, 1 + sizeof...(B)>{a, b...};
  else return std::tuple<A, B...>{a, b...};
}

// Memory that a kernel allocates is freed when the call from Python returns.
struct Memory {
  struct Block {
    Block *before;
    i64 unused;
  } *last = nullptr;
  void *take(size_t size) {
    Block *block = (Block *)malloc(sizeof(Block) + size);
    if (!block) fprintf(stderr, "infostream-dedup: out of memory\n"), abort();
    block->before = last, last = block;
    return block + 1;
  }
  ~Memory() {
    for (Block *before; last; last = before) before = last->before, free(last);
  }
};
static thread_local Memory *memory;
template <class T> INLINED Vector<T> empty(i64 n) { return {(T *)memory->take(n * sizeof(T)), n}; }
template <class T> INLINED Table<T> empty(std::array<i64, 2> n) {
  return {(T *)memory->take(n[0] * n[1] * sizeof(T)), n[0], n[1], n[0] * n[1]};
}
template <class T, class S, class V> INLINED auto full(S shape, V value) {
  auto made = empty<T>(shape);
  fill(made, value);
  return made;
}
template <class T, class S> INLINED auto zeros(S shape) { return full<T>(shape, std::conditional_t<same<T, bool>, bool, i64>()); }
template <class T, class S> INLINED auto ones(S shape) { return full<T>(shape, (std::conditional_t<same<T, bool>, bool, i64>)1); }
template <class T> INLINED Vector<T> get(Vector<T> v, Vector<i64> order WHERE) {
  auto made = empty<T>(order.size);
  for (i64 i = 0; i < order.size; i++) CHECK(order.data[i], v.size), made.data[i] = v.data[order.data[i]];
  return made;
}
template <class T> INLINED Vector<T> copied(Vector<T> a) {
  auto made = empty<T>(a.size);
  if (a.size) memcpy(made.data, a.data, a.size * sizeof(T));
  return made;
}
// With an order of our own: the usual one would call a function of the C++ library, which is not there at run time.
template <class T> INLINED void sort(Vector<T> a) { std::sort(a.data, a.data + a.size, [](T x, T y) { return x < y; }); }
template <class T> INLINED Vector<T> sorted(Vector<T> a) {
  auto made = copied(a);
  sort(made);
  return made;
}
template <class T> INLINED Vector<i64> argsort(Vector<T> a) {
  auto made = empty<i64>(a.size);
  for (i64 i = 0; i < a.size; i++) made.data[i] = i;
  std::sort(made.data, made.data + a.size,
            [&](i64 x, i64 y) { return a.data[x] < a.data[y] || (a.data[x] == a.data[y] && x < y); });
  return made;
}
template <class T, class V> INLINED i64 searchsorted(Vector<T> a, V v) {
  return std::lower_bound(a.data, a.data + a.size, v, [](T x, V y) { return lt(num(x), y); }) - a.data;
}
template <class T> INLINED auto sum(Vector<T> a) {
  std::conditional_t<same<T, bool>, i64, number<T>> total{};
  for (i64 i = 0; i < a.size; i++) total += num(a.data[i]);
  return total;
}

// Instructions, each named like the Python function that says what it does.
// The empty statement is an effect: GCC takes a function that only prefetches for one that does nothing, and drops it.
template <class A> INLINED void prefetch(A a, i64 i) { __builtin_prefetch(a.data + i, 0, 3); asm volatile(""); }
INLINED i64 popcount(u64 w) { return __builtin_popcountll(w); }
INLINED i64 lowest_bit(u64 w) { return w ? __builtin_ctzll(w) : 64; }
template <class V> INLINED i64 to_signed(V v) { return (i64)v; }
INLINED u64 eight_bytes(Vector<uint8_t> a, i64 i WHERE) {
  u64 w;
  CHECK(i, a.size), CHECK(i + 7, a.size), memcpy(&w, a.data + i, 8);
  return w;
}
INLINED void copy_half(Vector<uint8_t> a, i64 i, Vector<uint8_t> b, i64 j WHERE) {
  char half[32];
  CHECK(i + 31, a.size), CHECK(j + 31, b.size), memcpy(half, a.data + i, 32), memcpy(b.data + j, half, 32);
}
INLINED u64 between(Vector<uint8_t> a, i64 i, i64 low, i64 high WHERE) {
  CHECK(i, a.size), CHECK(i + 63, a.size);
  const uint8_t *p = a.data + i;
#if defined(__AVX512BW__)
  __m512i v = _mm512_sub_epi8(_mm512_loadu_si512(p), _mm512_set1_epi8((char)low));
  return _mm512_cmple_epu8_mask(v, _mm512_set1_epi8((char)(high - low)));
#elif defined(__AVX2__)
  __m256i l = _mm256_set1_epi8((char)low), w = _mm256_set1_epi8((char)(high - low));
  u64 mask = 0;
  for (int k = 0; k < 2; k++) {
    __m256i v = _mm256_sub_epi8(_mm256_loadu_si256((const __m256i *)p + k), l);
    mask |= (u64)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(v, w), v)) << (32 * k);
  }
  return mask;
#elif defined(__SSE2__)
  __m128i l = _mm_set1_epi8((char)low), w = _mm_set1_epi8((char)(high - low));
  u64 mask = 0;
  for (int k = 0; k < 4; k++) {
    __m128i v = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)p + k), l);
    mask |= (u64)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(v, w), v)) << (16 * k);
  }
  return mask;
#else
  u64 mask = 0;
  for (int k = 0; k < 64; k++) mask |= (u64)((uint8_t)(p[k] - low) <= (uint8_t)(high - low)) << k;
  return mask;
#endif
}
INLINED u64 equal(Vector<uint8_t> a, i64 i, Vector<uint8_t> b, i64 j WHERE) {
  CHECK(i + 31, a.size), CHECK(j + 31, b.size);
  const uint8_t *p = a.data + i, *q = b.data + j;
#if defined(__AVX2__)
  __m256i x = _mm256_loadu_si256((const __m256i *)p), y = _mm256_loadu_si256((const __m256i *)q);
  return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, y));
#elif defined(__SSE2__)
  u64 mask = 0;
  for (int k = 0; k < 2; k++) {
    __m128i x = _mm_loadu_si128((const __m128i *)p + k), y = _mm_loadu_si128((const __m128i *)q + k);
    mask |= (u64)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(x, y)) << (16 * k);
  }
  return mask;
#else
  u64 mask = 0;
  for (int k = 0; k < 32; k++) mask |= (u64)(p[k] == q[k]) << k;
  return mask;
#endif
}
INLINED i64 call_stem(i64 function, i64 stemmer, Vector<uint8_t> a, i64 i, i64 n) {
  return (i64)((void *(*)(void *, const void *, int))function)((void *)stemmer, a.data + i, (int)n);
}
INLINED i64 call_length(i64 function, i64 stemmer) { return ((int (*)(void *))function)((void *)stemmer); }
INLINED i64 byte_at(i64 address, i64 i) { return ((uint8_t *)address)[i]; }

// Arguments from Python and results to it.
template <int N> struct Arguments {
  const char *function;
  int argument = 0, count = 0;
  bool bad = false;
  Py_buffer held[N];
  ~Arguments() {
    while (count) PyBuffer_Release(&held[--count]);
  }
  void refuse(const char *wanted) {
    if (PyErr_Occurred()) PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s: argument %d: expected %s", function, argument, wanted);
    bad = true;
  }
  Py_buffer *array(PyObject *o) {
    if (bad) return nullptr;
    if (PyObject_GetBuffer(o, &held[count], PyBUF_FORMAT | PyBUF_C_CONTIGUOUS)) return refuse("a contiguous array"), nullptr;
    return &held[count++];
  }
  PyObject *field(PyObject *o, int i, int n) {
    if (bad) return nullptr;
    if (PyTuple_Size(o) != n) return refuse("a record or tuple of another type"), nullptr;
    return PyTuple_GetItem(o, i);
  }
};
template <class T> bool has_cells(const Py_buffer *b) {
  char c = b->format[0];
  bool real = c == 'f' || c == 'd', boolean = c == '?', whole = strchr("BHILQ", c) != nullptr;
  if (b->itemsize != sizeof(T) || b->format[1] || real != std::is_floating_point_v<T> || boolean != same<T, bool>) return false;
  return real || boolean || whole == std::is_unsigned_v<T>;
}
template <class T> struct From;
template <> struct From<i64> {
  template <class H> static i64 take(PyObject *o, H &h) {
    PyObject *whole = h.bad ? nullptr : PyNumber_Index(o);
    if (h.bad || !whole) return h.bad ? 0 : (h.refuse("an int"), 0);
    i64 v = PyLong_AsLongLong(whole);
    Py_DecRef(whole);
    if (v == -1 && PyErr_Occurred()) h.refuse("an int of 64 bits");
    return v;
  }
};
template <> struct From<u64> {
  template <class H> static u64 take(PyObject *o, H &h) {
    PyObject *whole = h.bad ? nullptr : PyNumber_Index(o);
    if (h.bad || !whole) return h.bad ? 0 : (h.refuse("a np.uint64"), 0);
    u64 v = PyLong_AsUnsignedLongLong(whole);
    Py_DecRef(whole);
    if (v == (u64)-1 && PyErr_Occurred()) h.refuse("a np.uint64");
    return v;
  }
};
template <> struct From<bool> {
  template <class H> static bool take(PyObject *o, H &h) {
    int v = h.bad ? 0 : PyObject_IsTrue(o);
    if (v < 0) h.refuse("a bool");
    return v > 0;
  }
};
template <> struct From<double> {
  template <class H> static double take(PyObject *o, H &h) {
    double v = h.bad ? 0 : PyFloat_AsDouble(o);
    if (!h.bad && v == -1 && PyErr_Occurred()) h.refuse("a float");
    return v;
  }
};
template <class T> struct From<Vector<T>> {
  template <class H> static Vector<T> take(PyObject *o, H &h) {
    Py_buffer *b = h.array(o);
    if (b && (b->ndim != 1 || !has_cells<T>(b))) h.refuse("an array of one dimension and of another type");
    return h.bad ? Vector<T>{} : Vector<T>{(T *)b->buf, b->shape[0]};
  }
};
template <class T> struct From<Table<T>> {
  template <class H> static Table<T> take(PyObject *o, H &h) {
    Py_buffer *b = h.array(o);
    if (b && (b->ndim != 2 || !has_cells<T>(b))) h.refuse("an array of two dimensions and of another type");
    return h.bad ? Table<T>{} : Table<T>{(T *)b->buf, b->shape[0], b->shape[1], b->shape[0] * b->shape[1]};
  }
};
template <class T> struct From<Cube<T>> {
  template <class H> static Cube<T> take(PyObject *o, H &h) {
    Py_buffer *b = h.array(o);
    if (b && (b->ndim != 3 || !has_cells<T>(b))) h.refuse("an array of three dimensions and of another type");
    if (h.bad) return {};
    i64 x = b->shape[0], y = b->shape[1], z = b->shape[2];
    return {(T *)b->buf, x, y, z, x * y * z};
  }
};
template <class A, class B> struct From<Either<A, B>> {
  template <class H> static Either<A, B> take(PyObject *o, H &h) {
    Py_buffer *b = h.array(o);
    if (b && (b->ndim != 1 || !(has_cells<A>(b) || has_cells<B>(b)))) h.refuse("an array of another type");
    return h.bad ? Either<A, B>{} : Either<A, B>{b->buf, b->shape[0], !has_cells<A>(b)};
  }
};
template <class T, size_t N> struct From<std::array<T, N>> {
  template <class H> static std::array<T, N> take(PyObject *o, H &h) {
    std::array<T, N> made{};
    for (size_t i = 0; i < N; i++) made[i] = From<T>::take(h.field(o, i, N), h);
    return made;
  }
};
template <class... T> struct From<std::tuple<T...>> {
  template <class H> static std::tuple<T...> take(PyObject *o, H &h) {
    int i = 0;
    return std::tuple<T...>{From<T>::take(h.field(o, i++, sizeof...(T)), h)...};
  }
};
INLINED PyObject *give(i64 v) { return PyLong_FromLongLong(v); }
INLINED PyObject *give(u64 v) { return PyLong_FromUnsignedLongLong(v); }
INLINED PyObject *give(bool v) { return PyBool_FromLong(v); }
INLINED PyObject *give(double v) { return PyFloat_FromDouble(v); }
template <class... T> INLINED PyObject *give(std::tuple<T...> v) {
  PyObject *made = PyTuple_New(sizeof...(T));
  Py_ssize_t i = 0;
  std::apply([&](auto... one) { (PyTuple_SetItem(made, i++, give(one)), ...); }, v);
  return made;
}
template <class T, size_t N> INLINED PyObject *give(std::array<T, N> v) {
  return std::apply([](auto... one) { return give(std::tuple<decltype(one)...>{one...}); }, v);
}
// Puts arguments given by name into their places.
static bool arrange(PyObject *const *given, Py_ssize_t n, PyObject *named, const char *const *names, int wanted, PyObject **into,
                  const char *function) {
  Py_ssize_t more = named ? PyTuple_Size(named) : 0;
  for (int i = 0; i < wanted; i++) into[i] = i < n ? given[i] : nullptr;
  int found = n <= wanted ? (int)n : -1;
  for (Py_ssize_t k = 0; k < more && found >= 0; k++) {
    const char *name = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(named, k), nullptr);
    for (int i = 0; i < wanted; i++)
      if (!into[i] && !strcmp(name, names[i])) {
        into[i] = given[n + k], found++;
        break;
      }
  }
  if (found == wanted && n + more == wanted) return true;
  PyErr_Format(PyExc_TypeError, "%s takes %d arguments, each once", function, wanted);
  return false;
}
