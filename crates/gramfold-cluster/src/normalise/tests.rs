use gramfold_linalg::Csr;
use proptest::prelude::*;

use super::*;

const NORMALISATIONS: [Normalise; 3] =
    [Normalise::Symmetric, Normalise::Regularised, Normalise::None];
const DIAGONALS: [Diagonal; 3] = [Diagonal::Keep, Diagonal::Zero, Diagonal::Degree];

fn both(m: &Mat) -> [Symmetric; 2] {
    let n = m.rows();
    let entries: Vec<_> = (0..n * n)
        .map(|e| ((e / n) as u32, (e % n) as u32, m[(e / n, e % n)]))
        .filter(|e| e.2 != 0.0)
        .collect();
    [Dense::symmetrised(m.clone()).into(), Csr::from_entries(n, &entries).unwrap().into()]
}

/// A triangle 0-1-2 with weights 1, 2, 3, a self-loop at 0 and an isolated node 3.
fn triangle() -> Mat {
    let rows = [[4.0, 1.0, 3.0, 0.0], [1.0, 0.0, 2.0, 0.0], [3.0, 2.0, 0.0, 0.0], [0.0; 4]];
    Mat::from_fn(4, 4, |i, j| rows[i][j])
}

#[test]
fn the_hand_computed_triangle() {
    for a in both(&triangle()) {
        let zero = prepare(&a, Normalise::Symmetric, Diagonal::Zero).unwrap();
        assert_eq!(zero.degrees, [4.0, 3.0, 5.0, 0.0]);
        assert_eq!((zero.isolated, zero.self_loops), (1, 1));
        assert!((zero.matrix.get(0, 1) - 1.0 / 12_f64.sqrt()).abs() < 1e-15);
        assert_eq!(zero.matrix.get(0, 0), 0.0);

        let keep = prepare(&a, Normalise::Regularised, Diagonal::Keep).unwrap();
        assert_eq!(keep.degrees, [8.0, 3.0, 5.0, 0.0]);
        assert!((keep.matrix.get(0, 0) - 4.0 / 12.0).abs() < 1e-15);
        assert!((keep.matrix.get(1, 2) - 2.0 / (7_f64 * 9.0).sqrt()).abs() < 1e-15);

        let degree = prepare(&a, Normalise::Symmetric, Diagonal::Degree).unwrap();
        for i in 0..4 {
            for j in 0..4 {
                let identity = f64::from(i == j && i < 3);
                let lazy = 0.5 * (identity + zero.matrix.get(i, j));
                assert!((degree.matrix.get(i, j) - lazy).abs() < 1e-15);
            }
        }
        let none = prepare(&a, Normalise::None, Diagonal::Keep).unwrap();
        assert_eq!(none.matrix, a);
    }
}

#[test]
fn a_negative_weight_is_refused_by_name_unless_nothing_is_divided() {
    let signed = Mat::from_fn(3, 3, |i, j| if i == j { 0.0 } else { 1.5 - (i + j) as f64 });
    for a in both(&signed) {
        let error = prepare(&a, Normalise::Symmetric, Diagonal::Zero).unwrap_err();
        assert_eq!(error, Error::Negative { row: 0, column: 2, value: -0.5 });
        assert_eq!(
            error.to_string(),
            "entry (1, 3) is -0.5: a normalised graph needs weights that are not negative; \
             with similarity weights and normalise none they may be"
        );
        assert_eq!(prepare(&a, Normalise::None, Diagonal::Zero).unwrap().matrix, a);
    }
}

#[test]
fn a_graph_without_weights_is_refused() {
    for a in both(&Mat::zeros(3, 3)) {
        let error = prepare(&a, Normalise::None, Diagonal::Keep).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the 3x3 matrix has no nonzero entry to cluster by (diagonal: keep)"
        );
    }
    for a in both(&Mat::identity(3)) {
        assert!(prepare(&a, Normalise::Symmetric, Diagonal::Zero).is_err());
        assert!(prepare(&a, Normalise::Symmetric, Diagonal::Keep).is_ok());
    }
}

#[test]
fn what_is_not_finite_is_refused() {
    let nan = Mat::from_fn(2, 2, |i, j| if i == j { 1.0 } else { f64::NAN });
    let a = Dense::symmetrised(nan).into();
    assert!(matches!(
        prepare(&a, Normalise::None, Diagonal::Keep),
        Err(Error::NotFinite { row: 0, column: 1, .. })
    ));
    let huge = Dense::symmetrised(Mat::from_fn(3, 3, |_, _| 1e308)).into();
    let error = prepare(&huge, Normalise::Symmetric, Diagonal::Keep).unwrap_err();
    assert_eq!(error, Error::Overflow { node: 0 });
}

#[test]
fn names_are_read_as_they_are_written() {
    for choice in NORMALISATIONS {
        assert_eq!(choice.to_string().parse(), Ok(choice));
    }
    for choice in DIAGONALS {
        assert_eq!(choice.to_string().parse(), Ok(choice));
    }
    assert_eq!(
        "sym".parse::<Normalise>().unwrap_err().to_string(),
        "there is no normalisation `sym`; choose from symmetric, regularised, none"
    );
}

proptest! {
    #[test]
    fn scale_changes_nothing_and_dense_is_sparse(
        weights in prop::collection::vec(prop_oneof![Just(0.0), 0.0..10.0_f64], 36),
        scale in prop_oneof![1e-3..1e3_f64, Just(1e-300), Just(1e300)],
    ) {
        let weight = |i: usize, j: usize| weights[i.min(j) * 6 + i.max(j)];
        let plain = both(&Mat::from_fn(6, 6, weight));
        let scaled = both(&Mat::from_fn(6, 6, |i, j| scale * weight(i, j)));
        for normalise in NORMALISATIONS {
            for diagonal in DIAGONALS {
                let Ok(reference) = prepare(&plain[0], normalise, diagonal) else { continue };
                let reference = reference.matrix.to_dense();
                let sparse = prepare(&plain[1], normalise, diagonal).unwrap();
                prop_assert!(sparse.matrix.to_dense().distance(&reference) < 1e-14);
                if normalise != Normalise::None {
                    for a in &scaled {
                        let a = prepare(a, normalise, diagonal).unwrap().matrix.to_dense();
                        prop_assert!(a.distance(&reference) < 1e-13);
                    }
                }
            }
        }
    }
}
