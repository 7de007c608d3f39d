# Makes a man page of what `PROGRAM --help` prints and of prose:
#
#	awk -v page=rec-list -v volume=1 -v date=2026-11-29 -v prefix= \
#		-f man/page.awk \
#		part=help HELP part=own man/rec-list.txt part=common COMMON
#
# The help gives NAME, SYNOPSIS, the options and lists of words; the prose gives
# the rest, see man/README.md. Prose about an option that the help does not have
# is a failure, in `own` only: `common` is for several pages.

function fail(what) {
	print "man/page.awk: " page ": " what > "/dev/stderr"
	failed = 1
}

# -- Text ---------------------------------------------------------------------

function plain(s) {
	gsub(/\\/, "\\e", s)
	gsub(/…/, "\\\\\\&...", s)
	gsub(/–/, "\\(en", s)
	gsub(/×/, "\\(mu", s)
	gsub(/≤/, "\\(<=", s)
	gsub(/≥/, "\\(>=", s)
	gsub(/µ/, "\\(mc", s)
	return s
}

# As it is typed.
function literal(s) {
	s = plain(s)
	gsub(/-/, "\\-", s)
	gsub(/'/, "\\(aq", s)
	gsub(/\^/, "\\(ha", s)
	gsub(/~/, "\\(ti", s)
	return s
}

function is_program(word) {
	return word ~ /^(rec|analyze|flamegraph)$/
}

# The names of the programs as they are installed, where a command begins.
function installed(s,    w, lead, out, begins) {
	begins = 1
	while (match(s, /[^ ]+/)) {
		w = substr(s, RSTART, RLENGTH)
		out = out substr(s, 1, RSTART - 1)
		s = substr(s, RSTART + RLENGTH)
		match(w, /^[('"$]*/)
		lead = substr(w, 1, RLENGTH)
		w = substr(w, RLENGTH + 1)
		if ((begins || lead != "") && is_program(w))
			w = prefix w
		begins = w ~ /^([|]|&&|;|sudo)$/
		out = out lead w
	}
	return out s
}

# man pages: rec-list(1).
function reference(s,    out, name) {
	while (match(s, /[a-z][a-z0-9_.-]*\([1-8]\)/)) {
		name = substr(s, RSTART, RLENGTH - 3)
		if (name ~ /^(rec|analyze|flamegraph)(-|$)/)
			name = prefix name
		out = out plain(substr(s, 1, RSTART - 1)) "\\fB" \
			literal(name) "\\fR" \
			substr(s, RSTART + RLENGTH - 3, 3)
		s = substr(s, RSTART + RLENGTH)
	}
	return out plain(s)
}

# `typed` and *VALUE*.
function inline(s,    out, mark, at, end, body) {
	while ((at = match(s, /[`*]/))) {
		mark = substr(s, at, 1)
		end = index(substr(s, at + 1), mark)
		if (!end)
			break
		body = substr(s, at + 1, end - 1)
		out = out reference(substr(s, 1, at - 1)) (mark == "`" ? \
			"\\fB" literal(installed(body)) : \
			"\\fI" literal(body)) "\\fR"
		s = substr(s, at + end + 1)
	}
	return out reference(s)
}

function line(s) {
	print (s ~ /^[.']/ ? "\\&" : "") s
}

# Running text, in lines that are not too long.
function flow(s,    at, cut) {
	while (length(s) > 78) {
		at = match(substr(s, 1, 78), / [^ ]*$/)
		if (!at)
			at = index(s, " ")
		if (!at)
			break
		line(substr(s, 1, at - 1))
		s = substr(s, at + 1)
	}
	line(s)
}

# Upper case letters are values, other words are typed as they are.
function form(s,    out, at) {
	while (match(s, /[A-Za-z0-9.-]*[A-Za-z][A-Za-z0-9-]*/)) {
		at = substr(s, RSTART, RLENGTH)
		out = out plain(substr(s, 1, RSTART - 1)) \
			(at ~ /^[A-Z][A-Z]*$/ ? "\\fI" : "\\fB") \
			literal(at) "\\fR"
		s = substr(s, RSTART + RLENGTH)
	}
	return out plain(s)
}

# Of the help, where a program calls its own help "this text".
function said(s) {
	if (s == "this text")
		s = "a summary of the options"
	s = plain(s)
	gsub(/'/, "\\(aq", s)
	return s
}

# -- Reading ------------------------------------------------------------------

FNR == 1 {
	section = option = ""
}

part == "help" {
	help_line[++n_help] = $0
	next
}

/^% / { next }

/^# / {
	section = substr($0, 3)
	option = ""
	if (part == "common" && (section in own_section))
		section = ""
	else if (part != "common")
		own_section[section] = 1
	if (section && !(section in seen)) {
		seen[section] = 1
		order[++n_sections] = section
	}
	next
}

/^## / {
	option = substr($0, 4)
	if (part == "common" && (option in own_option))
		option = "\n"
	else if (part != "common")
		own_option[option] = 1
	next
}

option { about[option] = about[option] $0 "\n"; next }
section { text[section] = text[section] $0 "\n" }

# -- The help -----------------------------------------------------------------

# Fills: usage, summary, and entries (left, help, of the group heading[]).
function read_help(    i, s, in_usage) {
	in_usage = 1
	for (i = 1; i <= n_help; i++) {
		s = help_line[i]
		if (s ~ /^usage: / || (in_usage && s ~ /^       [^ ]/)) {
			sub(/^usage: |^ +/, "", s)
			usage[++n_usage] = s
			continue
		}
		in_usage = 0
		if (s ~ /^ / && n_groups)
			read_entry(s)
		else if (s != "" && help_line[i + 1] ~ /^  /)
			heading[++n_groups] = s
		else if (s != "" && !n_groups)
			summary = summary (summary ? " " : "") s
	}
}

function read_entry(s,    at) {
	if (s ~ /^                                [^ ]/) {
		sub(/^ +/, "", s)
		help[n_entries] = help[n_entries] \
			(help[n_entries] ? " " : "") s
		return
	}
	sub(/^ +/, "", s)
	at = match(s, /  +/)
	left[++n_entries] = at ? substr(s, 1, at - 1) : s
	help[n_entries] = at ? substr(s, at + RLENGTH) : ""
	group[n_entries] = n_groups
	if (s ~ /^-/) {
		has_options[n_groups] = 1
		names[n_entries] = 1
		known[name_of(left[n_entries])] = 1
	}
}

# What prose calls it: the long name, the letter where there is none.
function name_of(s) {
	return match(s, /--[a-z0-9-]+/) ? substr(s, RSTART, RLENGTH) : \
		substr(s, 1, 2)
}

# -- Writing ------------------------------------------------------------------

# Paragraphs, "- " and "= " lists, blocks that are indented.
function write_prose(s,    n, lines, i, l, block, gap, first) {
	n = split(s, lines, "\n")
	first = 1
	for (i = 1; i <= n; i++) {
		l = lines[i]
		if (l == "") {
			gap = !first
			continue
		}
		if (block && l !~ /^    /) {
			print ".EE\n.RE"
			block = 0
		}
		if (l ~ /^    /) {
			if (!block)
				print (first ? "" : ".P\n") ".RS 4\n.EX"
			else if (gap)
				print ""
			block = 1
			line(literal(installed(substr(l, 5))))
		} else if (l ~ /^- /) {
			print ".IP \\(bu 2"
			flow(inline(substr(l, 3)))
		} else if (l ~ /^= /) {
			print ".TP 8"
			line(inline(substr(l, 3)))
		} else {
			if (gap)
				print ".P"
			sub(/^ +/, "", l)
			flow(inline(l))
		}
		gap = first = 0
	}
	if (block)
		print ".EE\n.RE"
}

function write_entry(e,    name) {
	print ".TP"
	name = e in names ? name_of(left[e]) : left[e]
	line(e in names ? form(left[e]) : "\\fB" literal(name) "\\fR")
	flow(said(help[e]))
	if (name in about) {
		print ".RS\n.P"
		write_prose(about[name])
		print ".RE"
	}
}

function write_group(g,    e) {
	for (e = 1; e <= n_entries; e++)
		if (group[e] == g)
			write_entry(e)
}

function write_options(    g) {
	print ".SH OPTIONS"
	write_prose(text["OPTIONS"])
	for (g = 1; g <= n_groups; g++) {
		if (!has_options[g] && heading[g] != "Palettes")
			continue
		if (heading[g] != "Options")
			print ".SS " heading[g]
		write_group(g)
	}
}

function write_words(title, pattern, behind,    g) {
	for (g = n_groups; g && heading[g] !~ pattern; g--)
		continue
	if (!g && !(title in text))
		return
	print ".SH " title
	if (!behind)
		write_prose(text[title])
	write_group(g)
	if (g && behind && title in text)
		print ".P"
	if (behind)
		write_prose(text[title])
}

function write_section(s) {
	if (s in written)
		return
	written[s] = 1
	if (s == "OPTIONS") {
		if (n_entries)
			write_options()
	} else if (s == "COMMANDS") {
		write_words(s, "^Instead of recording|^[Cc]ommands")
	} else if (s == "EXIT STATUS") {
		write_words(s, "^Exit status", 1)
	} else {
		print ".SH " s
		write_prose(text[s])
	}
}

function write_name(    s) {
	print ".SH NAME"
	s = summary
	if ("NAME" in text) {
		s = text["NAME"]
		gsub(/\n/, " ", s)
		sub(/ *$/, "", s)
	}
	sub(/\.$/, "", s)
	written["NAME"] = 1
	gsub(/'/, "", s)
	flow(literal(page_name) " \\- " tolower(substr(s, 1, 1)) \
		plain(substr(s, 2)))
}

function write_synopsis(    i) {
	written["SYNOPSIS"] = 1
	if (!n_usage)
		return
	print ".SH SYNOPSIS"
	for (i = 1; i <= n_usage; i++) {
		if (i > 1)
			print ".br"
		line(form(installed(usage[i])))
	}
}

END {
	read_help()
	page_name = (volume == 1 ? prefix : "") page
	for (option in own_option)
		if (!(option in known))
			fail("no option '" option "' in the help")
	if (!n_help && !("NAME" in text))
		fail("neither help nor a NAME")
	printf ".\\\" Made from `--help` and man/*.txt.\n"
	printf ".TH %s %d %s coltrace \"coltrace manual\"\n", \
		literal(toupper(page_name)), volume, date ? date : "\"\""
	write_name()
	write_synopsis()
	if ("DESCRIPTION" in text)
		write_section("DESCRIPTION")
	write_section("COMMANDS")
	write_section("OPTIONS")
	write_section("EXIT STATUS")
	for (i = 1; i <= n_sections; i++)
		if (order[i] != "SEE ALSO")
			write_section(order[i])
	if ("SEE ALSO" in text)
		write_section("SEE ALSO")
	exit failed
}
