# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A copy of the source tree: builds it and runs tests in it."""
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import uuid

RESULT = re.compile(r'(not )?ok (\d+) (.*?)(?: in (\d+)ms)?(?: # skip.*)?$')
PLAN = re.compile(r'1\.\.(\d+)$')


def list_files(root):
    """Returns the files of the tree that git tracks or would track."""
    out = subprocess.run(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], cwd=root,
                         check=True, capture_output=True).stdout.decode()
    return [name for name in out.split('\0') if name and os.path.lexists(os.path.join(root, name))]


def end_all(mark):
    """Ends all processes that have the mark in their environment."""
    found = True
    while found:
        found = False
        for pid in filter(str.isdigit, os.listdir('/proc')):
            try:
                with open(f'/proc/{pid}/environ', 'rb') as f:
                    if mark.encode() in f.read():
                        os.kill(int(pid), signal.SIGKILL)
                        found = True
            except OSError:
                pass


class Tree:
    """A copy below `path`; `flags` are arguments of make."""

    def __init__(self, path, flags):
        self.path, self.flags = path, flags

    def sync(self, root):
        """Makes the copy equal to the tree: writes only files that differ, so that make builds only these."""
        wanted = set(list_files(root))
        for folder, _, names in os.walk(self.path):
            for name in names:
                full = os.path.join(folder, name)
                own = os.path.relpath(full, self.path)
                if own.split('/')[0] not in ('build', '.git') and own not in wanted:
                    os.unlink(full)
        for name in wanted:
            old, new = os.path.join(root, name), os.path.join(self.path, name)
            os.makedirs(os.path.dirname(new), exist_ok=True)
            if os.path.islink(old) or not self.has_same(old, new):
                if os.path.lexists(new):
                    os.unlink(new)
                shutil.copy(old, new, follow_symlinks=False)
        # Some tests ask git.
        if not os.path.exists(os.path.join(self.path, '.git')):
            subprocess.run('git init -q . && git add -A', shell=True, cwd=self.path, check=True)

    @staticmethod
    def has_same(old, new):
        def content(path):
            with open(path, 'rb') as f:
                return os.stat(path).st_mode, f.read()
        return os.path.isfile(new) and content(old) == content(new)

    def make(self, *targets, jobs=1):
        """Returns whether make built the targets, and what it printed."""
        done = subprocess.run(['make', '-s', f'-j{jobs}', *self.flags, *targets], cwd=self.path, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        return done.returncode == 0, done.stdout

    def run(self, command, limit, on_line, env=()):
        """Runs a command, and ends all that it started.  Ends it before when on_line(line) returns a true value.
        Returns its exit status; None for a time-out, 'stopped' after on_line."""
        mark = f'MUTANTS_MARK={uuid.uuid4()}'
        folder = tempfile.mkdtemp(prefix='mrctl-mutant.')
        os.chmod(folder, 0o1777)
        # Do not let variables of make reach the makes of tests.
        new = {name: value for name, value in os.environ.items() if not name.startswith(('MAKE', 'MFLAGS'))}
        new.update({'TMPDIR': folder, 'BUILD': 'build', 'MRCTL_TEST_PROFILE': 'mlx5', 'MUTANTS_MARK': mark[13:]})
        new.update(env)
        process = subprocess.Popen(command, cwd=self.path, env=new, text=True, errors='replace',
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        late = []
        timer = threading.Timer(limit, lambda: late.append(True) or end_all(mark))
        timer.start()
        stopped = any(on_line(line.rstrip('\n')) for line in process.stdout)
        timer.cancel()
        if stopped:
            end_all(mark)
        status = process.wait()
        end_all(mark)
        process.stdout.close()
        shutil.rmtree(folder, ignore_errors=True)
        return None if late else 'stopped' if stopped else status

    def bats(self, file, names, limit, on_result, env=()):
        """Runs tests of a bats file (all, if names is None) and calls on_result(number, name, passed, seconds) for
        each, which returns whether to stop.  Returns as run() does."""
        command = ['bats', '--tap', '--timing', file]
        if names is not None:
            any_char = [re.sub(r'[^A-Za-z0-9 ]+', '.+', name) for name in names]
            command[3:3] = ['-f', f'^({"|".join(any_char)})$']

        def on_line(line):
            m = RESULT.match(line)
            return m and on_result(int(m.group(2)), m.group(3), not m.group(1), int(m.group(4) or 0) / 1000)
        return self.run(command, limit, on_line, env)

    def unit(self, program, limit, env=()):
        """Returns the exit status of a unit program, as run() does."""
        return self.run(['tests/unit/run.sh', f'build/tests/unit/{program}'], limit, lambda line: False, env)
