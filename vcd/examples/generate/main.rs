//! Writes a large dump in the manner of Verilator, to measure readers with.
//!
//! `cargo run --release --example generate -- big|small MEGABYTES > FILE`

mod dump;

use std::io::{self, BufWriter};

use dump::Shape;

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (shape, megabytes) = match &arguments[..] {
        [shape, megabytes] if shape == "big" => (Shape::Big, megabytes),
        [shape, megabytes] if shape == "small" => (Shape::Small, megabytes),
        _ => {
            return Err(io::Error::other(
                "expected `big` or `small`, and a number of megabytes",
            ));
        }
    };
    let megabytes = megabytes.parse().map_err(io::Error::other)?;
    let out = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    dump::dump(shape, megabytes, out)
}
