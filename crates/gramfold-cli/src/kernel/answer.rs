//! A kernel as it is written: what is claimed, the files, and the page.

use std::io::{self, Write};

use gramfold::linalg::Symmetric;
use gramfold_learn::Links;
use gramfold_report::Page;

use super::{
    claims::{Details, KernelClaims},
    report,
};
use crate::{
    learn::{Fitted, Nodes, field},
    session::Envelope,
    store::Part,
};

/// A kernel, and what it was learnt from.
pub(crate) struct Answer<'a> {
    pub(crate) fitted: Fitted<'a>,
    pub(crate) graph: &'a Symmetric,
    pub(crate) nodes: &'a Nodes,
    pub(crate) links: &'a Links,
    /// The weight of ⟨L, Z⟩.
    pub(crate) smoothness: f64,
}

impl Answer<'_> {
    pub(crate) fn claims(&self, envelope: &impl Envelope) -> KernelClaims {
        let (fit, x) = (self.fitted.fit(), &self.fitted.solution.factor);
        self.fitted.claims(envelope, Details::of(fit, self.smoothness, self.links, x))
    }

    pub(crate) fn parts(&self) -> Vec<Part<'_>> {
        let mut parts = self.fitted.parts();
        parts.push(Part::symmetric("graph", self.graph));
        parts.push(Part::new("pairs", "pairs.csv", |out| write(out, self.links, self.nodes)));
        parts.extend(self.nodes.part());
        parts
    }

    pub(crate) fn page(&self, claims: &KernelClaims, line: &str) -> Page {
        let Fitted { solution, trace, .. } = self.fitted;
        let x = &solution.factor;
        report::page(claims, line, self.graph, self.nodes, self.links, x, trace)
    }
}

fn write(out: &mut dyn Write, links: &Links, nodes: &Nodes) -> io::Result<()> {
    for ((i, j), sign) in links.pairs.iter().zip(&links.signs) {
        let name = |node: u32| field(&nodes.name(node as usize));
        writeln!(out, "{},{},{sign}", name(*i), name(*j))?;
    }
    Ok(())
}
