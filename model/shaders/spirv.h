// SPDX-License-Identifier: Apache-2.0
// SPIR-V's numbers: the newest header, which scripts/build fetches beside the registry, or SPIRV-Cross' older one.
#pragma once

#define SPV_ENABLE_UTILITY_CODE
#if __has_include(<spirv/unified1/spirv.h>)
#include <spirv/unified1/spirv.h>
#else
#include <spirv_cross/spirv.h>
#endif
