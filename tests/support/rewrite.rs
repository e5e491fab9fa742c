//! Dumps written anew: with vectors in bits, with other codes, in another order, with one change planted. Reads dumps
//! by their words, with nothing of the reader that is tested.

use std::collections::{BTreeMap, HashMap, HashSet};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A dump in pieces that can be exchanged.
#[derive(Clone)]
pub struct Words {
    declarations: Vec<Declaration>,
    body: Vec<Command>,
}

#[derive(Clone)]
enum Declaration {
    Variable(Variable),
    /// Anything else, as it stands there.
    Other(String),
}

#[derive(Clone)]
struct Variable {
    kind: String,
    width: usize,
    code: String,
    /// With its range, if it has one.
    name: String,
}

#[derive(Clone, PartialEq)]
enum Command {
    Time(u64),
    Change { value: String, code: String },
    Other(String),
}

fn is_value(byte: u8) -> bool {
    b"bBrRsS".contains(&byte)
}

impl Words {
    /// Takes a dump apart.
    pub fn new(text: &str) -> Self {
        let mut words = text.split_ascii_whitespace();
        let mut declarations = Vec::new();
        while let Some(word) = words.next() {
            if word == "$enddefinitions" {
                // Its `$end` may be missing.
                let mut rest = words.clone();
                if rest.next() == Some("$end") {
                    words = rest;
                }
                break;
            }
            let section: Vec<_> = words.by_ref().take_while(|word| *word != "$end").collect();
            declarations.push(match word {
                "$var" => Declaration::Variable(Variable {
                    kind: section[0].into(),
                    width: section[1].parse().expect("a width"),
                    code: section[2].into(),
                    name: section[3..].join(" "),
                }),
                _ => Declaration::Other(format!("{word} {} $end", section.join(" "))),
            });
        }
        let mut body = Vec::new();
        while let Some(word) = words.next() {
            let first = word.as_bytes()[0];
            body.push(match first {
                b'#' => Command::Time(word[1..].parse().expect("a time")),
                b'$' if ["$comment", "$unknown"].contains(&word) => {
                    let text: Vec<_> = words.by_ref().take_while(|word| *word != "$end").collect();
                    Command::Other(format!("{word} {} $end", text.join(" ")))
                }
                b'$' => Command::Other(word.into()),
                _ if is_value(first) => Command::Change {
                    value: word.into(),
                    code: words.next().expect("a code").into(),
                },
                _ => Command::Change {
                    value: word[..1].into(),
                    code: word[1..].into(),
                },
            });
        }
        Self { declarations, body }
    }

