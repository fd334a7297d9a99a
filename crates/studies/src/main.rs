//! The studies' command line. It knows their names, and nothing of what they measure.

fn main() {
    println!("studies: none yet");
}
