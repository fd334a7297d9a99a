// The charts: which lines each of them has, in which unit, and how a line looks. Nothing here knows the
// toolbar or a gesture.

const BYTES = [["GB", 1e9], ["MB", 1e6], ["kB", 1e3], ["B", 1]];
const BITS = [["Gbit/s", 1e9], ["Mbit/s", 1e6], ["kbit/s", 1e3], ["bit/s", 1]];
const TIMES = [["s", 1e6], ["ms", 1e3], ["µs", 1]];
const PLAIN = [["", 1]];
const COLOURS = 6;
const SYMBOLS = ["circle", "square", "diamond", "triangle-up", "cross", "star", "hexagon", "triangle-down"];

/** How lines look; `key` is the picture of it in the caption. */
const LOOKS = {
    main: { mode: "lines+markers", width: 2, dash: "solid" },
    plain: { mode: "lines", width: 1.6, dash: "solid" },
    thin: { mode: "lines", width: 1, dash: "solid", opacity: 0.55 },
    dots: { mode: "lines", width: 1.6, dash: "dot" },
    dashes: { mode: "lines", width: 1.4, dash: "dash" },
    point: { mode: "markers", size: 3.5 },
    resent: { mode: "markers", size: 7, symbol: "triangle-up" },
    lost: { mode: "markers", size: 8, symbol: "x", edged: true },
    marked: { mode: "markers", size: 7, symbol: "diamond", edged: true },
    air: { mode: "lines", width: 9, dash: "solid" },
    area: { mode: "lines", width: 8, dash: "solid", opacity: 0.55 },
    clipped: { mode: "markers", size: 7, symbol: "triangle-up", edged: true },
    run: { mode: "lines", width: 5, dash: "solid", opacity: 0.75 },
};

/**
 * Charts from top to bottom. `lines(flow, data)` lists { name, path, look, line | bins, loose }: `path` gives the
 * colour, without one a line is neutral; a `loose` line is drawn where it lies in the chart, but does not
 * stretch it; `tone` names a colour that is not a path's; `segments` have their own breaks. `below`: marks at zero have room. `holds`: values go on until the next. `isFor(data)`: whether the page has the chart at all. A chart with
 * `draw(data, view)` draws itself.
 */
const CHARTS = [
    {
        title: "Rate",
        units: BITS,
        key: [["area", "arrived, one path upon the other"], ["thin", "sent, all shown paths"], ["dots", "delivered to the application, all paths"], ["dashes", "capacity of the shown paths"], ["clipped", "higher than the chart"]],
        empty: "Nothing was sent.",
        zero: true,
        rate: true,
        ceiling: capacity,
        lines: (flow, data, hidden) => [
            ...perPath(flow, ["arrived", "area", "arrived"]),
            { name: "sent", look: "thin", bins: sumOf(flow.paths.filter(({ path }) => !hidden.has(path)).map(({ sent }) => sent)) },
            { name: "delivered", look: "dots", bins: flow.delivered },
        ],
    },
    {
        title: "Rates of all flows",
        units: BITS,
        key: [["area", "delivered, one flow upon the other"], ["dashes", "capacity of all paths"], ["clipped", "higher than the chart"]],
        empty: "Nothing was delivered.",
        isFor: (data) => data.flows.length > 1,
        zero: true,
        rate: true,
        ceiling: (_, data) => capacityOf(data.flows.flatMap(({ name, paths }) => paths.map(({ path }) => [path, directionOf(name)])), data),
        lines: (_, data) => data.flows.map(({ name, delivered }, colour) => ({ name, look: "area", bins: delivered, colour })),
    },
    {
        title: "Congestion window",
        units: BYTES,
        key: [["main", "window"], ["dots", "slow-start threshold, where it is in the chart"], ["thin", "in flight"]],
        empty: "This flow has no congestion window.",
        zero: true,
        holds: true,
        lines: (flow) =>
            perPath(flow, ["flight", "thin", "in flight"], ["cwnd", "main", "window"], ["ssthresh", "dots", "threshold"]),
        loose: ["threshold"],
    },
    {
        title: "Round-trip time",
        units: TIMES,
        key: [["main", "smoothed round-trip time"], ["dots", "retransmission time-out"]],
        note: "logarithmic",
        empty: "No round-trip time was measured.",
        log: true,
        holds: true,
        lines: (flow) => perPath(flow, ["rto", "dots", "RTO"], ["srtt", "main", "RTT"]),
    },
    {
        title: "Sequence numbers",
        units: PLAIN,
        axis: "TSN, from the first",
        key: [["point", "sent"], ["resent", "sent again"], ["lost", "lost"], ["marked", "arrived with a congestion mark"]],
        empty: "This flow has no sequence numbers.",
        tall: true,
        strips: true,
        lines: (flow) =>
            perPath(
                flow,
                ["fresh", "point", "sent"],
                ["resent", "resent", "sent again"],
                ["lost", "lost", "lost"],
                ["marked", "marked", "marked"],
            ),
    },
    {
        title: "One-way delay",
        units: TIMES,
        key: [["main", "packets"], ["dots", "as the sender measures"], ["dashes", "user data, from send to delivery"]],
        note: "logarithmic",
        empty: "Nothing arrived.",
        log: true,
        lines: (flow) => [
            { name: "delivery", look: "dashes", line: flow.delivery_delay },
            ...perPath(flow, ["way", "dots", "measured"], ["delay", "main", "packets"]),
        ],
    },
    {
        title: "Queues of the links",
        units: PLAIN,
        axis: "packets",
        key: [["main", "forward"], ["dots", "reverse"]],
        empty: "No packet ever waited.",
        isFor: (data) => data.links.length > 0,
        zero: true,
        holds: true,
        // Without paths that are hidden, links that only those use are hidden, too.
        lines: (flow, data, hidden) =>
            linksOf(flow, data, hidden).flatMap((link) => [
                { name: `${link.name} reverse`, path: link.path, look: "dots", line: link.reverse },
                { name: `${link.name} forward`, path: link.path, look: "main", line: link.forward },
            ]),
    },
];

