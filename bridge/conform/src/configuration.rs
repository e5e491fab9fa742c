//! From the configuration of a vector, `cfg`, to an implementation: its keys are those of the implementation file,
//! without their tables.

use pmu_model::Implementation;
use pmu_model::spmu::SystemPmu;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::LineError;
use super::value::{Number, flag, plain};
use lockstep_base::plain::{did_you_mean, near, of_json};

/// Keys of an area that are in one table of an implementation.
struct Table {
    /// JSON pointer to it.
    at: &'static str,
    required: &'static str,
    optional: &'static str,
}

const fn table(at: &'static str, required: &'static str, optional: &'static str) -> Table {
    Table {
        at,
        required,
        optional,
    }
}

impl Table {
    fn keys(&self) -> impl Iterator<Item = &'static str> {
        let optional = self.optional.split_whitespace();
        self.required.split_whitespace().chain(optional)
    }
}

const TH: &[Table] = &[
    table("/pmu", "counters th edge th2 thwidth", "counter_bits"),
    table(
        "/knobs",
        "",
        "rhbwbb cp_when_not_counting ct_when_bypassed link_from_idle reserved_policy reserved_map",
    ),
];
const SPE: &[Table] = &[
    table("/spe", "", "ernd max_inflight spe_exc"),
    table(
        "/knobs/spe",
        "",
        "select init_load zero_interval write_order complete_order",
    ),
];
const ETY: &[Table] = &[
    table("/pmu", "counters th edge th2 thwidth pmuv3p1", ""),
    table(
        "/pe",
        "el2 el3 sel2 rme sebep sme mt mtpmu pmuv3p8 pmuv3p9 fgt vhe hpmn0",
        "tme",
    ),
    table(
        "/knobs",
        "",
        "layout res0 vs11 access_model el3_trap_priority_sdd oor_unimplemented oor_reserved bad_hpmn \
         unsupported_other",
    ),
];
const CYC: &[Table] = &[
    table("/threads", "threads", "kind"),
    table(
        "/knobs/cycles",
        "",
        "active_in_wfx cpu_cycles_in_wfx pmccntr_in_wfx cpu_cycles_mt1_all_wfx idle_thread_stall idle_thread_any \
         cond_gated",
    ),
];
const SPMU: &[Table] = &[table(
    "/system_pmu/0",
    "implemented groups size_bits features",
    "iidr devarch devaff bit19",
)];

/// The keys of an area, and the implementation that has the defaults of those that may be left out.
fn area(name: &str) -> (&'static [Table], Implementation) {
    let mut default = Implementation::default();
    let tables = match name {
        "th" => TH,
        "spe" => {
            (default.spe.ernd, default.spe.exc) = (false, false);
            default.spe.max_inflight = 1;
            SPE
        }
        "ety" => ETY,
        "cyc" => CYC,
        "spmu" => {
            default.system_pmu = vec![SystemPmu::default()];
            SPMU
        }
        _ => &[],
    };
    (tables, default)
}

/// What the configuration of a vector of area `name` says. It need not be possible: vectors of area `spmu` are about
/// System PMUs that are not, too.
///
/// # Errors
/// There is none, or a key of it is not known, or missing, or has a value of another kind.
pub fn implementation(name: &str, cfg: Option<Value>) -> Result<Implementation, LineError> {
    let cfg = cfg.ok_or_else(|| LineError::Malformed(missing("cfg").into()))?;
    let cfg = Map::deserialize(cfg).map_err(LineError::malformed)?;
    of_keys(name, cfg).map_err(|error| LineError::Configuration(error, name.into()))
}

fn missing(key: &str) -> String {
    format!("expected a key `{key}`, found none")
}

fn of_keys(name: &str, cfg: Map<String, Value>) -> Result<Implementation, String> {
    let (tables, default) = area(name);
    let mut whole = serde_json::to_value(default).map_err(|error| of_json(&error))?;
    let mut required = tables
        .iter()
        .flat_map(|table| table.required.split_whitespace());
    let absent = required.find(|&key| cfg.get(key).is_none_or(Value::is_null));
    for (key, value) in cfg {
        let table = tables
            .iter()
            .find(|table| table.keys().any(|known| known == key));
        let table = table.ok_or_else(|| unknown(&key, tables))?;
        if value.is_null() {
            continue;
        }
        let value = plain(value);
        let place = whole.pointer_mut(table.at).and_then(Value::as_object_mut);
        let Some(members) = place else {
            continue;
        };
        let (key, value) = match key.as_str() {
            "threads" => ("count", value),
            "kind" => ("form", form(value)?),
            "spe_exc" => ("exc", value),
            "reserved_map" => ("reserved_map", triples(value)),
            key => (key, value),
        };
        let value = alike(members.get(key), value).map_err(|error| of_json(&error))?;
        members.insert(key.into(), value);
    }
    match absent {
        Some(key) => Err(missing(key)),
        None => serde_json::from_value(whole).map_err(|error| of_json(&error)),
    }
}

fn unknown(key: &str, tables: &[Table]) -> String {
    let known: Vec<_> = tables.iter().flat_map(Table::keys).collect();
    match did_you_mean(&near(key, &known)) {
        Some(question) => format!("unknown key `{key}`: {question}"),
        None => format!(
            "unknown key `{key}`, expected one of `{}`",
            known.join("`, `")
        ),
    }
}

/// `value` as a flag or a number, if that is what stands there.
fn alike(there: Option<&Value>, value: Value) -> Result<Value, serde_json::Error> {
    match there {
        Some(Value::Bool(_)) => flag(value).map(Value::Bool),
        Some(Value::Number(_) | Value::Null) if value.is_string() => {
            Ok(match Number::deserialize(&value) {
                Ok(Number(number)) => number.into(),
                Err(_) => value,
            })
        }
        _ => Ok(value),
    }
}

/// CYC-05: the form of multithreading under the name of the implementation file. A single thread has none.
fn form(value: Value) -> Result<Value, String> {
    match value.as_str() {
        Some("ST" | "SMT") => Ok("SMT".into()),
        Some("FGMT") => Ok("FGMT".into()),
        Some("SOEMT") => Ok("SoEMT".into()),
        _ => Err(format!(
            "expected one of `ST`, `SMT`, `FGMT`, `SOEMT`, found {value}"
        )),
    }
}

/// `reserved_map` in the form of the implementation file.
fn triples(value: Value) -> Value {
    match value {
        Value::Object(map) => map
            .into_iter()
            .map(|(from, to)| (triple(&from), Value::from(triple(&to.to_string()))))
            .collect(),
        other => other,
    }
}

/// `[5, true, 2]`, `"(5,1,2)"` and the like as `5,1,2`.
fn triple(text: &str) -> String {
    let text = text
        .replace("true", "1")
        .replace("false", "0")
        .replace("0b", "");
    text.chars()
        .filter(|c| c.is_ascii_digit() || *c == ',')
        .collect()
}
