"""SMOTE inside the classifier, and what calibration makes of it."""

from imblearn.over_sampling import SMOTE
from imblearn.pipeline import make_pipeline
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import train_test_split

from sklearn_calib import CalibratedClassifier

X, y = make_classification(
    10_000, n_informative=5, n_redundant=0, weights=[0.95], flip_y=0.02, random_state=0
)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
plain = LogisticRegression()
resampled = make_pipeline(SMOTE(random_state=0), plain)

print(f"{'':18}mean   log loss  ROC AUC")
print(f"{'observed rate':18}{y_test.mean():.3f}")
for name, model in {
    "plain": plain,
    "SMOTE": resampled,
    "SMOTE, calibrated": CalibratedClassifier(resampled),
    "plain, calibrated": CalibratedClassifier(plain),
}.items():
    p = model.fit(X_train, y_train).predict_proba(X_test)[:, 1]
    print(f"{name:18}{p.mean():.3f}  {log_loss(y_test, p):.3f}     {roc_auc_score(y_test, p):.3f}")