    /// Puts the pieces together.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for declaration in &self.declarations {
            text += &match declaration {
                Declaration::Other(other) => format!("{other}\n"),
                Declaration::Variable(Variable {
                    kind,
                    width,
                    code,
                    name,
                }) => format!("$var {kind} {width} {code} {name} $end\n"),
            };
        }
        text += "$enddefinitions $end\n";
        for command in &self.body {
            text += &match command {
                Command::Time(time) => format!("#{time}\n"),
                Command::Other(other) => format!("{other}\n"),
                Command::Change { value, code } if is_value(value.as_bytes()[0]) => {
                    format!("{value} {code}\n")
                }
                Command::Change { value, code } => format!("{value}{code}\n"),
            };
        }
        text
    }

    fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.declarations
            .iter()
            .filter_map(|declaration| match declaration {
                Declaration::Variable(variable) => Some(variable),
                Declaration::Other(_) => None,
            })
    }

    /// Gives each signal another code.
    pub fn with_other_codes(mut self, random: &mut Random) -> Self {
        let mut codes: Vec<_> = self
            .variables()
            .map(|variable| variable.code.clone())
            .collect();
        codes.sort();
        codes.dedup();
        let start = random.below(500);
        let mut new: Vec<_> = (start..start + codes.len()).map(code).collect();
        random.shuffle(&mut new);
        let new: HashMap<_, _> = codes.into_iter().zip(new).collect();
        for declaration in &mut self.declarations {
            if let Declaration::Variable(variable) = declaration {
                variable.code.clone_from(&new[&variable.code]);
            }
        }
        for command in &mut self.body {
            if let Command::Change { code, .. } = command {
                code.clone_from(&new[code.as_str()]);
            }
        }
        self
    }

    /// Declares the variables of each scope in another order, unless some have the same name.
    pub fn in_another_order(mut self, random: &mut Random) -> Self {
        let is_variable =
            |declaration: &Declaration| matches!(declaration, Declaration::Variable(_));
        let same = |one: &Declaration, two: &Declaration| is_variable(one) == is_variable(two);
        for run in self.declarations.chunk_by_mut(same) {
            let names: Vec<_> = run
                .iter()
                .filter_map(|declaration| match declaration {
                    Declaration::Variable(variable) => Some(variable.name.replace(' ', "")),
                    Declaration::Other(_) => None,
                })
                .collect();
            let different: HashSet<_> = names.iter().collect();
            if is_variable(&run[0]) && different.len() == names.len() {
                random.shuffle(run);
            }
        }
        self
    }

    /// Writes vectors as bits, each with a code of its own: `q [7]`, or `q[7]`.
    pub fn in_bits(mut self, apart: bool) -> Self {
        const VECTORS: [&str; 6] = ["wire", "reg", "integer", "logic", "int", "bit"];
        let mut widths: BTreeMap<String, Option<usize>> = BTreeMap::new();
        for variable in self.variables() {
            let splits = VECTORS.contains(&variable.kind.as_str()) && range(variable).is_some();
            let width = splits
                .then_some(variable.width)
                .filter(|width| (2..=4096).contains(width));
            let of_code = widths.entry(variable.code.clone()).or_insert(width);
            if *of_code != width {
                *of_code = None;
            }
        }
        // Codes that the dump does not have.
        let mut next = (0..).map(|number| format!("~bit{number}"));
        let mut codes: HashMap<String, Vec<String>> = HashMap::new();
        for (code, width) in widths {
            if let Some(width) = width {
                codes.insert(code, next.by_ref().take(width).collect());
            }
        }
        let mut declarations = Vec::new();
        for declaration in self.declarations {
            let Declaration::Variable(variable) = &declaration else {
                declarations.push(declaration);
                continue;
            };
            let (Some(bits), Some((name, indices))) = (codes.get(&variable.code), range(variable))
            else {
                declarations.push(declaration);
                continue;
            };
            // An escaped name ends with white space.
            let blank = if apart || name.starts_with('\\') {
                " "
            } else {
                ""
            };
            for (index, code) in indices.into_iter().zip(bits) {
                declarations.push(Declaration::Variable(Variable {
                    kind: variable.kind.clone(),
                    width: 1,
                    code: code.clone(),
                    name: format!("{name}{blank}[{index}]"),
                }));
            }
        }
        let mut body = Vec::new();
        for command in self.body {
            let (value, bits) = match &command {
                Command::Change { value, code } if codes.contains_key(code) => {
                    (value, &codes[code])
                }
                _ => {
                    body.push(command);
                    continue;
                }
            };
            for (digit, code) in digits(value, bits.len()).into_iter().zip(bits) {
                body.push(Command::Change {
                    value: digit.to_string(),
                    code: code.clone(),
                });
            }
        }
        self.declarations = declarations;
        self.body = body;
        self
    }

    /// Plants one change: of the lowest bit of a value, a real, a string, or one trigger of an event more or less.
    /// None if the place that was chosen has none that shows. With the kind of its variable.
    pub fn with_a_change(mut self, random: &mut Random) -> Option<(Self, String)> {
        let kinds: HashMap<_, _> = self
            .variables()
            .map(|variable| {
                (
                    variable.code.clone(),
                    (variable.kind.clone(), variable.width),
                )
            })
            .collect();
        let place = random.below(self.body.len());
        let Command::Change { value, code } = &self.body[place] else {
            return None;
        };
        let (kind, width) = kinds.get(code)?;
        let kind = kind.clone();
        if kind == "event" {
            if value != "1" {
                return None;
            }
            match random.below(2) {
                0 => drop(self.body.remove(place)),
                _ => self.body.insert(place, self.body[place].clone()),
            }
            return Some((self, kind));
        }
        // What is written over in the same tick does not show.
        let mut now = None;
        for command in &self.body[..place] {
            if let Command::Time(time) = command {
                now = Some(*time);
            }
        }
        for command in &self.body[place + 1..] {
            match command {
                Command::Time(time) if Some(*time) > now && (now.is_some() || *time > 0) => break,
                Command::Change { code: other, .. } if other == code => return None,
                _ => {}
            }
        }
        let new = match value.as_bytes()[0] {
            b'r' | b'R' => format!(
                "r{}",
                value[1..].parse::<f64>().ok().filter(|v| v.is_finite())? + 0.5
            ),
            b's' | b'S' => format!("{value}x"),
            _ => {
                let mut digits = digits(value, *width);
                let last = digits.last_mut()?;
                *last = match *last {
                    '1' | 'h' | 'H' => '0',
                    _ => '1',
                };
                match value.len() {
                    1 => digits.into_iter().collect(),
                    _ => format!("b{}", digits.into_iter().collect::<String>()),
                }
            }
        };
        let code = code.clone();
        self.body[place] = Command::Change { value: new, code };
        Some((self, kind))
    }
}

/// The name of a vector without its range, and the indices of its bits from the left. None for what is no vector.
fn range(variable: &Variable) -> Option<(String, Vec<i64>)> {
    let width = variable.width as i64;
    let whole = || (0..width).rev().collect();
    let Some((name, range)) = variable
        .name
        .strip_suffix(']')
        .and_then(|name| name.rsplit_once('['))
    else {
        return Some((variable.name.clone(), whole()));
    };
    let (msb, lsb) = range.split_once(':').unwrap_or((range, range));
    let (msb, lsb): (i64, i64) = (msb.parse().ok()?, lsb.parse().ok()?);
    let indices: Vec<_> = match msb >= lsb {
        true => (lsb..=msb).rev().collect(),
        false => (msb..=lsb).collect(),
    };
    let escaped = name.starts_with('\\');
    match indices.len() == variable.width && (!escaped || name.ends_with(' ')) {
        true => Some((name.trim_end().into(), indices)),
        // An element of an array, whose bits are not told.
        false if !escaped => Some((variable.name.clone(), whole())),
        false => None,
    }
}

/// The digits of a value at the width of its variable.
fn digits(value: &str, width: usize) -> Vec<char> {
    let digits = value.trim_start_matches(['b', 'B']);
    let first = digits.chars().next().unwrap_or('x');
    let fill = if "1hH".contains(first) { '0' } else { first };
    let above = digits.len().saturating_sub(width);
    let digits = &digits[above..];
    let missing = width.saturating_sub(digits.len());
    std::iter::repeat_n(fill, missing)
        .chain(digits.chars())
        .collect()
}

fn code(mut number: usize) -> String {
    let mut code = String::new();
    number += 1;
    while number > 0 {
        number -= 1;
        code.push(char::from(33 + (number % 94) as u8));
        number /= 94;
    }
    code
}

/// Numbers that are the same in every run.
pub struct Random(ChaCha8Rng);

impl Random {
    /// Those of a seed.
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// One below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.0.next_u64() % end.max(1) as u64) as usize
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}
