// Holds the precompiled headers of all tests; see tests/CMakeLists.txt.
