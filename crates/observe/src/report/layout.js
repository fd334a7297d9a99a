// Axes, sizes and marks of a chart, as Plotly wants them. Nothing here knows which lines it has.

/** The layout of a drawn chart. `view` is { range, theme, width, canDrag }. */
function layoutOf(chart, drawn, data, { range, theme, width, canDrag, hidden }) {
    const axis = { gridcolor: theme.grid, linecolor: theme.line, zeroline: false, tickfont: { color: theme.soft } };
    const title = (text) => ({ text, font: { color: theme.soft, size: 12 }, standoff: 6 });
    const marks = visibleMarks(data, range);
    const extra = chart.extra?.({ range, theme, width }) ?? { shapes: [], annotations: [] };
    return {
        height: chart.height?.(data) ?? (chart.tall ? 340 : 250),
        barmode: "overlay",
        bargap: 0,
        autosize: true,
        margin: { l: width < 500 ? 50 : 64, r: 10, t: 16, b: 40 },
        paper_bgcolor: "rgba(0,0,0,0)",
        plot_bgcolor: "rgba(0,0,0,0)",
        font: { family: "inherit", size: 12, color: theme.ink },
        showlegend: false,
        dragmode: canDrag ? "zoom" : false,
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
            title: title(drawn.axis ?? chart.axis ?? drawn.unit),
            nticks: 6,
            exponentformat: "none",
            tickformat: chart.units === PLAIN ? "~s" : "",
            ...(drawn.lanes ? { tickvals: drawn.lanes.map((_, lane) => -lane), ticktext: drawn.lanes } : {}),
            ...(chart.log ? logTicks(drawn.range) : {}),
        },
        shapes: [...extra.shapes, ...shading(data, range, hidden, theme), ...marks.map(({ at, scenario }) => ({
            type: "line",
            layer: "below",
            xref: "x",
            yref: "paper",
            x0: at / 1e6,
            x1: at / 1e6,
            y0: 0,
            y1: 1,
            line: { color: theme.soft, width: 1.3, dash: scenario ? "solid" : "dot" },
        }))],
        annotations: [...extra.annotations, ...numbers(marks, range, width).map(({ at, text }) => ({
            x: at / 1e6,
            y: 1,
            yref: "paper",
            xanchor: "left",
            xshift: -4,
            yanchor: "bottom",
            showarrow: false,
            text,
            font: { size: 11, color: theme.soft },
        }))],
    };
}

/** The times in which a link was down, in an outage or in a bad state, in the colour of the path that it belongs to. */
function shading(data, [from, to], hidden, theme) {
    const within = data.bands.filter((band) => band.to / 1e6 > from && band.from / 1e6 < to && !hidden.has(band.path));
    if (within.length > MOST_BANDS) return [];
    return within.map((band) => ({
        type: "rect",
        layer: "below",
        xref: "x",
        yref: "paper",
        x0: Math.max(from, band.from / 1e6),
        x1: Math.min(to, band.to / 1e6),
        y0: 0,
        y1: 1,
        fillcolor: theme.path(band.path),
        opacity: 0.13,
        line: { width: 0 },
    }));
}

/** More are illegible, and slow. */
const MOST_BANDS = 400;

/** Numbers on a logarithmic axis between two powers of ten, each written in full: 1, 2, 5, 10, 20, …, or whole powers alone. */
function logTicks([from, to]) {
    const steps = to - from > 2.5 ? [1] : [1, 2, 5];
    const ticks = [];
    for (let power = Math.floor(from); power <= Math.ceil(to); power += 1) {
        ticks.push(...steps.map((step) => Number((step * 10 ** power).toPrecision(1))));
    }
    const shown = ticks.filter((tick) => Math.log10(tick) >= from && Math.log10(tick) <= to);
    return { tickvals: shown, ticktext: shown.map(String) };
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

/** The marks within a range, with the numbers that they have in the list of events. */
function visibleMarks(data, [from, to]) {
    const numbered = data.marks.map((mark, index) => ({ ...mark, number: index + 1 }));
    return numbered.filter((mark) => mark.at / 1e6 >= from && mark.at / 1e6 <= to);
}
