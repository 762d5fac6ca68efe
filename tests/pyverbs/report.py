# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""report.py DEVICE MODULE...: runs modules of rdma-core's tests, and prints a line for each test:

    pass|fail|skip TEST [REASON]
"""
import gc
import os
import sys
import unittest


class Lines(unittest.TestResult):
    """Prints each result at once: a test may end the process."""

    def line(self, outcome, test, reason=''):
        print(outcome, test.id().removeprefix('tests.'), ' '.join(str(reason).split()),
              flush=True)

    def addSuccess(self, test):
        self.line('pass', test)

    def addSkip(self, test, reason):
        self.line('skip', test, reason)

    def addError(self, test, err):
        self.line('fail', test, f'{err[0].__name__}: {err[1]}')

    addFailure = addError

    def addExpectedFailure(self, test, err):
        self.addSuccess(test)

    def addUnexpectedSuccess(self, test):
        self.line('fail', test, 'succeeded, which rdma-core does not expect')


def main(device, modules):
    from args_parser import parser

    sys.argv[1:] = ['--dev', device]
    parser.parse_args()
    for module in modules:
        unittest.defaultTestLoader.loadTestsFromName('tests.' + module).run(Lines())


# A failed test leaves a reference cycle of its objects and its traceback.  The garbage collector may
# destroy an object after those it refers to, and the destructors of pyverbs (such as DM's) then crash.
# So the collector stays off, and the process ends without destructors.
gc.disable()
main(sys.argv[1], sys.argv[2:])
os._exit(0)
