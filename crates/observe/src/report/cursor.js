// The time under the pointer: a line through all charts, and in the chart that is pointed at what every line
// says then. Nothing here knows how charts are drawn.

/** Follows the pointer over `charts`; `read(chart, at)` gives { name, text, picture } of each line. */
function followPointer(charts, read) {
    const cursors = charts.map((chart) => {
        const line = element("i", { className: "cursor", hidden: true });
        chart.plot.parentElement.append(line);
        return { chart, line };
    });
    const box = element("div", { className: "readout", hidden: true });
    box.setAttribute("aria-hidden", "true");

    const hide = () => {
        box.hidden = true;
        cursors.forEach(({ line }) => {
            line.hidden = true;
        });
    };

    const show = (chart, event) => {
        const at = timeAt(chart.plot, event.clientX);
        const [from, to] = chart.plot._fullLayout?.xaxis?.range ?? [0, 0];
        if (at < from || at > to) return hide();
        cursors.forEach((cursor) => place(cursor, (at - from) / (to - from)));
        fill(chart, at, event);
    };

    /** The line stands where the time does: all charts have their axes one below the other. */
    const place = ({ chart, line }, share) => {
        const layout = chart.plot._fullLayout;
        line.hidden = chart.plot.hidden || !layout;
        if (line.hidden) return;
        line.style.left = `${layout.xaxis._offset + share * layout.xaxis._length}px`;
        line.style.top = `${chart.plot.offsetTop + layout.yaxis._offset}px`;
        line.style.height = `${layout.yaxis._length}px`;
    };

    const fill = (chart, at, event) => {
        const rows = read(chart, at).map(({ name, text, picture }) =>
            element("div", {}, picture, element("span", { textContent: name }), element("b", { textContent: text })),
        );
        box.replaceChildren(element("div", { className: "at", textContent: `${at.toFixed(6)} s` }), ...rows);
        box.hidden = rows.length === 0;
        chart.plot.parentElement.append(box);
        const { left, top, width } = chart.plot.parentElement.getBoundingClientRect();
        const x = event.clientX - left;
        const isLeft = x > width / 2;
        box.style.left = isLeft ? "" : `${x + 14}px`;
        box.style.right = isLeft ? `${width - x + 14}px` : "";
        box.style.top = `${Math.max(chart.plot.offsetTop, event.clientY - top - box.offsetHeight - 10)}px`;
    };

    charts.forEach((chart) => {
        chart.plot.addEventListener("pointermove", (event) => event.pointerType === "mouse" && show(chart, event));
        chart.plot.addEventListener("pointerdown", (event) => event.pointerType === "touch" && show(chart, event));
        chart.plot.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && hide());
    });
    return { hide };
}

/**
 * What a line says at a time: the value that holds then, or that of the nearest point no further than `reach`
 * away; undefined where it says nothing.
 */
function valueAt({ x, y }, at, holds, reach) {
    const next = firstFrom(x, at);
    if (holds) return x[next] === at ? y[next] : y[next - 1];
    const nearest = next > 0 && (next === x.length || at - x[next - 1] < x[next] - at) ? next - 1 : next;
    return Math.abs(x[nearest] - at) <= reach ? (y[nearest] ?? undefined) : undefined;
}
