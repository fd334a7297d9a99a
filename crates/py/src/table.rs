//! Passes tables to Python by Arrow's C stream interface, without copying values or writing them as text.

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::SchemaRef;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// Record batches of one schema, readable by any library with Arrow's PyCapsule interface.
#[pyclass(frozen, module = "anabranch._native")]
pub struct Batches {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Batches {
    /// A table of one batch.
    pub fn of(batch: RecordBatch) -> Batches {
        Batches { schema: batch.schema(), batches: vec![batch] }
    }

    /// A table of these batches with this schema; there may be none.
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Batches {
        Batches { schema, batches }
    }
}

#[pymethods]
impl Batches {
    /// The stream as a capsule. A requested schema is ignored, as the interface allows: the reader converts.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let (schema, batches) = (self.schema.clone(), self.batches.clone());
        let reader: Box<dyn RecordBatchReader + Send> =
            Box::new(RecordBatchIterator::new(batches.into_iter().map(Ok), schema));
        // The capsule owns the stream and releases it unless its reader has taken it.
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), c"arrow_array_stream")
    }
}
