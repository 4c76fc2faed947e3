"""The problem: a public prior and private counts, the datasets beside them, and the candidate posteriors."""

from dpbi.problem.candidates import (
    LISTED_CATEGORIES,
    are_few,
    list_candidates,
    log_number_of_candidates,
    number_of_candidates,
)
from dpbi.problem.neighbours import RELATION, steps_between
from dpbi.problem.problem import Problem, check_problem

__all__ = ["LISTED_CATEGORIES", "RELATION", "Problem", "are_few", "check_problem", "list_candidates",
           "log_number_of_candidates", "number_of_candidates", "steps_between"]
