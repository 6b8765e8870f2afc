//! Writes a page with every kind of item to the file given as the argument.

use gramfold_report::{Axis, Cell, Chart, Heatmap, Item, Page, Table};
use std::f64::consts::{PI, TAU};

fn main() -> std::io::Result<()> {
    let file = std::env::args().nth(1).unwrap_or_else(|| "demo.html".to_owned());
    std::fs::write(file, page().to_html())
}

fn page() -> Page {
    Page::new("Symmetric factorisation of karate.mtx", "34 × 34, rank 4, seed 7, alternating minimisation")
        .section("Result", vec![
            Item::good("X = Y to 2.1×10⁻¹², and γ is above the exactness threshold"),
            Item::bad("The dual bound leaves a gap of 3 %: the solution is not proved optimal"),
            Item::text("The penalty follows the dynamic rule. A report only shows what the solver wrote; it computes nothing.\n\nEscaped: <script>alert('no')</script> & \"quotes\"."),
            Item::command("gramfold solve karate.mtx --rank 4 --penalty dynamic --seed 7 --report karate.html"),
            runs().into(),
        ])
        .section("Convergence", vec![
            convergence().into(),
            Item::Charts(vec![objective(), cut(), eight(), single(), constant(), empty()]),
        ])
        .section("Matrices", vec![kernel().into(), factor().into(), small().into(), large().into()])
        .section("Empty", vec![Heatmap::new("Wrong shape", 2, 2, vec![1.0]).into()])
}

fn runs() -> Table {
    let row = |rule: &str, gamma: f64, sweeps: f64, gap: f64, exact: bool| {
        vec![
            Cell::from(rule),
            gamma.into(),
            sweeps.into(),
            26.7431.into(),
            gap.into(),
            exact.into(),
        ]
    };
    Table::new(
        "Penalty rules from the same start",
        ["rule", "γ", "sweeps", "objective", "symmetry gap", "exact"],
    )
    .row(row("fixed", 100.0, 15490.0, 7.25e-14, true))
    .row(row("dynamic", 1.19532, 4127.0, 2.1e-12, true))
    .row(row("theorem", f64::INFINITY, 0.0, f64::NAN, false))
    .row(row("none", 0.001, 60000.0, -1e-4, false))
}

/// Noise that is the same on every machine.
fn noise(i: u32) -> f64 {
    f64::from(i.wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 24)
}

fn convergence() -> Chart {
    let curve = |rate: f64, seed: u32| {
        (0..10_000u32)
            .map(|k| {
                let decay = (-rate * f64::from(k)).exp();
                (f64::from(k), 30.0 * decay * (0.4 + noise(k * 13 + seed)) + 1e-13)
            })
            .collect::<Vec<_>>()
    };
    let mut fixed = curve(0.0008, 1);
    for point in fixed.iter_mut().skip(9_000).step_by(83) {
        point.1 = 0.0;
    }
    Chart::new("Symmetry gap")
        .x(Axis::linear("iteration"))
        .y(Axis::log("‖X − Y‖"))
        .series("fixed, γ = 100", fixed)
        .series("dynamic", curve(0.004, 2))
        .series("theorem", curve(0.0016, 3))
        .series("adaptive", curve(0.0025, 4))
        .mark_y(1e-8, "tolerance")
        .mark_x(4127.0, "converged")
}

fn objective() -> Chart {
    let curve = |scale: f64| {
        (0..60u32).map(|k| (1.25f64.powf(f64::from(k)), 26.7 + scale / f64::from(k + 1))).collect()
    };
    Chart::new("Objective")
        .x(Axis::log("iteration"))
        .y(Axis::linear("f(XYᵀ)"))
        .series("fixed", curve(12.0))
        .series("dynamic", curve(5.0))
        .mark_y(26.7, "dual bound")
}

fn cut() -> Chart {
    let curve = |shift: f64| {
        (0..12u32).map(|k| (f64::from(k * 100), (f64::from(k) + shift).sin() * 1e-6)).collect()
    };
    Chart::new("Few points, small values")
        .x(Axis::linear("nodes"))
        .y(Axis::linear("excess"))
        .series("measured", curve(0.0))
        .series("predicted", curve(0.3))
}

fn eight() -> Chart {
    (0..8u32).fold(
        Chart::new("Eight series").x(Axis::linear("t / s")).y(Axis::linear("amplitude")),
        |chart, k| {
            let points = (0..400u32)
                .map(|i| {
                    let t = f64::from(i) / 100.0;
                    (t, (TAU * t / 4.0).sin() + f64::from(k) * 0.6)
                })
                .collect();
            chart.series(format!("rank {}", k + 1), points)
        },
    )
}

fn single() -> Chart {
    Chart::new("One point, and one series without any")
        .x(Axis::log("n"))
        .y(Axis::log("time / s"))
        .series("gramfold", vec![(1000.0, 0.25)])
        .series("rival", vec![(1000.0, f64::NAN)])
        .mark_y(-1.0, "impossible")
}

fn constant() -> Chart {
    Chart::new("Constant")
        .x(Axis::linear("iteration"))
        .y(Axis::linear("γ"))
        .series("fixed", (0..50).map(|k| (f64::from(k), 1234.5)).collect())
}

fn empty() -> Chart {
    Chart::new("Empty").x(Axis::linear("x")).y(Axis::log("y")).series("none", vec![(0.0, -1.0); 12])
}

fn kernel() -> Heatmap {
    let n = 400;
    let cluster = |i: u32| {
        if i < 120 {
            0
        } else if i < 260 {
            1
        } else {
            2
        }
    };
    let values = (0..n * n)
        .map(|k| {
            let (i, j) = (k / n, k % n);
            let mean = if cluster(i) == cluster(j) { 0.8 } else { 0.15 };
            mean + 0.2 * (noise(i.min(j) * 401 + i.max(j)) - 0.5)
        })
        .collect();
    Heatmap::new("Similarities, 400 × 400", 400, 400, values)
        .breaks(vec![120, 260])
        .caption("Rows and columns sorted by cluster.")
}

fn factor() -> Heatmap {
    let values =
        (0..100 * 4).map(|k| noise(k).powi(if (k / 4) / 25 == k % 4 { 1 } else { 6 })).collect();
    Heatmap::new("Factor X, 100 × 4", 100, 4, values).caption("Values in the page are exact.")
}

fn small() -> Heatmap {
    let mut values: Vec<f64> =
        (0..48u32).map(|k| (PI * f64::from(k / 8) / 3.0).sin() * f64::from(k % 8) * 1e-3).collect();
    values[19] = f64::NAN;
    Heatmap::new("With negative and missing entries", 6, 8, values)
}

fn large() -> Heatmap {
    let n = 1200u32;
    let values = (0..n * n)
        .map(|k| {
            let (x, y) = (f64::from(k % n) / 200.0, f64::from(k / n) / 200.0);
            (x * x + y * y).sin()
        })
        .collect();
    Heatmap::new("Large, 1200 × 1200", 1200, 1200, values)
}
