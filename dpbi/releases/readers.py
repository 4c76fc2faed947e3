"""Programs that read a release's JSON file without dpbi, in Python and in R: both print the same lines."""

import json


def reader_script(filename: str = "dpbi-release.json") -> str:
    """A Python program that loads the JSON file and rebuilds all its posteriors with numpy and scipy.

    filename: of the JSON file, beside the program. Source: ours.
    """
    return _PYTHON.replace("FILENAME", repr(filename))


def reader_script_r(filename: str = "dpbi-release.json") -> str:
    """The same in R, with base R alone, which reads no JSON: its text is turned into R's own. Argument and source as
    ``reader_script``.
    """
    return _R.replace("FILENAME", json.dumps(filename, ensure_ascii=False))


_PYTHON = '''"""Loads a release of dpbi and rebuilds the posteriors of the shares. Needs numpy and scipy."""

import decimal
import json
from pathlib import Path

import numpy as np
from scipy import optimize, special

release = json.loads(Path(FILENAME).read_text(encoding="utf-8"))
prior, n = np.array(release["prior"]), release["n"]

# The naive posterior: a Dirichlet distribution that takes the released counts for the true ones.
parameters = np.array(release["naive_posterior"]["parameters"])

# The nearest posterior: the one Dirichlet distribution to work with. Older files do not hold it.
nearest = release.get("nearest_posterior", {}).get("parameters")

# The noise-aware posterior, and that of all releases of the same table, where the file knows of several.
aware = release["noise_aware_posterior"]
together = release.get("all_releases_together")
subject = release.get("subject")
warnings = [together[name] for name in ("stamp", "contradiction") if together.get(name)] if together else []


def cumulative(posterior, i, share):
    """P(share_i <= share): a mixture of Beta distributions over what its count may have been."""
    marginal = posterior["marginals"][i]
    counts = marginal["first_count"] + np.arange(len(marginal["probability"]))
    law = special.betainc(prior[i] + counts, np.delete(prior, i).sum() + n - counts, share)
    return float(law @ np.array(marginal["probability"]))


def quantile(posterior, i, probability):
    """By the log-odds of the share, which may lie very near 0."""
    def excess(log_odds):
        return cumulative(posterior, i, special.expit(log_odds)) - probability

    if excess(-700.0) >= 0:
        return 0.0
    return float(special.expit(optimize.brentq(excess, -700.0, 700.0, xtol=1e-12, maxiter=3000)))


def outwards(low, high):
    """In four digits, rounded so that no interval is told shorter than it is."""
    down, up = (decimal.Context(4, way).create_decimal for way in (decimal.ROUND_FLOOR, decimal.ROUND_CEILING))
    return f"{float(down(low)):.4g} to {float(up(high)):.4g}"


def in_words(posterior, i):
    if "marginals" not in posterior:
        return posterior.get("unavailable", "too long for this file, dpbi rebuilds it")
    ends = (quantile(posterior, i, probability) for probability in (0.025, 0.975))
    return f"{posterior['mean'][i]:.4g} ({outwards(*ends)})"


if __name__ == "__main__":
    if release["stamp"]:
        print(release["stamp"])
    if subject:
        print(f"{subject['question']} - {subject['people']}")
    print(release["guarantee"]["words"], "-", release["guarantee"]["neighbours"])
    if nearest:
        print("nearest posterior: Dirichlet", *(f"{parameter:.15g}" for parameter in nearest))
    for warning in warnings:
        print("all releases together:", warning)
    for i, category in enumerate(release["categories"]):
        rest = np.delete(parameters, i).sum()
        ends = special.betaincinv(parameters[i], rest, [0.025, 0.975]).tolist()
        mean = parameters[i] / (parameters[i] + rest)
        print(f"{category}: naive {mean:.4g} ({outwards(*ends)}); noise-aware {in_words(aware, i)}", end="")
        print(f"; all releases together {in_words(together, i)}" if together else "")
'''

