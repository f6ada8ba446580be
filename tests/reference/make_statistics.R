# Write `statistics.json`: statistics of calibration by base R.
#
# Run in this folder: Rscript make_statistics.R

number <- function(x) {
  text <- ifelse(is.na(x), "null", formatC(x, digits = 17, format = "g"))
  if (length(x) == 1) text else paste0("[", paste(text, collapse = ","), "]")
}
object <- function(fields) {
  values <- vapply(fields, function(x) if (is.list(x)) object(x) else number(x), "")
  paste0("{", paste0("\"", names(fields), "\":", values, collapse = ","), "}")
}

tight <- list(epsilon = 1e-13, maxit = 100)

# Score test of `full` against the model whose linear predictor is `offset` alone (Rao).
rao <- function(y, design, offset) {
  p <- plogis(offset)
  score <- crossprod(design, y - p)
  information <- crossprod(design * sqrt(p * (1 - p)))
  drop(t(score) %*% solve(information, score))
}

grouped <- function(y, p, groups) {
  g <- pmin(floor(groups * (rank(p, ties.method = "min") - 1) / length(p)), groups - 1)
  observed <- tapply(y, g, sum); expected <- tapply(p, g, sum); n <- tapply(y, g, length)
  list(
    hosmer_lemeshow = sum((observed - expected)^2 / (expected * (1 - expected / n))),
    pigeon_heyse = sum((observed - expected)^2 / tapply(p * (1 - p), g, sum))
  )
}

brier <- function(y, q) mean((y - q)^2)
log_loss <- function(y, q) -mean(ifelse(y == 1, log(q), log1p(-q)))

decomposition <- function(y, p, score) {
  # isoreg pools in the order it is given; equal predictions share their mean rate first
  value <- sort(unique(p)); k <- match(p, value)
  n <- tabulate(k); rate <- tapply(y, k, mean)
  long <- isoreg(rep(seq_along(value), n), rep(rate, n))
  fitted <- tapply(long$yf, rep(seq_along(value), n), mean)[k]
  total <- score(y, p); least <- score(y, fitted); base <- score(y, rep(mean(y), length(y)))
  list(miscalibration = total - least, discrimination = base - least, uncertainty = base)
}

loess_errors <- function(y, p, surface) {
  fit <- loess(y ~ p, span = 0.75, degree = 2, family = "gaussian",
               control = loess.control(surface = surface, statistics = "approximate"))
  d <- abs(pmin(pmax(fitted(fit), 0), 1) - p)
  list(mean = mean(d), median = median(d), q90 = unname(quantile(d, 0.9, type = 2)), max = max(d))
}

case <- function(seed, n, power, digits) {
  set.seed(seed)
  p <- pmin(pmax(round(runif(n), digits), 0.02), 0.98)
  X <- matrix(round(rnorm(2 * n), 3), n)
  y <- as.numeric(runif(n) < p^power)
  x <- qlogis(p)
  z <- sum((y - p) * (1 - 2 * p)) / sqrt(sum((1 - 2 * p)^2 * p * (1 - p)))
  free <- glm(y ~ x, family = binomial, control = tight)
  shift <- glm(y ~ 1 + offset(x), family = binomial, control = tight)
  ideal <- -2 * sum(ifelse(y == 1, log(p), log1p(-p)))
  cox <- rao(y, cbind(1, x), x)
  large <- rao(y, matrix(1, n), x)
  logistic <- rao(y, cbind(1, x, X), x)
  groups <- grouped(y, p, 10)
  value <- sort(unique(p))
  walk <- cumsum(tapply(y - p, match(p, value), sum)) / n
  loss <- function(b) {
    deviance(glm(y ~ 1 + offset(b * x), family = binomial, control = tight)) - deviance(free) -
      qchisq(0.95, 1)
  }
  middle <- coef(free)[2]; far <- 8 * sqrt(vcov(free)[2, 2])
  end <- function(side) {
    uniroot(loss, sort(c(middle, middle + side * far)), tol = 1e-12)$root
  }
  expected <- list(
    slope = unname(coef(free)[2]), joint_intercept = unname(coef(free)[1]),
    intercept = unname(coef(shift)[1]),
    slope_profile = c(end(-1), end(1)), slope_wald = unname(confint.default(free)[2, ]),
    spiegelhalter = z, spiegelhalter_pvalue = 2 * pnorm(-abs(z)),
    cox_score = cox, cox_score_pvalue = pchisq(cox, 2, lower.tail = FALSE),
    slope_score_squared = cox - large,
    cox_likelihood_ratio = ideal - deviance(free),
    cox_likelihood_ratio_pvalue = pchisq(ideal - deviance(free), 2, lower.tail = FALSE),
    logistic_score = logistic,
    logistic_score_pvalue = pchisq(logistic, 4, lower.tail = FALSE),
    hosmer_lemeshow = groups$hosmer_lemeshow,
    hosmer_lemeshow_pvalue = pchisq(groups$hosmer_lemeshow, 10, lower.tail = FALSE),
    hosmer_lemeshow_in_sample = pchisq(groups$hosmer_lemeshow, 8, lower.tail = FALSE),
    pigeon_heyse = groups$pigeon_heyse,
    ks_calibration_error = max(abs(walk)),
    kuiper_calibration_error = diff(range(c(0, walk))),
    observed_expected_ratio = sum(y) / sum(p),
    brier = decomposition(y, p, brier), log_loss = decomposition(y, p, log_loss),
    loess = loess_errors(y, p, "direct"), loess_interpolated = loess_errors(y, p, "interpolate")
  )
  inputs <- paste0("{\"y\":", number(y), ",\"p\":", number(p), ",\"X\":[",
                   paste(apply(X, 1, number), collapse = ","), "]}")
  paste0("{\"name\":\"n", n, "_power", power, "\",\"inputs\":", inputs,
         ",\"params\":{},\"expected\":", object(expected), "}")
}

cases <- c(case(1, 60, 1, 3), case(2, 120, 1.5, 2), case(3, 300, 0.8, 3))
source_line <- paste0("R ", getRversion(), ", packages base and stats, by make_statistics.R")
cat(paste0("{\"source\":\"", source_line, "\",\"cases\":[", paste(cases, collapse = ",\n"), "]}\n"),
    file = "statistics.json")
