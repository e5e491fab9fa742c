//! Whether a design can be evaluated without what Verilator's `eval()` does around it.
//!
//! `eval()` of a design in one thread frees objects that the design let go and hands out messages of other threads, of
//! which there are none; each takes a lock, a twelfth of the time of a small design. Calling the function inside it instead
//! is only right if `eval()` is known to do nothing else, so its text is read.

/// The C++ type that evaluates a design of class `prefix`, whose generated `source` has `eval_step()`: its definition, which
/// may be empty, and its name.
pub(crate) fn evaluation(prefix: &str, source: &str) -> (String, String) {
    if !is_plain(prefix, source) {
        return (String::new(), "WholeEvaluation".into());
    }
    let name = format!("{prefix}Core");
    let text = format!(
        "class {prefix}___024root;\n\
         void {prefix}___024root___eval({prefix}___024root* self);\n\
         namespace verilator_sys {{\n\
         struct {name} {{\n\
         static void evaluate({prefix}& model) {{ {prefix}___024root___eval(model.rootp); }}\n\
         }};\n\
         }}  // namespace verilator_sys\n"
    );
    (text, name)
}

/// Whether `eval_step()` of class `prefix` in the generated `source` consists of what Verilator 5.006 to 5.048 put there for
/// a design in one thread, and no more.
pub fn is_plain(prefix: &str, source: &str) -> bool {
    let root = format!("{prefix}___024root___");
    let call = |function: &str| format!("{root}{function}(&(vlSymsp->TOP));");
    let evaluate = call("eval");
    let known = [
        evaluate.clone(),
        call("eval_static"),
        call("eval_initial"),
        call("eval_settle"),
        "vlSymsp->__Vm_deleter.deleteAll();".into(),
        "if (VL_UNLIKELY(!vlSymsp->__Vm_didInit)) {".into(),
        "vlSymsp->__Vm_didInit = true;".into(),
        "}".into(),
        "Verilated::mtaskId(0);".into(),
        "Verilated::endOfThreadMTask(vlSymsp->__Vm_evalMsgQp);".into(),
        "Verilated::endOfEval(vlSymsp->__Vm_evalMsgQp);".into(),
    ];
    let one_thread = format!("unsigned {prefix}::threads() const {{ return 1; }}");
    let Some(body) = source
        .split_once(&format!("void {prefix}::eval_step() {{\n"))
        .and_then(|(_, rest)| rest.split_once("\n}\n"))
        .map(|(body, _)| body)
    else {
        return false;
    };
    let mut debugging = false;
    let mut statements = body.lines().map(str::trim).filter(|line| {
        let was = debugging;
        match *line {
            "#ifdef VL_DEBUG" => debugging = true,
            "#endif  // VL_DEBUG" => debugging = false,
            _ => {}
        }
        let says_nothing =
            line.is_empty() || line.starts_with("//") || line.starts_with("VL_DEBUG_IF(");
        !(was || debugging || says_nothing)
    });
    source.contains(&one_thread)
        && body.contains(&evaluate)
        && statements.all(|line| known.iter().any(|known| known == line))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "void VDut::eval_step() {
    VL_DEBUG_IF(VL_DBG_MSGF(\"eval\"); );
#ifdef VL_DEBUG
    VDut___024root___eval_debug_assertions(&(vlSymsp->TOP));
#endif  // VL_DEBUG
    vlSymsp->__Vm_deleter.deleteAll();
    if (VL_UNLIKELY(!vlSymsp->__Vm_didInit)) {
        VDut___024root___eval_initial(&(vlSymsp->TOP));
        vlSymsp->__Vm_didInit = true;
    }
    // Evaluate
    VDut___024root___eval(&(vlSymsp->TOP));
    Verilated::endOfEval(vlSymsp->__Vm_evalMsgQp);
}

unsigned VDut::threads() const { return 1; }
";

    #[test]
    fn only_a_known_text_is_replaced() {
        let name = |source: &str| evaluation("VDut", source).1;
        assert_eq!(name(SOURCE), "VDutCore");
        // As of 5.006.
        let older = SOURCE
            .replace(
                "    // Evaluate\n",
                "    // MTask 0 start\n    Verilated::mtaskId(0);\n",
            )
            .replace(
                "    Verilated::endOfEval",
                "    Verilated::endOfThreadMTask(vlSymsp->__Vm_evalMsgQp);\n    Verilated::endOfEval",
            );
        assert_eq!(name(&older), "VDutCore");
        let whole = "WholeEvaluation";
        assert_eq!(name(&SOURCE.replace("return 1", "return 2")), whole);
        assert_eq!(name(&SOURCE.replace("eval_step", "eval_other")), whole);
        let traced = SOURCE.replace("// Evaluate", "vlSymsp->__Vm_activity = true;");
        assert_eq!(name(&traced), whole);
        assert_eq!(name(&SOURCE.replace("___eval(&", "___nba(&")), whole);
        assert_eq!(evaluation("VTracedDut", SOURCE).1, whole);
    }
}
