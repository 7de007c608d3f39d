analyze folded --nope
