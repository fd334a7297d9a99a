//! Estimates of links from recordings that the project's link model made.

mod drawn;
mod hostile;
mod kinds;
mod world;
