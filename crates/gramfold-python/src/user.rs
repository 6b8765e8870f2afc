//! A loss that a user wrote in Python: a scalar function φ on arrays, or a linear map 𝒜.
//!
//! What the user's code raises is kept, the run is told that a value is not finite, and the exception is raised where the
//! run was asked for.

use std::sync::{Arc, Mutex, PoisonError};

use gramfold::{
    linalg::{Mat, norm},
    loss::{
        map::Map,
        scalar::{Bounds, Images, Scalar},
    },
};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::{exceptions::PyTypeError, prelude::*};

use crate::{arrays, errors::refused};

/// The first exception that the user's code raised.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failure(Arc<Mutex<Option<PyErr>>>);

impl Failure {
    fn keep(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    /// Fills `out` by the user's code; with what is not a number where that fails.
    fn attempt(&self, out: &mut [f64], call: impl FnOnce(Python<'_>, &mut [f64]) -> PyResult<()>) {
        if let Err(error) = Python::attach(|py| call(py, out)) {
            self.keep(error);
            out.fill(f64::NAN);
        }
    }

    /// Whether there is one.
    pub(crate) fn is_there(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Raises it.
    pub(crate) fn raise(&self) -> PyResult<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }
}

/// φ(z, b) by the methods `value`, `slope` and `curvature` of an object.
#[derive(Debug)]
pub(crate) struct UserScalar {
    object: Py<PyAny>,
    bounds: Bounds,
    failure: Failure,
}

impl UserScalar {
    pub(crate) fn new(object: &Bound<'_, PyAny>, failure: &Failure) -> PyResult<Self> {
        for method in ["value", "slope", "curvature"] {
            if !object.hasattr(method)? {
                return Err(PyTypeError::new_err(format!(
                    "the loss has no method `{method}`: it needs value(z, b), slope(z, b) and curvature(z, b) on arrays"
                )));
            }
        }
        let Some(curvature) = number(object, "largest_curvature")? else {
            return Err(PyTypeError::new_err(
                "the loss has no attribute `largest_curvature`, which `curvature` must never pass",
            ));
        };
        if !(curvature > 0.0 && curvature.is_finite()) {
            return Err(refused(format!(
                "largest_curvature = {curvature} is not allowed: it must be positive"
            )));
        }
        let bounds = Bounds {
            slope: number(object, "largest_slope")?.unwrap_or(f64::INFINITY),
            least_curvature: number(object, "least_curvature")?.unwrap_or(0.0),
            curvature,
            infimum: number(object, "infimum")?.unwrap_or(f64::NEG_INFINITY),
        };
        Ok(Self { object: object.clone().unbind(), bounds, failure: failure.clone() })
    }

    /// out ← method(z, b); not a number where it fails.
    fn call(&self, method: &str, z: &[f64], b: &[f64], out: &mut [f64]) {
        self.failure.attempt(out, |py, out| {
            let arguments = (PyArray1::from_slice(py, z), PyArray1::from_slice(py, b));
            copy(&self.object.bind(py).call_method1(method, arguments)?, out, method)
        });
    }

    fn weighted(&self, method: &str, z: &[f64], b: &[f64], weights: &[f64], out: &mut [f64]) {
        self.call(method, z, b, out);
        out.iter_mut().zip(weights).for_each(|(value, w)| *value *= w);
    }
}

impl Scalar for UserScalar {
    fn name(&self) -> &'static str {
        "python"
    }

    fn at(&self, z: f64, b: f64) -> [f64; 3] {
        ["value", "slope", "curvature"].map(|method| {
            let mut out = [0.0];
            self.call(method, &[z], &[b], &mut out);
            out[0]
        })
    }

    fn bounds(&self, _: f64) -> Bounds {
        self.bounds
    }

    fn model_curvatures(&self, z: &[f64], b: &[f64], weights: &[f64], out: &mut [f64]) {
        self.weighted("curvature", z, b, weights, out);
    }

    fn evaluate(&self, z: &[f64], b: &[f64], weights: &[f64], slopes: &mut [f64]) -> f64 {
        let mut values = vec![0.0; z.len()];
        self.weighted("value", z, b, weights, &mut values);
        self.weighted("slope", z, b, weights, slopes);
        values.iter().sum()
    }

    fn curvatures(&self, z: &[f64], b: &[f64], weights: &[f64], curvatures: &mut [f64]) {
        self.weighted("curvature", z, b, weights, curvatures);
    }

    fn along(&self, line: &Images<'_>, t: f64, b: &[f64], weights: &[f64]) -> [f64; 3] {
        let count = b.len();
        let z: Vec<f64> =
            (0..count).map(|k| line.zeroth[k] + t * (line.first[k] + t * line.second[k])).collect();
        let [values, slopes, curvatures] = ["value", "slope", "curvature"].map(|method| {
            let mut out = vec![0.0; count];
            self.weighted(method, &z, b, weights, &mut out);
            out
        });
        let mut sums = [values.iter().sum(), 0.0, 0.0];
        for k in 0..count {
            let speed = line.first[k] + 2.0 * t * line.second[k];
            sums[1] += slopes[k] * speed;
            sums[2] += curvatures[k] * speed * speed + 2.0 * slopes[k] * line.second[k];
        }
        sums
    }
}

/// 𝒜 by the methods `image` and `adjoint` of an object.
pub(crate) struct UserMap {
    object: Py<PyAny>,
    dim: usize,
    len: usize,
    /// ‖𝒜(Z)‖ ≤ norm·‖Z‖.
    norm: f64,
    accuracy: f64,
    failure: Failure,
}

impl UserMap {
    pub(crate) fn new(
        object: &Bound<'_, PyAny>,
        dim: usize,
        len: usize,
        failure: &Failure,
    ) -> PyResult<Self> {
        for method in ["image", "adjoint"] {
            if !object.hasattr(method)? {
                return Err(PyTypeError::new_err(format!(
                    "the map has no method `{method}`: it needs image(X, Y), the numbers ⟨A_k, XYᵀ⟩, and adjoint(s, V), \
                     the product (Σ s_k·A_k)·V"
                )));
            }
        }
        let Some(norm) = number(object, "norm")?.filter(|norm| *norm >= 0.0 && norm.is_finite())
        else {
            return Err(PyTypeError::new_err(
                "the map has no attribute `norm`: a number with ‖image of Z‖ ≤ norm·‖Z‖ for every Z",
            ));
        };
        let accuracy = number(object, "accuracy")?.unwrap_or(1e-12);
        let object = object.clone().unbind();
        Ok(Self { object, dim, len, norm, accuracy, failure: failure.clone() })
    }
}

impl Map for UserMap {
    fn name(&self) -> &'static str {
        "python"
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn len(&self) -> usize {
        self.len
    }

