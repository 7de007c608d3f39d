analyze --nope folded
