//! Loadings as they are written: what is claimed, the files, the summary and the page.

use gramfold::{
    Spec,
    certificate::significant,
    linalg::{Dense, Mat, dot, multiply},
};
use gramfold_learn::{FactorSummary, Rotated, Rotation};
use gramfold_report::{Cell, Heatmap, Item, Page, Table};
use serde::{Deserialize, Serialize};

use crate::{
    answer::{self, Head},
    learn::{Fit, Fitted, Nodes},
    pages::{BINS, factor_picture, names, percent, short},
    store::{Claims, Part},
};

/// Variables beyond which the table of loadings is left to the file.
const LISTED: usize = 200;

/// What only this command has to say.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Details {
    #[serde(flatten)]
    pub(crate) fit: Fit,
    pub(crate) rotation: Rotation,
    /// The share of all variance that each rotated factor explains by itself.
    shares: Vec<f64>,
    #[serde(flatten)]
    analysis: FactorSummary,
}

/// Loadings.
pub(crate) struct Answer<'a> {
    fitted: Fitted<'a>,
    matrix: &'a Dense,
    nodes: &'a Nodes,
    /// What the variables are called.
    pub(super) names: Vec<String>,
    rotation: Rotation,
    pub(super) rotated: Rotated,
    pub(super) analysis: FactorSummary,
}

impl<'a> Answer<'a> {
    /// Of the correlations of variables.
    pub(crate) fn of(
        fitted: Fitted<'a>,
        matrix: &'a Dense,
        nodes: &'a Nodes,
        rotation: Rotation,
    ) -> Self {
        let factor = &fitted.solution.factor;
        let (rotated, analysis) = (rotation.of(factor), FactorSummary::of(matrix, factor));
        let names = names(matrix.dim(), nodes.names());
        Self { fitted, matrix, nodes, names, rotation, rotated, analysis }
    }
}

impl answer::Answer for Answer<'_> {
    type Spec = Spec;
    type Details = Details;

    fn claims(&self, head: Head) -> Claims<Spec, Details> {
        let l = &self.rotated.loadings;
        let share = |j: usize| l.column(j).map(|v| v * v).sum::<f64>() / l.rows() as f64;
        let shares = (0..l.cols()).map(share).collect();
        let (fit, analysis) = (self.fitted.fit(), self.analysis.clone());
        self.fitted.claims(head, Details { fit, rotation: self.rotation, shares, analysis })
    }

    fn parts(&self) -> Vec<Part<'_>> {
        let loadings = &self.rotated.loadings;
        let mut parts = self.fitted.parts();
        parts.extend([
            Part::array("correlations", self.matrix.as_mat()),
            Part::array("loadings", loadings),
            Part::array("factor-correlations", &self.rotated.correlations),
            Part::column("communalities", &self.analysis.communalities),
            Part::new("table", "loadings.csv", |out| {
                writeln!(out, "variable,{}", called(loadings.cols()).join(","))?;
                for (i, name) in self.names.iter().enumerate() {
                    let values: Vec<String> = loadings.row(i).iter().map(f64::to_string).collect();
                    writeln!(out, "\"{}\",{}", name.replace('"', "\"\""), values.join(","))?;
                }
                Ok(())
            }),
        ]);
        parts.extend(self.nodes.part());
        parts
    }

    fn summary(&self, claims: &Claims<Spec, Details>) -> String {
        let Details { analysis, shares, rotation, .. } = &claims.details;
        let shares: Vec<String> = shares.iter().map(|share| percent(*share)).collect();
        let mut text = format!(
            "{} variables, {} factors: {} of the variance; rotated ({rotation:?}): {}\n\
             residual correlations: {} (root of the mean square), {} at most\n",
            claims.nodes,
            claims.rank,
            percent(analysis.explained),
            shares.join(", "),
            significant(analysis.rmsr),
            significant(analysis.largest_residual),
        );
        for &i in &analysis.heywood {
            let value = significant(analysis.communalities[i]);
            let name = &self.names[i];
            text += &format!("Heywood case: {name} has a communality of {value}\n");
        }
        text + &format!("{}\n{}\n", self.fitted.run_in_words(claims), self.fitted.certificate)
    }

    fn page(&self, claims: &Claims<Spec, Details>, line: &str) -> Page {
        let title = format!("Factors of {}", claims.input.name());
        let subtitle = format!("{} variables, {} factors", claims.nodes, claims.rank);
        let order: Vec<usize> = by_factor(&self.rotated.loadings);
        let loadings = factor_picture("Loadings", &self.rotated.loadings, &order, &self.names)
            .col_names(called(claims.rank))
            .caption("Variables by the factor that they load on most");
        let mut pictures: Vec<Item> = vec![loadings.into()];
        pictures.extend(self.residuals(&order));
        Page::new(title, subtitle)
            .section("Answer", self.answer_section(claims.rank))
            .section("Certificate", self.fitted.result(claims, line))
            .section("Pictures", pictures)
            .section("Convergence", self.fitted.convergence("f(XYᵀ)"))
    }
}

impl Answer<'_> {
    fn answer_section(&self, k: usize) -> Vec<Item> {
        let Self { analysis, names, rotated, .. } = self;
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
        let shown = |v: &f64| Cell::from(format!("{v:.3}"));
        if names.len() <= LISTED {
            let heads =
                [vec!["variable".to_owned()], called(k), vec!["communality".into()]].concat();
            let mut table = Table::new("Loadings = loadings.npy", heads);
            for (i, name) in names.iter().enumerate() {
                let mut cells = vec![Cell::from(name.clone())];
                cells.extend(rotated.loadings.row(i).iter().map(shown));
                cells.push(shown(&analysis.communalities[i]));
                table = table.row(cells);
            }
            items.push(table.into());
        }
        if rotated.correlations != Mat::identity(k) {
            let heads = [vec![String::new()], called(k)].concat();
            let mut table = Table::new("Correlations of the factors", heads);
            for (i, name) in called(k).into_iter().enumerate() {
                let mut cells = vec![Cell::from(name)];
                cells.extend(rotated.correlations.row(i).iter().map(shown));
                table = table.row(cells);
            }
            items.push(table.into());
        }
        items
    }

    /// What the factors leave of the correlations, where there is room for every one.
    fn residuals(&self, order: &[usize]) -> Option<Item> {
        let (p, loadings) = (order.len(), &self.rotated.loadings);
        if p > BINS {
            return None;
        }
        let mut turned = Mat::zeros(p, loadings.cols());
        multiply(1.0, loadings, &self.rotated.correlations, &mut turned);
        let mut values = Vec::with_capacity(p * p);
        for &i in order {
            for &j in order {
                let residual = self.matrix.as_mat()[(i, j)] - dot(turned.row(i), loadings.row(j));
                values.push(if i == j { 0.0 } else { residual });
            }
        }
        let names: Vec<String> = order.iter().map(|i| self.names[*i].clone()).collect();
        let picture = Heatmap::new("Residual correlations", p, p, values)
            .row_names(names.clone())
            .col_names(names)
            .caption("The correlations less what the factors explain, off the diagonal");
        Some(picture.into())
    }
}

/// What so many factors are called.
fn called(k: usize) -> Vec<String> {
    (1..=k).map(|j| format!("factor {j}")).collect()
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
