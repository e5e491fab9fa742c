//! What a vector asks of a design: the parameters that its expectations depend on, and no others, so that many
//! vectors can share one build.

use std::collections::BTreeMap;

use pmu_model::Implementation;
use pmu_model::contract::SYSTEM_PMUS;
use pmu_model::features::Feature;
use pmu_model::spmu::SystemPmu;

/// Features that a design has by default only with others.
const DEPENDENT: [(Feature, &[Feature]); 7] = [
    (Feature::Edge, &[Feature::Th]),
    (Feature::Th2, &[Feature::Edge]),
    (Feature::Sel2, &[Feature::El2, Feature::El3]),
    (Feature::Rme, &[Feature::El3]),
    (Feature::Mtpmu, &[Feature::Mt]),
    (Feature::Ernd, &[Feature::Spe]),
    (Feature::SpeExc, &[Feature::Spe]),
];

/// Values that a number may have: bit *v* for the value *v*.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Values(pub u128);

impl Values {
    /// All values.
    pub const ANY: Self = Self(u128::MAX);

    /// `first` and above.
    pub fn from(first: usize) -> Self {
        Self(u128::MAX.checked_shl(first as u32).unwrap_or(0))
    }

    /// Up to `last`.
    pub fn to(last: usize) -> Self {
        Self(!Self::from(last + 1).0)
    }

    /// Those in which `allowed` holds.
    pub fn such_that(allowed: impl Fn(usize) -> bool) -> Self {
        let bits = (0..128).filter(|&value| allowed(value));
        Self(bits.fold(0, |bits, value| bits | 1 << value))
    }

    fn has(self, value: usize) -> bool {
        self.0 >> value & 1 == 1
    }

    fn and(self, other: Self) -> Option<Self> {
        Some(Self(self.0 & other.0)).filter(|both| both.0 != 0)
    }

    /// `preferred` if it is allowed, else the greatest allowed value up to `limit`.
    fn pick(self, preferred: usize, limit: usize) -> Option<usize> {
        if self.has(preferred) {
            return Some(preferred);
        }
        (0..=limit).rev().find(|&value| self.has(value))
    }
}

/// What a design must be for a vector, or for several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirements {
    pub features: BTreeMap<Feature, bool>,
    pub counters: Values,
    pub event_count: Values,
    pub thwidth: Values,
    pub threads: Values,
    /// At most 127 can be asked for.
    pub max_inflight: Values,
    /// System PMUs that the design has, whatever their numbers.
    pub system_pmus: Vec<SystemPmu>,
    /// A System PMU that is not implemented can be selected, beside one that is.
    pub absent_system_pmu: bool,
}

impl Default for Requirements {
    fn default() -> Self {
        Self {
            features: BTreeMap::new(),
            counters: Values::ANY,
            event_count: Values::ANY,
            thwidth: Values::ANY,
            threads: Values::ANY,
            max_inflight: Values::ANY,
            system_pmus: Vec::new(),
            absent_system_pmu: false,
        }
    }
}

impl Requirements {
    /// Asks for a feature, or for its absence.
    pub fn fix(&mut self, feature: Feature, on: bool) {
        self.features.insert(feature, on);
    }

    /// The same if `matters`.
    pub fn fix_if(&mut self, matters: bool, feature: Feature, on: bool) {
        if matters {
            self.fix(feature, on);
        }
    }

    /// Asks for what `wanted` has of a feature, if it `matters`.
    pub fn alike(&mut self, matters: bool, feature: Feature, wanted: &Implementation) {
        self.fix_if(matters, feature, feature.is_of(wanted));
    }

    /// What a design must be for both; `None` if none can.
    pub fn and(&self, other: &Self) -> Option<Self> {
        let mut features = self.features.clone();
        for (&feature, &on) in &other.features {
            if *features.entry(feature).or_insert(on) != on {
                return None;
            }
        }
        let mut system_pmus = self.system_pmus.clone();
        for pmu in &other.system_pmus {
            if !system_pmus.contains(pmu) {
                system_pmus.push(pmu.clone());
            }
        }
        let both = Self {
            features,
            counters: self.counters.and(other.counters)?,
            event_count: self.event_count.and(other.event_count)?,
            thwidth: self.thwidth.and(other.thwidth)?,
            threads: self.threads.and(other.threads)?,
            max_inflight: self.max_inflight.and(other.max_inflight)?,
            system_pmus,
            absent_system_pmu: self.absent_system_pmu || other.absent_system_pmu,
        };
        both.implementation().map(|_| both)
    }

