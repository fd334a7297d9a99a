//! The interface by which trace files are read: the caller finds a scenario's neighbours; this crate opens nothing.

/// Reads the files that a scenario names.
pub trait Files {
    /// The text of the file called `name` in the scenario, relative to the scenario file.
    ///
    /// # Errors
    /// Why it cannot be read, as the system says it.
    fn read(&self, name: &str) -> Result<String, String>;
}

/// No files: a scenario that names one is invalid.
#[derive(Clone, Copy, Debug)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _name: &str) -> Result<String, String> {
        Err("this scenario has no files beside it".to_owned())
    }
}

impl<F: Fn(&str) -> Result<String, String>> Files for F {
    fn read(&self, name: &str) -> Result<String, String> {
        self(name)
    }
}
