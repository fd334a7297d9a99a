// The page at work: it reads the data, unpacks the plotting library, draws the charts that are on the screen,
// and draws them anew when time, flow, paths, colours or paper change.

const byId = (id) => document.getElementById(id);

function readData() {
    const data = JSON.parse(byId("data").textContent);
    data.end /= 1e6;
    data.bin /= 1e6;
    const decodeAll = (series) => {
        for (const [key, value] of Object.entries(series)) if (value?.t) series[key] = decode(value);
    };
    if (data.air) decodeAir(data.air);
    data.links.forEach(decodeAll);
    data.lanes?.flatMap(({ directions }) => directions).forEach((direction) => {
        decodeAll(direction);
        direction.runs = decodeRuns(direction.runs);
    });
    data.flows.forEach((flow) => {
        decodeAll(flow);
        flow.paths.forEach(decodeAll);
    });
    return data;
}

/** The library stands in the page as base64 of gzip. */
async function unpackPlotly() {
    const packed = Uint8Array.from(atob(byId("plotly").textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    script.textContent = await new Response(stream).text();
    document.head.append(script);
}

function element(name, properties = {}, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
}

function start(data) {
    const state = { flow: 0, hidden: new Set(), onScreen: new Set(), stale: new Set() };
    const time = timeRange(data.end, () => refresh());
    const charts = chartsOf(data).map((chart) => build(chart, time));
    const pointer = followPointer(charts, read);
    const coarse = matchMedia("(pointer: coarse)");
    let isWaiting = false;

    /** All charts are out of date; those on the screen are drawn with the next frame. */
    function refresh() {
        pointer.hide();
        charts.forEach((chart) => {
            chart.figure.hidden = state.hidden.has(chart.what.path);
            state.stale.add(chart);
        });
        showRange(time.now());
        if (isWaiting) return;
        isWaiting = true;
        requestAnimationFrame(() => {
            isWaiting = false;
            drawStale();
        });
    }

    function drawStale() {
        charts.filter((chart) => state.stale.has(chart) && state.onScreen.has(chart)).forEach(draw);
    }

    function draw(chart) {
        state.stale.delete(chart);
        chart.plot.hidden = false;
        const width = chart.plot.clientWidth;
        const columns = Math.max(100, Math.round(width / 2));
        const view = { range: time.now(), columns, theme: readTheme(), width, canDrag: !coarse.matches, hidden: state.hidden };
        const drawn = drawnOf(chart.what, view);
        chart.plot.hidden = !drawn;
        chart.empty.hidden = Boolean(drawn);
        if (!drawn) return;
        chart.drawn = drawn;
        chart.step.textContent = drawn.step ? `mean over ${seconds(drawn.step)} each` : (chart.what.note ?? "");
        window.Plotly.react(chart.plot, drawn.traces, layoutOf(chart.what, drawn, data, view), CONFIG);
        if (!chart.isDrawn) {
            chart.isDrawn = true;
            chart.plot.on("plotly_relayout", (change) => follow(change));
            chart.plot.on("plotly_doubleclick", () => time.acts.all());
        }
    }

    /** What Plotly draws; `undefined` for a chart without anything. */
    function drawnOf(chart, view) {
        if (chart.draw) return chart.draw(data, view);
        const flow = data.flows[state.flow];
        const lines = shownLines(chart, flow, data, state.hidden);
        const ceiling = chart.ceiling?.(flow, data, state.hidden);
        return lines.length > 0 ? drawing(chart, lines, data, { ...view, ceiling }) : undefined;
    }

    /** A chart was dragged: all follow. */
    function follow(change) {
        const [from, to] = change["xaxis.range"] ?? [change["xaxis.range[0]"], change["xaxis.range[1]"]];
        if (from !== undefined) time.set(Number(from), Number(to));
        else if (change["xaxis.autorange"]) time.acts.all();
    }

    /** What the lines of a chart say at a time. */
    function read(chart, at) {
        const { holds, rate } = chart.what;
        if (chart.what.read) return few(chart.what.read(data, at).map(({ name, text }) => ({ name, text, picture: "" })));
        const [from, to] = time.now();
        const reach = ((to - from) / chart.plot.clientWidth) * 12;
        const values = chart.drawn.traces.filter(({ look }) => look !== "clipped" && look !== "run").map((line) => ({ line, value: valueAt({ x: line.x, y: line.told ?? line.y }, at, holds || rate, reach) }));
        const told = values.filter(({ value }) => value !== undefined).map(({ line, value }) => ({
            name: line.name,
            text: `${Number(value.toPrecision(5))} ${chart.drawn.unit || chart.what.word || ""}`,
            picture: sample(line.look, line.marker.color, line.marker.symbol),
        }));
        return few([...told, ...(chart.what.notes?.(at) ?? [])]);
    }

    function build(chart) {
        const step = element("span");
        const key = element("p", { className: "key" });
        chart.key.forEach(([look, meaning, colour = "currentColor"]) => {
            const picture = sample(look, colour, "circle");
            key.append(element("span", {}, picture, meaning));
        });
        key.append(step);
        const plot = element("div", { className: "plot", tabIndex: 0 });
        plot.setAttribute("role", "group");
        plot.setAttribute("aria-label", `Chart: ${chart.title}. Plus and minus zoom, arrows move, Home shows all.`);
        const empty = element("p", { className: "none", textContent: chart.empty, hidden: true });
        const figure = element("figure", {}, element("figcaption", {}, element("h3", { textContent: chart.title }), key), plot, empty);
        byId("charts").append(figure);
        listen(plot, time);
        return { what: chart, figure, plot, empty, step, isDrawn: false };
    }

    function buildToolbar() {
        byId("toolbar").querySelectorAll("[data-act]").forEach((button) => {
            button.addEventListener("click", () => time.acts[button.dataset.act]());
        });
        const select = byId("flow").querySelector("select");
        data.flows.forEach((flow, index) => select.append(new Option(flow.name, index)));
        byId("flow").hidden = data.flows.length < 2;
        select.addEventListener("change", () => {
            state.flow = Number(select.value);
            buildChips();
            refresh();
        });
        byId("toolbar").hidden = false;
    }

    /** A switch for each path of the flow, with the colour and symbol it has in all charts. */
    function buildChips() {
        const chips = data.flows[state.flow].paths.map(({ path }) => {
            const symbol = sample("main", `var(--path-${path % COLOURS})`, SYMBOLS[path % SYMBOLS.length]);
            const chip = element("button", { type: "button" }, symbol, element("span", { textContent: data.paths[path].name }));
            const show = () => chip.setAttribute("aria-pressed", String(!state.hidden.has(path)));
            chip.addEventListener("click", () => {
                if (!state.hidden.delete(path)) state.hidden.add(path);
                show();
                refresh();
            });
            show();
            return chip;
        });
        byId("chips").replaceChildren(...chips);
    }

    function watchScreen() {
        const observer = new IntersectionObserver(
            (entries) => {
                entries.forEach(({ target, isIntersecting }) => {
                    const chart = charts.find(({ figure }) => figure === target);
                    if (isIntersecting) state.onScreen.add(chart);
                    else state.onScreen.delete(chart);
                });
                drawStale();
            },
            { rootMargin: "300px" },
        );
        charts.forEach(({ figure }) => observer.observe(figure));
        new ResizeObserver(refresh).observe(byId("charts"));
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", refresh);
        coarse.addEventListener("change", refresh);
    }

    function watchPrinter() {
        const drawAll = (isPrinting) => {
            document.documentElement.classList.toggle("printing", isPrinting);
            byId("charts").style.width = isPrinting ? "680px" : "";
            charts.forEach(draw);
        };
        addEventListener("beforeprint", () => drawAll(true));
        addEventListener("afterprint", () => drawAll(false));
    }

    byId("waiting").hidden = true;
    buildToolbar();
    buildChips();
    showHint(data, coarse.matches);
    watchScreen();
    watchPrinter();
    refresh();
}

/** The first of many lines, and how many more there are. */
function few(rows) {
    const more = rows.length - MOST_ROWS;
    return more > 1 ? [...rows.slice(0, MOST_ROWS), { name: `and ${more} more`, text: "", picture: "" }] : rows;
}

const MOST_ROWS = 9;

function showRange([from, to]) {
    const digits = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(to - from || 1))));
    byId("range").textContent = `${from.toFixed(digits)} – ${to.toFixed(digits)} s`;
}

