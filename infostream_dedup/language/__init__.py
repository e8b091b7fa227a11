"""From a string to words, sentences, stems, lemmas and their equivalents in another language."""
