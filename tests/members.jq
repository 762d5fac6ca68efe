# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Prints a line for each member that the schema of mrctl has: DEFINITION MEMBER TYPE, and "required".  What each
# document has is in one definition, "mrctl-".
def kind: if .const then "const \(.const)" elif ."$ref" then ."$ref" elif .anyOf then [.anyOf[] | kind] | join("|")
	else ([.type] | flatten | join("|")) + (if .items then " of \(.items | kind)" else "" end) +
		(.pattern // "") end;
def is_of_each: IN("format", "command", "environment", "session", "as_expected", "failures");
[."$defs" | to_entries[] | .key as $of | (.value.required // []) as $required | .value.properties | to_entries[] |
	(.key as $key | if $required | index([$key]) then "required" else "" end) as $needed |
	if ($of | startswith("mrctl-") and . != "mrctl-report") and (.key | is_of_each) then ["mrctl-", .key, (.value | del(.const) | kind), $needed]
	else [$of, .key, (.value | kind), $needed] end | @tsv] | unique[]
