rec list --help
