"""What many documents repeat: lines such as footers are no evidence, and equal words make an exact copy."""
