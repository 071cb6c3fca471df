import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository } from '#apps/site/folders.ts';
import { pageHtml } from '#lib/foresight/page/page-html.ts';
import { largeRun, pageOf, simulatedRun } from '#test/unit/foresight/page/runs.ts';
import { podSetManifest } from '#test/unit/foresight/simulate/stories.ts';
import { faultsOf, findChromium, launchChromium, missingTools, violationsOn } from './browser.ts';

const chromium = findChromium();
const pictures = join(repository, 'dist/site/pictures');

missingTools('report pages');

const WIDTHS = [390, 1280, 1920];
const SCHEMES = ['light', 'dark'] as const;
const script = {
  title: 'Scaled, then a pod is killed',
  changes: [
    { at: '1m', scale: 'PodSet/web', to: 3 },
    { at: '2m', kill: { of: 'PodSet/web' } },
  ],
};

let browser: Browser;
let folder: string;

const urlOf = (name: string): string => pathToFileURL(join(folder, name)).href;

const open = async (name: string, options: BrowserContextOptions = {}, hash = ''): Promise<Page> => {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })).newPage();
  await page.goto(`${urlOf(name)}${hash}`);
  return page;
};

const momentOf = async (page: Page): Promise<string> => (await page.locator('output.moment').textContent()) ?? '';
const moment = (page: Page, text: RegExp): Locator => page.locator('output.moment', { hasText: text });
const eventOf = async (page: Page): Promise<number> => Number(/event (\d+)/.exec(await momentOf(page))?.[1]);
const podsIn = async (page: Page): Promise<number> =>
  page.locator('.tree [role=treeitem]', { hasText: 'Pod web-' }).count();

