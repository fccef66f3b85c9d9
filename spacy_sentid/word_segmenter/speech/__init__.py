"""From speech to word boundaries: forced alignments, pauses, and what is made of them."""
