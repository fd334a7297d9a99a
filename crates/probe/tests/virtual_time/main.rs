//! Both ends of a measurement over simulated links in virtual time.

mod draws;
mod hostile;
mod measurement;
mod silence;
mod world;
