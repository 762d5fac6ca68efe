# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Prints a line for each member that the schema of mrctl has: DEFINITION MEMBER TYPE, and "required".
def kind: if .const then "const \(.const)" elif ."$ref" then ."$ref" elif .anyOf then [.anyOf[] | kind] | join("|")
	else ([.type] | flatten | join("|")) + (if .items then " of \(.items | kind)" else "" end) +
		(.pattern // "") end;
."$defs" | to_entries[] | .key as $of | (.value.required // []) as $required |
.value.properties | to_entries[] |
[$of, .key, (.value | kind), (.key as $key | if $required | index([$key]) then "required" else "" end)] | @tsv
