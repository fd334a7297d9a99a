// The scripts' arithmetic, without a browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

const scripts = new URL("../../crates/observe/src/report/", import.meta.url);
const load = (...names) => {
    const source = names.map((name) => readFileSync(new URL(name, scripts), "utf8")).join("\n");
    return new Function(`"use strict"; ${source}; return { decode, firstFrom, cut, heldUntil, rates, unitFor, extent, valueAt, timeRange, logTicks, capacity, heap, sumOf, intoStrips, gapOf, broken, readAir, shading, decodeRuns, phaseShapes, phaseNames, runNames };`)();
};
const { decode, firstFrom, cut, heldUntil, rates, unitFor, extent, valueAt, timeRange, logTicks, capacity, heap, sumOf, intoStrips, gapOf, broken, readAir, shading, decodeRuns, phaseShapes, phaseNames, runNames } = load(
    "lines.js", "charts.js", "air.js", "lanes.js", "layout.js", "zoom.js", "cursor.js",
);
const line = (...points) => ({ times: points.map(([at]) => at), values: points.map(([, value]) => value), count: points.length });

test("numbers on a logarithmic axis are written in full", () => {
    assert.deepEqual(logTicks([Math.log10(0.03), Math.log10(1.1)]).ticktext, ["0.05", "0.1", "0.2", "0.5", "1"]);
    assert.deepEqual(logTicks([-2, 2]).tickvals, [0.01, 0.1, 1, 10, 100]);
});

test("capacity is that of the narrowest link of each shown path, a shared one once, and none where a rate changes", () => {
    const data = {
        paths: [{ links: [0, 2] }, { links: [1, 2] }],
        links: [{ rates: [20, 1] }, { rates: [10, 1] }, { rates: [15, 1] }],
    };
    const flow = { name: "main", paths: [{ path: 0 }, { path: 1 }] };
    assert.equal(capacity(flow, data, new Set()), 25);
    assert.equal(capacity(flow, data, new Set([0])), 10);
    assert.equal(capacity({ ...flow, name: "main/reverse" }, data, new Set([1])), 1);
    data.links[2].rates = [null, null];
    assert.equal(capacity(flow, data, new Set()), undefined);
});

test("times are sums of differences in microseconds", () => {
    const decoded = decode({ t: [1_500_000, 500_000], v: [7, 8], n: 9 });
    assert.deepEqual([[...decoded.times], decoded.values, decoded.count], [[1.5, 2], [7, 8], 9]);
});

test("the first time from a moment on is found", () => {
    assert.deepEqual([0, 1, 1.5, 3, 4].map((at) => firstFrom([1, 2, 3], at)), [0, 0, 1, 2, 3]);
});

test("a cut keeps a neighbour on either side", () => {
    const { x } = cut(line([0, 1], [1, 1], [2, 1], [3, 1], [4, 1]), [1.5, 2.5], 100);
    assert.deepEqual(x, [1, 2, 3]);
});

test("thinning loses no peak and no end", () => {
    const many = line(...Array.from({ length: 10_000 }, (_, n) => [n / 1_000, n === 7_777 ? 99 : n % 10]));
    const { x, y } = cut(many, [0, 10], 50);
    assert.ok(x.length <= 4 * 52, `${x.length} points`);
    assert.equal(Math.max(...y), 99);
    assert.deepEqual([x[0], x.at(-1)], [0, 9.999]);
    assert.ok(x.every((at, index) => index === 0 || at >= x[index - 1]));
});

test("what is held goes on to the end of the run, and no further", () => {
    assert.deepEqual([...heldUntil(line([1, 5]), 3).times], [1, 3]);
    assert.deepEqual([...heldUntil(line([3, 5]), 3).times], [3]);
    assert.equal(heldUntil(line(), 3).times.length, 0);
});

test("rates count whole bins, the last one as far as the run goes", () => {
    const { x, y, step } = rates([125, 125, 250], 1, 2.5, [0, 2.5], 10);
    assert.deepEqual([x, y, step], [[0, 1, 2, 2.5], [1_000, 1_000, 4_000, 4_000], 1]);
});

test("rates of a long time are means over several bins", () => {
    const { x, y, step } = rates([100, 300, 200, 0], 1, 4, [0, 4], 2);
    assert.deepEqual([x, y, step], [[0, 2, 4], [1_600, 800, 800], 2]);
});

test("a unit leaves one to three digits", () => {
    const units = [["MB", 1e6], ["kB", 1e3], ["B", 1]];
    assert.deepEqual([2e6, 1_500, 3, 0, -Infinity].map((largest) => unitFor(largest, units)[0]), ["MB", "kB", "B", "B", "B"]);
});

test("an axis has room for the value that is held when it begins", () => {
    assert.deepEqual(extent([{ x: [0, 5], y: [9, 1] }], [2, 6]), [1, 9]);
    assert.deepEqual(extent([{ x: [], y: [] }], [2, 6]), [Infinity, -Infinity]);
});

test("a readout is the value that holds, or the nearest within reach", () => {
    const part = { x: [1, 2, 4], y: [10, 20, 40] };
    assert.deepEqual([0.5, 1, 1.9, 3.9, 9].map((at) => valueAt(part, at, true, 0)), [undefined, 10, 10, 20, 40]);
    assert.deepEqual([0.5, 1.4, 3.1, 9].map((at) => valueAt(part, at, false, 1)), [10, 10, 40, undefined]);
});

