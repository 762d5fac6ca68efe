# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Prints the members that the schema of mrctl has: DEFINITION TYPE "required" MEMBER..., by tabs and blanks; at most ten members
# of a definition that have the same type on a line.  What each document has is in one definition, "mrctl-".
def kind: if .const then "const \(.const)" elif ."$ref" then ."$ref" elif .anyOf then [.anyOf[] | kind] | join("|")
	else ([.type] | flatten | join("|")) + (if .items then " of \(.items | kind)" else "" end) +
		(.pattern // "") end;
def is_of_each: IN("format", "command", "environment", "session", "as_expected", "failures");
[."$defs" | to_entries[] | .key as $of | (.value.required // []) as $required | .value.properties | to_entries[] |
	(.key as $key | if $required | index([$key]) then "required" else "" end) as $needed |
	if ($of | startswith("mrctl-") and . != "mrctl-report") and (.key | is_of_each) then ["mrctl-", (.value | del(.const) | kind), $needed, .key]
	else [$of, (.value | kind), $needed, .key] end] | unique | group_by(.[:3])[] |
	.[0][:3] as $of | map(.[3]) | range(0; length; 10) as $i | $of + [.[$i:$i + 10] | join(" ")] | @tsv
