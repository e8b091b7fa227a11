"""Writes results as files: HTML, SVG, PNG, CSV, JSON."""

from infostream_dedup.report.comparison_files import write_comparison
from infostream_dedup.report.files import write_report

__all__ = ["write_comparison", "write_report"]
