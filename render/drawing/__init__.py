"""What is made once and pasted often: fonts and strings, sprites, the empty board, palettes."""
