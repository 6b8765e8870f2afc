//! Every result as JSON.

use serde_json::{Map, Value, json};

use super::{
    limits::{self, Limit, Point},
    number,
    outcome::Outcome,
    share::{self, MeasuredArm},
};

/// `{"limits": [...], "experiments": [...], "passed": …, "failures": [...], "seconds": …}`.
pub(crate) fn value(outcome: &Outcome) -> Value {
    let failures = outcome.failures();
    json!({
        "format": 1,
        "limits": outcome.limits.iter().flat_map(limits_of).collect::<Vec<_>>(),
        "experiments": outcome.shares.iter().map(experiment).collect::<Vec<_>>(),
        "passed": failures.is_empty(),
        "failures": failures,
        "seconds": outcome.seconds,
    })
}

fn limits_of(measured: &limits::Measured) -> impl Iterator<Item = Value> + '_ {
    measured.limits.iter().map(|limit| of_limit(measured, limit))
}

fn of_limit(measured: &limits::Measured, limit: &Limit) -> Value {
    json!({
        "file": measured.file,
        "example": measured.design.example,
        "rule": limit.rule,
        "reading": limit.reading,
        "gamma": number::json(limit.gamma),
        "x": number::json(limit.x),
        "y": number::json(limit.y),
        "printed": point(&limit.printed),
        "matches": limit.matches(),
        "expected": limit.expected.as_ref().map_or(Value::from("wanders"), point),
        "as_expected": limit.is_as_expected(),
        "iterations": limit.trace.last().map_or(0, |record| record.iteration),
        "status": limit.status.to_string(),
    })
}

/// Printed numbers stay text: their digits are what is compared.
fn point(point: &Point) -> Value {
    json!({ "gamma": point.gamma.text(), "x": point.x.text(), "y": point.y.text() })
}

fn experiment(measured: &share::Measured) -> Value {
    json!({
        "file": measured.file,
        "title": measured.design.title,
        "arms": measured.arms.iter().map(arm).collect::<Vec<_>>(),
    })
}

fn arm(measured: &MeasuredArm) -> Value {
    let values = measured.values.iter();
    let values: Map<_, _> =
        values.map(|(measure, &value)| (measure.name().to_owned(), number::json(value))).collect();
    let expect = measured.arm.expect.iter();
    let expect: Map<_, _> = expect
        .map(|(measure, interval)| {
            (measure.name().to_owned(), interval.iter().map(|&end| number::json(end)).collect())
        })
        .collect();
    json!({
        "label": measured.arm.label(),
        "runs": measured.runs,
        "measured": values,
        "expected": expect,
        "as_expected": measured.verdict(),
    })
}
