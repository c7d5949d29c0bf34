# Joins a module and all that it imports into one, which compresses better than many small files:
#
#   awk -v folder=FOLDER -f join-modules.awk ENTRY
#   awk -v folder=FOLDER -v with=FILE -f join-modules.awk ENTRY
#
# FOLDER has the modules. The result goes to standard output. FILE is an earlier result in the current folder, beside
# which this one will be: its modules are imported from there.
#
# A module becomes a function that returns what it exports:
#
#   import { el } from "./dom.js";         const $theme = (() => {
#   export function mountTheme() {}        const { el } = $dom;
#                                          function mountTheme() {}
#                                          return { mountTheme };
#                                          })();
#
# So the modules must be written plainly: named imports and exports, an export at its declaration, never of a variable
# that changes, and no cycles. Anything else is an error. Modules that `import()` names are not joined.

function fail(file, reason) {
    print "join-modules: " file ": " reason > "/dev/stderr"
    exit 1
}

function name_of(file) {
    sub(/\.js$/, "", file)
    gsub(/-/, "_", file)
    return "$" file
}

# The names of an import, `a, b`, as they stand in it; the file is left in `source`.
function imported(file, line,    more) {
    while (line !~ /;$/) {
        if ((getline more < (folder "/" file)) <= 0) fail(file, "an import does not end")
        sub(/^ +/, " ", more)
        line = line more
    }
    if (line !~ /^import \{[A-Za-z0-9_$, ]+\} from "\.\/[a-z0-9-]+\.js";$/) fail(file, "not a plain import: " line)
    source = line
    sub(/^.*"\.\//, "", source)
    sub(/";$/, "", source)
    sub(/^import \{ */, "", line)
    sub(/,? *\} from .*$/, "", line)
    if (line ~ / as /) fail(file, "a renamed import: " line)
    return line
}

# Adds a module to the text, after those that it imports.
function visit(file,    line, names, body, exports, from) {
    if (state[file] == "done") return
    if (state[file] == "begun") fail(file, "imports itself by way of others")
    state[file] = "begun"
    while ((getline line < (folder "/" file)) > 0) {
        if (line ~ /^import[^(]/) {
            names = imported(file, line)
            from = source
            visit(from)
            line = "const { " names " } = " name_of(from) ";"
            if (from in present) used[from] = 1
        } else if (line ~ /^export/) {
            if (line !~ /^export (async function|function|class|const) [A-Za-z0-9_$]+/) {
                fail(file, "not a plain export: " line)
            }
            sub(/^export /, "", line)
            names = line
            sub(/^(async function|function|class|const) /, "", names)
            sub(/[^A-Za-z0-9_$].*/, "", names)
            exports = exports (exports == "" ? "" : ", ") names
        } else if (line ~ /^await / || line ~ /^for await /) fail(file, "waits: " line)
        body = body line "\n"
    }
    close(folder "/" file)
    if (body == "") fail(file, "is missing or empty")
    if (exports != "") {
        text = text "const " name_of(file) " = (() => {\n" body "return { " exports " };\n})();\n"
        all = all (all == "" ? "" : ", ") name_of(file)
    } else text = text "{\n" body "}\n"
    state[file] = "done"
    exported[file] = exports
}

BEGIN {
    entry = ARGV[1]
    # What was joined before is known by the list at its end.
    if (with != "") {
        while ((getline line < with) > 0) last = line
        close(with)
        if (last !~ /^export \{ .* \};$/) fail(with, "has no list at its end")
        sub(/^export \{ /, "", last)
        sub(/ \};$/, "", last)
        count = split(last, list, ", ")
        for (i = 1; i <= count; i++) {
            file = substr(list[i], 2) ".js"
            gsub(/_/, "-", file)
            present[file] = 1
            state[file] = "done"
        }
    }
    visit(entry)
    head = ""
    for (i = 1; i <= count; i++) {
        file = substr(list[i], 2) ".js"
        gsub(/_/, "-", file)
        if (file in used) head = head (head == "" ? "" : ", ") list[i]
    }
    if (head != "") print "import { " head " } from \"./" with "\";"
    printf "%s", text
    # A module that is loaded later exports what it did before. The first one exports all modules for those.
    if (exported[entry] != "") print "export const { " exported[entry] " } = " name_of(entry) ";"
    else if (all != "") print "export { " all " };"
}
