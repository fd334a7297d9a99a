//! Writes the scenario file: links with their observations, and comments on what was measured and what is assumed.

use std::fmt::Write as _;

use anabranch_base::exact::{exact_rate, exact_span};
use anabranch_base::{BitRate, Duration};
use anabranch_scenario::toml_text::{comment, steps, string};

use crate::choices::Choices;
use crate::error::TraceError;
use crate::link::{ASSUMED_DELAY, ASSUMED_RATE, FactBasis, RecordedLink};
use crate::mahimahi;
use crate::observed::{DelayForm, ObservedDelay, ObservedLoss, ObservedRate};
use crate::series::{Amount, Series, Share};

/// A scenario file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The title of the scenario.
    pub title: String,
    /// The text of the file.
    pub text: String,
}

impl Written {
    /// Writes the scenario of these links.
    ///
    /// # Errors
    /// Two links of one name, or more steps than a scenario should have.
    pub fn of(links: &[RecordedLink], choices: &Choices) -> Result<Written, TraceError> {
        let longest = links.iter().map(|link| link.length).max().ok_or(TraceError::NoFile)?;
        for (index, link) in links.iter().enumerate() {
            if links[..index].iter().any(|other| other.name == link.name) {
                return Err(TraceError::SameName(link.name.clone()));
            }
        }
        let names: Vec<&str> = links.iter().map(|link| link.name.as_str()).collect();
        let title = format!("As recorded: {}", names.join(", "));
        let mut text = comment(
            "",
            "",
            "Made by `anabranch scenario from`. Change what is assumed, where you know better.",
        );
        let _ = writeln!(text, "title = {}\n\n[run]", string(&title));
        let time = longest.as_nanos().div_ceil(SECOND).clamp(LEAST_SECONDS, MOST_SECONDS);
        let _ = writeln!(text, "time = \"{time} s\"");
        for link in links {
            text.push_str(&LinkText { link, choices }.text()?);
        }
        Ok(Written { title, text })
    }
}

struct LinkText<'l> {
    link: &'l RecordedLink,
    choices: &'l Choices,
}

