//! A mesh of 802.11 radio stations: who hears whom, who may send when (DCF), and which way packets take (DSR or fixed
//! routes). The whole mesh is one machine with a port at each station, and a medium of the `link` crate's fabric.

pub mod config;
