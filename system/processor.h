// What this CPU has and what this build uses. The start-up check (startup.h) asks before anything else runs, so
// processor.cpp is compiled for the oldest CPU, and nothing here is inline or a template: of such functions the linker
// may keep the copy of a file compiled for a newer CPU.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed {

using Features = uint64_t;  // one bit for each instruction set; those a compiler or OpenBLAS may use

namespace feature {
inline constexpr Features sse3 = 1ull << 0, ssse3 = 1ull << 1, sse4_1 = 1ull << 2, sse4_2 = 1ull << 3,
                          sse4a = 1ull << 4;
inline constexpr Features popcnt = 1ull << 5, lzcnt = 1ull << 6, movbe = 1ull << 7, bmi = 1ull << 8, bmi2 = 1ull << 9;
inline constexpr Features avx = 1ull << 10, f16c = 1ull << 11, fma3 = 1ull << 12, avx2 = 1ull << 13;
inline constexpr Features fma4 = 1ull << 14, xop = 1ull << 15, tbm = 1ull << 16, avxvnni = 1ull << 17;
inline constexpr Features amd3dnow = 1ull << 18;
inline constexpr Features avx512f = 1ull << 20, avx512cd = 1ull << 21, avx512dq = 1ull << 22, avx512bw = 1ull << 23;
inline constexpr Features avx512vl = 1ull << 24, avx512ifma = 1ull << 25, avx512vbmi = 1ull << 26;
inline constexpr Features avx512vbmi2 = 1ull << 27, avx512vnni = 1ull << 28, avx512bitalg = 1ull << 29;
inline constexpr Features avx512vpopcntdq = 1ull << 30, avx512bf16 = 1ull << 31, avx512fp16 = 1ull << 32;
inline constexpr Features amx_tile = 1ull << 40, amx_bf16 = 1ull << 41;
}  // namespace feature

// What the CPU has and the operating system keeps the registers of. Nothing on a CPU that is not x86.
Features cpu_features();

// What the compiler was allowed to use: -march=native or x86-64-v3, see ARCH in the Makefile.
Features build_features();

// "AMD EPYC"; "" where the CPU does not tell.
void cpu_name(char (&name)[49]);
bool cpu_is_amd();

// The features by name, "avx512f, avx512bw", cut off where the text has no more room.
void list_features(char* text, size_t size, Features features);

// "AVX-512", "AVX2", "AVX" or "SSE2"; "NEON" on aarch64.
const char* vector_unit(Features features);

}  // namespace heed
