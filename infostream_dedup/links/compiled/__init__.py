"""The stages from key terms to links and their measures, for 10^6 documents and 10^8 links."""
