//! Scalar functions against differences.

use gramfold::{
    loss::scalar::Images,
    registry::{self, SCALARS},
};

use crate::common::{Random, assert_close, complete};

#[test]
fn a_scalar_function_has_the_derivatives_and_bounds_it_states() {
    let mut random = Random(72);
    for entry in SCALARS {
        let scalar = registry::scalar(&complete(entry)).unwrap();
        assert_eq!(scalar.name(), entry.name);
        for trial in 0..300 {
            let b = scalar.nearest_target(3.0 * random.normal());
            assert_eq!(scalar.nearest_target(b), b);
            let z = [0.1, 1.0, 10.0][trial % 3] * random.normal();
            let [value, slope, curvature] = scalar.at(z, b);
            let bounds = scalar.bounds(b);
            let step = 1e-6 * (1.0 + z.abs());
            let [up, slope_up, _] = scalar.at(z + step, b);
            let [down, slope_down, _] = scalar.at(z - step, b);
            let scale = (1.0 + bounds.curvature) * (1.0 + z.abs());
            assert!(((up - down) / (2.0 * step) - slope).abs() < 1e-5 * scale, "{}", entry.name);
            let second = (slope_up - slope_down) / (2.0 * step);
            // Where φ″ jumps between the two points the difference is between its sides.
            let near = (second - curvature).abs() < 1e-4 * scale;
            let jumps = scalar.at(z + step, b)[2] != scalar.at(z - step, b)[2];
            assert!(near || jumps, "{}: {second} {curvature}", entry.name);
            assert!(
                value >= bounds.infimum - 1e-12 && slope.abs() <= bounds.slope,
                "{}",
                entry.name
            );
            assert!(curvature <= bounds.curvature * (1.0 + 1e-12), "{}", entry.name);
            assert!(curvature >= bounds.least_curvature, "{}", entry.name);
            assert!(second >= -1e-6 * scale, "{} is convex", entry.name);
            // The model's parabola touches φ at z and is above it wherever φ″ is not its curvature.
            let model = scalar.model_curvature(z, b);
            assert!(model >= 0.0 && model <= bounds.curvature * (1.0 + 1e-12));
            if model != curvature {
                let u = z + 3.0 * random.normal();
                let above = value + (u - z) * (slope + 0.5 * model * (u - z));
                assert!(scalar.at(u, b)[0] <= above + 1e-10 * scale, "{}", entry.name);
            }
        }
        // Over slices, along lines.
        let draw = |random: &mut Random| (0..50).map(|_| random.normal()).collect::<Vec<f64>>();
        let (z, first, second) = (draw(&mut random), draw(&mut random), draw(&mut random));
        let b: Vec<f64> = draw(&mut random).iter().map(|b| scalar.nearest_target(*b)).collect();
        let w: Vec<f64> = draw(&mut random).iter().map(|w| w.abs()).collect();
        let line = Images { zeroth: &z, first: &first, second: &second };
        let value = |t: f64| -> f64 {
            (0..50)
                .map(|k| w[k] * scalar.at(z[k] + t * first[k] + t * t * second[k], b[k])[0])
                .sum()
        };
        let [at, slope, _] = scalar.along(&line, 0.3, &b, &w);
        assert_close(at, value(0.3), 1e-12, entry.name);
        let difference = (value(0.3 + 1e-6) - value(0.3 - 1e-6)) / 2e-6;
        assert_close(slope, difference, 1e-4, entry.name);
    }
}