    /// Whether `implementation` is such a design.
    pub fn met_by(&self, implementation: &Implementation) -> bool {
        let pmus = &implementation.system_pmu;
        let features = |(&feature, &on): (&Feature, &bool)| feature.is_of(implementation) == on;
        self.features.iter().all(features)
            && self.counters.has(implementation.pmu.counters.into())
            && self.event_count.has(implementation.pmu.event_count.into())
            && (!implementation.pmu.th || self.thwidth.has(implementation.pmu.thwidth.into()))
            && self.threads.has(implementation.threads.count.into())
            && self
                .max_inflight
                .has(implementation.spe.max_inflight.into())
            && self.system_pmus.iter().all(|pmu| pmus.contains(pmu))
            && (!self.absent_system_pmu || (1..SYSTEM_PMUS).contains(&pmus.len()))
    }

    /// Such a design, with the default of everything that is left open; `None` if there is none.
    pub fn implementation(&self) -> Option<Implementation> {
        let mut chosen = Implementation::default();
        for (&feature, &on) in &self.features {
            feature.set(&mut chosen, on);
        }
        for (feature, others) in DEPENDENT {
            let open = !self.features.contains_key(&feature);
            if open && !others.iter().all(|other| other.is_of(&chosen)) {
                feature.set(&mut chosen, false);
            }
        }
        let (pmu, spe) = (&mut chosen.pmu, &mut chosen.spe);
        pmu.counters = self.counters.pick(pmu.counters.into(), 31)? as u8;
        pmu.event_count = self.event_count.pick(pmu.event_count.into(), 64)? as u8;
        pmu.thwidth = self.thwidth.pick(pmu.thwidth.into(), 12)? as u8;
        spe.max_inflight = self.max_inflight.pick(spe.max_inflight.into(), 127)? as u8;
        let threads = &mut chosen.threads.count;
        *threads = self.threads.pick((*threads).into(), 4)? as u8;
        let pmus = &mut chosen.system_pmu;
        if !self.system_pmus.iter().all(|pmu| pmus.contains(pmu)) {
            pmus.clone_from(&self.system_pmus);
        }
        if self.absent_system_pmu && pmus.len() >= SYSTEM_PMUS {
            return None;
        }
        possible(&chosen).then_some(chosen)
    }
}

/// Whether the wrapper can be built so. It takes FEAT_SEL2 without EL2, which leaves the field SH (A-ETY-11).
fn possible(implementation: &Implementation) -> bool {
    let mut checked = implementation.clone();
    checked.pe.sel2 &= checked.pe.el2;
    let sh = implementation.pe.el3 || !implementation.pe.sel2;
    sh && checked.validate().is_ok()
}

/// A design to be had, and the indices of the requirements that it meets.
#[derive(Debug)]
pub struct Target {
    pub implementation: Implementation,
    pub parts: Vec<usize>,
}

/// Designs that are weighed against each other for a build, those of the most parts first.
const MOST_TRIED: usize = 64;

/// Designs for as many of `parts` as can be: first the default, which is there, then at most `builds` others, each
/// the one that serves most of the parts that are left.
pub fn plan(parts: &[&Requirements], builds: usize) -> Vec<Target> {
    let default = Implementation::default();
    let (there, others): (Vec<_>, Vec<_>) =
        (0..parts.len()).partition(|&part| parts[part].met_by(&default));
    let mut targets = vec![Target {
        implementation: default,
        parts: there,
    }];
    let mut classes: Vec<(&Requirements, Vec<usize>)> = Vec::new();
    for part in others {
        match classes.iter_mut().find(|(class, _)| *class == parts[part]) {
            Some((_, members)) => members.push(part),
            None => classes.push((parts[part], vec![part])),
        }
    }
    classes.sort_by_key(|(_, members)| std::cmp::Reverse(members.len()));
    while targets.len() <= builds {
        let tried = 0..classes.len().min(MOST_TRIED);
        let served: Vec<_> = tried.map(|first| share(&classes, first)).collect();
        let parts = |taken: &[usize]| -> usize { taken.iter().map(|&i| classes[i].1.len()).sum() };
        // The first of the best.
        let best = served
            .into_iter()
            .rev()
            .max_by_key(|(_, taken)| parts(taken));
        let Some((all, taken)) = best else {
            break;
        };
        let Some(mut implementation) = all.implementation() else {
            break;
        };
        implementation.name = format!("conform-{}", targets.len());
        let mut parts = Vec::new();
        for &index in taken.iter().rev() {
            parts.extend(classes.remove(index).1);
        }
        parts.sort_unstable();
        targets.push(Target {
            implementation,
            parts,
        });
    }
    targets
}

