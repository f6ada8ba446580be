"""Shared sections of docstrings: several entries, or a section with its heading."""

SECTIONS = {
    # Metrics and statistics.
    "binned_parameters": """
        <<y_true_or_dask>>
        <<y_proba>>
        <<n_bins>>
        <<bins>>
        <<strategy>>
        <<closed>>
        <<target_top_label>>
    """,
    "confidence_gap": """
        With the bins b of the largest probability of each row, their share of the weight
        :math:`s_b`, mean :math:`\\bar c_b` (the confidence) and the share of rows
        :math:`\\bar a_b` in which the class of the largest probability is right (the accuracy),
    """,
    "confidence_gap_parameters": """
        Parameters
        ----------
        <<y_true_or_dask>>
        <<y_proba>>
        <<n_bins>>
        <<bins>>
        <<strategy>>
        <<closed>>
        by_confidence : bool, default=False
            Whether the gap of each bin is multiplied by its confidence, as in [1]_, so that
            confident errors count more.
        <<weights_as_copies>>

        <<returns_error_up_to_one>>
    """,
    "confidence_gap_notes": """
        Notes
        -----
        <<not_proper>>

        Two classes are treated as any number: the largest of the two probabilities is the
        confidence, and ties take the first column. The value is biased upwards: a calibrated model
        with binary predictions spread evenly over [0, 1] has about 0.044 at n = 100 and 0.014 at
        n = 1000. Time is O(n log n) and memory O(n).

        References
        ----------
        .. [1] S. Thulasidasan et al., "On Mixup Training: Improved Calibration and Predictive
           Uncertainty for Deep Neural Networks", NeurIPS 2019, arXiv:1905.11001.
    """,
    "weights_as_copies": """
        <<sample_weight>>
            A weight equals that many copies of the row.
        <<pos_label>>
        <<labels>>
    """,
    "returns_error_up_to_one": """
        Returns
        -------
        error : float
            A number in [0, 1]; lower is better.

        Raises
        ------
        <<malformed>>
    """,
    "raises_too_few_rows": """
        Raises
        ------
        ValueError
            If an argument is malformed, the labels do not tell which class a column stands for, or
            n is too small for the estimator.
    """,
    "parameters_predictions": """
        Parameters
        ----------
        predictions : Predictions
            Validated data.
    """,
    "target_one_event": """
        target : {"auto", "binary", "confidence"}, default="auto"
            Which event: the positive class, or whether the largest probability is right. "auto" is
            "binary" for two classes and "confidence" for more.
    """,
    "parameters_codes": """
        Parameters
        ----------
        codes : ndarray of shape (n_samples,) or (n_samples, n_draws)
            Labels as column numbers; each further column is another draw of all labels.
    """,
    "references_local": """
        References
        ----------
        .. [1] R. Vashistha, A. Farahi, "I-trustworthy Models: A framework for trustworthiness
           evaluation of probabilistic classifiers", AISTATS 2025, arXiv:2501.15617.
    """,
    "references_local_and_global": """
        <<references_local>>
        .. [2] D. Widmann, F. Lindsten, D. Zachariah, "Calibration tests in multi-class
           classification: A unifying framework", NeurIPS 2019, arXiv:1910.11385.
    """,
    "reference_cox": """
        .. [1] D. R. Cox, "Two further applications of a model for binary regression", Biometrika 45
           (1958), doi:10.1093/biomet/45.3-4.562.
    """,
    "reference_kernel_tests": """
        .. [1] D. Widmann, F. Lindsten, D. Zachariah, "Calibration tests in multi-class
           classification: A unifying framework", NeurIPS 2019, arXiv:1910.11385.
    """,
    # Kernels.
    "kernel_points": """
        X : array-like of shape (n_samples_X, n_features) or (n_samples_X,)
            Points; one dimension is one feature.
        Y : array-like of shape (n_samples_Y, n_features) or (n_samples_Y,), default=None
            Further points; by default those of `X`.
    """,
    "returns_kernel_matrix": """
        Returns
        -------
        K : ndarray of shape (n_samples_X, n_samples_Y)
            Entries in [0, 1]; exactly one for equal rows.

        Raises
        ------
        ValueError
            If the points are not numeric and finite, differ in their number of features, or the
            bandwidth is not positive.
    """,
    "raises_lengths_differ": """
        Raises
        ------
        ValueError
            If an argument is malformed or the lengths differ.
    """,
    # Displays.
    "returns_display": """
        Returns
        -------
        display : {display}
            The display, after drawing.
    """,
    "drawing": """
        <<ax>>
        <<plot_options>>

        <<returns_display>>
    """,
    "several_models": """
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative importance weights.
        pos_label : int, float, bool or str, default=None
            The positive class; ``classes_[1]`` by default.
        ax : Axes or array-like of Axes, default=None
            As in :meth:`from_predictions`.
    """,
    "cross_validated_rows": """
        X : array-like of shape (n_samples, n_features)
            The input of the cross-validation.
        y : array-like of shape (n_samples,)
            Its labels.
    """,
    # Batches of rows.
    "labels_of_batches": """
        labels : array-like of shape (n_classes,), default=None
            The classes that the columns stand for, in sorted order. Without them they are found in
            the batches as the metrics find them in arrays, and a batch that does not tell them is
            refused.
    """,
    "returns_updated": """
        Returns
        -------
        self : object
            The same object. A batch without rows changes nothing, and neither does one that raises.

        Raises
        ------
        ValueError
            If an argument is malformed, or the batch does not fit those before it.
    """,
    # Calibrators: attributes.
    "classes_": """
        classes_ : ndarray of shape (n_classes,)
            The labels, sorted; columns follow them.
    """,
    "binary_classes_": """
        classes_ : ndarray of shape (2,)
            The labels, sorted; the second one is the positive class.
    """,
    "n_features_in_": """
        n_features_in_ : int
            Number of columns of `S`.
    """,
    "warns_not_converged": """
        Warns
        -----
        ConvergenceWarning
            If `max_iter` {steps} do not suffice.
    """,
    "scaling_parameters": """
        <<input_probability>>
            Logits are used as they are, without subtracting their mean.
        ridge : float, default=1.0
            Strength of the penalty, in units of the fixed penalties of [2]_; see the Notes. 0 is
            plain maximum likelihood, which has no finite optimum on separable data.
        max_iter : int, default=100
            Largest number of Newton steps.
    """,
    "scaling_attributes": """
        intercept_ : ndarray of shape (n_classes,)
            Intercepts, which sum to zero.
        <<classes_>>
        n_iter_ : int
            Newton steps.
        <<floor_>>
        <<n_features_in_>>

        <<warns_not_converged>>
    """,
    "reference_temperature": """
        .. [1] Guo, C., Pleiss, G., Sun, Y. and Weinberger, K. Q. (2017). On calibration of modern
           neural networks. Proceedings of the 34th International Conference on Machine Learning,
           1321-1330. https://arxiv.org/abs/1706.04599
    """,
    "references_scaling": """
        References
        ----------
        <<reference_temperature>>

        .. [2] Berta, E., Holzmüller, D., Jordan, M. I. and Bach, F. (2025). Structured matrix
           scaling for multi-class calibration. https://arxiv.org/abs/2511.03685
    """,
    "references_multiclass": """
        References
        ----------
        .. [1] Zadrozny, B. and Elkan, C. (2002). Transforming classifier scores into accurate
           multiclass probability estimates. Proceedings of the 8th ACM SIGKDD International
           Conference on Knowledge Discovery and Data Mining, 694-699.
           https://doi.org/10.1145/775047.775151
    """,
    # Calibrators: methods.
    "fit_labels": """
        y : array-like of shape (n_samples,)
            Labels; {occurring} must occur.

        sample_weight : array-like of shape (n_samples,), default=None
            Weights: two equal rows count as one row of weight two, a row of weight zero as none.

        <<returns_calibrator>>
    """,
    "returns_calibrator": """
        Returns
        -------
        self : object
            The fitted calibrator.
    """,
    "raises_wrong_columns": """
        Raises
        ------
        ValueError
            If the number of classes in `y` does not go with the number of columns of `S`, or `S`
            is not finite or lies outside its scale.
    """,
    "parameters_scores": """
        Parameters
        ----------
        S : array-like of shape (n_samples,) or (n_samples, n_columns)
            Scores, in the form that was passed to `fit`.
    """,
    "parameters_class_scores": """
        Parameters
        ----------
        S : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, n_classes)
            {scores}, with as many columns as in `fit`.
    """,
    "class_scores_to_proba": """
        <<parameters_class_scores>>

        <<returns_proba>>
    """,
    "returns_proba": """
        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
            Rows sum to one, columns follow `classes_`.
    """,
    "returns_class": """
        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels out of `classes_`. They may differ from what the uncalibrated classifier says.
    """,
    # Classifiers inside others.
    "rows_of_estimator": """
        X : {array-like, sparse matrix, list} of shape (n_samples, n_features) or (n_samples,)
            Whatever `estimator` takes.
    """,
    "rows_in_partitions": """
        For a Dask collection the result is a lazy Dask array with the same partitions
        (:ref:`dask`).
    """,
    "rows_and_labels": """
        <<rows_of_estimator>>

        y : array-like of shape (n_samples,)
            Class labels.
    """,
    "fit_rows": """
        <<rows_and_labels>>

        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        **params : dict
            Further metadata; see the Notes.
    """,
    "n_jobs": """
        n_jobs : int, default=None
            Number of fits that run in parallel; None is one, -1 is all processors. The result does
            not depend on it.
    """,
    "feature_counts": """
        n_features_in_ : int
            Number of features seen in `fit`. Only if {classifier} knows it.

        feature_names_in_ : ndarray of shape (`n_features_in_`,)
            Names of the features seen in `fit`. Only if {classifier} knows them.
    """,
}
