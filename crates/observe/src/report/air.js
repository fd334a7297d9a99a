// The air-time chart: a lane for each station, and in it what the station sent. From afar a bar is the share of a bin that the
// station used; near enough, where single frames were kept, each frame is drawn.

/** What the air is used for, in the order of the data, with the styles' names of their colours. */
const AIR_USES = [
    ["data", "path-0"],
    ["RTS, CTS and ACK", "path-2"],
    ["routing", "path-3"],
    ["not received", "down"],
];

/** More frames than these are drawn as bins. */
const MOST_FRAMES = 600;
const LANE = 0.84;

CHARTS.push({
    title: "Air time of the stations",
    units: PLAIN,
    axis: "",
    key: AIR_USES.map(([use, colour]) => ["air", use, `var(--${colour})`]),
    empty: "No station sent.",
    isFor: (data) => data.air !== null,
    height: (data) => Math.min(640, 90 + 44 * data.air.lanes.length),
    draw: (data, view) => drawAir(data.air, view),
    read: (data, at) => readAir(data.air, at),
});

/** Frames with absolute times, in seconds: [begin, length, lane, use]. */
function decodeAir(air) {
    let at = 0;
    air.frames = air.frames.map(([since, length, lane, use]) => {
        at += since;
        return [at / 1e6, length / 1e6, lane, use];
    });
    air.bin /= 1e6;
}

/** What Plotly draws; `undefined` if no station sent. */
function drawAir(air, { range, theme }) {
    if (air.frames.length === 0) return undefined;
    const frames = framesWithin(air, range);
    const bars = frames ? frameBars(frames) : shareBars(air, range);
    const traces = AIR_USES.map(([name], use) => ({
        type: "bar",
        name,
        ...bars[use],
        marker: { color: theme.air[use], line: { width: 0 } },
        hoverinfo: "skip",
    }));
    const lanes = air.lanes.map(({ name }) => laneName(name));
    return { unit: "", traces, lanes, step: frames ? undefined : air.bin, range: [0.6 - lanes.length, 0.6] };
}

/** What each station did at a time: in the bin around it, or in the frame that was on the air. The busiest come first. */
function readAir({ lanes, bin, frames }, at) {
    const index = Math.floor(at / bin);
    const sends = lanes.map(({ name, uses }, lane) => {
        const frame = frames.find(([begin, length, of]) => of === lane && begin <= at && at <= begin + length);
        const share = uses.reduce((sum, micros) => sum + (micros[index] ?? 0), 0) / 1e6 / bin;
        const now = frame ? `, now ${AIR_USES[frame[3]][0]}` : "";
        return { name, share, text: `${Number((share * 100).toPrecision(3))} % of ${seconds(bin)}${now}` };
    });
    return sends.filter(({ share }) => share > 0).sort((a, b) => b.share - a.share);
}

/** The frames of a range in which all were kept and which are few. */
function framesWithin({ frames }, [from, to]) {
    if (to > frames.at(-1)[0]) return undefined;
    const within = frames.filter(([at, length]) => at + length >= from && at <= to);
    return within.length <= MOST_FRAMES ? within : undefined;
}

const noBars = () => AIR_USES.map(() => ({ x: [], y: [], base: [], width: [] }));

function frameBars(frames) {
    const bars = noBars();
    frames.forEach(([at, length, lane, use]) => addBar(bars[use], at, length, -lane - LANE / 2, LANE));
    return bars;
}

function shareBars({ lanes, bin }, [from, to]) {
    const bars = noBars();
    const [first, last] = [Math.max(0, Math.floor(from / bin)), Math.ceil(to / bin)];
    lanes.forEach(({ uses }, lane) => {
        for (let index = first; index < last; index += 1) {
            let base = -lane - LANE / 2;
            uses.forEach((micros, use) => {
                const height = LANE * Math.min(1, (micros[index] ?? 0) / 1e6 / bin);
                if (height > 0) addBar(bars[use], index * bin, bin, base, height);
                base += height;
            });
        }
    });
    return bars;
}

function addBar({ x, y, base, width }, at, length, low, height) {
    x.push(at + length / 2);
    width.push(length);
    base.push(low);
    y.push(height);
}
