//! Many mutants in one source: each of their edits is chosen when the design runs.
//!
//! The number of the mutant comes in bits of `cycle_input_i` that the contract leaves zero, so that every instance of the
//! design can be another mutant. Number 0 is none of them.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::Path;

use pmu_lockstep::dut::chosen::{NUMBER_BITS, number_in, without_number};

use crate::Error;
use crate::mutant::{Edit, Form, Mutant};
use crate::source::{Unit, flat};

/// The package of the number, which sorts before those of the design.
fn package() -> String {
    let last = NUMBER_BITS - 1;
    format!("package mutant_pkg;\n  logic [{last}:0] chosen;\nendpackage\n")
}

/// The module that has the inputs, and the statement that registers them.
const TOP: &str = "lockstep_dut.sv";
const INPUT: &str = "cycle_input_i";
const REGISTERED: &str = "cycle_input_q <= cycle_input_i;";
/// Writes the design with `mutants`, whose numbers come with them, to `folder`. Lines stay what they are.
///
/// # Errors
/// A file that cannot be written; a top module that does not register its inputs.
pub fn write(units: &[Unit], mutants: &[(usize, &Mutant)], folder: &Path) -> Result<(), Error> {
    let mut texts = vec![("mutant_pkg.sv", package())];
    for (index, unit) in units.iter().enumerate() {
        let mut sites = Vec::new();
        for (number, mutant) in mutants.iter().filter(|(_, mutant)| mutant.unit == index) {
            sites.extend(mutant.edits.iter().map(|edit| Site {
                number: *number,
                edit,
            }));
        }
        // What is around comes first.
        sites.sort_by_key(|Site { number, edit }| {
            let is_replaced = edit.form != Form::Item;
            let end = std::cmp::Reverse(edit.range.end);
            (edit.range.start, is_replaced, end, *number)
        });
        let mut text = emit(&unit.text, 0..unit.text.len(), &sites);
        if unit.name == TOP {
            if !text.contains(REGISTERED) {
                return Err(format!("{TOP} has no {REGISTERED:?}: where are its inputs?").into());
            }
            // The number goes to where it is read.
            let [without, number] = [without_number(INPUT), number_in(INPUT)];
            let with_number =
                format!("begin cycle_input_q <= {without}; mutant_pkg::chosen <= {number}; end");
            text = text.replace(REGISTERED, &with_number);
        }
        texts.push((&unit.name, text));
    }
    write_texts(&texts, folder)
}

/// Writes files to `folder`, which has no others then.
///
/// # Errors
/// A file that cannot be written.
pub fn write_texts(texts: &[(&str, String)], folder: &Path) -> Result<(), Error> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    for (name, text) in texts {
        fs::write(folder.join(name), text)?;
    }
    Ok(())
}

/// A place of the source, and what a mutant has there.
struct Site<'a> {
    number: usize,
    edit: &'a Edit,
}

/// The text of a range, of which `sites` are all within.
fn emit(text: &str, range: Range<usize>, sites: &[Site<'_>]) -> String {
    let mut out = String::new();
    let (mut at, mut next) = (range.start, 0);
    while let Some(site) = sites.get(next) {
        let here = site.edit.range.clone();
        let same = sites[next..]
            .iter()
            .take_while(|site| site.edit.range == here)
            .count();
        let within = sites[next + same..]
            .iter()
            .take_while(|site| site.edit.range.start < here.end)
            .count();
        let (of_all, inner) = sites[next..next + same + within].split_at(same);
        out.push_str(&text[at..here.start]);
        let own = emit(text, here.clone(), inner);
        out.push_str(&chosen(of_all, &own));
        at = here.end;
        next += same + within;
    }
    out.push_str(&text[at..range.end]);
    out
}

/// What is chosen at a place: one of the mutants', or its own.
fn chosen(sites: &[Site<'_>], own: &str) -> String {
    let Some(first) = sites.first() else {
        return own.to_owned();
    };
    let mut out = String::new();
    match first.edit.form {
        Form::Item => {
            let texts: BTreeSet<_> = sites.iter().map(|site| site.edit.text.as_str()).collect();
            out.extend(texts.into_iter().flat_map(|text| [text, " "]));
            out.push_str(own);
        }
        Form::Expression => {
            out.push('(');
            for Site { number, edit } in sites {
                let text = flat(&edit.text);
                out.push_str(&format!(
                    "(mutant_pkg::chosen == {NUMBER_BITS}'d{number}) ? ({text}) : "
                ));
            }
            out.push_str(&format!("({own}))"));
        }
        Form::Statement => {
            out.push_str("begin ");
            for Site { number, edit } in sites {
                let text = flat(&edit.text);
                out.push_str(&format!(
                    "if (mutant_pkg::chosen == {NUMBER_BITS}'d{number}) begin {text} end else "
                ));
            }
            out.push_str(&format!("begin {own} end end"));
        }
    }
    out
}
