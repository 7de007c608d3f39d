analyze fold
