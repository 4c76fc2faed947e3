"""The Laplace family from within: its noise laws, its outputs listed, its exact mean, its audit."""
