# Whether a document keeps to a JSON Schema: `jq -n -r --slurpfile document FILE --slurpfile schema FILE -f validate.jq` prints a
# line per breach. Of JSON Schema it knows what share/schemas/ makes use of; another word there is a breach, too.
def is_a($kind):
    if $kind == "integer" then type == "number" and (. == floor)
    else type == $kind end;
def breaches($schema; $root; $at):
    . as $value
    | if $schema | has("$ref") then breaches($root | getpath($schema["$ref"] | ltrimstr("#/") | split("/")); $root; $at)
      else
        (($schema | keys) - ["$schema", "$defs", "title", "description", "type", "enum", "required", "properties",
            "additionalProperties", "items", "minimum"] | .[] | "\($at): the schema has an unknown word, \(.)"),
        (select(($schema | has("type")) and (any([$schema.type] | flatten | .[]; . as $kind | $value | is_a($kind)) | not))
            | "\($at): not of type \($schema.type): \($value | tojson)"),
        (select(($schema | has("enum")) and (any($schema.enum[]; . == $value) | not)) | "\($at): not among \($schema.enum): \(tojson)"),
        (select(($schema | has("minimum")) and type == "number" and . < $schema.minimum) | "\($at): below \($schema.minimum): \(.)"),
        (select(type == "object") | keys as $keys | ($schema.required // [])[] | select(. as $name | $keys | index($name) | not)
            | "\($at).\(.): missing"),
        (select(type == "object") | to_entries[] | .key as $key
            | if ($schema.properties // {}) | has($key) then .value | breaches($schema.properties[$key]; $root; "\($at).\($key)")
              elif $schema.additionalProperties == false then "\($at).\($key): not in the schema"
              else empty end),
        (select(type == "array" and ($schema | has("items"))) | to_entries[] | .key as $key | .value
            | breaches($schema.items; $root; "\($at)[\($key)]"))
      end;
$schema[0] as $root | $document[0] | breaches($root; $root; "document")
