//! The interface through which trace files are read; this crate itself opens no file.

/// Reads the files that a scenario names.
pub trait Files {
    /// The text of the file called `name` in the scenario, relative to the scenario file.
    ///
    /// # Errors
    /// The system's reason why it cannot be read.
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
