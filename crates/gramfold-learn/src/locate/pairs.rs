//! JᵀJ of the pairs times a motion.

/// out ← out + Σ over pairs of g·gᵀ(v_i − v_j), added to i and taken from j, for K = `k` columns.
pub(super) fn product(pairs: &[(u32, u32)], g: &[f64], v: &[f64], out: &mut [f64], k: usize) {
    match k {
        1 => edges::<1>(pairs, g, v, out),
        2 => edges::<2>(pairs, g, v, out),
        3 => edges::<3>(pairs, g, v, out),
        4 => edges::<4>(pairs, g, v, out),
        5 => edges::<5>(pairs, g, v, out),
        _ => edges_of_any_width(pairs, g, v, out, k),
    }
}

fn edges<const K: usize>(pairs: &[(u32, u32)], g: &[f64], v: &[f64], out: &mut [f64]) {
    let (g, v, out) = (g.as_chunks::<K>().0, v.as_chunks::<K>().0, out.as_chunks_mut::<K>().0);
    // Pairs of one point follow each other: its sum stays in registers.
    let mut rest = pairs.iter().zip(g).peekable();
    while let Some(&(&(i, _), _)) = rest.peek() {
        let own = v[i as usize];
        let mut sum = [0.0; K];
        while let Some((&(_, j), g)) = rest.next_if(|((other, _), _)| *other == i) {
            let (there, out) = (&v[j as usize], &mut out[j as usize]);
            let mut along = 0.0;
            for l in 0..K {
                along += g[l] * (own[l] - there[l]);
            }
            for l in 0..K {
                sum[l] += along * g[l];
                out[l] -= along * g[l];
            }
        }
        out[i as usize].iter_mut().zip(sum).for_each(|(out, sum)| *out += sum);
    }
}

/// The same for any number of columns.
fn edges_of_any_width(pairs: &[(u32, u32)], g: &[f64], v: &[f64], out: &mut [f64], k: usize) {
    for (&(i, j), g) in pairs.iter().zip(g.chunks_exact(k)) {
        let (i, j) = (i as usize * k, j as usize * k);
        let (own, other) = (&v[i..i + k], &v[j..j + k]);
        let along: f64 = g.iter().zip(own.iter().zip(other)).map(|(g, (a, b))| g * (a - b)).sum();
        out[i..i + k].iter_mut().zip(g).for_each(|(out, g)| *out += along * g);
        out[j..j + k].iter_mut().zip(g).for_each(|(out, g)| *out -= along * g);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_of_every_width_agree() {
        let pairs = [(0, 3), (0, 1), (2, 3), (0, 2), (1, 3), (3, 4)];
        for k in 1..=5 {
            let wave = |count: usize, phase: f64| -> Vec<f64> {
                (0..count).map(|at| (at as f64 * 0.7 + phase).sin()).collect()
            };
            let (g, v) = (wave(pairs.len() * k, 0.2), wave(5 * k, 1.0));
            let (mut fixed, mut any) = (vec![0.0; 5 * k], vec![0.0; 5 * k]);
            product(&pairs, &g, &v, &mut fixed, k);
            edges_of_any_width(&pairs, &g, &v, &mut any, k);
            assert!(fixed.iter().zip(&any).all(|(a, b)| (a - b).abs() < 1e-14), "{k} columns");
        }
    }
}
