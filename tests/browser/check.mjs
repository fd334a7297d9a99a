// What a person does with a report page, on a desk and on a telephone, in light and in dark: it must draw, zoom,
// stay within the screen, load nothing, complain about nothing, and be usable without a mouse.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const pictures = process.env.PICTURES;
if (pictures) mkdirSync(pictures, { recursive: true });

const SCREENS = [
    { name: "desk", viewport: { width: 1280, height: 900 } },
    { name: "telephone", viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
];

const SCHEMES = process.env.SCHEMES?.split(",") ?? ["light", "dark"];

/** The page, scrolled through once so that every chart is drawn. */
async function open(context, file, complaints) {
    const page = await context.newPage();
    page.on("console", (message) => complaints.push(`console ${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
    page.on("request", (request) => {
        if (request.url() !== pathToFileURL(file).href) complaints.push(`request: ${request.url()}`);
    });
    await page.goto(pathToFileURL(file).href);
    await page.waitForSelector("#toolbar:not([hidden])", { timeout: 60_000 });
    for (const figure of await page.locator("#charts figure").all()) {
        await figure.scrollIntoViewIfNeeded();
        await figure.locator(".main-svg, .none:not([hidden])").first().waitFor();
    }
    return page;
}

const range = (page) => page.textContent("#range");

/** What was shown before is not shown any more after `act`, and the whole run is again after Home. */
async function changesTime(page, what, act) {
    const before = await range(page);
    await act();
    for (let tries = 0; tries < 30 && (await range(page)) === before; tries += 1) await page.waitForTimeout(100);
    assert.notEqual(await range(page), before, `${what} changes nothing`);
    await page.click("[data-act=all]");
    assert.equal(await range(page), before, `All does not undo ${what}`);
}

async function drag(page, plot, from, to) {
    const { x, y, width, height } = await plot.boundingBox();
    await page.mouse.move(x + width * from, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width * to, y + height / 2, { steps: 6 });
    await page.mouse.up();
}

/** Fingers at these shares of the plot's width move to those. */
async function touch(page, plot, from, to) {
    const { x, y, width, height } = await plot.boundingBox();
    const client = await page.context().newCDPSession(page);
    const send = (type, shares) => {
        const touchPoints = shares.map((share, id) => ({ x: x + width * share, y: y + height / 2, id }));
        return client.send("Input.dispatchTouchEvent", { type, touchPoints });
    };
    for (let count = 1; count <= from.length; count += 1) await send("touchStart", from.slice(0, count));
    for (let step = 1; step <= 6; step += 1) {
        await page.waitForTimeout(30);
        await send("touchMove", from.map((share, index) => share + ((to[index] - share) * step) / 6));
    }
    await send("touchEnd", []);
    await page.waitForTimeout(100);
}

/** A plot that is drawn, in the middle of the screen. */
async function plotInView(page) {
    const plot = page.locator(".plot:not([hidden])").first();
    await plot.evaluate((element) => element.scrollIntoView({ block: "center" }));
    await page.waitForTimeout(300);
    return plot;
}

async function zooms(page, isTouch) {
    const plot = await plotInView(page);
    await changesTime(page, "the button +", () => page.click("[data-act=in]"));
    await changesTime(page, "the key +", () => plot.press("+"));
    if (isTouch) {
        await changesTime(page, "a pinch", () => touch(page, plot, [0.45, 0.55], [0.2, 0.8]));
        const all = await range(page);
        await page.click("[data-act=in]");
        await touch(page, plot, [0.5], [0.5]);
        await touch(page, plot, [0.5], [0.5]);
        await page.waitForTimeout(300);
        assert.equal(await range(page), all, "a double tap does not show all");
    } else {
        await changesTime(page, "a drag", () => drag(page, plot, 0.3, 0.6));
        await page.mouse.move(0, 0);
        const { x, y, width, height } = await plot.boundingBox();
        await page.mouse.move(x + width / 2, y + height / 2);
        assert.ok(await page.locator(".readout").isVisible(), "the pointer reads nothing out");
        await page.mouse.move(0, 0);
    }
}

/** A path that is switched off takes its lines with it. */
async function switches(page) {
    await plotInView(page);
    const chip = page.locator("#chips button").first();
    const lines = () => page.locator(".plot").first().evaluate((plot) => (plot.checkVisibility() ? (plot.data?.length ?? 0) : 0));
    const before = await lines();
    await chip.click();
    await page.waitForTimeout(300);
    assert.equal(await chip.getAttribute("aria-pressed"), "false");
    assert.ok((await lines()) < before, "a hidden path is still drawn");
    await chip.click();
    await page.waitForTimeout(300);
    assert.equal(await lines(), before);
}

/** Every flow can be chosen, and then every chart draws or says why not. */
async function choosesFlows(page) {
    const select = page.locator("#flow select");
    if (!(await select.isVisible())) return;
    for (const option of await select.locator("option").all()) {
        await select.selectOption(await option.getAttribute("value"));
        await page.waitForTimeout(200);
        for (const figure of await page.locator("#charts figure").all()) {
            await figure.scrollIntoViewIfNeeded();
            await figure.locator(".plot:not([hidden]) .main-svg, .none:not([hidden])").first().waitFor();
        }
    }
    await select.selectOption("0");
}

async function fitsScreen(page) {
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(over <= 0, `the page is ${over} pixels too wide`);
    const wide = await page.locator(".scroll:has(table.cards)").evaluateAll((regions) =>
        regions.filter((region) => innerWidth < 620 && region.scrollWidth > region.clientWidth).map((region) => region.ariaLabel),
    );
    assert.deepEqual(wide, [], "tables of which a telephone shows a part");
    const small = await page.locator("button:visible, select:visible, summary:visible").evaluateAll((elements) =>
        elements.filter((element) => {
            const { width, height } = element.getBoundingClientRect();
            return width < 44 || height < 44;
        }).map((element) => element.outerHTML),
    );
    assert.deepEqual(small, [], "too small for a finger");
}

/** A page of a mesh has a map with all stations, and bars of who sent when: shares from afar, frames from near. */
async function showsStations(page) {
    if ((await page.locator("#stations").count()) === 0) return;
    const stations = await page.locator(".map").first().locator("circle.station").count();
    assert.ok(stations > 1, "the map has no stations");
    assert.equal(await page.locator(".map").first().locator("text").count(), stations, "a station has no name");
    const plot = page.locator("#charts figure", { hasText: "Air time of the stations" }).locator(".plot");
    await plot.scrollIntoViewIfNeeded();
    const bars = () => plot.evaluate(({ data }) => data.reduce((sum, { x, type }) => sum + (type === "bar" ? x.length : 0), 0));
    await plot.locator(".main-svg").first().waitFor();
    assert.ok((await bars()) > 10, "no path sent");
    const widest = () => plot.evaluate(({ data }) => Math.max(...data.flatMap(({ width }) => width)));
    const afar = await widest();
    await plot.evaluate((element) => globalThis.Plotly.relayout(element, { "xaxis.range": [0.5, 0.6] }));
    await page.waitForTimeout(500);
    assert.ok((await bars()) > 3 && (await widest()) < 0.02 && (await widest()) < afar, "single frames are not drawn");
    if (pictures) await plot.screenshot({ path: join(pictures, "frames.png") });
    await page.click("[data-act=all]");
    await page.waitForTimeout(300);
}

/** A page of a measurement has a map instead of flows. */
async function isMeasurement(page) {
    return (await page.locator(".paths svg").count()) > 0;
}

/** A page of a measurement draws each path once, and for each shown one and direction the delay, the phases and the losses. */
async function showsPaths(page) {
    if (!(await isMeasurement(page))) return;
    const names = await page.locator(".paths text.name").count();
    assert.ok(names > 0 && names === (await page.locator(".paths g").count()), "a path has no name");
    const shown = await page.locator("#chips button").count();
    assert.equal(await page.locator("#charts figure").count(), 4 * shown);
    const first = page.locator(".plot").first();
    const { looks, phases, rectangles } = await first.evaluate(({ data, layout }) => ({
        looks: data.map(({ look }) => look),
        phases: layout.annotations.map(({ text }) => text),
        rectangles: layout.shapes.filter(({ type }) => type === "rect").length,
    }));
    assert.ok(["plain", "lost", "marked"].every((look) => looks.includes(look)), `only ${looks}`);
    assert.ok(phases.includes("fill") && phases.includes("together") && rectangles > 3, `phases ${phases}`);
}

/** The first words answer what was carried, and the rate chart has its capacity where the rates of links are known. */
async function answersFirst(page) {
    if (await isMeasurement(page)) return;
    const words = await page.textContent(".headline");
    assert.match(words, /carried|Nothing was delivered/, `no answer in ${words}`);
    const names = await page.locator(".plot").first().evaluate(({ data }) => data?.map(({ name }) => name) ?? []);
    const isKnown = /of (its|their) [0-9.]+ .?bit/.test(words);
    if (isKnown) assert.ok(names.includes("capacity"), `no capacity among ${names}`);
}

/** Paths are stacked and have strips, and what the page says is shaded is. */
async function drawsWhatItSays(page) {
    if (await isMeasurement(page)) return;
    const chart = (title) => page.locator("#charts figure", { has: page.locator("h3", { hasText: new RegExp(`^${title}$`) }) }).locator(".plot");
    const stacked = await chart("Rate").evaluate(({ data }) => data?.filter(({ stackgroup }) => stackgroup).length ?? 0);
    const paths = await page.locator("#chips button").count();
    assert.ok(stacked >= Math.min(1, paths) && stacked <= paths, `${stacked} areas of ${paths} paths`);
    const strips = await chart("Sequence numbers").evaluate(({ layout }) => layout?.yaxis.ticktext?.length ?? 0);
    assert.ok(strips === 0 || (strips > 1 && strips <= paths), `${strips} strips of ${paths} paths`);
    const isShaded = (await page.textContent("#hint")).includes("Shaded");
    const shaded = await chart("Rate").evaluate(({ layout }) => layout?.shapes.filter(({ type }) => type === "rect").length ?? 0);
    assert.equal(shaded > 0, isShaded);
    const flows = await page.locator("#flow option").count();
    assert.equal(await chart("Rates of all flows").count(), flows > 1 ? 1 : 0);
    if (flows > 1) {
        const areas = await chart("Rates of all flows").evaluate(({ data }) => data.filter(({ stackgroup }) => stackgroup).length);
        assert.ok(areas > 1 && areas <= flows, `${areas} areas of ${flows} flows`);
    }
}

async function isAccessible(page) {
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    const told = violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`));
    assert.deepEqual(told, []);
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
for (const file of process.argv.slice(2).map((name) => resolve(name))) {
    for (const { name, ...screen } of SCREENS) {
        for (const colorScheme of SCHEMES) {
            const complaints = [];
            const context = await browser.newContext({ ...screen, colorScheme });
            const page = await open(context, file, complaints);
            await fitsScreen(page);
            await answersFirst(page);
            await drawsWhatItSays(page);
            await isAccessible(page);
            await zooms(page, screen.hasTouch);
            await switches(page);
            await choosesFlows(page);
            await showsStations(page);
            await showsPaths(page);
            if (pictures) {
                await page.evaluate(() => scrollTo(0, 0));
                await page.screenshot({ path: join(pictures, `${basename(file, ".html")}-${name}-${colorScheme}.png`), fullPage: true });
            }
            assert.deepEqual(complaints, []);
            await context.close();
            console.log(`${basename(file)}: good on a ${name}, ${colorScheme}`);
        }
    }
}
await browser.close();
