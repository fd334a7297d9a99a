// Lines as numbers: decoding them, cutting a time out of them, thinning them to what a screen can show.
// Nothing here knows a chart.

/** Microseconds as whole numbers become seconds. `t` holds differences, each to the point before. */
function decode(line) {
    const times = new Float64Array(line.t.length);
    let at = 0;
    line.t.forEach((since, index) => {
        at += since;
        times[index] = at / 1e6;
    });
    return { times, values: line.v, count: line.n };
}

/** The index of the first time that is not before `at`. */
function firstFrom(times, at) {
    let [low, high] = [0, times.length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (times[middle] < at) low = middle + 1;
        else high = middle;
    }
    return low;
}

/**
 * The points of a line between two times, and its neighbours on either side, thinned to the first, lowest,
 * highest and last of each of that many columns. `x` are seconds, `y` values.
 */
function cut(line, [from, to], columns) {
    const { times, values } = line;
    const begin = Math.max(0, firstFrom(times, from) - 1);
    const end = Math.min(times.length, firstFrom(times, to) + 1);
    const [x, y] = [[], []];
    const put = (index) => {
        x.push(times[index]);
        y.push(values[index]);
    };
    if (end - begin <= 4 * columns) {
        for (let index = begin; index < end; index += 1) put(index);
        return { x, y };
    }
    const width = (to - from) / columns;
    for (let start = begin; start < end;) {
        const column = Math.floor((times[start] - from) / width);
        let [low, high, next] = [start, start, start];
        for (; next < end && Math.floor((times[next] - from) / width) === column; next += 1) {
            if (values[next] < values[low]) low = next;
            if (values[next] > values[high]) high = next;
        }
        [...new Set([start, low, high, next - 1])].sort((a, b) => a - b).forEach(put);
        start = next;
    }
    return { x, y };
}

/** A line without a value for longer than this, in seconds, has a gap: eight times its usual step, and four bins. */
function gapOf({ times, count }, bin) {
    const span = times.length > 1 ? times[times.length - 1] - times[0] : 0;
    return Math.max(4 * bin, (8 * span) / Math.max(count, 1));
}

/** The same points with a break where two neighbours are further apart than `gap` seconds. */
function broken({ x, y }, gap) {
    const [times, values] = [[], []];
    x.forEach((at, index) => {
        if (index > 0 && at - x[index - 1] > gap) {
            times.push((at + x[index - 1]) / 2);
            values.push(null);
        }
        times.push(at);
        values.push(y[index]);
    });
    return { x: times, y: values };
}

/** A line that holds each value until the next one goes on to the end of the run. */
function heldUntil(line, end) {
    const length = line.times.length;
    if (length === 0 || line.times[length - 1] >= end) return line;
    const times = new Float64Array(length + 1);
    times.set(line.times);
    times[length] = end;
    return { times, values: [...line.values, line.values[length - 1]], count: line.count };
}

/**
 * Bytes by bins become bits a second, between two times and in at most `most` steps of whole bins. The last
 * bin may be cut short by the end of the run.
 */
function rates(bins, bin, end, [from, to], most) {
    const [first, last] = [Math.max(0, Math.floor(from / bin)), Math.ceil(Math.min(to, end) / bin)];
    const group = Math.max(1, Math.ceil((last - first) / most));
    const [x, y] = [[], []];
    for (let start = first - (first % group); start < last; start += group) {
        const bytes = bins.slice(start, start + group).reduce((sum, each) => sum + each, 0);
        const span = Math.min((start + group) * bin, end) - start * bin;
        x.push(start * bin);
        y.push(span > 0 ? (bytes * 8) / span : 0);
    }
    if (x.length > 0) {
        x.push(Math.min(x[x.length - 1] + group * bin, end));
        y.push(y[y.length - 1]);
    }
    return { x, y, step: group * bin };
}

/** The unit in which `largest` has one to three digits before the point. */
function unitFor(largest, units) {
    return units.find(([, factor]) => largest >= factor) ?? units[units.length - 1];
}

/** The lowest and highest of the values whose time lies in the range, the one held at its start included. */
function extent(parts, [from, to]) {
    let [low, high] = [Infinity, -Infinity];
    for (const { x, y } of parts) {
        const begin = Math.max(0, firstFrom(x, from) - 1);
        for (let index = begin; index < x.length && x[index] <= to; index += 1) {
            if (y[index] === null) continue;
            if (y[index] < low) low = y[index];
            if (y[index] > high) high = y[index];
        }
    }
    return [low, high];
}

