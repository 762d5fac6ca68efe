# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=sh
# To be sourced: options of AddressSanitizer for all tests, of units and of the command line.
# verify_asan_link_order: the simulator is loaded before the runtime of ASan, which is harmless.
# allocator_may_return_null: an allocation that is too large has to fail as it does without ASan.
# intercept_tls_get_addr: where thread-local storage of a library that is loaded late (libdw) lies just behind the
# beginning of a page, the ASan of GCC 12 mistakes its bounds, and the search for leaks crashes.
ASAN_OPTIONS="verify_asan_link_order=0:allocator_may_return_null=1:intercept_tls_get_addr=0:${ASAN_OPTIONS:-}"
export ASAN_OPTIONS