test("time stays within the run", () => {
    const time = timeRange(10, () => {});
    time.set(8, 14);
    assert.deepEqual(time.now(), [4, 10]);
    time.acts.in();
    assert.deepEqual(time.now(), [5.5, 8.5]);
    time.move(-5);
    assert.deepEqual(time.now(), [0, 3]);
    time.acts.all();
    assert.deepEqual(time.now(), [0, 10]);
});

test("stacked parts reach their sum, and so do bins of different length", () => {
    assert.deepEqual(heap([{ x: [0, 1], y: [2, 3] }, { x: [0, 1], y: [10, 20] }]), { x: [0, 1], y: [12, 23] });
    assert.equal(heap([]), undefined);
    assert.deepEqual(sumOf([[1, 2, 3], [10]]), [11, 2, 3]);
});

test("each of several paths has a strip of its own on one scale, and tells its own numbers", () => {
    const data = { paths: [{ name: "wifi" }, { name: "a-long-name" }] };
    const lines = [{ path: 0 }, { path: 1 }];
    const parts = [{ x: [0, 1], y: [100, 200] }, { x: [0, 1], y: [200, 300] }];
    const { lanes, range, axis } = intoStrips(lines, parts, data, [100, 300]);
    assert.deepEqual([lanes, range, axis], [["wifi", "a-long-n…"], [-1.4, 0.6], "TSN 100 to 300 of each path"]);
    assert.deepEqual(parts.map(({ told }) => told), [[100, 200], [200, 300]]);
    assert.deepEqual(parts.map(({ y }) => y.map((value) => Number(value.toFixed(2)))), [[-0.42, 0], [-1, -0.58]]);
    assert.equal(intoStrips(lines.slice(0, 1), parts.slice(0, 1), data, [0, 1]), undefined, "one path has its axis");
});

test("a line has a gap where nothing was measured for long, and none between ordinary steps", () => {
    const seen = line([0, 1], [1, 2], [2, 3], [30, 4], [31, 5]);
    const gap = gapOf({ ...seen, count: 5 }, 0.1);
    assert.deepEqual(broken({ x: [0, 1, 2], y: [1, 2, 3] }, 5).y, [1, 2, 3]);
    assert.ok(gap > 10 && gap < 60);
    assert.deepEqual(broken({ x: [0, 2, 30], y: [1, 3, 4] }, 8).y, [1, 3, null, 4]);
    assert.equal(valueAt({ x: [2, 16, 30], y: [3, null, 4] }, 16, false, 3), undefined, "and a gap tells nothing");
    assert.deepEqual(extent([{ x: [2, 16, 30], y: [3, null, 4] }], [0, 40]), [3, 4]);
});

test("bad times of shown paths are shaded as far as they are in the range, and very many are not", () => {
    const data = { bands: [{ from: 1e6, to: 3e6, path: 0 }, { from: 5e6, to: 6e6, path: 1 }, { from: 9e6, to: 10e6 }] };
    const theme = { path: (path) => `colour ${path}` };
    const shaded = shading(data, [2, 8], new Set([1]), theme);
    assert.deepEqual(shaded.map(({ x0, x1, fillcolor }) => [x0, x1, fillcolor]), [[2, 3, "colour 0"]]);
    assert.equal(shading(data, [0, 20], new Set(), theme).length, 3);
    const many = { bands: Array.from({ length: 1000 }, (_, index) => ({ from: index, to: index + 1, path: 0 })) };
    assert.deepEqual(shading(many, [0, 20], new Set(), theme), []);
});

test("the air is told by station, the busiest first", () => {
    globalThis.seconds = (span) => `${span} s`;
    const air = { bin: 1, frames: [[2.1, 0.5, 1, 0]], lanes: [{ name: "a", uses: [[0, 0, 100_000], [0, 0, 50_000]] }, { name: "b", uses: [[0, 0, 600_000]] }, { name: "c", uses: [[]] }] };
    assert.deepEqual(readAir(air, 2.3).map(({ name, text }) => [name, text]), [["b", "60 % of 1 s, now data"], ["a", "15 % of 1 s"]]);
});

test("a run of losses is a line from its first to its last packet", () => {
    const { times, values } = decodeRuns([[1e6, 2e6, 30, 4]]);
    assert.deepEqual([[...times], values], [[1, 2, 2], [30, 30, null]]);
    const view = { range: [0, 10], theme: {}, width: 574 };
    const { lengths } = decodeRuns([[1e6, 2e6, 30, 4], [1.1e6, 1.2e6, 30, 9], [5e6, 5e6, 30, 2]]);
    assert.deepEqual(runNames({ lengths }, view).map(({ x, text }) => [x, text]), [[1.1, "×9"]], "the longer where both have no room, and no pair");
});

test("phases are shaded within the range and named where there is room", () => {
    const phases = [{ from: 0, to: 2e6, text: "rest" }, { from: 2e6, to: 2.1e6, text: "trains" }, { from: 2.1e6, to: 9e6, text: "fill" }];
    const view = { range: [1, 11], theme: {}, width: 574 };
    assert.deepEqual(phaseShapes(phases, view).map(({ x0, x1 }) => [x0, x1]), [[1, 2], [2, 2.1], [2.1, 9]]);
    assert.deepEqual(phaseNames(phases, view).map(({ x, text }) => [x, text]), [[1, "rest"], [2.1, "fill"]]);
    assert.deepEqual(phaseShapes(phases, { ...view, range: [10, 11] }), []);
});
