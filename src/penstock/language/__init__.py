"""Text and JSON to conditions and back: the grammar, the parser, normal forms, renderings."""
