//! Profiles with one weight raised: what a mix would be that dwells on one thing.

use toml::{Table, Value};

use super::Profile;

/// A profile with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// `BASE` or `BASE-KEY`, with the key that is raised.
    pub name: String,
    /// The mix.
    pub profile: Profile,
}

/// Tables that hold shares of their sum.
const SHARES: [&str; 6] = [
    "areas",
    "values",
    "accesses",
    "rates",
    "completions",
    "kinds",
];
/// The share of a phase of area threshold, among those of the phases.
const WEIGHT: &str = "weight";
/// The phases, which are those of this area.
const PHASES: (&str, &str) = ("phases", "threshold");
/// How many times the sum of the others a share is that is raised.
const SHARE: i64 = 8;
/// How many times as often happens what is out of a fixed number.
const OFTEN: i64 = 8;

impl Profile {
    /// The profiles that differ from this one, of name `name`, in one share or rate that is raised, with the shares of what
    /// it is part of; in the order of their names.
    pub fn raised(&self, name: &str) -> Vec<Named> {
        let table = self.table();
        let mut keys = Vec::new();
        leaves(&table, &mut Vec::new(), &mut keys);
        let mut all: Vec<_> = keys
            .into_iter()
            .filter_map(|key| {
                let mut raised = table.clone();
                let changed = raise_all(&mut raised, &key)?;
                let profile = Self::try_from(raised).ok()?;
                (changed && profile.validate().is_ok() && profile != *self).then(|| Named {
                    name: format!("{name}-{}", key.join(".")),
                    profile,
                })
            })
            .collect();
        all.sort_by(|one, other| one.name.cmp(&other.name));
        all
    }

    fn table(&self) -> Table {
        Table::try_from(self).expect("a profile has a TOML form")
    }
}

/// The ways to all numbers.
fn leaves(table: &Table, way: &mut Vec<String>, all: &mut Vec<Vec<String>>) {
    for (key, value) in table {
        way.push(key.clone());
        match value {
            Value::Table(inner) => leaves(inner, way, all),
            _ => all.push(way.clone()),
        }
        way.pop();
    }
}

/// Raises a number, and the shares of what it is part of.
///
/// # Returns
/// Whether it is one that can be raised; none where it has no place.
fn raise_all(table: &mut Table, key: &[String]) -> Option<bool> {
    let (last, way) = key.split_last()?;
    let first = way.first().map_or("", String::as_str);
    let area = match first == PHASES.0 {
        true => PHASES.1,
        false => first,
    };
    if first != "areas" && table.get("areas")?.get(area).is_some() {
        raise_share(table.get_mut("areas")?.as_table_mut()?, area)?;
    }
    if first == PHASES.0 && way.len() > 1 {
        raise_weight(table.get_mut(first)?.as_table_mut()?, &way[1])?;
        if last == WEIGHT {
            return Some(true);
        }
    }
    let mut inner = table;
    for part in way {
        inner = inner.get_mut(part)?.as_table_mut()?;
    }
    match way
        .last()
        .is_some_and(|name| SHARES.contains(&name.as_str()))
    {
        true => raise_share(inner, last)?,
        // Lengths and distances are no rates.
        false if ["shortest", "longest"].contains(&last.as_str()) => return Some(false),
        false => {
            let value = inner.get_mut(last)?;
            let often = value.as_integer()?.saturating_mul(OFTEN);
            let most = match first {
                "types" | "reset" | "phases" => i64::from(u16::MAX),
                _ => 512,
            };
            *value = Value::Integer(often.min(most));
        }
    }
    Some(true)
}

fn raise_share(shares: &mut Table, key: &str) -> Option<()> {
    let values = shares.iter().filter(|(other, _)| *other != key);
    let others: i64 = values.filter_map(|(_, value)| value.as_integer()).sum();
    let value = shares.get_mut(key)?;
    *value = Value::Integer(raised(others));
    Some(())
}

fn raise_weight(phases: &mut Table, name: &str) -> Option<()> {
    let weights = phases.iter().filter(|(other, _)| *other != name);
    let weights = weights.filter_map(|(_, phase)| phase.get(WEIGHT)?.as_integer());
    let others: i64 = weights.sum();
    *phases.get_mut(name)?.get_mut(WEIGHT)? = Value::Integer(raised(others));
    Some(())
}

/// A share beside others.
fn raised(others: i64) -> i64 {
    (others * SHARE).clamp(1, u16::MAX.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_share_is_raised_with_what_it_is_part_of() {
        let mixed = Profile::default();
        let all = mixed.raised("mixed");
        assert!(all.len() > 200, "{}", all.len());
        assert!(all.is_sorted_by(|one, other| one.name < other.name));
        let of = |name: &str| {
            let found = all.iter().find(|one| one.name == name);
            &found.expect("one of that name").profile
        };
        let mut expected = mixed.clone();
        expected.areas.spmu = 8 * (56 + 20 + 28 + 12 + 20);
        assert_eq!(of("mixed-areas.spmu"), &expected);
        let mut expected = mixed.clone();
        expected.areas.cycles = 8 * (56 + 20 + 28 + 16 + 20);
        expected.cycles.kinds.calm = 8 * (40 + 40 + 56 + 48 + 24);
        assert_eq!(of("mixed-cycles.kinds.calm"), &expected);
        let mut expected = mixed.clone();
        expected.areas.threshold = 8 * (20 + 28 + 12 + 16 + 20);
        expected.phases.quiet.weight = 8 * (64 + 44 + 40 + 36 + 32);
        expected.phases.quiet.gate = 8 * 128;
        assert_eq!(of("mixed-phases.quiet.gate"), &expected);
        assert!(!all.iter().any(|one| one.name.ends_with("shortest")));
    }

    #[test]
    fn all_of_them_can_be_written_and_read() {
        for name in Profile::names() {
            let profile = Profile::named(name).expect("built in");
            for Named { name, profile } in profile.raised(name) {
                let read = Profile::from_toml(&profile.to_toml()).expect(&name);
                assert_eq!(read, profile, "{name}");
            }
        }
    }
}