impl LinkText<'_> {
    fn text(&self) -> Result<String, TraceError> {
        let link = self.link;
        let [forward_trace, reverse_trace] = &link.references;
        let mut text = format!("\n{}[[link]]\n", self.comments());
        let mut key = |key: &str, value: &str| {
            let _ = writeln!(text, "{key} = {value}");
        };
        key("name", &string(&link.name));
        match &link.forward.rate {
            Some(rate) => key("rate", &self.rate(rate, forward_trace.as_deref())?),
            None => key("rate", &string(&exact_rate(ASSUMED_RATE))),
        }
        match &link.forward.delay {
            Some(delay) => self.delay(delay)?.iter().for_each(|(name, value)| key(name, value)),
            None => key("delay", &string(&exact_span(ASSUMED_DELAY))),
        }
        let losses =
            link.forward.loss.as_ref().map(|loss| self.losses(loss)).transpose()?.unwrap_or_default();
        if let Some((_, first)) = losses.first().filter(|(_, share)| share.0 > 0.0) {
            key("loss", &first.0.to_string());
        }
        key("queue", &format!("\"{} packets\"", link.queue_packets()));
        let mut back: Vec<String> = Vec::new();
        if let Some(rate) = &link.reverse.rate {
            back.push(format!("rate = {}", self.rate(rate, reverse_trace.as_deref())?));
        }
        if let Some(delay) = &link.reverse.delay {
            back.extend(self.delay(delay)?.into_iter().map(|(name, value)| format!("{name} = {value}")));
        }
        let losses_back =
            link.reverse.loss.as_ref().map(|loss| self.losses(loss)).transpose()?.unwrap_or_default();
        if let Some((_, first)) = losses_back.first().filter(|(_, share)| share.0 > 0.0) {
            back.push(format!("loss = {}", first.0));
        }
        if !back.is_empty() {
            key("reverse", &format!("{{ {} }}", back.join(", ")));
        }
        text.push_str(&self.events(&losses, "forward"));
        text.push_str(&self.events(&losses_back, "reverse"));
        Ok(text)
    }

    /// The comments: what was measured and how, and what is assumed.
    fn comments(&self) -> String {
        let files = self.link.files.iter().map(|(file, made_by)| format!("{file} ({made_by})"));
        let mut text = comment(
            "",
            "",
            &format!("{}, from {}:", self.link.name, files.collect::<Vec<_>>().join(" and ")),
        );
        for fact in self.link.facts() {
            let basis = match fact.basis {
                FactBasis::Measured => "measured",
                FactBasis::Assumed => "assumed",
            };
            let first = format!("  {:<8} {basis:<9}", fact.what);
            text.push_str(&comment(&first, &" ".repeat(20), &fact.how));
        }
        for remark in self.link.remarks() {
            text.push_str(&comment("  ", "  ", remark));
        }
        text
    }

    fn rate(&self, rate: &ObservedRate, reference: Option<&str>) -> Result<String, TraceError> {
        let series = match (rate, reference) {
            (ObservedRate::Opportunities(_), Some(file)) => {
                return Ok(format!("{{ trace = {}, repeat = true }}", string(file)));
            }
            (ObservedRate::Opportunities(moments), None) => {
                let step = self.choices.step.unwrap_or(INLINE);
                let length = moments.last().map_or(0, |last| last.as_nanos());
                let series = mahimahi::rates(moments, step, MOST_STEPS);
                series.ok_or_else(|| self.too_many("rate", Duration::from_nanos(length), step))?
            }
            (ObservedRate::Steps { steps, .. }, _) => self.stepped("rate", steps)?,
        };
        if series.most() == BitRate::default() {
            return Err(TraceError::NoRate(self.link.name.clone()));
        }
        Ok(self.value(&series, exact_rate))
    }

    /// The keys of a delay with their values.
    fn delay(&self, delay: &ObservedDelay) -> Result<Vec<(&'static str, String)>, TraceError> {
        let span = |span: Duration| string(&exact_span(span));
        let (least, mean) = match &delay.form {
            DelayForm::Probes(series) if !self.choices.delay_steps => {
                (series.least(), series.mean_of_samples())
            }
            DelayForm::Steps(series) | DelayForm::Probes(series) => {
                let series = self.stepped("delay", series)?;
                return Ok(vec![("delay", self.value(&series, exact_span))]);
            }
            DelayForm::Summary { least, mean } => (*least, *mean),
            DelayForm::Least(least) => (*least, *least),
        };
        // Jitter is drawn uniformly from zero to its greatest value: its mean is the measured mean minus the least
        // delay.
        let jitter = mean.saturating_sub(least) * 2;
        let jitter = (!jitter.is_zero()).then(|| ("jitter", span(jitter)));
        Ok([("delay", span(least))].into_iter().chain(jitter).collect())
    }

    fn losses(&self, loss: &ObservedLoss) -> Result<Vec<(Duration, Share)>, TraceError> {
        Ok(self.stepped("loss", &loss.steps)?.changes())
    }

    /// Losses change by events: a link has one probability.
    fn events(&self, losses: &[(Duration, Share)], direction: &str) -> String {
        let event = |(at, share): &(Duration, Share)| {
            let (at, link) = (string(&exact_span(*at)), string(&self.link.name));
            format!(
                "\n[[event]]\nat = {at}\nlink = {link}\nloss = {}\ndirection = \"{direction}\"\n",
                share.0
            )
        };
        losses.iter().skip(1).map(event).collect()
    }

    /// The steps as recorded, or their means, within the limit.
    fn stepped<T: Amount>(&self, what: &'static str, series: &Series<T>) -> Result<Series<T>, TraceError> {
        let stepped = match self.choices.step {
            None => Some(series.clone()).filter(|series| series.changes().len() <= MOST_STEPS),
            Some(step) => series.averaged(step, MOST_STEPS),
        };
        stepped.ok_or_else(|| match self.choices.step {
            None => self.error(what, series.changes().len(), series.end()),
            Some(step) => self.too_many(what, series.end(), step),
        })
    }

    /// A single value, or steps.
    fn value<T: Amount>(&self, series: &Series<T>, exact: impl Fn(T) -> String) -> String {
        match series.changes().as_slice() {
            [(_, only)] => string(&exact(*only)),
            changes => {
                let pair = |(at, value): &(Duration, T)| (exact_span(*at), exact(*value));
                steps(&changes.iter().map(pair).collect::<Vec<_>>())
            }
        }
    }

    fn too_many(&self, what: &'static str, length: Duration, step: Duration) -> TraceError {
        let steps = length.as_nanos().div_ceil(step.as_nanos().max(1));
        self.error(what, usize::try_from(steps).unwrap_or(usize::MAX), length)
    }

    fn error(&self, what: &'static str, steps: usize, length: Duration) -> TraceError {
        let seconds = (length.as_secs_f64() / MOST_STEPS as f64).max(1.0).ceil() as u64;
        let advice = exact_span(Duration::from_secs(seconds)).replace(' ', "");
        TraceError::TooManySteps { what, link: self.link.name.clone(), steps, most: MOST_STEPS, advice }
    }
}

/// The most steps of a quantity.
const MOST_STEPS: usize = 10_000;

/// The length of the steps that replace a trace.
const INLINE: Duration = Duration::from_millis(100);

const SECOND: u64 = 1_000_000_000;

/// The shortest and longest duration of a scenario, regardless of its recordings.
const LEAST_SECONDS: u64 = 10;
const MOST_SECONDS: u64 = 3_600;
