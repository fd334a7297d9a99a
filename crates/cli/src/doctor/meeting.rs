//! The meeting of both ends: either may listen, and either may measure.

use std::ops::ControlFlow;

use anabranch_net::Config;

use super::conducting;
use crate::answering::answer;
use crate::arguments::DoctorArguments;
use crate::dialing::{Dialer, Route};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::key;
use crate::listening::{LineTarget, Listener, Newcomers, OtherEnd, ReadyLine, Service};
use crate::peer::{Connected, Partner};
use crate::report::Outcome;

/// Meets the other end, and measures, or answers.
///
/// # Errors
/// The other end does not answer; a host, a key or an interface is invalid.
pub(super) async fn run(
    arguments: &DoctorArguments,
    config: &Config,
    interrupt: &mut Interrupt,
) -> Result<Outcome, Failure> {
    let Some(hosts) = &arguments.listen else { return dial(arguments, config, interrupt).await };
    let key = key::to_listen(&arguments.secrecy, arguments.output, interrupt).await?;
    let other = if arguments.answer { MEASURES } else { ANSWERS };
    let line = ReadyLine { other, target: LineTarget::by(arguments.output) };
    let listener =
        Listener::open(hosts[..].into(), config, &key, Partner::Doctor, line, arguments.output).await?;
    let service = Examination { arguments, config };
    if arguments.answer {
        listener.serve_all(service, interrupt).await
    } else {
        listener.with_measurements_served().serve_all(service, interrupt).await
    }
}

async fn dial(
    arguments: &DoctorArguments,
    config: &Config,
    interrupt: &mut Interrupt,
) -> Result<Outcome, Failure> {
    let security = key::to_dial(&arguments.secrecy, interrupt).await?;
    let (config, partner) = (config.clone(), Partner::Doctor);
    let dialer = Dialer { config, security, mark: None, partner, output: arguments.output };
    let route = Route::find(dialer, &arguments.to, &arguments.via).await?;
    let work = async |other: Connected, interrupt: &mut Interrupt| {
        meet(&other, arguments, &route.dialer.config, Some(&route), interrupt).await
    };
    route.dial(interrupt, work).await
}

async fn meet(
    other: &Connected,
    arguments: &DoctorArguments,
    config: &Config,
    route: Option<&Route>,
    interrupt: &mut Interrupt,
) -> Result<Outcome, Failure> {
    let Connected { association, endpoint, peer } = other;
    if !association.has_test_packets() {
        return Err(Failure::Refused(format!(
            "{peer} does not answer measurements: it needs this version, and one of `bench --serve`, `forward --serve`, \
             `recv --keep` and `doctor --answer`"
        )));
    }
    if !arguments.answer {
        return conducting::run(other, arguments, config, route, interrupt).await;
    }
    tokio::select! {
        answered = answer(endpoint, association, config, arguments.disk.as_deref()) => {
            answered.map(|()| Outcome::default()).map_err(|why| peer.garbage(&why))
        }
        () = interrupt.pressed() => Err(Failure::Interrupted),
    }
}

/// The end that listens. A measurement that it answers is not its work but that of every listener.
struct Examination<'a> {
    arguments: &'a DoctorArguments,
    config: &'a Config,
}

impl Service for Examination<'_> {
    type Served = Result<Outcome, Failure>;

    async fn serve(&mut self, other: &Connected, interrupt: &mut Interrupt) -> Self::Served {
        meet(other, self.arguments, self.config, None, interrupt).await
    }

    async fn on_served(
        &mut self,
        other: Connected,
        served: Self::Served,
        _: bool,
    ) -> ControlFlow<Result<Outcome, Failure>> {
        match served {
            Err(Failure::Refused(why)) => {
                other.association.abort(&why);
                Failure::Refused(why).tell();
                ControlFlow::Continue(())
            }
            served => ControlFlow::Break(served),
        }
    }

    fn on_interrupt(&mut self) -> Result<Outcome, Failure> {
        Err(Failure::Interrupted)
    }

    fn newcomers(&self) -> Newcomers {
        Newcomers::AfterTest
    }
}

const MEASURES: OtherEnd = OtherEnd { place: "other host", command: "anabranch doctor", option: "--to" };
const ANSWERS: OtherEnd =
    OtherEnd { place: "other host", command: "anabranch doctor --answer", option: "--to" };
