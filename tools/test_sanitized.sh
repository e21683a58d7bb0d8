#!/usr/bin/env bash
# usage: tools/test_sanitized.sh TESTS...: runs Python tests with a core compiled under the address and undefined-behaviour
# sanitizers, in build/sanitized-venv, which borrows every package but treewright from .venv. The first fault ends the run.
set -euo pipefail
cd "$(dirname "$0")/.."
python=.venv/bin/python
venv=build/sanitized-venv
[ -x "$venv/bin/python" ] || "$python" -m venv --without-pip "$venv"
packages=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
# Lines of a .pth file are searched, but the .pth files in them are not run: treewright's editable install stays out.
"$python" -c 'import sys; print("\n".join(p for p in sys.path if p.endswith("site-packages")))' >"$packages/borrowed.pth"
"$python" -m pip install --quiet --no-deps --no-build-isolation --upgrade --target "$packages" \
  -C build-dir=build/sanitized-core -C cmake.build-type=Debug -C install.strip=false \
  -C cmake.define.TREEWRIGHT_SANITIZE=ON .
compiler=${CXX:-c++}
# libstdc++ as well: libasan looks for its function that throws when the program starts. Python itself leaks at its end.
preload="$("$compiler" -print-file-name=libasan.so) $("$compiler" -print-file-name=libstdc++.so)"
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 OMP_NUM_THREADS=1
LD_PRELOAD=$preload "$venv/bin/python" -c 'import treewright._native as n; print("sanitized core:", n.core.__file__)'
# Seconds and bytes are not measured here, so tests marked `clock` are left out: a sanitizer takes several times as many.
# Output is not captured: a fault is told on stderr, and ends the process.
LD_PRELOAD=$preload exec "$venv/bin/python" -m pytest -q -s -p no:cacheprovider -m "not clock" -k "not limits_hold" "$@"
