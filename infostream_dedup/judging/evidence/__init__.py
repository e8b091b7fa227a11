"""What two documents have in common beyond key terms, what kind of pair they are, and why.

``reading`` finds the evidence of each document, ``records`` packs it, ``pair_evidence`` compares two records,
``pair_model`` turns a comparison into a probability, ``kinds`` names the pair and ``status`` the later document.
"""
