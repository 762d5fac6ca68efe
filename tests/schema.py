#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Validates JSON documents that tests have kept against the schema of mrctl, with no member more than it names.

Usage: schema.py SCHEMA FILE...
Each FILE holds pairs of a test's name and a document, each with a NUL behind it.  Prints each test whose document is
not valid, once for each reason, and exits with 1 if there is one."""

import json
import sys

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

# A list may have 100,000 elements, and validating one takes a millisecond.
ELEMENTS_MAX = 50


def shorten(value):
    """Returns a value whose lists have their first elements only."""
    if isinstance(value, list):
        return [shorten(item) for item in value[:ELEMENTS_MAX]]
    if isinstance(value, dict):
        return {key: shorten(item) for key, item in value.items()}
    return value


def forbid_others(schema):
    """Lets no object have members that the schema does not name."""
    for value in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(value, (dict, list)):
            forbid_others(value)
    if isinstance(schema, dict) and "properties" in schema:
        schema.setdefault("additionalProperties", False)


def read_pairs(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        parts = file.read().split("\0")
    return zip(parts[0::2], parts[1::2])


def documents_of(text):
    """Yields the documents of mrctl in a text that may hold several, or none."""
    decoder = json.JSONDecoder()
    text = text.strip()
    while text:
        try:
            document, end = decoder.raw_decode(text)
        except ValueError:
            return
        text = text[end:].lstrip()
        for one in document if isinstance(document, list) else [document]:
            # the line of a call that trace has written names no format
            if isinstance(one, dict) and (one.get("format") == 1 or "kernel_asked" in one):
                yield one


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    Draft202012Validator.check_schema(schema)
    forbid_others(schema)
    count, reported = 0, set()
    # The errors of one kind of document are clearer than those of all kinds.
    validators = {}
    for choice in schema["anyOf"]:
        name = choice["$ref"].rpartition("/")[2]
        command = schema["$defs"][name]["properties"].get("command", {}).get("const")
        rest = {key: value for key, value in schema.items() if key != "anyOf"}
        validators.setdefault(command, []).append(Draft202012Validator({**rest, **choice}))
    for path in sys.argv[2:]:
        for test, text in read_pairs(path):
            for document in documents_of(text):
                count += 1
                errors = []
                for validator in validators.get(document.get("command"), []):
                    errors.append(best_match(validator.iter_errors(shorten(document))))
                if None in errors:
                    continue
                # the kind of document that fits most of it
                error = max(errors, key=lambda error: len(error.absolute_path), default=None)
                reason = f"{error.json_path}: {error.message[:300]}" if error else "unknown command"
                if (test, reason) not in reported:
                    reported.add((test, reason))
                    print(f"{path}: {test}: {document.get('command')}: {reason}")
    print(f"{count} JSON documents are compared with the schema, {len(reported)} faults")
    return 1 if reported else 0


if __name__ == "__main__":
    sys.exit(main())
