//! The dump.

use std::io::{self, Write};

/// Steele and Vigna's SplitMix64: the same dump on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// The identifier code of a number, first character lowest.
fn code(mut number: usize) -> String {
    let mut code = String::new();
    loop {
        code.push(char::from(b'!' + (number % 94) as u8));
        match number / 94 {
            0 => return code,
            rest => number = rest - 1,
        }
    }
}

struct Signal {
    width: usize,
    code: String,
    /// Of 256 cycles, in how many it changes.
    rate: u64,
}

/// What a dump is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A design of 676 signals: counters of 64 bits, many small inputs that are also traced as one wide port,
    /// registers that change rarely; about 140 change each cycle.
    Big,
    /// Nine signals, a clock among them, and a time stamp about every 50 bytes.
    Small,
}

/// Writes a dump of about `megabytes` to `out`.
///
/// # Errors
/// That of writing.
pub fn dump(shape: Shape, megabytes: usize, mut out: impl Write) -> io::Result<()> {
    let widths: Vec<(usize, u64)> = match shape {
        Shape::Big => {
            let counters = [(1, 256, 1), (64, 220, 31), (20, 200, 31)];
            let inputs = [(8, 250, 64), (512, 255, 1), (1984, 255, 1)];
            let registers = [(1, 16, 200), (8, 5, 200), (32, 1, 147)];
            let all = counters.into_iter().chain(inputs).chain(registers);
            all.flat_map(|(width, rate, count)| vec![(width, rate); count])
                .collect()
        }
        Shape::Small => [
            (1, 256),
            (1, 64),
            (64, 240),
            (8, 128),
            (4, 64),
            (1, 64),
            (1, 20),
            (2, 20),
            (1, 2),
        ]
        .to_vec(),
    };
    let signals: Vec<Signal> = widths
        .into_iter()
        .enumerate()
        .map(|(number, (width, rate))| Signal {
            width,
            code: code(number),
            rate,
        })
        .collect();

    writeln!(
        out,
        "$version lockstep-vcd generate $end\n$timescale 1ps $end"
    )?;
    writeln!(out, "$scope module TOP $end")?;
    for (number, Signal { width, code, .. }) in signals.iter().enumerate() {
        match width {
            1 => writeln!(out, " $var wire 1 {code} s{number} $end")?,
            _ => writeln!(
                out,
                " $var wire {width} {code} s{number} [{}:0] $end",
                width - 1
            )?,
        }
    }
    writeln!(out, "$upscope $end\n$enddefinitions $end\n")?;

    let mut random = Random(1);
    let (mut time, mut written) = (0, 0);
    let mut step = Vec::new();
    while written < megabytes << 20 {
        step.clear();
        writeln!(step, "#{time}")?;
        for (number, signal) in signals.iter().enumerate() {
            let clock = number == 0;
            let falling = time / 5 % 2 == 1;
            let changes = clock || (!falling && random.next() % 256 < signal.rate);
            if time > 0 && !changes {
                continue;
            }
            if signal.width == 1 {
                let bit = if clock {
                    u64::from(!falling)
                } else {
                    random.next() & 1
                };
                writeln!(step, "{bit}{}", signal.code)?;
            } else {
                step.push(b'b');
                let mut bits = 0;
                for place in 0..signal.width {
                    if place % 64 == 0 {
                        bits = random.next();
                    }
                    step.push(b'0' + (bits >> (place % 64) & 1) as u8);
                }
                writeln!(step, " {}", signal.code)?;
            }
        }
        out.write_all(&step)?;
        written += step.len();
        time += 5;
    }
    out.flush()
}
