"""Metric learning: nearest neighbours before and after."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from common import seconds

import problems
from program import Gramfold, timed


def splits(points: np.ndarray, classes: np.ndarray, count: int):
    """Stratified 70/30, standardised by the part that is learnt from."""
    from sklearn.model_selection import StratifiedShuffleSplit

    for train, test in StratifiedShuffleSplit(count, test_size=0.3, random_state=0).split(points, classes):
        mean, spread = points[train].mean(0), points[train].std(0)
        spread[spread == 0] = 1
        scaled = (points - mean) / spread
        yield scaled[train], classes[train], scaled[test], classes[test]


def metric(gramfold: Gramfold, quick: bool, data: Path | None) -> list[str]:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.neighbors import KNeighborsClassifier, NeighborhoodComponentsAnalysis

    goals = {"iris": ".96", "wine": ".983", "breast cancer": "Euclid − .003", "digits": ".980", "ionosphere": ".89", "sonar": ".855"}
    count = 3 if quick else 20
    lines = [
        f"3-NN accuracy, {count} stratified splits of 70/30, standardised; CPU seconds a fit.",
        "",
        "| set | Euclid | LDA | NCA | Gramfold | goal | NCA a fit | Gramfold a fit | whole command |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, (points, classes) in problems.tables(data).items():
        if quick and name == "digits":
            continue
        right: dict[str, list[float]] = {key: [] for key in ("Euclid", "LDA", "NCA", "Gramfold")}
        spent: dict[str, list[float]] = {key: [] for key in ("NCA", "solver", "whole")}
        for x, y, x_test, y_test in splits(points, classes, count):

            def judge(a: np.ndarray, b: np.ndarray, y=y, y_test=y_test) -> float:
                return KNeighborsClassifier(3).fit(a, y).score(b, y_test)

            right["Euclid"].append(judge(x, x_test))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                lda = LinearDiscriminantAnalysis().fit(x, y)
                nca, cpu = timed(lambda x=x, y=y: NeighborhoodComponentsAnalysis(random_state=0, max_iter=50).fit(x, y))
            right["LDA"].append(judge(lda.transform(x), lda.transform(x_test)))
            right["NCA"].append(judge(nca.transform(x), nca.transform(x_test)))
            spent["NCA"].append(cpu)
            table, labels = gramfold.work / "points.npy", gramfold.work / "labels.txt"
            np.save(table, x)
            labels.write_text("".join(f"{label}\n" for label in y))
            ours = gramfold.run("metric", table, "--labels", labels, "--folds", 0)
            learnt = gramfold.factor(ours)
            right["Gramfold"].append(judge(x @ learnt, x_test @ learnt))
            spent["solver"].append(ours["solver"])
            spent["whole"].append(ours["whole"])
        means = {key: float(np.mean(values)) for key, values in right.items()}
        medians = {key: float(np.median(values)) for key, values in spent.items()}
        lines.append(
            f"| {name} | {means['Euclid']:.3f} | {means['LDA']:.3f} | {means['NCA']:.3f} | {means['Gramfold']:.3f} | {goals[name]} | "
            f"{seconds(medians['NCA'])} | {seconds(medians['solver'])} | {seconds(medians['whole'])} |"
        )
    return lines
