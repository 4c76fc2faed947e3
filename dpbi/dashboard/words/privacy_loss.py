"""The sentences about exact losses, what they accuse and what calibration gains."""

from collections.abc import Mapping, Sequence

from dpbi import ApproximateDP, NotPrivate, PrivacyLoss, PureDP, Verdict, name_of, printed_bound
from dpbi.dashboard.words import words
from dpbi.tables import pair

FOUND = {"exhaustive": "by visiting every pair and output", "closed form": "in closed form, from the noise"}
_NO_GAIN = 1e-6
LOSS = (
    "Whoever sees a release, the odds between two datasets that differ in one person's record move by a factor of at "
    "most e^loss. Here that **privacy loss** is computed, not bounded: the worst over every dataset of n records, "
    "every neighbour and every output, for this prior and n. It depends on no count of yours."
)
LOSS_AGAINST_SIZE = (
    "The same prior with fewer records: the papers' concrete epsilon, here the worst over all datasets of each size. "
    "Without calibration, which would make the loss epsilon at every n."
)
PROFILE = (
    "delta(epsilon) is what remains to be allowed for if only epsilon is granted: at a finite exact loss it is 0, at "
    "epsilon = 0 it is the largest total variation distance between neighbours' output laws."
)
ATTACKER = (
    "Someone who knows every record but one must tell from the release which of two neighbouring datasets it came "
    "from. No test that raises so many false alarms misses fewer than the curve says, which is computed from "
    "delta(epsilon) at the worst pair of neighbours."
)
CALIBRATION = (
    "A mechanism that loses less than its epsilon adds more noise than its promise needs. **Calibrating** raises its "
    "rate until the exact loss is epsilon, which usually brings it nearer to the truth, or lowers it, where epsilon is "
    "exceeded. What is promised then holds for this prior and n. The rate depends on the mechanism, the prior and n "
    "alone. Open a mechanism below those to choose from in the sidebar: **calibrated** there shows it so on every page."
)


def verdicts(found: Sequence[Verdict]) -> str:
    """Whom the audit accuses, what becomes of a delta or where nothing is promised, and who loses no more than epsilon.
    """
    kept = [name_of(one.loss.mechanism) for one in found if not one.accused and isinstance(one.guarantee, PureDP)]
    parts = [_accusation(one) for one in found if one.accused]
    parts += [_claim(one, one.guarantee) for one in found if isinstance(one.guarantee, ApproximateDP)]
    parts += [_no_promise(one) for one in found if isinstance(one.guarantee, NotPrivate) and not one.accused]
    parts += [f"{words.listed(kept)} {'keeps' if len(kept) == 1 else 'keep'} what is stated."] if kept else []
    return "\n\n".join(parts)


def _accusation(one: Verdict) -> str:
    name = name_of(one.loss.mechanism)
    proved = one.guarantee.epsilon if isinstance(one.guarantee, PureDP) else one.stated
    return (
        f"**The audit accuses {name}**: stated epsilon {printed_bound(one.stated)}, exact loss "
        f"{printed_bound(one.loss.epsilon)}. It is attained by {pair(one.loss)}."
        + (f" What is proved for it here is {one.guarantee.words}." if proved > one.stated else "")
    )


def _claim(one: Verdict, promised: ApproximateDP) -> str:
    name, basis = name_of(one.loss.mechanism), words.escape(promised.reason, words.SENTENCE_LENGTH)
    verb = "is broken" if one.accused else "holds"
    beyond = ""
    if one.exceeds and not one.accused:
        beyond = f", though its exact loss, {printed_bound(one.loss.epsilon)}, exceeds epsilon: by {pair(one.loss)}"
    return (
        f"**{name}** {promised.called}s delta = {printed_bound(promised.delta)} at epsilon = "
        f"{printed_bound(promised.epsilon)}; the exact delta there is {printed_bound(one.delta or 0.0)}, so the "
        f"{promised.called} {verb} for this prior and n{beyond}. Its basis: {basis}."
    )


def _no_promise(one: Verdict) -> str:
    name, why = name_of(one.loss.mechanism), words.escape(one.guarantee.reason, words.SENTENCE_LENGTH)
    return (
        f"**{name}** promises nothing, and loses {printed_bound(one.loss.epsilon)} here, not more than "
        f"{printed_bound(one.stated)}. That means only this: for this very prior and n, checked over every dataset "
        "and output. At another prior or n "
        f"its loss can exceed epsilon, and nothing limits it: {why}."
    )


def attained(loss: PrivacyLoss) -> str:
    return f"{name_of(loss.mechanism)}: {pair(loss)}. Found {FOUND[loss.found]}."


def nothing_to_gain(multipliers: Mapping[str, float]) -> str:
    """Whom calibration leaves as they are; multipliers: of the rates, by name."""
    names = [name for name, multiplier in multipliers.items() if abs(multiplier - 1) < _NO_GAIN]
    if not names:
        return ""
    lose = "loses" if len(names) == 1 else "lose"
    return f"Calibration has nothing to give {words.listed(names)}, which already {lose} exactly epsilon."
