//! Bytes ↔ chunks, without state. It knows the layout of every chunk, parameter and error cause, and
//! nothing of what an association does with them.
