//! The page that shows loadings.

use gramfold::{
    Record,
    linalg::{Dense, Mat, dot},
};
use gramfold_learn::Rotated;
use gramfold_report::{Cell, Heatmap, Item, Page, Table};

use super::claims::FactorsClaims;
use crate::{
    factorisation::charts,
    learn::result,
    pages::{BINS, factor_picture, percent, short},
};

/// Variables beyond which the table of loadings is left to the file.
const LISTED: usize = 200;

/// Builds the page.
pub(super) fn page(
    claims: &FactorsClaims,
    line: &str,
    matrix: &Dense,
    names: &[String],
    rotated: &Rotated,
    trace: &[Record],
) -> Page {
    let title = format!("Factors of {}", claims.input.name());
    let subtitle = format!("{} variables, {} factors", claims.nodes, claims.rank);
    let order: Vec<usize> = by_factor(&rotated.loadings);
    let mut pictures: Vec<Item> = vec![
        factor_picture("Loadings", &rotated.loadings, &order, names)
            .col_names((1..=claims.rank).map(|j| format!("factor {j}")).collect())
            .caption("Variables by the factor that they load on most")
            .into(),
    ];
    pictures.extend(residuals(matrix, &rotated.loadings, &rotated.correlations, &order, names));
    Page::new(title, subtitle)
        .section("Answer", answer(claims, names, rotated))
        .section("Certificate", result(claims, &claims.details.fit, line))
        .section("Pictures", pictures)
        .section("Convergence", vec![charts(claims.spec.stop.stationarity, trace).into()])
}

fn answer(claims: &FactorsClaims, names: &[String], rotated: &Rotated) -> Vec<Item> {
    let analysis = &claims.details.analysis;
    let k = claims.rank;
    let mut items = vec![
        Item::headline(format!(
            "{} {} of the variance",
            if k == 1 { "1 factor explains".into() } else { format!("{k} factors explain") },
            percent(analysis.explained)
        )),
        Item::text(format!(
            "Residual correlations: {} in the root of the mean square, {} at most; {} degrees of freedom.",
            short(analysis.rmsr),
            short(analysis.largest_residual),
            analysis.degrees_of_freedom,
        )),
    ];
    for &i in &analysis.heywood {
        let value = short(analysis.communalities[i]);
        let text = format!("Heywood case: {} has a communality of {value}.", names[i]);
        items.push(Item::finding("Warning", text));
    }
    if names.len() <= LISTED {
        let mut heads = vec!["variable".to_owned()];
        heads.extend((1..=k).map(|j| format!("factor {j}")));
        heads.push("communality".into());
        let mut table = Table::new("Loadings = loadings.npy", heads);
        for (i, name) in names.iter().enumerate() {
            let mut cells = vec![Cell::from(name.clone())];
            cells.extend(rotated.loadings.row(i).iter().map(|v| Cell::from(format!("{v:.3}"))));
            cells.push(Cell::from(format!("{:.3}", analysis.communalities[i])));
            table = table.row(cells);
        }
        items.push(table.into());
    }
    if rotated.correlations != Mat::identity(k) {
        let heads = std::iter::once(String::new()).chain((1..=k).map(|j| format!("factor {j}")));
        let mut table = Table::new("Correlations of the factors", heads.collect::<Vec<_>>());
        for i in 0..k {
            let mut cells = vec![Cell::from(format!("factor {}", i + 1))];
            cells.extend(rotated.correlations.row(i).iter().map(|v| Cell::from(format!("{v:.3}"))));
            table = table.row(cells);
        }
        items.push(table.into());
    }
    items
}

/// Variables by the factor that they load on most, the largest first.
fn by_factor(loadings: &Mat) -> Vec<usize> {
    let most = |i: usize| {
        let row = loadings.row(i);
        let j = (0..row.len()).max_by(|a, b| row[*a].abs().total_cmp(&row[*b].abs())).unwrap_or(0);
        (j, -row[j].abs())
    };
    let mut order: Vec<usize> = (0..loadings.rows()).collect();
    order.sort_by(|a, b| {
        let (a, b) = (most(*a), most(*b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    order
}

/// What the factors leave of the correlations, where there is room for every one.
fn residuals(
    matrix: &Dense,
    loadings: &Mat,
    correlations: &Mat,
    order: &[usize],
    names: &[String],
) -> Option<Item> {
    let p = order.len();
    if p > BINS {
        return None;
    }
    let mut turned = Mat::zeros(p, loadings.cols());
    gramfold::linalg::multiply(1.0, loadings, correlations, &mut turned);
    let mut values = Vec::with_capacity(p * p);
    for &i in order {
        for &j in order {
            let residual = matrix.as_mat()[(i, j)] - dot(turned.row(i), loadings.row(j));
            values.push(if i == j { 0.0 } else { residual });
        }
    }
    let called: Vec<String> = order.iter().map(|i| names[*i].clone()).collect();
    let picture = Heatmap::new("Residual correlations", p, p, values)
        .row_names(called.clone())
        .col_names(called)
        .caption("The correlations less what the factors explain, off the diagonal");
    Some(picture.into())
}