function showHint(data, isCoarse) {
    const runs = [...data.links, ...data.flows, ...data.flows.flatMap((flow) => flow.paths)];
    const lines = data.lanes?.flatMap(({ directions }) => directions.map(({ delay, chance, queue }) => ({ delay, chance, queue }))) ?? runs;
    const all = lines.flatMap((line) => Object.values(line)).filter((value) => value?.times);
    const [seen, kept] = all.reduce(([n, k], line) => [n + line.count, k + line.times.length], [0, 0]);
    const gestures = isCoarse
        ? "Two fingers stretch the time, one moves it, a double tap shows all."
        : "Drag to zoom, with Shift to move, double-click to show all; or focus a chart and use + − ← → Home.";
    const thinned = kept < seen
        ? ` Of ${seen.toLocaleString("en")} values this page has ${kept.toLocaleString("en")}: where a line has too many, it keeps the first, lowest, highest and last of each step of time, so that no peak is lost.`
        : ` All ${seen.toLocaleString("en")} values are in this page.`;
    const shaded = data.bands.length > 0
        ? " Shaded, in the colour of its path: a link is down, in an outage, or in the bad state of its loss model."
        : "";
    const marked = data.lanes
        ? " Shaded and named above a chart: the phases of the measurement. A loss is a full queue's where its neighbours waited at least half of the queue's depth, or where a policer was exceeded; all others are by chance."
        : ` Numbered lines are the events listed below.${shaded}`;
    byId("hint").textContent = `${gestures} All charts show the same time.${marked}${thinned}`;
    byId("hint").hidden = false;
}

function seconds(span) {
    return span < 1 ? `${Number((span * 1e3).toPrecision(4))} ms` : `${Number(span.toPrecision(4))} s`;
}

function complain(text) {
    byId("waiting").hidden = true;
    byId("problem").textContent = text;
    byId("problem").hidden = false;
}

const CONFIG = { displayModeBar: false, responsive: false, doubleClick: false, scrollZoom: false, showTips: false };

const data = readData();
if (data.end === 0 || data.flows.length === 0) {
    complain("Nothing happened, so there is no chart.");
} else if (typeof DecompressionStream === "undefined") {
    complain("The charts need a browser of 2023 or newer. The tables are complete without them.");
} else {
    byId("waiting").hidden = false;
    unpackPlotly()
        .then(() => start(data))
        .catch((error) => complain(`The charts cannot be drawn: ${error.message}`));
}
