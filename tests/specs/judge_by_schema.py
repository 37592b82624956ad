"""Judges JSON values by a JSON Schema: one line "good" or "bad: why" for each.

Usage: judge_by_schema.py SCHEMA CASES, where CASES holds an array of values.
"""
import json
import sys

from jsonschema import Draft202012Validator


def main():
    with open(sys.argv[1], encoding="utf-8") as schema_file:
        schema = json.load(schema_file)
    with open(sys.argv[2], encoding="utf-8") as cases_file:
        cases = json.load(cases_file)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    for case in cases:
        error = next(validator.iter_errors(case), None)
        print("good" if error is None else "bad: " + " ".join(error.message.split())[:200])


main()
