# help.awk: prints what `make help` shows, read from the Makefile itself.
#
# A line "##@ text" opens a section. A line "## text" describes the target or the variable that the
# next suitable line defines; an empty line ends its reach. Variables are printed last, with their
# defaults, in a column as wide as the widest.

/^##@ / {
    targets = targets "\n" substr($0, 5) "\n"
    next
}

/^## / {
    text = substr($0, 4)
    next
}

/^$/ {
    text = ""
}

text != "" && /^[a-z][a-z-]*:/ {
    sub(/:.*/, "")
    targets = targets sprintf("  make %-17s %s\n", $0, text)
    text = ""
}

text != "" && /^[A-Z_]+ *[?:]?=/ {
    name = value = $0
    sub(/ *[?:]?=.*/, "", name)
    sub(/^[A-Z_]+ *[?:]?= */, "", value)
    setting[++settings] = name "=" value
    meaning[settings] = text
    width = length(setting[settings]) > width ? length(setting[settings]) : width
    text = ""
}

END {
    printf "%s\nVariables, as in `make test SUITE=delayed`\n", targets
    for (i = 1; i <= settings; i++)
        printf "  %-*s  %s\n", width, setting[i], meaning[i]
}
