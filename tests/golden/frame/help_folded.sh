analyze folded --help
