use super::*;

fn found(points: &[[f64; 2]], pairs: &[(u32, u32)]) -> Vec<(usize, Reason)> {
    let x = Mat::from_fn(points.len(), 2, |i, j| points[i][j]);
    let length = |&(i, j): &(u32, u32)| {
        let (a, b) = (points[i as usize], points[j as usize]);
        (a[0] - b[0]).hypot(a[1] - b[1])
    };
    let values = pairs.iter().map(length).collect();
    let distances = Observations { dim: points.len(), places: pairs.to_vec(), values };
    undetermined(&distances, &Anchors::none(2), 2, &x)
}

const SQUARE: [[f64; 2]; 4] = [[0.0, 0.0], [1.0, 0.1], [1.1, 1.0], [0.0, 0.9]];

#[test]
fn free_points_are_named_with_the_reason() {
    let all = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
    assert_eq!(found(&SQUARE, &all), []);
    // A fifth point on two of them, and a sixth on none.
    let points = [&SQUARE[..], &[[2.0, 0.5], [3.0, 3.0]]].concat();
    let with = [&all[..], &[(1, 4), (2, 4)]].concat();
    assert_eq!(found(&points, &with), [(4, Reason::FewDistances), (5, Reason::Apart)]);
}

/// Two complete quadrilaterals that share two points: the second can be reflected about their line.
#[test]
fn what_hangs_on_two_points_can_be_reflected() {
    let points = [&SQUARE[..], &[[2.0, 0.2], [2.1, 0.9], [2.5, 0.5]]].concat();
    let mut pairs = vec![(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
    pairs.extend([(1, 4), (1, 5), (2, 4), (2, 5), (4, 5), (4, 6), (5, 6), (1, 6), (2, 6)]);
    // The side with fewer points; of equal ones either.
    let nodes: Vec<usize> = found(&points, &pairs).iter().map(|(node, _)| *node).collect();
    assert_eq!(nodes, [0, 3]);
}

/// K₃,₃ with its points on a circle, a conic, bends, though every point has three distances and no two cut it.
#[test]
fn what_bends_is_found() {
    let on = |angle: f64| [angle.cos(), angle.sin()];
    let points = [on(0.1), on(0.9), on(2.0), on(3.1), on(4.0), on(5.3)];
    let pairs: Vec<(u32, u32)> = (0..3).flat_map(|i| (3..6).map(move |j| (i, j))).collect();
    let bends = found(&points, &pairs);
    // All but the ends of one distance, which lie still by agreement.
    assert_eq!(bends.len(), 4, "{bends:?}");
    assert!(bends.iter().all(|(_, reason)| *reason == Reason::Flexible), "{bends:?}");
    // Off the conic it is rigid, but no distance can be missed: there are other places.
    let mut off = points;
    off[5] = [0.3, -0.4];
    let other = found(&off, &pairs);
    assert_eq!(other.len(), 4, "{other:?}");
    assert!(other.iter().all(|(_, reason)| *reason == Reason::Ambiguous), "{other:?}");
    // Two more distances are implied by the others, and imply them.
    let more = [&pairs[..], &[(0, 1), (3, 4)]].concat();
    assert_eq!(found(&off, &more), []);
}

/// Two points that hang on three others by two distances each, and on each other: they may be reflected by themselves where the
/// distance between them happens to fit, which it does not in general.
#[test]
fn what_is_implied_by_others_is_determined() {
    let points = [&SQUARE[..], &[[1.6, 0.4], [1.7, 0.8]]].concat();
    let all = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
    let with = [&all[..], &[(1, 4), (2, 4), (0, 5), (2, 5), (4, 5)]].concat();
    assert_eq!(found(&points, &with), []);
    let without: Vec<(u32, u32)> = with.iter().copied().filter(|p| *p != (4, 5)).collect();
    let few = found(&points, &without);
    assert_eq!(few, [(4, Reason::FewDistances), (5, Reason::FewDistances)]);
}
