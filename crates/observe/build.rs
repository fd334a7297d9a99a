//! Extracts the plotting library of report pages from its crate and compresses it: the page unpacks it in the browser,
//! which makes a page 2 MB instead of 7. Nothing is done without the feature `page`.
#![allow(clippy::print_stdout, reason = "cargo reads what is printed")]

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    #[cfg(feature = "page")]
    library::pack();
}

#[cfg(feature = "page")]
mod library {
    use std::io::Write as _;
    use std::path::Path;
    use std::{env, fs};

    use flate2::Compression;
    use flate2::write::GzEncoder;

    /// Writes the compressed library into the output folder.
    pub(crate) fn pack() {
        let scripts = plotly::Plot::offline_js_sources();
        let library = first_script(&scripts).expect("the library in a script element");
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(library.as_bytes()).expect("memory that can be written");
        let packed = packed.finish().expect("memory that can be written");
        let folder = env::var_os("OUT_DIR").expect("cargo says where the output goes");
        fs::write(Path::new(&folder).join("plotly.min.js.gz"), packed).expect("a folder for output");
    }

    /// The content of the first script element: plotly.js. The second is MathJax, which the charts do not use.
    fn first_script(scripts: &str) -> Option<&str> {
        let (_, from) = scripts.split_once('>')?;
        let (script, _) = from.split_once("</script>")?;
        script.contains("plotly.js v").then_some(script)
    }
}
