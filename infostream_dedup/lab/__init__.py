"""The laboratory: methods of the papers, evaluation, estimation and dictionaries. The core never imports it."""