/** The charts of a page: those of a measurement's lanes, or those of a run. */
function chartsOf(data) {
    return data.lanes ? data.lanes.flatMap(laneCharts) : CHARTS.filter((chart) => chart.isFor?.(data) ?? true);
}

/** The links that the shown paths of a flow take, in the scenario's order. */
function linksOf(flow, data, hidden) {
    const paths = flow.paths.filter(({ path }) => !hidden.has(path));
    const used = new Set(paths.flatMap(({ path }) => data.paths[path].links));
    return data.links.filter((_, index) => used.has(index));
}

/** What the links of the shown paths carry together, in bits a second; `undefined` where a rate changes. */
function capacity(flow, data, hidden) {
    const shown = flow.paths.filter(({ path }) => !hidden.has(path));
    return capacityOf(shown.map(({ path }) => [path, directionOf(flow.name)]), data);
}

/** The direction of a flow's data: 0 there, 1 back. */
function directionOf(name) {
    return name.endsWith("/reverse") ? 1 : 0;
}

/** What the narrowest links of paths, each with the direction of its data, carry together. */
function capacityOf(used, data) {
    const narrowest = new Map();
    for (const [path, direction] of used) {
        const links = data.paths[path].links.map((link) => [link, data.links[link].rates[direction]]);
        if (links.length === 0 || links.some(([, rate]) => rate == null)) return undefined;
        const [link, rate] = links.reduce((least, link) => (link[1] < least[1] ? link : least));
        narrowest.set(`${link} ${direction}`, rate);
    }
    const rates = [...narrowest.values()];
    return rates.length > 0 ? rates.reduce((sum, rate) => sum + rate, 0) : undefined;
}

/** Bins that hold what these hold together. */
function sumOf(all) {
    const longest = Math.max(0, ...all.map(({ length }) => length));
    return Array.from({ length: longest }, (_, bin) => all.reduce((sum, bins) => sum + (bins[bin] ?? 0), 0));
}

/** For every path of a flow a line of each kind: key, look and name. */
function perPath(flow, ...kinds) {
    return kinds.flatMap(([key, look, name]) =>
        flow.paths.map((series) => {
            const what = Array.isArray(series[key]) ? { bins: series[key] } : { line: series[key] };
            return { name, path: series.path, look, ...what };
        }),
    );
}

/** The colours that the styles give to paper, ink and paths just now. */
function readTheme() {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    return {
        paper: colour("paper"),
        ink: colour("ink"),
        soft: colour("soft"),
        line: colour("line"),
        grid: colour("grid"),
        air: AIR_USES.map(([, name]) => colour(name)),
        chance: colour("chance"),
        full: colour("full"),
        path: (path) => (path == null ? colour("ink") : colour(`path-${path % COLOURS}`)),
    };
}

/** The lines of a chart that have anything in them and whose path is not hidden. */
function shownLines(chart, flow, data, hidden) {
    const has = ({ bins, line }) => (bins ? bins.some((bytes) => bytes > 0) : line.times.length > 0);
    return chart.lines(flow, data, hidden).filter((line) => !hidden.has(line.path) && has(line));
}

/**
 * What Plotly draws for a chart: traces, and the range of its vertical axis. `view` is { range, columns, theme }.
 */
function drawing(chart, lines, data, view) {
    const parts = lines.map((line) => partOf(chart, line, data, view));
    const isLoose = (index) => chart.loose?.includes(lines[index].name);
    const areas = parts.filter((_, index) => lines[index].look === "area");
    const whole = heap(areas);
    const fixed = parts.filter((_, index) => !isLoose(index) && lines[index].look !== "area");
    let [low, high] = extent(whole ? [...fixed, whole] : fixed, view.range);
    const [, loose] = extent(parts.filter((_, index) => isLoose(index)), view.range);
    if (loose > high && loose < high * 1.5) high = loose;
    if (view.ceiling) high = ROOM * view.ceiling;
    const [unit, factor] = unitFor(high, chart.units);
    [...parts, ...(whole ? [whole] : [])].forEach((part) => {
        part.y = part.y.map((value) => (value === null ? null : value / factor));
    });
    const strips = chart.strips ? intoStrips(lines, parts, data, [low, high]) : undefined;
    return {
        unit,
        step: parts.find((part) => part.step)?.step,
        traces: [
            ...lines.map((line, index) => trace(chart, line, parts[index], data, view)),
            ...(view.ceiling ? ceiling([...fixed, ...(whole ? [whole] : [])], view, factor) : []),
        ],
        ...strips,
        range: strips ? strips.range : view.ceiling ? [0, high / factor] : axisRange(chart, low / factor, high / factor),
    };
}

