//! `[radio]`: its settings beyond those of the `wireless` crate.

use anabranch_base::setting::{Setting, shaped};

pub(crate) static RADIO: [Setting<()>; 1] =
    [shaped("name", "a name", "one that no other radio has; required for the second and later ones")];
