//! The parameters of the bundled wrapper for an implementation.

use pmu_model::Implementation;
use pmu_model::contract::SYSTEM_PMUS;
use pmu_model::features::FEATURES;
use pmu_model::spmu::SystemPmu;

/// The parameters of the bundled wrapper for `implementation`, by name and value.
pub fn wrapper_parameters(implementation: &Implementation) -> Vec<(String, String)> {
    let pmu = &implementation.pmu;
    let numbers = [
        ("Counters", u32::from(pmu.counters)),
        ("CounterBits", pmu.counter_bits.into()),
        ("EventCount", pmu.event_count.into()),
        ("EventWidth", pmu.event_width.into()),
        ("ThWidth", implementation.thwidth().into()),
        ("Pmmir", pmu.pmmir),
        ("Threads", implementation.threads.count.into()),
        ("MaxInflight", implementation.max_inflight().into()),
        ("SystemPmus", implementation.system_pmu.len() as u32),
    ];
    let features = FEATURES.iter().map(|feature| {
        let has = u8::from(feature.is_of(implementation));
        (camel_case(feature.name()), has.to_string())
    });
    numbers
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_string()))
        .chain(features)
        .chain([
            (
                "Pmsidr".into(),
                format!("32'h{:08x}", implementation.pmsidr()),
            ),
            (
                "SystemPmuConfig".into(),
                system_pmu_config(&implementation.system_pmu),
            ),
        ])
        .collect()
}

/// `spe_exc` as `SpeExc`.
fn camel_case(name: &str) -> String {
    let words = name.split('_').map(|word| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_ascii_uppercase() + rest
    });
    words.collect()
}

/// The bytes of a System PMU in `SystemPmuConfig`.
const SYSTEM_PMU_BYTES: usize = 40;

/// `SystemPmuConfig` of the wrapper: a sized literal with 320 bits for each System PMU, the first in the low ones.
fn system_pmu_config(system_pmus: &[SystemPmu]) -> String {
    let mut bytes = [0; SYSTEM_PMU_BYTES * SYSTEM_PMUS];
    for (pmu, to) in system_pmus
        .iter()
        .zip(bytes.chunks_exact_mut(SYSTEM_PMU_BYTES))
    {
        for (&counters, to) in pmu.groups.iter().zip(&mut to[..15]) {
            *to = counters as u8;
        }
        to[15] = pmu.groups.len() as u8;
        to[16] = pmu.size_bits;
        to[17] = pmu.bit19.into();
        let registers = pmu.registers();
        let words = [pmu.features, registers.spmiidr, registers.spmdevarch];
        for (word, to) in words.into_iter().zip(to[18..30].chunks_exact_mut(4)) {
            to.copy_from_slice(&(word as u32).to_le_bytes());
        }
        to[30..38].copy_from_slice(&registers.spmdevaff.to_le_bytes());
    }
    let digits: String = bytes
        .iter()
        .rev()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("{}'h{digits}", 8 * bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_have_the_names_of_the_wrapper() {
        let parameters = wrapper_parameters(&Implementation::default());
        let value = |name: &str| {
            let found = parameters.iter().find(|(found, _)| found == name);
            found.expect(name).1.as_str()
        };
        assert_eq!((value("Counters"), value("Threads")), ("31", "4"));
        assert_eq!(
            (value("Th2"), value("Tme"), value("SpeExc")),
            ("1", "0", "1")
        );
        assert_eq!((value("Layout2021"), value("Access2021")), ("0", "0"));
        assert_eq!(value("Pmsidr"), "32'h00026227");
        let config = value("SystemPmuConfig");
        let digits = config.strip_prefix("1280'h").expect("a sized literal");
        assert_eq!(digits.len(), 320);
        // The low 320 bits: Example D15-1.
        let first = &digits[240..];
        assert_eq!(&first[48..], format!("02{:030x}", 0x0604));
        assert_eq!(&first[46..48], "40");
    }
}
