//! What each study prints. It knows terminals, and nothing of what is studied.

pub mod ns2;
