/* SPDX-License-Identifier: Apache-2.0 */
/* Named phases of a program, for a recording to know: `player --scope NAME`
   plays and measures one, `rondo info --scopes` lists them. Link with
   -lrondo-scope, or look the functions up with dlsym. Without a recorder they
   return at once. */
#ifndef RONDO_SCOPE_H
#define RONDO_SCOPE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Scopes nest, for each thread on its own. `name` is copied; null is "". Any thread, any number of
   them at a time. Errors: none; a scope that begins before the first Vulkan instance is made, or
   after the last is gone, is not recorded. */
void rondo_scope_begin(const char* name);
/* Ends the scope that this thread entered last. */
void rondo_scope_end(void);

#ifdef __cplusplus
}

/* Begins here, ends where the block does. */
struct rondo_scope {
  explicit rondo_scope(const char* name) { rondo_scope_begin(name); }
  ~rondo_scope() { rondo_scope_end(); }
  rondo_scope(const rondo_scope&) = delete;
  rondo_scope& operator=(const rondo_scope&) = delete;
};
#endif

#endif
