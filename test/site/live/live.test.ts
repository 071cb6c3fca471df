import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { repository } from '#apps/site/folders.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import type { Cluster } from '#lib/cli/shell/context.ts';
import { refOf } from '#lib/kind/names.ts';
import { faultsOf, findChromium, launchChromium, missingTools, violationsOn } from '../browser.ts';
import { LiveDev } from './live-dev.ts';

missingTools('live pages');

const chromium = findChromium();
const pictures = join(repository, 'dist/site/pictures');
/** Time limit of a test, far above its duration: only a test that never ends reaches it. */
const PATIENCE_MS = 120_000;
const WIDTHS = [390, 1280];
const SCHEMES = ['light', 'dark'] as const;

let browser: Browser;
let dev: LiveDev;
let cluster: Cluster;
let state: NonNullable<BrowserContextOptions['storageState']>;
let address: string;

/** Opens the page in the session of the first browser. */
const open = async (options: BrowserContextOptions = {}): Promise<Page> => {
  const viewport = { width: 1280, height: 900 };
  const page = await (await browser.newContext({ viewport, storageState: state, ...options })).newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(address);
  await page.locator('.connection', { hasText: /^Live$/ }).waitFor();
  return page;
};

const WEB = { namespace: 'default', name: 'web' };

const scale = async (replicas: number): Promise<unknown> =>
  cluster.api.patch(refOf(podSet), WEB, { spec: { replicas } }, { type: 'merge', fieldManager: 'kubectl-scale' });

const podsOn = async (page: Page, count: number): Promise<void> => {
  await page.locator('.tree').evaluate(
    (tree, wanted) =>
      new Promise<void>((resolve) => {
        const look = (): void => {
          const rows = [...tree.querySelectorAll('[role=treeitem]')].filter((row) =>
            /Pod web-.*ready$/.test(row.textContent),
          );
          if (rows.length === wanted) resolve();
          else setTimeout(look, 50);
        };
        look();
      }),
    count,
  );
};

