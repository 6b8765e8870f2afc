//! NumPy arrays in and out.

use gramfold::linalg::Mat;
use numpy::{
    Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyUntypedArrayMethods,
};
use pyo3::{exceptions::PyTypeError, prelude::*};

/// The entries of a C-contiguous array in row order. Fortran order has a slice, too, but a different one.
pub(crate) fn rows<'a, T: Element>(array: &'a PyReadonlyArray2<'_, T>) -> PyResult<&'a [T]> {
    if !array.is_c_contiguous() {
        return Err(PyTypeError::new_err("expected an array with its rows one after the other"));
    }
    Ok(array.as_slice()?)
}

/// A matrix of f64 or f32 entries as it is.
pub(crate) fn matrix(array: &Bound<'_, PyAny>) -> PyResult<Mat> {
    fn of<T: Element + Copy + Into<f64>>(array: &PyReadonlyArray2<'_, T>) -> PyResult<Mat> {
        let entries = rows(array)?.iter().map(|&v| v.into()).collect();
        Ok(Mat::from_row_major(array.shape()[0], array.shape()[1], entries))
    }
    if let Ok(array) = array.extract::<PyReadonlyArray2<'_, f64>>() {
        return of(&array);
    }
    let array = array.extract::<PyReadonlyArray2<'_, f32>>();
    of(&array.map_err(|_| PyTypeError::new_err("expected a matrix of float64 or float32"))?)
}

/// f64 or f32 numbers.
pub(crate) fn numbers(array: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    if let Ok(array) = array.extract::<PyReadonlyArray1<'_, f64>>() {
        return Ok(array.as_slice()?.to_vec());
    }
    let array = array
        .extract::<PyReadonlyArray1<'_, f32>>()
        .map_err(|_| PyTypeError::new_err("expected numbers of float64 or float32"))?;
    Ok(array.as_slice()?.iter().map(|&v| f64::from(v)).collect())
}

/// int32 or int64 indices that must not be negative.
pub(crate) fn indices<T: TryFrom<i64>>(array: &Bound<'_, PyAny>) -> PyResult<Vec<T>> {
    let index = |i: i64| {
        T::try_from(i).map_err(|_| PyTypeError::new_err("an index is negative or too large"))
    };
    if let Ok(array) = array.extract::<PyReadonlyArray1<'_, i32>>() {
        return array.as_slice()?.iter().map(|&i| index(i.into())).collect();
    }
    let array = array
        .extract::<PyReadonlyArray1<'_, i64>>()
        .map_err(|_| PyTypeError::new_err("expected indices of int32 or int64"))?;
    array.as_slice()?.iter().map(|&i| index(i)).collect()
}

/// Two arrays of indices.
pub(crate) type Pairs<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// The pairs of two arrays of indices.
pub(crate) fn pairs((rows, columns): &Pairs<'_>) -> PyResult<Vec<(u32, u32)>> {
    Ok(indices(rows)?.into_iter().zip(indices(columns)?).collect())
}

/// A matrix for NumPy.
pub(crate) fn to_numpy<'py>(py: Python<'py>, matrix: &Mat) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let array = PyArray1::from_slice(py, matrix.as_slice());
    array.reshape([matrix.rows(), matrix.cols()])
}
