// SPDX-License-Identifier: Apache-2.0
#include "model/shaders/operations.h"

#include "model/shaders/spirv.h"

namespace rondo::shaders {

bool makes_values_only(std::uint32_t operation) {
  const auto in = [&](std::uint32_t first, std::uint32_t last) { return operation >= first && operation <= last; };
  return in(SpvOpVectorExtractDynamic, SpvOpTranspose) || in(SpvOpConvertFToU, SpvOpBitcast) ||
         in(SpvOpSNegate, SpvOpFwidthCoarse) || in(SpvOpEmitVertex, SpvOpEndStreamPrimitive) ||
         in(SpvOpControlBarrier, SpvOpMemoryBarrier) || in(SpvOpLoopMerge, SpvOpUnreachable) ||
         in(SpvOpGroupNonUniformElect, SpvOpGroupNonUniformQuadSwap) ||
         in(SpvOpImageQueryFormat, SpvOpImageQuerySamples) || in(SpvOpTypeVoid, SpvOpTypeForwardPointer) ||
         in(SpvOpConstantTrue, SpvOpSpecConstantOp) || in(SpvOpNop, SpvOpMemberName) ||
         in(SpvOpFunctionParameter, SpvOpFunctionParameter);
}

}  // namespace rondo::shaders
