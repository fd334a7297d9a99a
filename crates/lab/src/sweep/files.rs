//! The files beside a scenario, each read once, with a record of those that a point names.

use std::cell::RefCell;
use std::collections::BTreeMap;

use anabranch_scenario::{Files, NoFiles};

/// Files whose texts are kept, so that all points of a sweep see the same ones.
pub(super) struct RecordedFiles {
    source: Box<dyn Files + Send>,
    texts: RefCell<BTreeMap<String, String>>,
    used: RefCell<BTreeMap<String, String>>,
}

impl RecordedFiles {
    /// The files of `source`.
    pub(super) fn new(source: Box<dyn Files + Send>) -> RecordedFiles {
        RecordedFiles { source, texts: RefCell::default(), used: RefCell::default() }
    }

    /// These texts, and no others.
    pub(crate) fn of_texts(texts: BTreeMap<String, String>) -> RecordedFiles {
        RecordedFiles { texts: RefCell::new(texts), ..RecordedFiles::new(Box::new(NoFiles)) }
    }

    /// Returns true if any file was read.
    pub(super) fn has_any(&self) -> bool {
        !self.texts.borrow().is_empty()
    }

    /// The files read since the last call, by name.
    pub(crate) fn take_used(&self) -> BTreeMap<String, String> {
        self.used.take()
    }
}

impl Files for RecordedFiles {
    fn read(&self, name: &str) -> Result<String, String> {
        let known = self.texts.borrow().get(name).cloned();
        let text = match known {
            Some(text) => text,
            None => self.source.read(name)?,
        };
        self.texts.borrow_mut().insert(name.to_owned(), text.clone());
        self.used.borrow_mut().insert(name.to_owned(), text.clone());
        Ok(text)
    }
}

impl std::fmt::Debug for RecordedFiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RecordedFiles").field("texts", &self.texts.borrow().keys()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn a_file_is_read_once_and_told_to_each_that_names_it() {
        static READS: AtomicU32 = AtomicU32::new(0);
        let source = |name: &str| match name {
            "up" => Ok(format!("read {}", READS.fetch_add(1, Ordering::Relaxed))),
            _ => Err("there is none".to_owned()),
        };
        let files = RecordedFiles::new(Box::new(source));
        for _ in 0..2 {
            assert_eq!(files.read("up"), Ok("read 0".to_owned()));
            assert_eq!(files.take_used(), BTreeMap::from([("up".to_owned(), "read 0".to_owned())]));
        }
        assert!(files.read("down").is_err() && files.take_used().is_empty());
    }
}
