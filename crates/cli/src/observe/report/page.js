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
    data.links.forEach(decodeAll);
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

/** A picture of a line or a symbol, as charts draw it. */
function sample(look, colour, symbol) {
    const { mode, width, dash, opacity } = LOOKS[look];
    const dashes = { dot: "2 3", dash: "7 4" }[dash] ?? "none";
    const stroke = `stroke="${colour}" fill="none" opacity="${opacity ?? 1}"`;
    const line = `<path d="M1 7H29" stroke-width="${width}" stroke-dasharray="${dashes}" ${stroke}/>`;
    const shape = SHAPES[LOOKS[look].symbol ?? symbol] ?? "";
    const template = document.createElement("template");
    const shown = { lines: line, markers: shape, "lines+markers": line + shape }[mode];
    template.innerHTML = `<svg width="30" height="14" aria-hidden="true" color="${colour}">${shown}</svg>`;
    return template.content.firstChild;
}

/** Symbols around (15, 7). */
const SHAPES = {
    circle: '<circle cx="15" cy="7" r="4.5" fill="currentColor"/>',
    square: '<path d="M11 3h8v8h-8z" fill="currentColor"/>',
    diamond: '<path d="M15 1.5l5.5 5.5-5.5 5.5L9.5 7z" fill="currentColor"/>',
    "triangle-up": '<path d="M15 2l5.5 9.5h-11z" fill="currentColor"/>',
    cross: '<path d="M13 2h4v3h3v4h-3v3h-4V9h-3V5h3z" fill="currentColor"/>',
    star: '<path d="M15 1l1.8 4.2 4.5.3-3.5 2.9 1.2 4.4-4-2.4-4 2.4 1.2-4.4L8.7 5.5l4.5-.3z" fill="currentColor"/>',
    hexagon: '<path d="M12.5 2.5h5L20 7l-2.5 4.5h-5L10 7z" fill="currentColor"/>',
    "triangle-down": '<path d="M15 12l5.5-9.5h-11z" fill="currentColor"/>',
    x: '<path d="M12 2l3 3 3-3 2 2-3 3 3 3-2 2-3-3-3 3-2-2 3-3-3-3z" fill="currentColor"/>',
};

