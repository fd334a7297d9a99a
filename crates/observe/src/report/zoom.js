// The time that all charts show: kept within the run, changed by buttons, keys, dragging, wheel and fingers.
// Nothing here knows what is drawn.

/** A range of time within [0, end], in seconds, that tells `changed` about every change. */
function timeRange(end, changed) {
    const shortest = Math.min(end, 1e-5);
    let range = [0, end];
    const set = (from, to) => {
        const span = Math.min(Math.max(to - from, shortest), end);
        const begin = Math.min(Math.max(from, 0), end - span);
        range = [begin, begin + span];
        changed();
    };
    const scale = (factor, at = (range[0] + range[1]) / 2) =>
        set(at - (at - range[0]) * factor, at + (range[1] - at) * factor);
    const move = (share) => {
        const span = (range[1] - range[0]) * share;
        set(range[0] + span, range[1] + span);
    };
    return {
        now: () => range,
        set,
        scale,
        move,
        acts: {
            in: () => scale(0.5),
            out: () => scale(2),
            back: () => move(-0.25),
            on: () => move(0.25),
            all: () => set(0, end),
        },
    };
}

const KEYS = {
    "+": "in",
    "=": "in",
    "-": "out",
    ArrowLeft: "back",
    ArrowRight: "on",
    Home: "all",
    Escape: "all",
    0: "all",
};

/** Lets a chart's keys, wheel and fingers change the time. */
function listen(plot, time) {
    plot.addEventListener("keydown", (event) => {
        const act = KEYS[event.key];
        if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        time.acts[act]();
    });
    plot.addEventListener(
        "wheel",
        (event) => {
            // A pinch on a touchpad comes as a wheel with this key; a plain wheel scrolls the page.
            if (!event.ctrlKey) return;
            event.preventDefault();
            time.scale(Math.exp(event.deltaY / 150), timeAt(plot, event.clientX));
        },
        { passive: false },
    );
    listenToFingers(plot, time);
}

/** One finger moves the time sideways (upwards it scrolls the page), two stretch it. */
function listenToFingers(plot, time) {
    const fingers = new Map();
    const spread = () => {
        const places = [...fingers.values()];
        return { middle: (Math.min(...places) + Math.max(...places)) / 2, width: Math.max(...places) - Math.min(...places) };
    };
    plot.addEventListener("pointerdown", (event) => {
        if (event.pointerType !== "touch") return;
        // What is under the finger is drawn anew as it moves; without this the finger would be lost with it.
        plot.setPointerCapture(event.pointerId);
        fingers.set(event.pointerId, event.clientX);
    });
    plot.addEventListener("pointermove", (event) => {
        if (!fingers.has(event.pointerId)) return;
        const before = spread();
        fingers.set(event.pointerId, event.clientX);
        const after = spread();
        const { width } = areaOf(plot);
        if (fingers.size > 1 && before.width > 0 && after.width > 0) {
            time.scale(before.width / after.width, timeAt(plot, after.middle));
        }
        time.move((before.middle - after.middle) / width);
    });
    for (const kind of ["pointerup", "pointercancel", "lostpointercapture"]) {
        plot.addEventListener(kind, (event) => fingers.delete(event.pointerId));
    }
    listenToTaps(plot, time);
}

/** Two quick taps on one place show the whole run. */
function listenToTaps(plot, time) {
    let last = { at: -Infinity, x: 0, y: 0 };
    plot.addEventListener("pointerdown", (event) => {
        if (event.pointerType !== "touch") return;
        const near = Math.hypot(event.clientX - last.x, event.clientY - last.y) < 24;
        const isSecond = near && event.timeStamp - last.at < 350;
        last = { at: isSecond ? -Infinity : event.timeStamp, x: event.clientX, y: event.clientY };
        if (isSecond) time.acts.all();
    });
}

/** Where the axes of a chart are on the screen. */
function areaOf(plot) {
    const { left } = plot.getBoundingClientRect();
    const axis = plot._fullLayout?.xaxis;
    return { left: left + (axis?._offset ?? 0), width: axis?._length || plot.clientWidth || 1 };
}

/** The time under a place of the screen. */
function timeAt(plot, place) {
    const { left, width } = areaOf(plot);
    const [from, to] = plot._fullLayout?.xaxis?.range ?? [0, 1];
    return from + ((place - left) / width) * (to - from);
}
