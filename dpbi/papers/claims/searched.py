"""What the search for counter-examples looked at, written by ``python -m tests.papers.search``.

By claim: the number of settings that decide it, the ends between which each of its inputs lay, and how many of the
first 12 settings those are, by which a test sees that this is still so.
"""

SEARCHED: dict[str, tuple[int, dict[str, tuple[float, float]], int]] = {
    "The posterior is Dir(alpha + c)":
        (787, {"prior": (0.0102, 2000.0), "k": (2, 5), "n": (1, 8899)}, 12),
    "The Hellinger distance of two Dirichlets":
        (687, {"prior": (0.0125, 1960.0), "k": (2, 2), "n": (1, 6804)}, 9),
    "Adjacent data agree in at most one record":
        (800, {"n": (1, 180861)}, 12),
    "Candidates have integer parameters that sum to n + 2":
        (693, {"prior": (0.01, 1880.0), "k": (2, 2), "n": (1, 97399)}, 9),
    "LS(x) goes to 0 as n grows":
        (696, {"prior": (0.01, 2000.0), "k": (2, 2), "n": (1, 482281)}, 8),
    "ELap(x) / (epsilon LS(x)) is O(epsilon)":
        (800, {"epsilon": (0.01, 11.9)}, 12),
    "The improved Laplace mechanism has scale 2/epsilon":
        (800, {"k": (2, 5), "epsilon": (0.0509, 11.7)}, 12),
    "The global sensitivity is at most sqrt(1 - pi/4)":
        (430, {"prior": (1.0, 1900.0), "k": (2, 5), "n": (1, 79772)}, 7),
    "The global sensitivity equals sqrt(1 - pi/4)":
        (159, {"prior": (1.0, 1.0), "k": (3, 5), "n": (1, 445384)}, 0),
    "Local sensitivity is attained at the true posterior":
        (763, {"prior": (0.01, 1980.0), "k": (2, 5), "n": (1, 392916)}, 12),
    "There are C(n + 1, k - 1) candidates":
        (800, {"k": (2, 6), "n": (1, 160902)}, 12),
    "There are n + 1 candidates":
        (800, {"k": (2, 6), "n": (1, 616159)}, 12),
    "L1 sensitivity grows with the dimension":
        (800, {"k": (2, 5), "n": (1, 261044)}, 12),
    "L1 sensitivity is at most 2":
        (800, {"k": (2, 5), "n": (1, 296881)}, 12),
    "Each count has sensitivity 1":
        (698, {"k": (2, 2), "n": (1, 641195)}, 8),
    "Sensitivity 1 suffices at k = 2, and 2 above":
        (800, {"k": (2, 5), "n": (1, 169994)}, 12),
    "1/S changes by at most gamma":
        (420, {"prior": (0.0103, 1750.0), "k": (2, 5), "n": (1, 506675), "gamma": (0.01, 9.9)}, 7),
    "S changes by a factor of at most e^beta":
        (656, {"prior": (0.01, 2000.0), "k": (2, 5), "n": (1, 317497), "beta": (0.01, 9.68)}, 10),
    "S lies between the local and the global sensitivity":
        (379, {"prior": (0.0101, 2000.0), "k": (2, 5), "n": (1, 171619), "gamma": (0.01, 1.0)}, 3),
    "Four mechanisms keep epsilon":
        (718, {"prior": (0.0104, 2000.0), "k": (2, 5), "n": (1, 1885), "epsilon": (0.05, 11.7)}, 11),
    "EHD keeps epsilon with sqrt(1 - pi/4)":
        (414, {"prior": (1.0, 1910.0), "k": (2, 5), "n": (1, 1578), "epsilon": (0.05, 11.8)}, 4),
    "LSZhang keeps epsilon":
        (800, {"k": (2, 5), "n": (1, 393390), "epsilon": (0.05, 11.7)}, 12),
    "One noise of scale 2/epsilon keeps epsilon":
        (697, {"prior": (0.01, 2000.0), "k": (2, 2), "n": (1, 671960), "epsilon": (0.0504, 12.0)}, 10),
    "The captions' exponential mechanism keeps epsilon":
        (299, {"prior": (4.0, 7.0), "k": (3, 3), "n": (1, 31), "epsilon": (0.05, 11.9)}, 4),
    "With 2 S and gamma = 1 the loss is at most 2 epsilon":
        (644, {"prior": (0.0103, 2000.0), "k": (2, 5), "n": (1, 2086), "epsilon": (0.05, 12.0)}, 12),
    "At any gamma the loss is at most (1 + gamma) epsilon":
        (723, {"prior": (0.0107, 2000.0), "k": (2, 5), "n": (1, 1902), "epsilon": (0.05, 12.0), "gamma":
         (0.01, 9.97)}, 11),
    "(epsilon, delta) for the exponential smooth sensitivity":
        (713, {"prior": (0.0107, 2000.0), "k": (2, 5), "n": (1, 1468), "epsilon": (0.055, 12.0), "delta":
         (1.04e-10, 0.999)}, 10),
    "The concrete loss lies below epsilon":
        (26, {"prior": (1.0, 1.0), "k": (2, 2), "n": (1, 558), "epsilon": (1.0, 1.0), "delta": (0.0005,
         0.0005)}, 1),
    "Two independent noises of scale 2/epsilon keep epsilon":
        (293, {"prior": (0.0173, 1730.0), "k": (2, 2), "n": (1, 1), "epsilon": (0.05, 11.6)}, 2),
    "The noise written as Lap(epsilon/2) keeps epsilon":
        (388, {"n": (1, 248788), "epsilon": (2.0, 11.1)}, 1),
    "Equal scores, equal probabilities":
        (744, {"prior": (0.0102, 1850.0), "k": (2, 5), "n": (1, 150666), "epsilon": (0.05, 11.9), "delta":
         (1.09e-10, 0.999)}, 12),
    "A distance has C_r times the probability of a candidate":
        (685, {"prior": (0.01, 1640.0), "k": (2, 5), "n": (1, 335), "epsilon": (0.051, 11.8), "delta":
         (1.11e-10, 0.999)}, 12),
    "Equal steps, equal distance":
        (239, {"prior": (0.0173, 1280.0), "k": (2, 2), "n": (2, 37074)}, 0),
    "At most two candidates share a distance":
        (574, {"prior": (0.0106, 1820.0), "k": (2, 2), "n": (1, 162948)}, 10),
    "Every candidate but the truth has a twin":
        (252, {"prior": (0.01, 776.0), "k": (2, 2), "n": (2, 66806)}, 2),
    "Dilated candidates have as many twins":
        (222, {"prior": (0.0311, 1250.0), "k": (2, 2), "n": (4, 37110)}, 0),
    "Sliding, as derived":
        (600, {"prior": (0.01, 1950.0), "k": (2, 2), "n": (1, 1998), "epsilon": (0.0507, 12.0), "delta":
         (1.7e-10, 0.999)}, 6),
    "The notes' event has probability at most delta/2":
        (696, {"prior": (0.01, 1980.0), "k": (2, 2), "n": (1, 60998), "epsilon": (0.0511, 12.0), "delta":
         (1.69e-10, 0.999)}, 10),
    "Below lambda = 0 the ratio is at most epsilon/2, as printed":
        (402, {"prior": (0.01, 1930.0), "k": (2, 2), "n": (1, 50318), "epsilon": (2.0, 12.0), "delta":
         (1.87e-10, 0.999)}, 3),
    "Below lambda = 0 the log ratio is at most epsilon/2":
        (702, {"prior": (0.01, 2000.0), "k": (2, 2), "n": (1, 109572), "epsilon": (0.05, 12.0), "delta":
         (1e-10, 0.999)}, 10),
    "The largest case of Lemma 5.5":
        (703, {"prior": (0.0118, 2000.0), "k": (2, 2), "n": (1, 512060), "epsilon": (0.0505, 12.0), "delta":
         (1e-10, 0.999)}, 6),
    "The tail of Laplace noise":
        (800, {"epsilon": (0.05, 12.0)}, 12),
    "The sum of k noises exceeds k (2/epsilon) ln(k/p) with probability at most p":
        (800, {"k": (2, 5), "probability": (1.07e-10, 0.999), "factor": (2, 5)}, 12),
    "The same with n in place of k":
        (661, {"k": (2, 5), "probability": (1e-10, 0.999), "factor": (2, 350322)}, 8),
    "The tail of the exponential mechanism":
        (758, {"prior": (0.01, 2000.0), "k": (2, 5), "n": (1, 710033), "epsilon": (0.0536, 12.0)}, 12),
    "The tail of M_H":
        (747, {"prior": (0.01, 1970.0), "k": (2, 5), "n": (1, 249368), "epsilon": (0.0504, 12.0)}, 12),
    "The exact tail of M_H, with 2 S":
        (687, {"prior": (0.01, 1760.0), "k": (2, 5), "n": (1, 140), "epsilon": (0.05, 11.9)}, 12),
    "The tail of M_H with its normaliser, with 2 S":
        (728, {"prior": (0.01, 2000.0), "k": (2, 5), "n": (1, 79804), "epsilon": (0.05, 12.0)}, 12),
    "The tail of M_H with an N(n), with 2 S":
        (620, {"prior": (0.01, 2000.0), "k": (2, 5), "n": (1, 96), "epsilon": (0.05, 11.5)}, 11),
    "LSZhang within k steps, at least":
        (239, {"prior": (0.01, 304.0), "k": (2, 2), "n": (4, 227668), "epsilon": (0.01, 7.7)}, 0),
    "LSHist within k steps":
        (244, {"prior": (0.0257, 1130.0), "k": (2, 2), "n": (4, 104046), "epsilon": (0.01, 11.3)}, 0),
    "LSHist within k steps, at least":
        (248, {"prior": (0.0154, 2000.0), "k": (2, 2), "n": (4, 71106), "epsilon": (0.01, 11.8)}, 2),
    "EHDL within k steps, at most":
        (212, {"prior": (0.01, 1590.0), "k": (2, 2), "n": (4, 222676), "epsilon": (0.01, 8.24)}, 1),
    "EHD within k steps, at most, before the last step":
        (255, {"prior": (0.01, 1060.0), "k": (2, 2), "n": (4, 37542), "epsilon": (0.01, 10.4)}, 2),
    "Theorem 4.5 at k = 0, noise":
        (514, {"prior": (0.0105, 1660.0), "k": (2, 2), "n": (2, 435501), "epsilon": (0.01, 12.0)}, 7),
    "Theorem 4.5 at k = 0, at most, EHDL":
        (705, {"prior": (0.01, 1970.0), "k": (2, 2), "n": (1, 211105), "epsilon": (0.01, 11.3)}, 11),
    "From which size on LSHist beats EHD":
        (245, {"prior": (0.01, 1230.0), "k": (2, 2), "n": (14, 89154), "epsilon": (0.077, 3.31)}, 2),
    "Below which size EHD beats LSHist":
        (245, {"prior": (0.0112, 2000.0), "k": (2, 2), "n": (4, 50), "epsilon": (0.02, 0.435)}, 3),
    "From which size on LSHist beats EHD within LS(x)":
        (267, {"prior": (0.011, 1420.0), "k": (2, 2), "n": (16, 103408), "epsilon": (0.058, 4.96)}, 5),
    "EHD within LS(x), at most":
        (435, {"prior": (0.01, 1850.0), "k": (2, 2), "n": (2, 55426), "epsilon": (0.05, 11.6)}, 7),
    "Hellinger distance bounds total variation":
        (719, {"prior": (0.01, 1970.0), "k": (2, 2), "n": (1, 503479)}, 11),
    "ELap(x) / (epsilon LS(x)) is bounded in n":
        (503, {"prior": (0.01, 2000.0), "k": (2, 2), "epsilon": (0.0503, 12.0), "gamma": (1.33e-10, 0.932)},
         5),
    "LSHist stays within LS(x)":
        (483, {"prior": (0.0101, 1690.0), "k": (2, 2), "n": (1, 1656), "epsilon": (0.0649, 12.0)}, 3),
    "P(-1 <= Y < 2)":
        (800, {"epsilon": (0.05, 12.0)}, 12),
    "One step of noise leads no farther than LS(x)":
        (701, {"prior": (0.01, 2000.0), "k": (2, 2), "n": (1, 748722)}, 7),
    "1 - (e^{-epsilon} + e^{-2 epsilon})/2 is above 1 - e^{-epsilon}":
        (800, {"epsilon": (0.05, 11.8)}, 12),
    "ELap(x) = LS(x) at gamma = e^{-epsilon}":
        (246, {"prior": (0.01, 1480.0), "k": (2, 2), "n": (2, 6992), "epsilon": (0.0916, 12.0)}, 1),
    "ELap(x) is at most the farthest of ln(1/gamma)/epsilon steps":
        (697, {"prior": (0.01, 2000.0), "k": (2, 2), "n": (1, 391544), "epsilon": (0.05, 11.4), "gamma":
         (1.4e-10, 0.999)}, 12),
    "ln(1/gamma)/epsilon is k":
        (800, {"epsilon": (0.0504, 12.0)}, 12),
    "P(-k < Y <= k + 1)":
        (800, {"epsilon": (0.05, 11.6)}, 12),
    "ELap(x)/LS(x) is below 2":
        (437, {"prior": (0.013, 1860.0), "k": (2, 2), "n": (1, 275), "epsilon": (0.0551, 12.0)}, 3),
    "The smooth bound is more accurate than the global one":
        (697, {"prior": (0.01, 1850.0), "k": (2, 5), "n": (1, 493528), "epsilon": (0.05, 11.9), "gamma":
         (0.01, 10.0)}, 12),
    "The smooth bound is more accurate than the global one, as printed":
        (514, {"prior": (0.0103, 2000.0), "k": (2, 5), "n": (1, 274199), "epsilon": (0.05, 11.8), "delta":
         (1e-10, 0.999)}, 5),
    "Errors in KL divergence and chi-square are finite":
        (769, {"prior": (0.0103, 2000.0), "k": (2, 5), "n": (1, 309470), "epsilon": (0.051, 12.0)}, 12),
    "The improved Laplace mechanism gives near results most often":
        (138, {"k": (2, 4), "n": (30, 578460), "epsilon": (1.0, 1.25)}, 1),
    "M_H overtakes the baseline for k = 3 and 4 too":
        (90, {"prior": (1.0, 1.0), "k": (3, 4), "n": (100, 3000), "epsilon": (1.0, 1.0)}, 1),
    "With small balanced priors the Laplace mechanisms are nearer":
        (60, {"prior": (1.0, 5.0), "k": (2, 2), "n": (100, 100), "epsilon": (1.0, 1.0)}, 1),
    "M_H outperforms the baseline for small priors":
        (101, {"prior": (0.0996, 5.0), "k": (2, 2), "n": (300, 15000), "epsilon": (1.0, 1.0)}, 2),
    "Who is nearer in the notes' figures":
        (55, {"k": (2, 4), "n": (60, 98), "epsilon": (0.8, 0.8), "delta": (0.8, 0.8)}, 1),
    "Laplace returns good answers much more often at k = 4":
        (16, {"k": (4, 4), "n": (80, 80), "epsilon": (0.8, 0.8), "delta": (0.8, 0.8)}, 0),
    "Laplace's lead at (20, 20, 20) is not significant":
        (34, {"k": (3, 3), "n": (60, 60), "epsilon": (0.8, 0.8), "delta": (0.8, 0.8)}, 1),
    "Good answers more often, bad ones less often":
        (42, {"k": (2, 2), "n": (98, 98), "epsilon": (0.8, 0.8), "delta": (0.8, 0.8)}, 0),
}