    fn image(&self, x: &Mat, y: &Mat, out: &mut [f64]) {
        self.failure.attempt(out, |py, out| {
            let arguments = (arrays::to_numpy(py, x)?, arrays::to_numpy(py, y)?);
            copy(&self.object.bind(py).call_method1("image", arguments)?, out, "image")
        });
    }

    fn tangent(&self, x: &Mat, v: &Mat, out: &mut [f64]) {
        let mut mirrored = vec![0.0; out.len()];
        self.image(x, v, out);
        self.image(v, x, &mut mirrored);
        out.iter_mut().zip(&mirrored).for_each(|(a, b)| *a += b);
    }

    fn apply(&self, s: &[f64], _: &[f64], v: &Mat, out: &mut Mat) {
        let (rows, cols) = (v.rows(), v.cols());
        self.failure.attempt(out.as_mut_slice(), |py, out| {
            let arguments = (PyArray1::from_slice(py, s), arrays::to_numpy(py, v)?);
            let found = self.object.bind(py).call_method1("adjoint", arguments)?;
            let found = as_floats(&found)?;
            let found = found
                .extract::<PyReadonlyArray2<'_, f64>>()
                .map_err(|_| refused(format!("adjoint gives no matrix of {rows}x{cols}")))?;
            if found.shape() != [rows, cols] {
                let [r, c] = [found.shape()[0], found.shape()[1]];
                return Err(refused(format!(
                    "adjoint gives a matrix of {r}x{c}, not of {rows}x{cols}"
                )));
            }
            out.copy_from_slice(arrays::rows(&found)?);
            Ok(())
        });
    }

    fn absolute(&self, s: &[f64], v: &Mat, out: &mut Mat) {
        // The entry (i, j) of Σ s_k·|A_k| is at most ‖s‖·‖𝒜(E_ij)‖.
        let sum: f64 = v.as_slice().iter().sum();
        out.as_mut_slice().fill(self.norm * norm(s) * sum * (1.0 + 1e-12));
    }

    fn norm_squared(&self, c: &[f64]) -> f64 {
        self.norm * self.norm * c.iter().copied().fold(0.0, f64::max)
    }

    fn size(&self, s: &[f64]) -> f64 {
        self.norm * norm(s) * (1.0 + 1e-12)
    }

    fn rounding(&self, _: usize) -> f64 {
        self.accuracy * self.norm
    }
}

/// An attribute that is a number, if there is one.
fn number(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<f64>> {
    if object.hasattr(name)? { object.getattr(name)?.extract().map(Some) } else { Ok(None) }
}

/// The array in row order, of float64.
fn as_floats<'py>(found: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    found.py().import("numpy")?.call_method1("ascontiguousarray", (found, "float64"))
}

fn copy(found: &Bound<'_, PyAny>, out: &mut [f64], method: &str) -> PyResult<()> {
    let found = as_floats(found)?;
    let wrong =
        |given: String| refused(format!("{method} gives {given}, not {} numbers", out.len()));
    let array = found.extract::<PyReadonlyArray1<'_, f64>>();
    let array = array.map_err(|_| wrong("no array of one dimension".into()))?;
    if array.len() != out.len() {
        return Err(wrong(format!("{} numbers", array.len())));
    }
    out.copy_from_slice(array.as_slice()?);
    Ok(())
}
