// Small pictures of lines and symbols, for captions, switches and readouts.

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
