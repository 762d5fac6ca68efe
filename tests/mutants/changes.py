# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Finds the small changes that mutants.py can make to C files of cmd and lib.  Each changes one line."""
import errno
import os
import random
import re
from collections import namedtuple

# `was` and `became` are the line without its indentation.
Change = namedtuple('Change', 'kind file line was became')

KINDS = ('comparison', 'operand', 'return', 'call', 'lock', 'jump', 'off by one', 'errno')
LISTED = 'listed'
TURNED = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '=='}
ERRNOS = frozenset(errno.errorcode.values())
OTHER_ERRNOS = ('EINVAL', 'ENOENT', 'EINTR', 'EBUSY', 'EPERM', 'ENODEV', 'ERANGE')
HIDDEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
CALL = re.compile(r'(?:\(void\))?([a-z_]\w*)\(.*\);$')
GIVES_BACK = re.compile(r'(^|_)(un)?(lock|claim)(_|$)|close|munmap|unlink')
# Leaks of memory are found by the sanitizers, which mutants.py does without.
FREES = re.compile(r'(^|_)(free|release|clear|delete)', re.I)
# The errno of a usage error is in the documents of batch alone: not of these commands.
SHOWS_NO_ERRNO = re.compile(r'cmd/(bench|explain|output|report|trace|main|session|sim|stat/(?!regions))\b')
USAGE_ERRNO = re.compile(r'MR_ERROR_USAGE, E[A-Z]+')
ONLY_NOT_0 = re.compile(r'return -E[A-Z0-9]+;')
COMPARES_ERRNO = re.compile(r'[!=]= -E[A-Z]')
DESCRIPTOR = re.compile(r'(fd|F_GETFD\)) (<|>=) 0\b')
VALUE = re.compile(r"-?[\w.>\[\]-]+|\w+\(.*\)|.*errno.*")
NOT_A_CALL = frozenset('if for while switch return sizeof assert static_assert va_start va_end va_copy'.split())


def hide(text):
    """Returns the text with comments and strings blanked: same lines, same columns."""
    return HIDDEN.sub(lambda m: re.sub(r'[^\n]', '\1', m.group()), text)


def in_functions(lines):
    """Yields the numbers (from 0) of the lines in bodies of functions, without preprocessor lines."""
    inside = False
    for n, line in enumerate(lines):
        if line.startswith('}'):
            inside = False
        if inside and line.strip() and not line.startswith('#') and not line.endswith('\\'):
            yield n
        if line == '{':
            inside = True


def right_end(line, begin):
    """Returns the end of the operand that begins there, or None where it goes on in the next line."""
    depth = 0
    for i in range(begin, len(line)):
        if line[i] in '([{':
            depth += 1
        elif line[i] in ')]}':
            if depth == 0:
                return i
            depth -= 1
        elif depth == 0 and (line[i] in ',;' or re.match(r' (&&|\|\||\?|:)( |$)', line[i:])):
            return i
    return len(line) if depth == 0 else None


def left_begin(line, end, before):
    """Returns the beginning of the operand that ends there, or None where it begins in the line `before`."""
    depth = 0
    for i in range(end - 1, -1, -1):
        if line[i] in ')]}':
            depth += 1
        elif line[i] in '([{':
            if depth == 0:
                return i + 1
            depth -= 1
        elif depth == 0 and re.search(r'(&&|\|\||\?| :|[^=!<>]=|\breturn|[,;]) $', line[:i + 1]):
            return i + 1
    indent = len(line) - len(line.lstrip())
    return indent if depth == 0 and re.search(r'(&&|\|\||[(?:=,]|return)$', before) else None


def dropped_operands(line, before):
    for m in re.finditer(r' (?:&&|\|\|)( |$)', line):
        begin = left_begin(line, m.start(), before)
        if begin is not None:
            yield begin, m.end(), ''
        end = right_end(line, m.end()) if m.group(1) else None
        if end is not None:
            yield m.start(), end, ''


