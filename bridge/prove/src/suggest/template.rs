//! Names of many things become one: `q[0]`, `q[1]` and so on are `q[{n}]`.

use std::collections::{BTreeMap, BTreeSet};

use crate::correspondence::named;

/// A thing, by the numbers that its name may have in it, and the names that it has, the best first.
pub type Sample = (Vec<(char, usize)>, Vec<String>);

/// The best name with numbers in braces that all of the samples have; `is_name` says what is one, for those of which nothing is
/// known.
pub fn of_all(samples: &[Sample], most: usize) -> Option<String> {
    let (numbers, names) = samples.first()?;
    let is_of_all = |template: &String| {
        let mut samples = samples.iter();
        samples.all(|(numbers, names)| names.contains(&named(template, numbers)))
    };
    let mut candidates = names.iter().take(most);
    candidates.find_map(|name| {
        let mut templates = templates(name, numbers, samples);
        templates.sort_by_key(|template| effort(template));
        templates.into_iter().find(is_of_all)
    })
}

/// How much a reader has to reckon: `{n}` is the least.
pub fn effort(template: &str) -> usize {
    let inside = parts(template)
        .into_iter()
        .filter(|part| part.starts_with('{'));
    inside.map(str::len).sum()
}

/// The names with numbers in braces that `name`, that of a thing with these numbers, may be.
fn templates(name: &str, numbers: &[(char, usize)], samples: &[Sample]) -> Vec<String> {
    let mut found = vec![name.to_owned()];
    for (place, &(letter, own)) in numbers.iter().enumerate() {
        // A thing that differs in this number alone says which parts follow it.
        let differs = |other: &[(char, usize)]| {
            let pairs = numbers.iter().zip(other).enumerate();
            let mut pairs = pairs.filter(|(_, (a, b))| a != b);
            matches!((pairs.next(), pairs.next()), (Some((at, _)), None) if at == place)
        };
        let Some((other, names)) = samples.iter().find(|(other, _)| differs(other)) else {
            continue;
        };
        let step = other[place].1 as i64 - own as i64;
        let mut more = Vec::new();
        for template in &found {
            for other in names {
                if let Some(template) = joined(template, name, other, (letter, own as i64, step))
                    && !more.contains(&template)
                {
                    more.push(template);
                }
            }
        }
        if !more.is_empty() {
            found = more;
        }
    }
    found
}

/// `template`, which stands for `name`, with braces where `other` has another number.
fn joined(
    template: &str,
    name: &str,
    other: &str,
    (letter, own, step): (char, i64, i64),
) -> Option<String> {
    let (parts, others, made) = (parts(name), parts(other), parts(template));
    if parts.len() != others.len() || parts.len() != made.len() {
        return None;
    }
    let mut all = String::new();
    for ((part, other), made) in parts.iter().zip(&others).zip(&made) {
        if part == other {
            all += made;
            continue;
        }
        let (here, there): (i64, i64) = (part.parse().ok()?, other.parse().ok()?);
        let factor = (there - here).checked_div(step)?;
        if factor <= 0 || factor * step != there - here {
            return None;
        }
        let constant = here - factor * own;
        let factor = if factor == 1 {
            String::new()
        } else {
            factor.to_string()
        };
        let constant = if constant == 0 {
            String::new()
        } else {
            format!("{constant:+}")
        };
        all += &format!("{{{factor}{letter}{constant}}}");
    }
    Some(all)
}

/// The numbers of a name, and what is between them. What is in braces is a part.
fn parts(name: &str) -> Vec<&str> {
    let kind = |letter: char, inside: bool| match letter {
        _ if inside => 2,
        '0'..='9' => 1,
        _ => 0,
    };
    let (mut all, mut start, mut last, mut inside) = (Vec::new(), 0, None, false);
    for (at, letter) in name.char_indices() {
        inside |= letter == '{';
        let own = kind(letter, inside);
        if last.is_some_and(|last| last != own) {
            all.push(&name[start..at]);
            start = at;
        }
        last = Some(own);
        inside &= letter != '}';
    }
    all.push(&name[start..]);
    all
}

/// Names that differ in one number, which takes all values of a range, become one with that range.
pub fn ranges(names: &BTreeSet<String>) -> Vec<String> {
    let ways = (0..3).map(|place| ranges_at(names, place));
    ways.min_by_key(Vec::len).unwrap_or_default()
}

/// The same of the number at a place from the end.
fn ranges_at(names: &BTreeSet<String>, place: usize) -> Vec<String> {
    let mut by_rest: BTreeMap<(String, String), BTreeSet<usize>> = BTreeMap::new();
    let mut all = Vec::new();
    for name in names {
        let parts = parts(name);
        let numbers = (0..parts.len()).rev();
        let mut numbers = numbers.filter(|&at| parts[at].parse::<usize>().is_ok());
        let Some(at) = numbers.nth(place) else {
            all.push(name.clone());
            continue;
        };
        let rest = (parts[..at].concat(), parts[at + 1..].concat());
        let numbers = by_rest.entry(rest).or_default();
        numbers.extend(parts[at].parse::<usize>());
    }
    for ((before, after), numbers) in by_rest {
        let first = numbers.first().copied().unwrap_or_default();
        let last = numbers.last().copied().unwrap_or_default();
        let text = |number: String| format!("{before}{number}{after}");
        match numbers.len() > 1 && last - first + 1 == numbers.len() {
            true => all.push(text(format!("{{{first}..{last}}}"))),
            false => all.extend(numbers.iter().map(|number| text(number.to_string()))),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(numbers: &[(char, usize)], names: &[&str]) -> Sample {
        let names = names.iter().map(|&name| name.to_owned());
        (numbers.to_vec(), names.collect())
    }

    #[test]
    fn numbers_that_follow_are_in_braces() {
        let samples = [
            sample(&[('n', 0)], &["u2.other[7]", "u2.q[4]"]),
            sample(&[('n', 1)], &["u2.other[7]", "u2.q[5]"]),
            sample(&[('n', 9)], &["u2.q[13]"]),
        ];
        assert_eq!(of_all(&samples, 8).as_deref(), Some("u2.q[{n+4}]"));
    }

    #[test]
    fn each_number_is_one_of_its_own() {
        let name = |s: usize, n: usize| format!("unit[{s}].words_q[{}]", 4 * n + 5);
        let samples: Vec<_> = [(0, 1), (0, 2), (1, 1), (1, 7)]
            .map(|(s, n)| (vec![('s', s), ('n', n)], vec![name(s, n)]))
            .into();
        let found = of_all(&samples, 8);
        assert_eq!(found.as_deref(), Some("unit[{s}].words_q[{4n+5}]"));
    }

    #[test]
    fn what_not_all_have_is_no_name() {
        let samples = [
            sample(&[('n', 0)], &["a[0]"]),
            sample(&[('n', 1)], &["a[1]"]),
            sample(&[('n', 2)], &["b[2]"]),
        ];
        assert_eq!(of_all(&samples, 8), None);
    }

    #[test]
    fn ranges_are_told_as_such() {
        let names = [
            "q[0][{n}]",
            "q[1][{n}]",
            "q[2][{n}]",
            "r[0]",
            "r[5]",
            "plain",
        ];
        let names = names.map(str::to_owned).into();
        assert_eq!(ranges(&names), ["plain", "q[{0..2}][{n}]", "r[0]", "r[5]"]);
    }
}
