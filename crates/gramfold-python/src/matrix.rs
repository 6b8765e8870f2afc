//! Symmetric matrices from arrays.

use gramfold::linalg::{Csr, CsrError, Dense, Symmetric};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::{arrays, errors::refused};

/// Asymmetry up to this share of the largest entry is rounding: kernels computed by products have it.
const ROUNDING: f64 = 1e-10;

/// A symmetric matrix.
#[pyclass(frozen, module = "gramfold._gramfold")]
pub(crate) struct Matrix(pub(crate) Symmetric);

/// Starts, columns and values.
type Compressed<'py> =
    (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>);

#[pymethods]
impl Matrix {
    /// From the entries of a square array.
    #[staticmethod]
    fn dense(array: &Bound<'_, PyAny>, symmetrise: bool) -> PyResult<Self> {
        let matrix = arrays::matrix(array)?;
        let (n, columns) = (matrix.rows(), matrix.cols());
        if n != columns {
            return Err(refused(format!(
                "expected a square matrix, found {n} rows and {columns} columns"
            )));
        }
        if !symmetrise {
            let allowed = ROUNDING * matrix.max_abs();
            let (mut worst, mut at) = (allowed, None);
            for i in 0..n {
                for j in 0..i {
                    let difference = (matrix[(i, j)] - matrix[(j, i)]).abs();
                    if difference > worst {
                        (worst, at) = (difference, Some((j, i)));
                    }
                }
            }
            if let Some((i, j)) = at {
                return Err(asymmetric(i, j, matrix[(i, j)], matrix[(j, i)]));
            }
        }
        Ok(Self(Dense::symmetrised(matrix).into()))
    }

    /// From SciPy's compressed rows, sorted and without duplicates.
    #[staticmethod]
    fn sparse(
        starts: &Bound<'_, PyAny>,
        columns: &Bound<'_, PyAny>,
        values: &Bound<'_, PyAny>,
        symmetrise: bool,
    ) -> PyResult<Self> {
        let starts: Vec<usize> = arrays::indices(starts)?;
        let columns: Vec<u32> = arrays::indices(columns)?;
        let values = arrays::numbers(values)?;
        let dim = starts.len().saturating_sub(1);
        let entries = || -> Vec<(u32, u32, f64)> {
            let row = |i: usize| (starts[i]..starts[i + 1]).map(move |at| (i as u32, at));
            (0..dim).flat_map(row).map(|(i, at)| (i, columns[at], values[at])).collect()
        };
        let averaged =
            |entries: &[_]| Csr::symmetrised(dim, entries).map_err(|e| refused(broken(&e)));
        let fits = starts.windows(2).all(|pair| pair[0] <= pair[1])
            && starts.first() == Some(&0)
            && starts.last() == Some(&columns.len())
            && columns.len() == values.len();
        if !fits {
            return Err(refused("the compressed rows do not fit together"));
        }
        if symmetrise {
            return Ok(Self(averaged(&entries())?.into()));
        }
        let entries = entries();
        match Csr::from_entries(dim, &entries) {
            Ok(matrix) => Ok(Self(matrix.into())),
            Err(CsrError::Asymmetric { row, column, value, mirrored }) => {
                let largest = values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
                if (value - mirrored).abs() <= ROUNDING * largest {
                    Ok(Self(averaged(&entries)?.into()))
                } else {
                    Err(asymmetric(row, column, value, mirrored))
                }
            }
            Err(error) => Err(refused(broken(&error))),
        }
    }

    /// n.
    #[getter]
    fn dim(&self) -> usize {
        self.0.dim()
    }

    /// Entries that are stored.
    #[getter]
    fn stored(&self) -> usize {
        self.0.stored()
    }

    /// Starts of rows, columns and values of a sparse matrix.
    fn compressed<'py>(&self, py: Python<'py>) -> PyResult<Compressed<'py>> {
        let Symmetric::Sparse(matrix) = &self.0 else {
            return Err(refused("the matrix is dense"));
        };
        let mut starts = vec![0_i64];
        let mut columns = Vec::with_capacity(matrix.stored());
        for i in 0..matrix.dim() {
            columns.extend(matrix.row(i).map(|(j, _)| j as i64));
            starts.push(columns.len() as i64);
        }
        let values = PyArray1::from_slice(py, matrix.values());
        Ok((PyArray1::from_vec(py, starts), PyArray1::from_vec(py, columns), values))
    }

    /// ‖A‖².
    #[getter]
    fn norm_squared(&self) -> f64 {
        self.0.norm_squared()
    }
}

fn asymmetric(row: usize, column: usize, value: f64, mirrored: f64) -> PyErr {
    refused(format!(
        "expected a symmetric matrix, found {value:?} at ({}, {}) but {mirrored:?} at ({}, {}), the largest difference \
         ({:?}); pass symmetrise=True to use ½(A + Aᵀ)",
        row + 1,
        column + 1,
        column + 1,
        row + 1,
        (value - mirrored).abs()
    ))
}

/// What is wrong with places or entries.
pub(crate) fn broken(error: &CsrError) -> String {
    match error {
        CsrError::OutOfRange { row, column } => {
            format!("the entry at ({}, {}) is outside the matrix", row + 1, column + 1)
        }
        CsrError::TooLarge { dim } => {
            format!("the graph has {dim} nodes, more than can be numbered")
        }
        other => format!("the entries make no symmetric matrix: {other:?}"),
    }
}
