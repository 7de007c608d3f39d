analyze help nonsense
