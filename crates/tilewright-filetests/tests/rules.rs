//! Random programs for the rules of default schedules; the bench of the same name has more.

use tilewright::schedule::rules::CPU;
use tilewright_filetests::faults;
use tilewright_filetests::rules::{Case, FAMILIES, Step};

/// Programs of the test, five of each family.
const SEEDS: std::ops::Range<u64> = 0..5 * FAMILIES.len() as u64;

#[test]
fn random_programs_mean_the_same_scheduled_and_on_any_number_of_threads() {
    let (mut taken, mut wrong) = (Vec::new(), String::new());
    for case in SEEDS.map(Case::small) {
        match case.check() {
            Ok(checked) => taken.extend(checked.rules),
            Err(fault) => {
                let (name, Case { target, program, .. }) = (case.family.name, &case);
                wrong.push_str(&format!("{name}, {target}: {}: {}\n{program}\n", fault.step, fault.message));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    let never: Vec<&str> =
        CPU.iter().flat_map(|rule| rule.kernels).copied().filter(|kernel| !taken.contains(kernel)).collect();
    assert!(never.is_empty(), "no program is scheduled by {never:?}");
}

/// The judge finds a fault planted after a schedule, and shrinks the program that shows it.
#[test]
fn faults_in_scheduled_functions_are_seen() {
    for name in ["shifted_index", "short_loop", "dropped_store"] {
        let planted = faults::ALL.iter().find(|fault| fault.pass == "Schedule" && fault.name == name).unwrap();
        let sees = |case: &Case| case.check_planted(planted).err();
        let (fault, case) = SEEDS.map(Case::small).find_map(|case| Some((sees(&case)?, case))).expect(name);
        let lines = |case: &Case| case.program.text.lines().count();
        let before = lines(&case);
        let (case, fault) = case.shrunk(fault, sees);
        assert!(lines(&case) <= before && fault.step == Step::Scheduled, "{name}: {fault:?}");
    }
}