# A JSON string or number is one in R as well (the files escape no slash), so that only punctuation and three words are
# to be replaced; what is evaluated holds no name but list.
_R = r'''# Loads a release of dpbi and rebuilds the posteriors of the shares. Needs base R alone.

lines <- readLines(FILENAME, encoding = "UTF-8", warn = FALSE)
token <- '"(?:[^"\\\\]|\\\\.)*+"|[-+.0-9eE]+|true|false|null|[][{},:]'
tokens <- unlist(regmatches(lines, gregexpr(token, lines, perl = TRUE)))
in_r <- c("{" = "list(", "[" = "list(", "}" = ")", "]" = ")", ":" = "=", true = "TRUE", false = "FALSE", null = "NULL")
tokens <- ifelse(tokens %in% names(in_r), in_r[tokens], tokens)
release <- eval(parse(text = tokens, encoding = "UTF-8", keep.source = FALSE))
prior <- unlist(release$prior)

# The naive posterior: a Dirichlet distribution that takes the released counts for the true ones.
parameters <- unlist(release$naive_posterior$parameters)

# The nearest posterior: the one Dirichlet distribution to work with. Older files do not hold it.
nearest <- unlist(release$nearest_posterior$parameters)

# The noise-aware posterior, and that of all releases of the same table, where the file knows of several.
aware <- release$noise_aware_posterior
together <- release$all_releases_together
subject <- release$subject
warnings <- Filter(nzchar, c(together$stamp, together$contradiction))

# P(share_i <= share): a mixture of Beta distributions over what its count may have been.
cumulative <- function(posterior, i, share) {
  probability <- unlist(posterior$marginals[[i]]$probability)
  counts <- posterior$marginals[[i]]$first_count + seq_along(probability) - 1
  sum(probability * pbeta(share, prior[i] + counts, sum(prior[-i]) + release$n - counts))
}

# By the log-odds of the share, which may lie very near 0.
quantile <- function(posterior, i, probability) {
  excess <- function(log_odds) cumulative(posterior, i, plogis(log_odds)) - probability
  if (excess(-700) >= 0) return(0)
  plogis(uniroot(excess, c(-700, 700), tol = 1e-12, maxiter = 3000)$root)
}

# In four digits, rounded so that no interval is told shorter than it is.
outwards <- function(ends) {
  unit <- ifelse(ends > 0, 10^(floor(log10(ends)) - 3), 1)
  sprintf("%.4g to %.4g", floor(ends[1] / unit[1]) * unit[1], ceiling(ends[2] / unit[2]) * unit[2])
}

in_words <- function(posterior, i) {
  if (!is.null(posterior$unavailable)) return(posterior$unavailable)
  if (is.null(posterior$marginals)) return("too long for this file, dpbi rebuilds it")
  ends <- c(quantile(posterior, i, 0.025), quantile(posterior, i, 0.975))
  sprintf("%.4g (%s)", posterior$mean[[i]], outwards(ends))
}

if (nzchar(release$stamp)) cat(release$stamp, "\n", sep = "")
if (!is.null(subject)) cat(subject$question, " - ", subject$people, "\n", sep = "")
cat(release$guarantee$words, " - ", release$guarantee$neighbours, "\n", sep = "")
if (!is.null(nearest)) writeLines(paste(c("nearest posterior: Dirichlet", sprintf("%.15g", nearest)), collapse = " "))
for (warning in warnings) cat("all releases together: ", warning, "\n", sep = "")
for (i in seq_along(release$categories)) {
  mean <- parameters[i] / sum(parameters)
  ends <- qbeta(c(0.025, 0.975), parameters[i], sum(parameters[-i]))
  cat(sprintf("%s: naive %.4g (%s)", release$categories[[i]], mean, outwards(ends)))
  cat("; noise-aware", in_words(aware, i))
  if (!is.null(together)) cat("; all releases together", in_words(together, i))
  cat("\n")
}
'''