describe.skipIf(chromium === undefined)('the live page', () => {
  beforeAll(async () => {
    await mkdir(pictures, { recursive: true });
    browser = await launchChromium(chromium ?? '');
    dev = await LiveDev.start();
    cluster = await dev.connect();
    ({ address, storageState: state } = await dev.openIn(browser));
  });

  // The server allows five open pages.
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
  });

  afterAll(async () => {
    await browser?.close();
    await cluster?.close();
    await dev?.end();
  });

  it('opens by the printed address, whose token then is in no address, and which works once', async () => {
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{16}\/$/);
    const page = await (await browser.newContext()).newPage();
    const answer = await page.goto(dev.urls[0] ?? '');
    expect(answer?.status()).toBe(401);
    expect(await page.locator('body').textContent()).toContain('The terminal of dev has printed a new address');
    expect(dev.urls).toHaveLength(2);
  });

  it('shows what happens in the cluster, with its actor and its fields, without an error', async () => {
    const page = await open();
    const faults = faultsOf(page);
    await podsOn(page, 2);
    await scale(3);
    await podsOn(page, 3);
    const row = page.locator('table.events tr.user-event', { hasText: 'scaled from 2 to 3' });
    expect(await row.textContent()).toContain('user');
    await row.getByRole('button').click();
    expect(await page.locator('section.event').textContent()).toContain('spec.replicas23');
    expect(await page.getByRole('button', { name: 'Live' }).getAttribute('aria-pressed')).toBe('false');
    expect(faults).toEqual([]);
  });

  it('stays at the chosen moment and keeps the focus while the cluster changes, and follows again', async () => {
    const page = await open();
    await podsOn(page, 3);
    await page.locator('body').press('Home');
    const moment = await page.locator('output.moment').textContent();
    const lane = page.getByRole('button', { name: 'PodSet web', exact: true }).first();
    await lane.focus();
    await scale(4);
    await page
      .locator('output.count', { hasText: new RegExp(`^(?!.*of ${/of (\d+)/.exec(moment ?? '')?.[1]} )`) })
      .waitFor();
    expect((await page.locator('output.moment').textContent())?.split(' of ')[0]).toBe(moment?.split(' of ')[0]);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('PodSet web');
    await page.getByRole('button', { name: 'Live' }).click();
    await podsOn(page, 4);
    await scale(2);
    await podsOn(page, 2);
  });

  it('tries a manifest on a copy: shows the plan and the course after it, and writes nothing', async () => {
    const page = await open();
    const faults = faultsOf(page);
    await podsOn(page, 2);
    await page.getByText('Try a change').click();
    await page.getByRole('button', { name: 'Take the selected object' }).click();
    const manifest = page.getByLabel('Manifest (YAML)');
    await expect.poll(() => manifest.inputValue()).toContain('replicas: 2');
    expect(await manifest.inputValue()).not.toMatch(/status:|uid:|managedFields/);
    const edited = (await manifest.inputValue()).replace('replicas: 2', 'replicas: 5');
    await manifest.fill(edited);
    const take = page.getByRole('button', { name: 'Take the selected object' });
    await take.click();
    await page.getByRole('button', { name: 'Keep the text' }).click();
    expect(await manifest.inputValue()).toBe(edited);
    await take.click();
    await page.getByRole('button', { name: 'Replace the text' }).click();
    expect(await manifest.inputValue()).toContain('replicas: 2');
    // A text that comes from an object is replaced without a question.
    await take.click();
    expect(await page.getByRole('button', { name: 'Replace the text' }).count()).toBe(0);
    await manifest.fill(edited);
    await page.getByRole('button', { name: 'Try' }).click();
    await page.getByRole('heading', { name: 'PodSet web: configured' }).waitFor();
    const result = page.locator('.result');
    expect(await result.getByRole('row', { name: 'spec.replicas 2 5' }).count()).toBe(1);
    expect(await result.getByRole('row', { name: /^create Pod web-\w+ Missing/ }).count()).toBe(3);
    await page.screenshot({ path: join(pictures, 'live-tried.png'), fullPage: true });
    await page.locator('output.moment').click();
    await page.keyboard.press('End');
    await podsOn(page, 5);
    expect(await page.locator('table.events tr', { hasText: 'Missing' }).count()).toBe(3);
    await page.getByRole('button', { name: 'Back to the live cluster' }).click();
    await podsOn(page, 2);
    expect(await cluster.api.get(refOf(podSet), WEB)).toMatchObject({ spec: { replicas: 2 } });
    expect(await page.getByRole('button', { name: 'Apply …' }).count()).toBe(0);
    expect(await page.locator('dialog, .commands').count()).toBe(0);
    const statuses = ['prepare', 'confirm'].map(
      (name) => `fetch('${name}', { method: 'POST' }).then(({ status }) => status)`,
    );
    expect(await page.evaluate(`Promise.all([${statuses.join(', ')}])`)).toEqual([404, 404]);
    expect(faults.filter((fault) => !fault.includes('404'))).toEqual([]);
  });

  it('shows the line of a mistake and of a refused field, and no markup of a manifest', async () => {
    const page = await open();
    await page.getByText('Try a change').click();
    const manifest = page.getByLabel('Manifest (YAML)');
    const tried = async (yaml: string): Promise<string> => {
      await manifest.fill(yaml);
      await manifest.press('Control+Enter');
      await page.locator('.problem').waitFor();
      const selected = 'getSelection().toString()';
      return `${await page.locator('.problem').textContent()} | ${String(await page.evaluate(selected))}`;
    };
    expect(await tried('kind: PodSet\nspec: [\n')).toMatch(/^Line 3, column 1: .* \| $/);
    const web = 'apiVersion: app.example.com/v1alpha1\nkind: PodSet\nmetadata:\n  name: web\nspec:\n';
    expect(await tried(`${web}  replicas: -1\n`)).toMatch(
      /^Line 6, column 13: .*greater than or equal to 0.* \| {3}replicas: -1$/,
    );
    expect(await tried(`${web}  replicaz: 1\n`)).toMatch(
      /^Line 6, .*: unknown field "spec.replicaz" \| {3}replicaz: 1$/,
    );
    expect(await tried('apiVersion: a/v1\nkind: <img src=x onerror=1>\nmetadata: { name: x }\n')).toContain(
      '<img src=x',
    );
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Back to the live cluster' }).count()).toBe(0);
  });

  it('says that the connection is lost, and connects again by itself', async () => {
    const page = await open();
    await page.clock.install();
    await page.reload();
    await page.locator('.connection', { hasText: /^Live$/ }).waitFor();
    dev.suspend();
    await page.clock.fastForward(60_000);
    await page.locator('.connection', { hasText: 'The connection is lost.' }).waitFor();
    dev.resume();
    await page.locator('.connection', { hasText: /^Live$/ }).waitFor();
    await scale(3);
    await podsOn(page, 3);
    await scale(2);
    await podsOn(page, 2);
    expect(await page.locator('.connection').textContent()).toBe('Live');
  });

  it.for(WIDTHS.flatMap((width) => SCHEMES.map((colorScheme) => ({ width, colorScheme }))))(
    'fits into $width pixels in $colorScheme, and axe finds nothing',
    async ({ width, colorScheme }) => {
      const viewport = { width, height: width < 700 ? 844 : 1000 };
      const page = await open({ viewport, colorScheme, bypassCSP: true });
      await podsOn(page, 2);
      await page.getByText('Try a change').click();
      await page.getByRole('button', { name: 'Take the selected object' }).click();
      await expect.poll(() => page.getByLabel('Manifest (YAML)').inputValue()).toContain('PodSet');
      await page.getByRole('button', { name: 'Try' }).click();
      await page.getByRole('heading', { name: 'PodSet web: unchanged' }).waitFor();
      await page.screenshot({ path: join(pictures, `live-${width}-${colorScheme}.png`), fullPage: true });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      expect(await violationsOn(page)).toEqual([]);
    },
  );
});
