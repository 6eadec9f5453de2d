// SPDX-License-Identifier: Apache-2.0
// What a tool leaves where a signal ends it.
#pragma once

namespace rondo::analyzers {

// From here on SIGINT, SIGTERM and SIGHUP remove the files that are not whole (format/temporary_path.h), and end the
// process as they would have. One that is ignored stays so.
void remove_temporary_files_at_signals();

}  // namespace rondo::analyzers
