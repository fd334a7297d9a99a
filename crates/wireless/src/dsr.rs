//! Dynamic source routing (M-DSR-1): what one station knows of routes, looks for and waits for.

mod cache;
mod discovery;
pub(crate) mod header;
mod send_buffer;

pub(crate) use cache::RouteCache;
pub(crate) use discovery::{Discoveries, Due};
pub(crate) use header::{Control, Reply, Report, Request, Route};
pub(crate) use send_buffer::{PATIENCE, SendBuffer};