describe.skipIf(chromium === undefined)('a report page', () => {
  beforeAll(async () => {
    browser = await launchChromium(chromium ?? '');
    folder = await mkdtemp(join(tmpdir(), 'report-'));
    await mkdir(pictures, { recursive: true });
    await writeFile(join(folder, 'run.html'), pageHtml(await simulatedRun([podSetManifest(2)], script)));
    const still = { title: 'Plan', verb: 'plan', facts: ['1 write'], notes: ['a note'] };
    const events = [{ atMs: 0, sort: 'cause', who: 'Pod/web', what: 'waits', why: 'pull the image', isBad: true }];
    await writeFile(join(folder, 'still.html'), pageOf({ ...still, events }));
    await writeFile(join(folder, 'empty.html'), pageOf({}));
    const objects = ['web', 'db'].map((name) => ({ kind: 'PodSet', namespace: 'default', name }));
    const known = { atMs: 0, sort: 'known', who: '', what: 'exists', effect: 'created' } as const;
    const scaled = { atMs: 0, sort: 'change', who: 'user', object: 0, what: 'configured', effect: 'changed' } as const;
    const before = [
      { ...known, object: 0, fields: [['spec.replicas', null, '2']] as const },
      { ...known, object: 1 },
    ];
    await writeFile(join(folder, 'known.html'), pageOf({ objects, events: [...before, scaled] }));
  });

  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('loads from disk without an error and without a request', async () => {
    const page = await (await browser.newContext()).newPage();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    const faults: string[] = [];
    page.on('console', (message) => faults.push(message.text()));
    page.on('pageerror', (error) => faults.push(error.message));
    await page.goto(urlOf('run.html'));
    await page.getByRole('button', { name: 'Play' }).waitFor();
    expect({ requests, faults }).toEqual({ requests: [urlOf('run.html')], faults: [] });
  });

  it('moves by the scrubber, the buttons and the keys', async () => {
    const page = await open('run.html', {}, '#e=0');
    expect([await eventOf(page), await podsIn(page)]).toEqual([0, 0]);
    expect(await page.getByText('No objects exist at this moment.').isVisible()).toBe(true);
    await page.getByRole('slider', { name: 'Moment' }).fill('5000');
    expect(await podsIn(page)).toBe(3);
    const middle = await eventOf(page);
    await page.getByRole('button', { name: 'Next event' }).click();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Shift+ArrowLeft');
    await page.getByRole('button', { name: 'Previous event' }).click();
    expect(await eventOf(page)).toBe(middle + 1 + 1 - 10 - 1);
    await page.getByRole('slider', { name: 'Moment' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await eventOf(page)).toBe(middle - 8);
    await page.keyboard.press('Home');
    expect(await eventOf(page)).toBe(0);
    await page.keyboard.press('End');
    expect(await momentOf(page)).toMatch(/event (\d+) of \1$/);
  });

  it('begins with the objects that exist before the first change', async () => {
    const page = await open('known.html', {}, '#e=0');
    expect(await page.locator('.tree [role=treeitem]').allTextContents()).toEqual(['PodSet web', 'PodSet db']);
    expect(await page.locator('section.object').textContent()).toContain('spec.replicas2');
    await page.keyboard.press('End');
    await page.keyboard.press('Home');
    expect(await eventOf(page)).toBe(2);
  });

  it('plays to the end, and stops when asked', async () => {
    const page = await open('run.html', {}, '#e=0');
    await page.getByRole('combobox', { name: 'Speed of the play' }).selectOption('4');
    await page.getByRole('button', { name: 'Play' }).click();
    await moment(page, /event (?:[6-9]|\d\d)/).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    expect(await page.getByRole('button', { name: 'Play' }).count()).toBe(1);
    await page.locator('body').press('Space');
    expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(1);
    await page.getByRole('button', { name: 'Play' }).waitFor();
    expect(await momentOf(page)).toMatch(/event (\d+) of \1$/);
  });

  it('opens the moment of its address, and keeps the moment in the address', async () => {
    const page = await open('run.html', {}, '#t=0:01:30');
    expect(await momentOf(page)).toMatch(/^0:01:30 /);
    expect(await podsIn(page)).toBe(3);
    await page.evaluate('location.hash = "#t=30000"');
    await moment(page, /^0:00:30/).waitFor();
    expect(await podsIn(page)).toBe(2);
    await page.keyboard.press('Home');
    await page.waitForURL(/#t=0&e=0/);
    await page.goto(`${urlOf('run.html')}#t=-5&e=1e9&o=x`);
    expect(await page.locator('output.moment').count()).toBe(1);
  });

  it('shows the reason, the fields and the cause of a write, and goes to the cause', async () => {
    const page = await open('run.html', {}, '#t=0:00:59');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    const details = page.locator('section.event');
    expect(await details.textContent()).toContain('spec.replicas23');
    await details.locator('dd .link').last().click();
    expect(await details.textContent()).toContain('scaled from 2 to 3');
  });

  it('finds events, and goes from match to match', async () => {
    const page = await open('run.html', {}, '#e=0');
    await page.locator('body').press('/');
    await page.keyboard.type('missing pod');
    expect(await page.locator('output.count').textContent()).toMatch(/^4 of \d+ events$/);
    expect(await page.locator('table.events tbody tr').count()).toBe(4);
    const visited: number[] = [];
    for (let press = 0; press < 5; press += 1) {
      await page.keyboard.press('Enter');
      visited.push(await eventOf(page));
    }
    expect(new Set(visited).size).toBe(4);
    expect(visited[4]).toBe(visited[0]);
    await page.getByLabel('Search').fill('no such words');
    expect(await page.locator('table.events tbody tr').count()).toBe(0);
  });

  it('selects an object in the lanes and in the tree, and shows its conditions and fields', async () => {
    const page = await open('run.html', {}, '#t=0:00:59');
    const object = page.locator('section.object');
    await page.getByRole('group', { name: 'Lanes of objects' }).getByRole('button', { name: 'PodSet web' }).click();
    expect(await object.locator('h2').textContent()).toBe('PodSet web');
    expect(await object.getByRole('row', { name: /^Ready True/ }).count()).toBe(1);
    expect(await object.getByRole('row', { name: 'spec.replicas 2' }).count()).toBe(1);
    await page.getByRole('tree').focus();
    await page.keyboard.press('ArrowDown');
    expect(await page.locator('[role=treeitem][aria-selected=true]').count()).toBe(1);
    expect(await object.locator('h2').textContent()).not.toBe('PodSet web');
    const strip = page.locator('.strip').first();
    const box = await strip.boundingBox();
    await strip.click({ position: { x: (box?.width ?? 0) / 2, y: 5 } });
    expect(await podsIn(page)).toBe(3);
    const lane = page.locator('.lane-name').first();
    await lane.focus();
    await page.keyboard.press('ArrowDown');
    expect(await page.evaluate('document.activeElement.dataset.lane')).toBe('1');
  });

  it('shows a table of all events without JavaScript', async () => {
    const page = await open('run.html', { javaScriptEnabled: false });
    const rows = page.getByRole('table', { name: 'All events, in order' }).getByRole('row');
    expect(await rows.count()).toBeGreaterThan(20);
    expect(await rows.filter({ hasText: 'scaled from 2 to 3' }).count()).toBe(1);
    await page.screenshot({ path: join(pictures, 'report-no-script.png') });
  });

  it('prints all events', async () => {
    const page = await open('run.html');
    const pdf = await page.pdf({ format: 'A4', path: join(pictures, 'report.pdf') });
    expect(pdf.length).toBeGreaterThan(10_000);
    await page.evaluate('dispatchEvent(new Event("beforeprint"))');
    const total = Number(/of (\d+)$/.exec(await momentOf(page))?.[1]);
    expect(await page.locator('table.events tbody tr').count()).toBe(total);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.scrubber').isVisible()).toBe(false);
  });

  it('runs no script of a hostile name', async () => {
    const name = '</script><img src=x onerror="document.title=1"><script>document.title=2</script>';
    const event = { atMs: 0, sort: 'write', who: name, object: 0, what: name, why: name, effect: 'created' as const };
    const fields = [[name, name, name]] as const;
    const objects = [{ kind: name, name }];
    await writeFile(join(folder, 'bad.html'), pageOf({ title: name, objects, events: [{ ...event, fields }] }));
    for (const javaScriptEnabled of [true, false]) {
      const page = await open('bad.html', { javaScriptEnabled });
      expect(await page.title()).toBe(`${name} · simulate`);
      expect(await page.locator('img').count()).toBe(0);
      expect(await page.locator('h1').textContent()).toBe(name);
    }
  });

  it.for(WIDTHS.flatMap((width) => SCHEMES.map((colorScheme) => ({ width, colorScheme }))))(
    'fits into $width pixels in $colorScheme, and axe finds nothing',
    async ({ width, colorScheme }) => {
      for (const name of ['run', 'still', 'empty']) {
        const viewport = { width, height: width < 700 ? 844 : 1000 };
        const page = await open(`${name}.html`, { viewport, colorScheme, bypassCSP: true }, '#t=0:01:05');
        await page.screenshot({ path: join(pictures, `report-${name}-${width}-${colorScheme}.png`), fullPage: true });
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        const violations = await violationsOn(page);
        expect({ name, violations }).toEqual({ name, violations: [] });
      }
    },
  );

  it.for([1000, 10_000])('draws only what is visible of %s events', async (count) => {
    await writeFile(join(folder, 'large.html'), pageHtml(largeRun(count)));
    const page = await open('large.html');
    const faults = faultsOf(page);
    await page.getByRole('slider', { name: 'Moment' }).fill('7000');
    expect(await eventOf(page)).toBe(count * 0.7 + 1);
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(3000);
    expect(faults).toEqual([]);
  });
});
