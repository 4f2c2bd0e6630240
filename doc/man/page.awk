# The man page of the command: awk -v program=build/release/bin/percuss -f page.awk percuss.1.in
#
# Copies the prose of percuss.1.in. What the program says itself comes from its --help, so that the
# two cannot disagree:
#     @VERSION@    the version
#     @COMMANDS@   every subcommand with its flags
#     @EXIT@       the exit codes
# It fails when the program does not answer.

# text as roff: a minus stays a minus, a backslash a backslash, and no line is taken for a request
function plain(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    return text ~ /^[.']/ ? "\\&" text : text
}

# "-o, --output FILE" or "run SCENE.json": what is typed as it stands in bold, what it stands for in italics
function usage(text,    word, n, i, out) {
    n = split(text, word, " ")
    for (i = 1; i <= n; i++) {
        out = out (i > 1 ? " " : "") (i == 1 || word[i] ~ /^-/ ? "\\fB" : "\\fI") plain(word[i]) "\\fR"
    }
    return out
}

# the lines of "percuss SUBCOMMAND --help"
function describe(name,    line, ask, flag, text, body, blank, list) {
    ask = percuss " " name " --help"
    while ((ask | getline line) > 0) {
        if (line ~ /^usage: /) {
            sub(/^usage: percuss /, "", line)
            printf ".SS %s\n", usage(line)
            body = blank = list = 0
        } else if (line ~ /^  -/) {
            # the help stands two blanks after the flag, or on a line of its own below it
            match(line "  ", /[^ ]  /)
            flag = substr(line, 3, RSTART - 2)
            text = substr(line, RSTART + 1)
            if (text == "") ask | getline text
            sub(/^ +/, "", text)
            printf ".TP\n%s\n%s\n", usage(flag), plain(text)
            body = 1
        } else if (line == "") {
            blank = 1
        } else {
            # lines that begin with blanks are a list, and what follows them a paragraph
            if (blank && body || list && line !~ /^ /) print ".PP"
            list = line ~ /^ /
            blank = 0
            body = 1
            print plain(line)
        }
    }
    if (close(ask) != 0) failed = 1
}

function commands(    line, ask, name, n, i) {
    ask = percuss " --help"
    while ((ask | getline line) > 0) {
        if (line ~ /^  [a-z]+  /) name[++n] = substr(line, 3)
    }
    if (close(ask) != 0 || n == 0) failed = 1
    for (i = 1; i <= n; i++) {
        sub(/ .*/, "", name[i])
        describe(name[i])
    }
}

# "Exit codes: 0 all converged, 1 some did not.": an item for each number
function codes(    line, ask, text) {
    ask = percuss " --help"
    while ((ask | getline line) > 0) {
        if (line ~ /^Exit codes: /) text = " "
        if (text != "") text = text line " "
    }
    close(ask)
    sub(/^ Exit codes:/, "", text)
    if (text == "") failed = 1
    while (match(text, /^,? [0-9]+ /)) {
        line = substr(text, 1, RLENGTH)
        gsub(/[, ]/, "", line)
        text = substr(text, RLENGTH + 1)
        match(text, /, [0-9]+ |\. *$/)
        printf ".TP\n.B %s\n%s.\n", line, plain(substr(text, 1, RSTART - 1))
        text = substr(text, RSTART)
    }
}

BEGIN { percuss = "'" program "'" }
/^@COMMANDS@$/ { commands(); next }
/^@EXIT@$/ { codes(); next }
/@VERSION@/ {
    (percuss " --version") | getline version
    sub(/^percuss /, "", version)
    sub(/@VERSION@/, version)
}
{ print }
END { exit failed }
