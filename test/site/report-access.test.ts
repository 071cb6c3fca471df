import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageHtml } from '#lib/foresight/page/page-html.ts';
import { largeRun, pageOf } from '#test/unit/foresight/page/runs.ts';
import { findChromium, launchChromium } from './browser.ts';

const chromium = findChromium();
const EVENTS = 2100;
const LONG = 'x'.repeat(400);

let browser: Browser;
let folder: string;

const open = async (name: string, hash = ''): Promise<Page> => {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  await page.goto(`${pathToFileURL(join(folder, name)).href}${hash}`);
  return page;
};

const numberOf = async (page: Page, selector: string): Promise<number> => page.locator(selector).count();
const momentOf = async (page: Page): Promise<string> => (await page.locator('output.moment').textContent()) ?? '';
const captionOf = async (page: Page): Promise<string | null> => page.locator('table.events caption').textContent();
const focusOf = async (page: Page): Promise<unknown> => page.evaluate('document.activeElement.ariaLabel');

/** Calls the listeners for the begin or for the end of a print. */
const announce = async (page: Page, type: 'beforeprint' | 'afterprint'): Promise<unknown> =>
  page.evaluate(`dispatchEvent(new Event("${type}"))`);

describe.skipIf(chromium === undefined)('a report page', () => {
  beforeAll(async () => {
    browser = await launchChromium(chromium ?? '');
    folder = await mkdtemp(join(tmpdir(), 'report-'));
    await writeFile(join(folder, 'large.html'), pageHtml(largeRun(EVENTS)));
    const event = { atMs: 0, sort: 'write', who: 'user', what: 'changed', object: 0, effect: 'changed' } as const;
    const events = [1, 2, 3].map((number) => ({ ...event, fields: [[`spec.${number}`, null, LONG]] as const }));
    await writeFile(join(folder, 'fields.html'), pageOf({ objects: [{ kind: 'Pod', name: 'a' }], events }));
  });

  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('VirtualRows.draw() makes all rows when the page is printed', async () => {
    const page = await open('large.html', '#e=1500');
    const total = largeRun(EVENTS).objects.length;
    const drawn = await numberOf(page, '.lane');
    expect(drawn).toBeLessThan(total);
    await announce(page, 'beforeprint');
    expect(await numberOf(page, '.lane')).toBe(total);
    expect(await numberOf(page, '.row')).toBeGreaterThan(drawn);
    await page.emulateMedia({ media: 'print' });
    // Rows in the flow of the page are not divided between two sheets.
    const heights = 'document.querySelector(".space").offsetHeight / document.querySelector(".lane").offsetHeight';
    expect(await page.evaluate(heights)).toBe(total);
    expect(await page.evaluate('getComputedStyle(document.querySelector(".lane")).position')).toBe('static');
    await page.emulateMedia({ media: 'screen' });
    await announce(page, 'afterprint');
    expect(await numberOf(page, '.lane')).toBe(drawn);
  });

  it('EventTable names the omitted events when the page is printed', async () => {
    const page = await open('large.html', '#e=0');
    await page.emulateMedia({ media: 'print' });
    await announce(page, 'beforeprint');
    expect(await captionOf(page)).toBe(`Events: the first 2000 of ${EVENTS}`);
    expect(await page.locator('table.events caption').isVisible()).toBe(true);
    expect(await numberOf(page, 'table.events tbody tr')).toBe(2000);
    await announce(page, 'afterprint');
    expect(await captionOf(page)).toBe('Events');
    await page.emulateMedia({ media: 'screen' });
    await page.getByLabel('Search').fill('gone');
    await announce(page, 'beforeprint');
    expect(await captionOf(page)).toBe('Events that match “gone”');
  });

  it('Controls leaves a key alone when the key scrolls the box with the focus', async () => {
    const page = await open('large.html', '#e=1000');
    const box = page.getByRole('region', { name: 'Table of events' });
    const moment = await momentOf(page);
    await box.focus();
    for (const key of ['Home', 'End', 'Space']) await page.keyboard.press(key);
    expect(await momentOf(page)).toBe(moment);
    await page.getByRole('button', { name: 'Play' }).waitFor();
    await box.locator('table').evaluate((table) => table.style.setProperty('width', '3000px'));
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => box.evaluate((node) => node.scrollLeft)).toBeGreaterThan(0);
    expect(await momentOf(page)).toBe(moment);
  });

  it('EventPanel keeps the focus of its box when a key goes to another event', async () => {
    const page = await open('fields.html', '#e=1');
    await page.getByRole('region', { name: 'Changed fields' }).focus();
    await page.keyboard.press('ArrowRight');
    expect([await momentOf(page), await focusOf(page)]).toEqual(['event 2 of 3', 'Changed fields']);
  });

  it('Controls reads out no moment while the run plays', async () => {
    const page = await open('large.html', '#e=0');
    const live = (): Promise<string | null> => page.locator('output.moment').getAttribute('aria-live');
    expect(await live()).toBe('polite');
    await page.getByRole('button', { name: 'Play' }).click();
    expect(await live()).toBe('off');
    await page.getByRole('button', { name: 'Pause' }).click();
    expect(await live()).toBe('polite');
  });

  it('ObjectTree counts the rows below each owner', async () => {
    const page = await open('large.html', '#e=1500');
    const places = await page
      .locator('[role=treeitem]')
      .evaluateAll((rows) => rows.slice(0, 3).map((row) => `${row.ariaLevel} ${row.ariaPosInSet}/${row.ariaSetSize}`));
    const pods = Number(await page.evaluate('document.querySelector(".tree .space").offsetHeight / 30 - 1'));
    expect(pods).toBeGreaterThan(50);
    expect(places).toEqual(['1 1/1', `2 1/${pods}`, `2 2/${pods}`]);
  });
});
