// The charts of a measurement: for each lane and direction the delay above the floor with the losses, and the rates.
// Nothing here knows the toolbar or a gesture.

/** The charts of a lane, from top to bottom. */
function laneCharts(lane) {
    return lane.directions.flatMap((direction) => [delayChart(lane, direction), laneRateChart(lane, direction)]);
}

function delayChart({ path, name }, direction) {
    const line = (what, look, key, more) => ({ name: what, path, look, line: direction[key], ...more });
    return {
        ...laneChart(path, direction),
        title: `${name} ${direction.title}: delay above the floor, and losses`,
        units: TIMES,
        key: [
            ["plain", "packets that arrived"],
            ["lost", "lost by chance", "var(--chance)"],
            ["marked", "lost by a full queue", "var(--full)"],
            ["run", "losses in a row, ×n their number"],
        ],
        empty: "Nothing arrived.",
        below: true,
        extra: (view) => ({ shapes: phaseShapes(direction.phases, view), annotations: [...phaseNames(direction.phases, view), ...runNames(direction.runs, view)] }),
        loose: ["losses in a row", "lost by chance", "lost by a full queue"],
        lines: () => [
            line("delay", "plain", "delay"),
            line("losses in a row", "run", "runs", { segments: true }),
            line("lost by chance", "lost", "chance", { tone: "chance" }),
            line("lost by a full queue", "marked", "queue", { tone: "full" }),
        ],
    };
}

function laneRateChart({ path, name }, direction) {
    return {
        ...laneChart(path, direction),
        title: `${name} ${direction.title}: rate`,
        units: BITS,
        key: [["plain", "arrived"], ["thin", "sent"], ["dashes", "estimated capacity"], ["clipped", "higher than the chart"]],
        empty: "Nothing was sent.",
        rate: true,
        height: () => 190,
        ceiling: () => direction.rate ?? undefined,
        lines: () => [
            { name: "sent", path, look: "thin", bins: direction.sent },
            { name: "arrived", path, look: "plain", bins: direction.arrived },
        ],
    };
}

/** What both kinds have. */
function laneChart(path, { phases }) {
    return {
        path,
        zero: true,
        extra: (view) => ({ shapes: phaseShapes(phases, view), annotations: phaseNames(phases, view) }),
        notes: (at) => phases.filter(({ from, to }) => from / 1e6 <= at && at <= to / 1e6).map(({ text }) => ({ name: `phase: ${text}`, text: "", picture: "" })),
    };
}

/** Runs of losses, each from its first to its last packet at the delay of the first, with a break behind it. */
function decodeRuns(runs) {
    const points = runs.flatMap(([from, to, delay]) => [[from / 1e6, delay], [to / 1e6, delay], [to / 1e6, null]]);
    const lengths = runs.map(([from, , , length]) => ({ at: from / 1e6, length }));
    return { times: Float64Array.from(points, ([at]) => at), values: points.map(([, value]) => value), count: points.length, lengths };
}

/** The phases within the range, shaded by turns. */
function phaseShapes(phases, { range: [from, to], theme }) {
    return phases.flatMap((phase, index) => {
        const [x0, x1] = [Math.max(from, phase.from / 1e6), Math.min(to, phase.to / 1e6)];
        if (x1 < x0) return [];
        const fill = { fillcolor: theme.ink, opacity: index % 2 === 0 ? 0.04 : 0.1, line: { width: 0 } };
        return [{ type: "rect", layer: "below", xref: "x", yref: "paper", x0, x1, y0: 0, y1: 1, ...fill }];
    });
}

/** The names of the phases above the chart; those under load come first. */
function phaseNames(phases, view) {
    const [from, to] = view.range;
    const shown = phases.filter((phase) => phase.to / 1e6 >= from && phase.from / 1e6 <= to);
    const rank = ({ text }) => RANKS.indexOf(text) + 1 || RANKS.length + 1;
    const names = shown.toSorted((a, b) => rank(a) - rank(b)).map(({ from: begin, text }) => ({ x: Math.max(from, begin / 1e6), text }));
    return withRoom(names, view).map((name) => ({ ...name, yanchor: "bottom" }));
}

const RANKS = ["fill", "together", "chance", "trains", "rest"];

/** The lengths of runs of losses at the top of the chart; the longest come first. */
function runNames({ lengths }, view) {
    const shown = lengths.filter(({ at, length }) => length > 2 && at >= view.range[0] && at <= view.range[1]);
    const names = shown.toSorted((a, b) => b.length - a.length).map(({ at, length }) => ({ x: at, text: `×${length}` }));
    return withRoom(names, view).map((name) => ({ ...name, yanchor: "top" }));
}

/** The names that have room beside those before them, in order of time. */
function withRoom(names, { range: [from, to], theme, width }) {
    const perSecond = (width - 74) / (to - from);
    const taken = [];
    const fitting = names.filter(({ x, text }) => {
        const place = (x - from) * perSecond;
        const end = place + 8 + 6.2 * text.length;
        const isFree = taken.every(([left, right]) => right <= place || end <= left);
        if (isFree) taken.push([place, end]);
        return isFree;
    });
    const look = { y: 1, yref: "paper", xanchor: "left", xshift: -2, showarrow: false, font: { size: 11, color: theme.soft } };
    return fitting.sort((a, b) => a.x - b.x).map((name) => ({ ...name, ...look }));
}
