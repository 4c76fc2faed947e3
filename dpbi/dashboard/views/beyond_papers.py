"""What the papers leave open, on a part of their page: one question at a time, each computed when it is looked at."""


from dpbi.dashboard.session import settings
from dpbi.dashboard.sidebar.controls import BEYOND, BEYOND_QUESTIONS
from dpbi.dashboard.views import large_sample, local_loss, public_rate
from dpbi.dashboard.words import guard

_ANSWERS = dict(zip(BEYOND_QUESTIONS, (large_sample.draw, local_loss.draw, public_rate.draw), strict=True))


def draw() -> None:
    question = settings.segments("Question", BEYOND, BEYOND_QUESTIONS)
    with guard.part():
        _ANSWERS[question]()
