rec doctor --help
