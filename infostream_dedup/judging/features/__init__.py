"""Building blocks of methods: words, sentences, shingles, fingerprints, and joins that avoid trying all pairs."""
