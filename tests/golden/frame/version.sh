analyze --version
