#pragma once

/// Where the tests find what lies outside of them. One source file alone is compiled with these paths, so
/// that ccache finds all others again from another checkout.
namespace tandem::tests::paths {

extern const char* const source;       ///< the top of the tree
extern const char* const programs;     ///< the folder of tests/programs, built
extern const char* const tandem;       ///< the program itself
extern const char* const shim;         ///< the parent of sandboxed children
extern const char* const linker;       ///< the folder of the linker's wrapper
extern const char* const fetch_child;  ///< stands for the program where a fetch re-executes it

}  // namespace tandem::tests::paths
