# What the build needs: all of it is installed by scripts/setup.
find_package(PkgConfig REQUIRED)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(benchmark REQUIRED)
pkg_check_modules(JSONC REQUIRED IMPORTED_TARGET json-c)
find_path(CSV_INCLUDE_DIR csv.h REQUIRED)
# Static libraries where there are any: the binary then runs where only the run-time basics are installed.
find_library(CSV_LIBRARY NAMES libcsv.a csv REQUIRED)
find_path(SQLITE_INCLUDE_DIR sqlite3.h REQUIRED)
find_library(SQLITE_LIBRARY NAMES libsqlite3.a sqlite3 REQUIRED)
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
find_path(OPENCL_INCLUDE_DIR CL/cl.h REQUIRED) # headers alone: the loader is opened at run time
