//! `strftime` of a time that the caller gives: this crate reads no clock.

const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Writes the time `now_s` (seconds since 1970) in Python's format, in English, for the directives that need no time
/// zone.
pub(super) fn strftime(now_s: i64, format: &str) -> Result<String, String> {
    let (days, second) = (now_s.div_euclid(86_400), now_s.rem_euclid(86_400));
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let weekday = (days + 4).rem_euclid(7);
    let half_hour = if hour % 12 == 0 { 12 } else { hour % 12 };
    let year_day = days - days_before(year, 1, 1) + 1;
    let mut text = String::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            text.push(c);
            continue;
        }
        let mut directive = chars.next();
        let padded = directive != Some('-');
        if !padded {
            directive = chars.next();
        }
        let number = |value: i64, width: usize| if padded { format!("{value:0width$}") } else { value.to_string() };
        text.push_str(&match directive {
            Some('Y') => year.to_string(),
            Some('y') => number(year.rem_euclid(100), 2),
            Some('m') => number(month, 2),
            Some('d') => number(day, 2),
            Some('e') if padded => format!("{day:2}"),
            Some('e') => day.to_string(),
            Some('H') => number(hour, 2),
            Some('I') => number(half_hour, 2),
            Some('M') => number(minute, 2),
            Some('S') => number(second, 2),
            Some('j') => number(year_day, 3),
            Some('p') => if hour < 12 { "AM" } else { "PM" }.into(),
            Some('A') => name(&DAYS, weekday).into(),
            Some('a') => name(&DAYS, weekday)[..3].into(),
            Some('B') => name(&MONTHS, month - 1).into(),
            Some('b' | 'h') => name(&MONTHS, month - 1)[..3].into(),
            Some('F') => format!("{year}-{month:02}-{day:02}"),
            Some('T') => format!("{hour:02}:{minute:02}:{second:02}"),
            Some('%') => "%".into(),
            Some(other) => return Err(format!("strftime_now does not know `%{other}`")),
            None => return Err("strftime_now: the format ends within a directive".into()),
        });
    }
    Ok(text)
}

fn name(names: &[&'static str], index: i64) -> &'static str {
    usize::try_from(index).ok().and_then(|index| names.get(index).copied()).unwrap_or("???")
}

/// Year, month and day of a number of days since 1970 in the Gregorian calendar (Hinnant, "chrono-Compatible
/// Low-Level Date Algorithms", `civil_from_days`).
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, of_year - (153 * shifted + 2) / 5 + 1)
}

/// The days from 1970 to a date: the inverse of [`civil`].
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_as_in_the_calendar() {
        // Checked with `date -u -d @1709210096`.
        assert_eq!(
            strftime(1_709_210_096, "%a %d %B %Y %H:%M:%S, day %j").unwrap(),
            "Thu 29 February 2024 12:34:56, day 060"
        );
        assert_eq!(strftime(-1, "%F %T %I %p").unwrap(), "1969-12-31 23:59:59 11 PM");
        assert_eq!(strftime(0, "%-d %b %y %A").unwrap(), "1 Jan 70 Thursday");
        assert!(strftime(0, "%Q").is_err());
        assert!(strftime(0, "%").is_err());
        assert!(strftime(i64::MAX, "%Y").is_ok());
        assert!(strftime(i64::MIN, "%j").is_ok());
    }
}
