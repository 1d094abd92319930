"""Sequence-to-sequence learning from first principles, one small module per idea.

Read the modules in the order data flows through them:
`vocab`, `data`, `batch`, `encoder`, `attention`, `decoder`, `model`, `loss`, `train`,
`search`, `evaluate`, `alignments`; `positions`, `layers` and `transformer` do it all without
recurrence; then `figures`, `widgets` and `claims` show and check the results.

Axes, everywhere: B batch, S source positions, T target positions, E embedding,
H decoder state, D encoder state (2H when bidirectional), V vocabulary,
J heads, L layers. Batch first.
"""

__version__ = "0.1.0"
