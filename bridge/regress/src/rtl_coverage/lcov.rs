//! LCOV's tracefiles, which `genhtml` and editors read.

use std::io::{self, Write};

use super::RtlCoverage;

/// The name of the test, by which a file is known to be one of this program.
const TEST: &str = "TN:lockstep";

impl RtlCoverage {
    /// Writes a tracefile: lines, with how often they ran, and as branches what else can happen in a line: a branch is one
    /// of block 0, the change of a bit one of block 1.
    ///
    /// # Errors
    /// Those of `to`.
    pub fn write_lcov(&self, to: &mut dyn Write) -> io::Result<()> {
        for (name, file) in self.files() {
            writeln!(to, "{TEST}\nSF:{}", self.path(name).display())?;
            let branches = file
                .others
                .iter()
                .map(|((line, ..), &count)| (*line, 0, count));
            let toggles = file.toggles.iter().flat_map(|((line, _), changes)| {
                let counts = changes.values();
                counts.map(|&count| (*line, 1, count))
            });
            let mut branches: Vec<_> = branches.chain(toggles).enumerate().collect();
            branches.sort_by_key(|&(number, (line, block, _))| (line, block, number));
            let mut last = (0, 0, 0);
            for (_, (line, block, count)) in &branches {
                let number = match (last.0, last.1) == (*line, *block) {
                    true => last.2 + 1,
                    false => 0,
                };
                last = (*line, *block, number);
                writeln!(to, "BRDA:{line},{block},{number},{count}")?;
            }
            let tally = file.tally();
            let (found, hit) = (branches.len(), tally.branches.hit + tally.toggles.hit);
            writeln!(to, "BRF:{found}\nBRH:{hit}")?;
            for (line, count) in &file.lines {
                writeln!(to, "DA:{line},{count}")?;
            }
            let lines = tally.lines;
            writeln!(to, "LF:{}\nLH:{}\nend_of_record", lines.of, lines.hit)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::coverage;

    #[test]
    fn lines_and_branches_are_told() {
        let line = "\u{1}t\u{2}line\u{1}page\u{2}v_line/a\u{1}o\u{2}block\u{1}S\u{2}3-4";
        let other = line.replace("v_line/a", "v_line/a__P1");
        let branch = |what: &str| format!("\u{1}t\u{2}branch\u{1}o\u{2}{what}\u{1}S\u{2}4");
        let toggle = |what: &str| format!("\u{1}t\u{2}toggle\u{1}o\u{2}{what}");
        let all = coverage(&[
            ("/x/a.sv", 3, line, 0),
            ("/x/a.sv", 3, &other, 7),
            ("/x/a.sv", 4, &branch("if"), 5),
            ("/x/a.sv", 4, &branch("else"), 0),
            ("/x/a.sv", 4, &toggle("b[0]:0->1"), 1),
            ("/x/a.sv", 4, &toggle("b[0]:1->0"), 0),
            ("/x/b/c.sv", 9, &toggle("d:0->1"), 0),
        ]);
        let mut text = Vec::new();
        all.write_lcov(&mut text).expect("written");
        let expected = "TN:lockstep\nSF:/x/a.sv\nBRDA:4,0,0,0\nBRDA:4,0,1,5\nBRDA:4,1,0,1\nBRDA:4,1,1,0\nBRF:4\nBRH:2\n\
                        DA:3,7\nDA:4,7\nLF:2\nLH:2\nend_of_record\n\
                        TN:lockstep\nSF:/x/b/c.sv\nBRDA:9,1,0,0\nBRF:1\nBRH:0\nLF:0\nLH:0\nend_of_record\n";
        assert_eq!(String::from_utf8_lossy(&text), expected);
    }
}