def edits(line, before, rng):
    """Yields (kind, begin, end, text): columns of the line to replace by the text."""
    for m in re.finditer(r' (<=|>=|<|>|==|!=) ', line):
        yield 'comparison', m.start(1), m.end(1), TURNED[m.group(1)]
    for edit in dropped_operands(line, before):
        yield 'operand', *edit
    m = re.search(r'\breturn (?!NULL;|false;|true;|\d+;)([^;]+);$', line)
    if m and VALUE.fullmatch(m.group(1)) and line.count('(') == line.count(')'):
        yield 'return', m.start(), m.end(), 'return 0;'
    indent = len(line) - len(line.lstrip())
    m = CALL.match(line[indent:])
    if m and m.group(1) not in NOT_A_CALL and not FREES.search(m.group(1)) and re.search(r'([;{}):]|else)$', before):
        yield 'lock' if GIVES_BACK.search(m.group(1)) else 'call', indent, len(line), '(void)0;'
    if line[indent:] in ('break;', 'continue;'):
        yield 'jump', indent, len(line), '(void)0;'
    for m in re.finditer(r' [+-] 1\b(?![.x])', line):
        yield 'off by one', m.start(), m.end(), ''
    for m in re.finditer(r'\bfor \(.*; \w+ < [^;&|]*[^;&| ]()(?=;)', line):
        yield 'off by one', m.start(1), m.end(1), ' - 1'
    for m in re.finditer(r'\bE[A-Z0-9]+\b', line):
        if m.group() in ERRNOS:
            yield 'errno', m.start(), m.end(), rng.choice([e for e in OTHER_ERRNOS if e != m.group()])


def is_unseen(kind, file, line, begin, text):
    """Returns whether nothing can show the change of the line, from that column on, in a file with that text."""
    if kind == 'comparison': # 0 to 2 are always open
        return any(m.start(2) == begin for m in DESCRIPTOR.finditer(line))
    return kind == 'errno' and file.startswith('cmd/') and bool(
        (SHOWS_NO_ERRNO.match(file) and USAGE_ERRNO.search(line)) or
        (ONLY_NOT_0.search(line) and not COMPARES_ERRNO.search(text)))


def changes_of(root, file, rng):
    """Yields each change of the file, and whether nothing can show it."""
    with open(os.path.join(root, file), encoding='utf-8') as f:
        text = f.read()
    shown, hidden = text.split('\n'), hide(text).split('\n')
    lines = [line.rstrip('\1 \t') for line in hidden]
    for n in in_functions(lines):
        before = next((line for line in reversed(lines[:n]) if line.strip('\1 \t')), '')
        for kind, begin, end, new in edits(lines[n], before, rng):
            became = shown[n][:begin] + new + shown[n][end:]
            change = Change(kind, file, n + 1, shown[n].strip(), became.strip())
            yield change, is_unseen(kind, file, lines[n], begin, text)


def draw(root, files, seed):
    """Returns a list of changes for each kind, in the random order that belongs to the seed."""
    rng = random.Random(f'{seed} errno')
    drawn = {kind: [] for kind in KINDS}
    for file in sorted(files):
        for change, unseen in changes_of(root, file, rng):
            drawn[change.kind].append((change, unseen))
    for kind, list_of_kind in drawn.items():
        random.Random(f'{seed} {kind}').shuffle(list_of_kind)
    return {kind: [change for change, unseen in list_of_kind if not unseen] for kind, list_of_kind in drawn.items()}


def read_list(root, path):
    """Returns the changes of a list with lines "file line was became" (by tabs), and the lines that fit no file.
    A line that has moved is found by its text: the nearest one counts."""
    changes, lost = [], []
    with open(path, encoding='utf-8') as f:
        for row in f.read().split('\n'):
            if not row or row.startswith('#'):
                continue
            file, line, was, became = row.split('\t')[:4]
            source = os.path.join(root, file)
            lines = open(source, encoding='utf-8').read().split('\n') if os.path.exists(source) else []
            same = [n for n, text in enumerate(lines, 1) if text.strip() == was.strip()]
            if same:
                near = min(same, key=lambda n: abs(n - int(line)))
                changes.append(Change(LISTED, file, near, was.strip(), became.strip()))
            else:
                lost.append(row)
    return changes, lost