function start(data) {
    const state = { flow: 0, hidden: new Set(), onScreen: new Set(), stale: new Set() };
    const time = timeRange(data.end, () => refresh());
    const charts = CHARTS.map((chart) => build(chart, time));
    const pointer = followPointer(charts, read);
    const coarse = matchMedia("(pointer: coarse)");
    let isWaiting = false;

    /** All charts are out of date; those on the screen are drawn with the next frame. */
    function refresh() {
        pointer.hide();
        charts.forEach((chart) => state.stale.add(chart));
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
        const lines = shownLines(chart.what, data.flows[state.flow], data, state.hidden);
        const hasAny = lines.length > 0;
        chart.plot.hidden = !hasAny;
        chart.empty.hidden = hasAny;
        if (!hasAny) return;
        const width = chart.plot.clientWidth;
        const view = { range: time.now(), columns: Math.max(100, Math.round(width / 2)), theme: readTheme() };
        const drawn = drawing(chart.what, lines, data, view);
        chart.drawn = drawn;
        chart.step.textContent = drawn.step ? `mean over ${seconds(drawn.step)} each` : (chart.what.note ?? "");
        window.Plotly.react(chart.plot, drawn.traces, layout(chart.what, drawn, view, width), CONFIG);
        if (!chart.isDrawn) {
            chart.isDrawn = true;
            chart.plot.on("plotly_relayout", (change) => follow(change));
            chart.plot.on("plotly_doubleclick", () => time.acts.all());
        }
    }

    /** A chart was dragged: all follow. */
    function follow(change) {
        const [from, to] = change["xaxis.range"] ?? [change["xaxis.range[0]"], change["xaxis.range[1]"]];
        if (from !== undefined) time.set(Number(from), Number(to));
        else if (change["xaxis.autorange"]) time.acts.all();
    }

    function layout(chart, drawn, { range, theme }, width) {
        const axis = { gridcolor: theme.grid, linecolor: theme.line, zeroline: false, tickfont: { color: theme.soft } };
        const title = (text) => ({ text, font: { color: theme.soft, size: 12 }, standoff: 6 });
        const marks = visibleMarks(range);
        return {
            height: chart.tall ? 340 : 250,
            autosize: true,
            margin: { l: width < 500 ? 50 : 64, r: 10, t: 16, b: 40 },
            paper_bgcolor: "rgba(0,0,0,0)",
            plot_bgcolor: "rgba(0,0,0,0)",
            font: { family: "inherit", size: 12, color: theme.ink },
            showlegend: false,
            dragmode: coarse.matches ? false : "zoom",
            hovermode: false,
            xaxis: {
                ...axis,
                range: [...range],
                title: title("time (s)"),
                showline: true,
                ticks: "outside",
                tickcolor: theme.line,
                nticks: width < 500 ? 5 : 12,
                exponentformat: "none",
            },
            yaxis: {
                ...axis,
                type: chart.log ? "log" : "linear",
                range: drawn.range,
                fixedrange: true,
                title: title(chart.axis ?? drawn.unit),
                nticks: 6,
                exponentformat: "none",
                tickformat: chart.units === PLAIN ? "~s" : "",
                ...(chart.log ? { dtick: drawn.range[1] - drawn.range[0] > 2.5 ? 1 : "D2" } : {}),
            },
            shapes: marks.map(({ at, scenario }) => ({
                type: "line",
                layer: "below",
                xref: "x",
                yref: "paper",
                x0: at / 1e6,
                x1: at / 1e6,
                y0: 0,
                y1: 1,
                line: { color: theme.soft, width: 1.3, dash: scenario ? "solid" : "dot" },
            })),
            annotations: numbers(marks, range, width).map(({ at, text }) => ({
                x: at / 1e6,
                y: 1,
                yref: "paper",
                xanchor: "left",
                xshift: -4,
                yanchor: "bottom",
                showarrow: false,
                text,
                font: { size: 11, color: theme.soft },
            })),
        };
    }

    /** What is written above the lines of marks: their numbers, those of close neighbours together. */
    function numbers(marks, [from, to], width) {
        const near = ((to - from) / width) * 1e6 * 26;
        const groups = [];
        for (const { at, number } of marks) {
            const last = groups.at(-1);
            if (last && at - last.at < near) last.to = number;
            else groups.push({ at, from: number, to: number });
        }
        return groups.map(({ at, from, to }) => ({ at, text: from === to ? `${from}` : `${from}–${to}` }));
    }

    /** What the lines of a chart say at a time. */
    function read(chart, at) {
        const { holds, rate } = chart.what;
        const [from, to] = time.now();
        const reach = ((to - from) / chart.plot.clientWidth) * 12;
        const values = chart.drawn.traces.map((line) => ({ line, value: valueAt(line, at, holds || rate, reach) }));
        return values.filter(({ value }) => value !== undefined).map(({ line, value }) => ({
            name: line.name,
            text: `${Number(value.toPrecision(5))} ${chart.drawn.unit || chart.what.word || ""}`,
            picture: sample(line.look, line.marker.color, line.marker.symbol),
        }));
    }

    function visibleMarks([from, to]) {
        const numbered = data.marks.map((mark, index) => ({ ...mark, number: index + 1 }));
        return numbered.filter((mark) => mark.at / 1e6 >= from && mark.at / 1e6 <= to);
    }

    function build(chart) {
        const step = element("span");
        const key = element("p", { className: "key" });
        chart.key.forEach(([look, meaning]) => {
            const picture = sample(look, "currentColor", "circle");
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

function showRange([from, to]) {
    const digits = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(to - from || 1))));
    byId("range").textContent = `${from.toFixed(digits)} – ${to.toFixed(digits)} s`;
}

function showHint(data, isCoarse) {
    const lines = [...data.links, ...data.flows, ...data.flows.flatMap((flow) => flow.paths)];
    const all = lines.flatMap((line) => Object.values(line)).filter((value) => value?.times);
    const [seen, kept] = all.reduce(([n, k], line) => [n + line.count, k + line.times.length], [0, 0]);
    const gestures = isCoarse
        ? "Two fingers stretch the time, one moves it, a double tap shows all."
        : "Drag to zoom, with Shift to move, double-click to show all; or focus a chart and use + − ← → Home.";
    const thinned = kept < seen
        ? ` Of ${seen.toLocaleString("en")} values this page has ${kept.toLocaleString("en")}: where a line has too many, it keeps the first, lowest, highest and last of each step of time, so that no peak is lost.`
        : ` All ${seen.toLocaleString("en")} values are in this page.`;
    byId("hint").textContent = `${gestures} All charts show the same time. Numbered lines are the events listed below.${thinned}`;
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
    complain("Nothing happened in this run, so there is no chart.");
} else if (typeof DecompressionStream === "undefined") {
    complain("The charts need a browser of 2023 or newer. The tables are complete without them.");
} else {
    byId("waiting").hidden = false;
    unpackPlotly()
        .then(() => start(data))
        .catch((error) => complain(`The charts cannot be drawn: ${error.message}`));
}
