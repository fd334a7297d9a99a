//! The file of a report page. Without the feature `page`, requesting a page is an error.

#[cfg(feature = "page")]
pub(crate) use drawn::PageFile;
#[cfg(feature = "page")]
pub use drawn::write_measurement_page;
#[cfg(not(feature = "page"))]
pub(crate) use left_out::PageFile;
#[cfg(not(feature = "page"))]
pub use left_out::write_measurement_page;

#[cfg(feature = "page")]
mod drawn {
    use std::io::{BufWriter, IntoInnerError, Write as _};
    use std::path::{Path, PathBuf};

    use anabranch_files::WholeFile;
    use anabranch_sim::observe::Observation;
    use anabranch_sim::result::RunResult;

    use crate::report::{ReportSink, measurement_page};
    use crate::write_error::{CannotWrite, at};
    use crate::{About, Measurement};

    /// Writes the page of a measurement. The file appears, or replaces another, only when it is whole.
    ///
    /// # Errors
    /// The file cannot be written, or this build draws no pages.
    pub fn write_measurement_page(path: &Path, measurement: &Measurement<'_>) -> Result<(), CannotWrite> {
        let page = measurement_page(measurement);
        let mut file = WholeFile::at(path).map_err(at(path))?;
        file.write_all(page.as_bytes()).and_then(|()| file.finish()).map_err(at(path))
    }

    /// A page in progress. The file appears, or replaces another, only when it is whole.
    pub(crate) struct PageFile {
        path: PathBuf,
        file: BufWriter<WholeFile>,
        sink: ReportSink,
    }

    impl PageFile {
        /// Begins the page.
        ///
        /// # Errors
        /// The file cannot be written; likewise at its end.
        pub(crate) fn open(path: &Path, about: &About<'_>) -> Result<PageFile, CannotWrite> {
            let file = BufWriter::new(WholeFile::at(path).map_err(at(path))?);
            Ok(PageFile { path: path.to_owned(), file, sink: ReportSink::new(about) })
        }

        /// Adds an observation.
        pub(crate) fn take(&mut self, observation: &Observation) {
            self.sink.take(observation);
        }

        /// Writes the page and returns its file.
        pub(crate) fn finish(
            self,
            about: &About<'_>,
            result: &RunResult,
            runs: &[RunResult],
        ) -> Result<PathBuf, CannotWrite> {
            let PageFile { path, mut file, sink } = self;
            let written = sink.finish(&mut file, about, result, runs);
            let whole = written.and_then(|()| file.into_inner().map_err(IntoInnerError::into_error));
            whole.and_then(WholeFile::finish).map_err(at(&path))?;
            Ok(path)
        }
    }
}

#[cfg(not(feature = "page"))]
mod left_out {
    use std::io;
    use std::path::{Path, PathBuf};

    use anabranch_sim::observe::Observation;
    use anabranch_sim::result::RunResult;

    use crate::write_error::{CannotWrite, at};
    use crate::{About, Measurement};

    /// Refuses.
    ///
    /// # Errors
    /// Always.
    pub fn write_measurement_page(path: &Path, _: &Measurement<'_>) -> Result<(), CannotWrite> {
        Err(refusal(path))
    }

    fn refusal(path: &Path) -> CannotWrite {
        at(path)(io::Error::new(io::ErrorKind::Unsupported, "this build draws no pages"))
    }

    /// A page that is never made.
    pub(crate) enum PageFile {}

    impl PageFile {
        /// Refuses.
        ///
        /// # Errors
        /// Always.
        pub(crate) fn open(path: &Path, _: &About<'_>) -> Result<PageFile, CannotWrite> {
            Err(refusal(path))
        }

        /// Is never called.
        pub(crate) fn take(&mut self, _: &Observation) {
            match *self {}
        }

        /// Is never called.
        pub(crate) fn finish(
            self,
            _: &About<'_>,
            _: &RunResult,
            _: &[RunResult],
        ) -> Result<PathBuf, CannotWrite> {
            match self {}
        }
    }
}