/** What stacked parts reach together; they have the same times. */
function heap(parts) {
    if (parts.length === 0) return undefined;
    return { x: parts[0].x, y: parts[0].x.map((_, at) => parts.reduce((sum, { y }) => sum + y[at], 0)) };
}

/**
 * Gives each path a strip of its own, of one scale for all; `undefined` for a single path. The strips' names, and what the axis
 * says and reaches.
 */
function intoStrips(lines, parts, data, [low, high]) {
    const paths = [...new Set(lines.map(({ path }) => path))].sort((a, b) => a - b);
    if (paths.length < 2 || !(high >= low)) return undefined;
    parts.forEach((part, index) => {
        const strip = paths.indexOf(lines[index].path);
        part.told = part.y;
        part.y = part.y.map((value) => -strip - LANE / 2 + (LANE * (value - low)) / (high - low || 1));
    });
    const lanes = paths.map((path) => laneName(data.paths[path].name));
    return { lanes, axis: `TSN ${low} to ${high} of each path`, range: [0.6 - lanes.length, 0.6] };
}

/** The capacity as a line, and a mark at the top for each peak that is higher than the chart. */
function ceiling(parts, view, factor) {
    const top = (ROOM * view.ceiling) / factor;
    const plain = (name, look, x, y, colour) => ({
        type: "scatter",
        x,
        y,
        name,
        look,
        mode: LOOKS[look].mode,
        line: { color: colour, width: LOOKS[look].width, dash: LOOKS[look].dash },
        marker: { color: colour, symbol: LOOKS[look].symbol ?? "circle", size: 7, line: { color: view.theme.ink, width: 1 } },
        hoverinfo: "skip",
    });
    const line = plain("capacity", "dashes", [...view.range], [1, 1].map((one) => (one * view.ceiling) / factor), view.theme.soft);
    const peaks = parts.map((part) => {
        const x = part.x.filter((_, at) => part.y[at] > top);
        return plain("higher than the chart", "clipped", x, x.map(() => top * 0.97), view.theme.ink);
    });
    return [line, ...peaks.filter(({ x }) => x.length > 0)];
}

function partOf(chart, line, data, view) {
    if (line.bins) return rates(line.bins, data.bin, data.end, view.range, RATE_STEPS);
    const part = cut(chart.holds ? heldUntil(line.line, data.end) : line.line, view.range, view.columns);
    return chart.holds || line.segments || LOOKS[line.look].mode === "markers" ? part : broken(part, gapOf(line.line, data.bin));
}

function axisRange(chart, low, high) {
    if (!(high >= low)) return [0, 1];
    if (chart.log) return [Math.log10(Math.max(low, 1e-6)) - 0.08, Math.log10(Math.max(high, 1e-6)) + 0.08];
    const from = chart.zero ? 0 : low;
    const room = (high - from || Math.abs(high) || 1) * 0.06;
    return [chart.zero && !chart.below ? 0 : from - room, high + room];
}

function trace(chart, line, part, data, view) {
    const look = LOOKS[line.look];
    const colour = line.tone ? view.theme[line.tone] : view.theme.path(line.colour ?? line.path);
    const name = line.path == null ? line.name : nameOf(chart, line, data);
    const marker = look.symbol ?? SYMBOLS[(line.path ?? 0) % SYMBOLS.length];
    return {
        type: "scatter",
        x: part.x,
        y: part.y,
        name,
        told: part.told,
        look: line.look,
        path: line.path,
        ...(line.look === "area" ? { stackgroup: "all", fillcolor: `${colour}8c` } : {}),
        mode: look.mode,
        opacity: line.look === "area" ? 1 : (look.opacity ?? 1),
        line: { color: line.look === "area" ? view.theme.paper : colour, width: line.look === "area" ? 1 : look.width, dash: look.dash, shape: chart.holds || chart.rate ? "hv" : "linear" },
        marker: {
            color: colour,
            symbol: marker,
            size: look.size ?? 7,
            maxdisplayed: look.mode === "lines+markers" ? 14 : 0,
            line: { color: look.edged ? view.theme.ink : view.theme.paper, width: look.edged ? 1 : 0.4 },
        },
        hoverinfo: "skip",
    };
}

/** What fits beside a lane. */
function laneName(name) {
    return name.length > 9 ? `${name.slice(0, 8)}…` : name;
}

/** A link's line has its own name already. */
function nameOf(chart, line, data) {
    return chart.units === PLAIN && chart.holds ? line.name : `${data.paths[line.path].name}: ${line.name}`;
}

const RATE_STEPS = 150;
/** The rate chart reaches this many times the capacity. */
const ROOM = 1.3;
