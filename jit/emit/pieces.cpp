// Accesses at constant distances as a few plain ones (flow/pieces.hpp), and the permutation between memory's order and the lanes'.
#include "jit/emit/function.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

#include <functional>

namespace bz::jit {

llvm::Value* FunctionEmitter::piece_pointer(const Address& at, const Piece& piece) {
  auto* p = at.pointer;
  if (piece.step) p = ir_.CreateGEP(ir_.getInt8Ty(), p, ir_.CreateMul(at.scale, ir_.getInt64(static_cast<uint64_t>(piece.step))));
  return ir_.CreateConstGEP1_64(ir_.getInt8Ty(), p, static_cast<uint64_t>(piece.offset));
}

std::optional<std::vector<Value>> FunctionEmitter::load_pieces(const Address& at, unsigned dwords, bool ordered) {
  const auto plan = pieces_of(at.pattern, at.steps, dwords, true);
  if (!plan) return std::nullopt;
  struct Part { llvm::Value* v; unsigned at, words; };
  std::vector<Part> parts;
  unsigned next = 0;
  for (const Piece& piece : plan->list) {
    auto* t = llvm::FixedVectorType::get(ir_.getInt32Ty(), piece.words);
    auto* p = piece_pointer(at, piece);
    parts.push_back({ir_.CreateAlignedLoad(t, p, llvm::Align(1), ordered), next, piece.words});
    next += piece.words;
  }
  // Side by side, two and two.
  std::function<llvm::Value*(unsigned, unsigned)> join = [&](unsigned from, unsigned words) -> llvm::Value* {
    for (const Part& x : parts)
      if (x.at == from && x.words == words) return x.v;
    auto* t = llvm::FixedVectorType::get(ir_.getInt32Ty(), words);
    if (from >= next || words == 1) return llvm::PoisonValue::get(t);
    std::vector<int> both;
    for (unsigned k = 0; k < words; ++k) both.push_back(static_cast<int>(k));
    return ir_.CreateShuffleVector(join(from, words / 2), join(from + words / 2, words / 2), both);
  };
  auto* all = join(0, plan->width);
  std::vector<Value> out;
  for (unsigned j = 0; j < dwords; ++j) {
    std::vector<int> pick;
    for (unsigned l = 0; l < kLanes; ++l) pick.push_back(plan->where[dwords * l + j]);
    out.push_back(Values::vector(Kind::u32, ir_.CreateShuffleVector(all, pick)));
  }
  return out;
}

bool FunctionEmitter::store_pieces(const Address& at, const std::vector<llvm::Value*>& data, bool ordered) {
  const auto dwords = static_cast<unsigned>(data.size());
  const auto plan = pieces_of(at.pattern, at.steps, dwords, false);
  if (!plan) return false;
  // Registers one behind the other, then sixteen dwords of memory's order at a time.
  std::vector<int> count;
  for (unsigned k = 0; k < 2 * kLanes; ++k) count.push_back(static_cast<int>(k));
  auto two = [&](llvm::Value* x, llvm::Value* y) { return ir_.CreateShuffleVector(x, y, count); };
  llvm::Value* all = data[0];
  if (dwords == 2) all = two(data[0], data[1]);
  if (dwords > 2) {
    auto *low = two(data[0], data[1]), *high = two(data[2], data[dwords - 1]);
    for (unsigned k = 2 * kLanes; k < 4 * kLanes; ++k) count.push_back(static_cast<int>(k));
    all = two(low, high);
  }
  std::vector<int> from(plan->width, llvm::PoisonMaskElem);
  for (unsigned l = 0; l < kLanes; ++l)
    for (unsigned j = 0; j < dwords; ++j) from[plan->where[dwords * l + j]] = static_cast<int>(kLanes * j + l);
  std::vector<llvm::Value*> ordered_words;
  for (unsigned k = 0; k < plan->width; k += kLanes)
    ordered_words.push_back(ir_.CreateShuffleVector(all, std::vector<int>(from.begin() + k, from.begin() + k + kLanes)));
  unsigned next = 0;
  for (const Piece& piece : plan->list) {
    std::vector<int> pick;
    for (unsigned k = 0; k < piece.words; ++k) pick.push_back(static_cast<int>(next % kLanes + k));
    auto* p = piece_pointer(at, piece);
    ir_.CreateAlignedStore(ir_.CreateShuffleVector(ordered_words[next / kLanes], pick), p, llvm::Align(1), ordered);
    next += piece.words;
  }
  return true;
}

} // namespace bz::jit
