analyze help