/// A design for the class `first`, and as many others as it can serve besides, in order.
///
/// # Returns
/// What it must be, and the classes, in ascending order.
fn share(classes: &[(&Requirements, Vec<usize>)], first: usize) -> (Requirements, Vec<usize>) {
    let mut all = classes[first].0.clone();
    let mut taken = vec![first];
    for (index, (class, _)) in classes.iter().enumerate() {
        if index == first {
            continue;
        }
        if let Some(both) = all.and(class) {
            all = both;
            taken.push(index);
        }
    }
    taken.sort_unstable();
    (all, taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(feature: Feature, on: bool) -> Requirements {
        let mut requirements = Requirements::default();
        requirements.fix(feature, on);
        requirements
    }

    fn with_pmu(group: u16) -> Requirements {
        Requirements {
            system_pmus: vec![SystemPmu {
                groups: vec![group],
                ..SystemPmu::default()
            }],
            ..Requirements::default()
        }
    }

    #[test]
    fn what_is_left_open_has_its_default() {
        let default = Implementation::default();
        let nothing = Requirements::default();
        assert!(nothing.met_by(&default));
        assert_eq!(nothing.implementation(), Some(default));
    }

    #[test]
    fn a_feature_takes_with_it_what_depends_on_it() {
        let without_th = with(Feature::Th, false).implementation().expect("possible");
        assert!(!without_th.pmu.edge && !without_th.pmu.th2);
        let without_el3 = with(Feature::El3, false).implementation();
        assert!(!without_el3.expect("possible").pe.rme);
        let mut impossible = with(Feature::Th, false);
        impossible.fix(Feature::Edge, true);
        assert_eq!(impossible.implementation(), None);
    }

    #[test]
    fn a_design_that_is_chosen_meets_the_requirements() {
        let mut requirements = with_pmu(7);
        requirements.fix(Feature::Layout2021, true);
        requirements.counters = Values::to(4);
        requirements.thwidth = Values(1 << 5);
        requirements.max_inflight = Values::from(9);
        requirements.event_count = Values::to(62);
        requirements.threads = Values(1 << 1);
        requirements.absent_system_pmu = true;
        let chosen = requirements.implementation().expect("possible");
        assert!(requirements.met_by(&chosen));
        assert!(!requirements.met_by(&Implementation::default()));
    }

    #[test]
    fn requirements_that_contradict_each_other_have_no_design() {
        let th = with(Feature::Th, true);
        assert_eq!(th.and(&with(Feature::Th, false)), None);
        let few = Requirements {
            counters: Values::to(3),
            ..Requirements::default()
        };
        let many = Requirements {
            counters: Values::from(4),
            ..Requirements::default()
        };
        assert_eq!(few.and(&many), None);
    }

    #[test]
    fn builds_are_shared_and_limited() {
        let pmus: Vec<_> = (2..8).map(with_pmu).collect();
        let th = with(Feature::Th, false);
        let any = Requirements::default();
        let mut parts: Vec<_> = pmus.iter().collect();
        parts.extend([&th, &th, &any]);
        let targets = plan(&parts, 1);
        let of: Vec<_> = targets.iter().map(|target| target.parts.clone()).collect();
        // The default, and the first four System PMUs with what two parts ask for.
        assert_eq!(of, [vec![8], vec![0, 1, 2, 3, 6, 7]]);
        assert_eq!(plan(&parts, 8).len(), 3);
        assert_eq!(plan(&parts, 0).len(), 1);
        for target in plan(&parts, 8) {
            for part in target.parts {
                assert!(parts[part].met_by(&target.implementation));
            }
        }
    }
}
