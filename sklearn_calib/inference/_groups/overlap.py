"""Which groups are wrong by themselves, and which only because they share rows with those."""

from typing import NamedTuple

import numpy as np

# Deviations that these groups leave to each other are compared; further ones with these only.
_MOST = 60
_COLLINEAR = 1e-9


class Explained(NamedTuple):
    """The outcome for the groups of one event.

    Attributes
    ----------
    pvalue : ndarray of shape (n_groups,)
        At least the p-value of the group itself.
    by : ndarray of shape (n_groups,)
        The group that explains the deviation of this one, or -1.
    """

    pvalue: np.ndarray
    by: np.ndarray


class _Scores:
    r"""Residual sums of some groups, and what is left of them given others.

    If the log-odds of the predictions are wrong by constants in the groups M, the sum of the
    residuals of a group g that M does not account for is, to first order,
    :math:`S_g - I_{gM} I_{MM}^{-1} S_M` with the information matrix
    :math:`I_{gh} = \sum w_i p_i (1 - p_i)` over the rows that g and h share.
    """

    def __init__(self, groups, some, scores, deviation, pvalue, family):
        residual, information, covariance = scores
        self.score = groups.sums(residual)[some]
        self.information = groups.overlaps(information, some)
        self.covariance = groups.overlaps(covariance, some)
        self.deviation = deviation[some]
        self.marginal = pvalue[some]
        self.family = family

    def shares_rows(self, k, given):
        """Return whether group k has rows in any of the given groups."""
        return bool(np.any(self.information[k, given]))

    def coefficients(self, k, given):
        """Return the share of each given group in the expected sum of group k."""
        information = self.information[np.ix_(given, given)]
        return np.linalg.lstsq(information, self.information[given, k], rcond=_COLLINEAR)[0]

    def left(self, k, given):
        """Return what is left of the deviation of group k, on the scale of the deviation."""
        own, whole = self.score[k], self.covariance[k, k]
        if not len(given):
            return self.deviation[k]
        share = self.coefficients(k, given)
        among = self.covariance[np.ix_(given, given)]
        variance = whole - 2.0 * share @ self.covariance[given, k] + share @ among @ share
        if variance <= _COLLINEAR * whole or own == 0.0:
            return 0.0
        ratio = (own - share @ self.score[given]) / np.sqrt(variance) / (own / np.sqrt(whole))
        return self.deviation[k] * ratio if ratio != 0.0 else 0.0

    def pvalue(self, k, given):
        """Return the p-value of what is left of group k; that of the group if it is alone.

        It is doubled where rows are shared, since the same labels chose the other groups.
        """
        if not self.shares_rows(k, given):
            return self.marginal[k]
        return min(1.0, 2.0 * self.family.single_step(self.left(k, given)))


def explain_overlaps(groups, scores, deviation, pvalue, family, alpha):
    """Tell the groups that are wrong from those that share rows with them.

    Of all groups with a p-value up to `alpha`, one that does not deviate significantly given all
    the others is dropped, and so on until each one that is left does. Combinations of columns are
    dropped before single columns, and otherwise the group that deviates least. What is left of a
    deviation is compared with the largest deviations of the draws.

    `scores` are what `RowEvidence.scores` returns; `pvalue` are those of the family of all groups.
    """
    pvalue, by = pvalue.copy(), np.full(pvalue.size, -1)
    found = np.flatnonzero(pvalue <= alpha)
    # Of groups with the same rows the first one counts: "female = 1" rather than "male = 0".
    size = np.round(np.abs(deviation[found]), 9)
    found = found[np.lexsort((found, groups.absent[found], -size))]
    if found.size < 2:
        return Explained(pvalue, by)
    scores = _Scores(groups, found, scores, deviation, pvalue, family)
    order = groups.n_columns[found]
    members, dropped = list(range(min(found.size, _MOST))), list(range(_MOST, found.size))
    while len(members) > 1:
        others = [[m for m in members if m != k] for k in members]
        left = [abs(scores.left(k, given)) for k, given in zip(members, others)]
        own = [scores.pvalue(k, given) for k, given in zip(members, others)]
        weak = [i for i, one in enumerate(own) if one > alpha]
        if not weak:
            break
        # Combinations of columns go before single columns; of equal ones the last goes.
        weakest = max(weak, key=lambda i: (order[members[i]], -left[i], i))
        k = members.pop(weakest)
        dropped.append(k)
        pvalue[found[k]] = max(pvalue[found[k]], own[weakest])
    for k in members:
        others = [m for m in members if m != k]
        pvalue[found[k]] = max(pvalue[found[k]], scores.pvalue(k, others))
    for k in dropped[::-1]:
        if not scores.shares_rows(k, members):  # it was dropped for one that was dropped later
            pvalue[found[k]] = scores.marginal[k]
            members.append(k)
            continue
        pvalue[found[k]] = max(pvalue[found[k]], scores.pvalue(k, members))
        if pvalue[found[k]] > alpha:
            share = scores.coefficients(k, members) * scores.score[members]
            by[found[k]] = found[members[int(np.argmax(share * np.sign(scores.score[k])))]]
    return Explained(pvalue, by)
