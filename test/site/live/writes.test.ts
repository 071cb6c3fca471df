import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { repository } from '#apps/site/folders.ts';
import { canaryRollout } from '#constructs/canary-rollout/kind.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import type { Cluster } from '#lib/cli/shell/context.ts';
import { refOf } from '#lib/kind/names.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { faultsOf, findChromium, launchChromium, violationsOn } from '../browser.ts';
import { LiveDev } from './live-dev.ts';

const chromium = findChromium();
const pictures = join(repository, 'dist/site/pictures');

const ROLLOUT = `apiVersion: deploy.example.com/v1alpha1
kind: CanaryRollout
metadata:
  name: shop
spec:
  replicas: 2
  template:
    spec:
      containers:
        - name: shop
          image: nginx:1.28
  steps:
    - percent: 50
      pause: true
    - percent: 100
`;

/** Time limit of a test, far above its duration: only a test that never ends reaches it. */
const PATIENCE_MS = 120_000;

const SHOP = { namespace: 'default', name: 'shop' };
const WEB = { namespace: 'default', name: 'web' };

let browser: Browser;
let dev: LiveDev;
let cluster: Cluster;
let opened: Awaited<ReturnType<LiveDev['openIn']>>;

const open = async (colorScheme: 'light' | 'dark' = 'light', width = 1280): Promise<Page> => {
  const { storageState, address } = opened;
  const viewport = { width, height: 900 };
  const page = await (await browser.newContext({ viewport, storageState, colorScheme, bypassCSP: true })).newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(address);
  await page.locator('.connection', { hasText: /^Live$/ }).waitFor();
  return page;
};

const tried = async (page: Page, yaml: string): Promise<void> => {
  await page.getByText('Try a change').click();
  await page.getByLabel('Manifest (YAML)').fill(yaml);
  await page.getByRole('button', { name: 'Try' }).click();
  await page.getByRole('button', { name: 'Apply …' }).click();
};

describe.skipIf(chromium === undefined)('the live page with --write', () => {
  beforeAll(async () => {
    await mkdir(pictures, { recursive: true });
    browser = await launchChromium(chromium ?? '');
    dev = await LiveDev.start(['--write']);
    cluster = await dev.connect();
    opened = await dev.openIn(browser);
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

  it('applies a tried change after it has shown what is written', async () => {
    const page = await open();
    const faults = faultsOf(page);
    await tried(
      page,
      'apiVersion: app.example.com/v1alpha1\nkind: PodSet\nmetadata: { name: web }\nspec: { replicas: 3 }\n',
    );
    const dialog = page.getByRole('dialog', { name: 'Apply the tried change' });
    const text = await dialog.getByRole('region', { name: 'What is written to PodSet web' }).textContent();
    expect(text).toBe('apiVersion: app.example.com/v1alpha1\nkind: PodSet\nspec:\n  replicas: 3\n');
    expect(await cluster.api.get(refOf(podSet), WEB)).toMatchObject({ spec: { replicas: 2 } });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Apply …' }).click();
    await dialog.getByRole('button', { name: 'Write this' }).click();
    await dialog.getByText('PodSet web is changed').waitFor();
    expect(await cluster.api.get(refOf(podSet), WEB)).toMatchObject({ spec: { replicas: 3 } });
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Back to the live cluster' }).click();
    await page.locator('table.events tr.user-event', { hasText: 'scaled from 2 to 3' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('Controls leaves keys alone when a dialog is open', async () => {
    const page = await open();
    await tried(
      page,
      'apiVersion: app.example.com/v1alpha1\nkind: PodSet\nmetadata: { name: web }\nspec: { replicas: 5 }\n',
    );
    const dialog = page.getByRole('dialog', { name: 'Apply the tried change' });
    await dialog.getByRole('region', { name: 'What is written to PodSet web' }).focus();
    const moment = await page.locator('output.moment').textContent();
    for (const key of ['Home', 'ArrowRight', '/']) await page.keyboard.press(key);
    expect(await page.locator('output.moment').textContent()).toBe(moment);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  it('ignores the late answers of a dialog that was closed', async () => {
    const page = await open();
    const late = { prepare: Promise.withResolvers<void>(), confirm: Promise.withResolvers<void>() };
    const held = new Set<string>();
    const answered: string[] = [];
    await page.route(/\/(prepare|confirm)$/, async (route) => {
      const name = route.request().url().endsWith('prepare') ? 'prepare' : 'confirm';
      if (held.has(name)) return route.continue();
      held.add(name);
      await late[name].promise;
      await route.fulfill({ json: { problem: { message: `late answer to ${name}` } } });
      answered.push(name);
    });
    await tried(
      page,
      'apiVersion: app.example.com/v1alpha1\nkind: PodSet\nmetadata: { name: web }\nspec: { replicas: 4 }\n',
    );
    await page
      .getByRole('button', { name: 'Cancel' })
      .or(page.getByRole('button', { name: 'Close' }))
      .click();
    await page.getByRole('button', { name: 'Apply …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Apply the tried change' });
    await dialog.getByRole('button', { name: 'Write this' }).click();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Apply …' }).click();
    await dialog.getByRole('button', { name: 'Write this' }).waitFor();
    for (const { resolve } of Object.values(late)) resolve();
    await waitFor('the late answers', async () => answered.length === 2);
    // The page handles answers in order, so all late answers have arrived before the answer to this request.
    await page.evaluate("fetch('manifest', { method: 'POST' }).then((response) => response.text())");
    expect(await page.getByText('late answer').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  it('offers a write again that could not be confirmed because the worker was busy', async () => {
    const page = await open();
    const problem = { message: 'Another trial or command is still running', mayConfirm: true };
    await page.route(/\/confirm$/, async (route) => route.fulfill({ json: { problem } }), { times: 1 });
    await tried(
      page,
      'apiVersion: app.example.com/v1alpha1\nkind: PodSet\nmetadata: { name: web }\nspec: { replicas: 4 }\n',
    );
    const dialog = page.getByRole('dialog', { name: 'Apply the tried change' });
    await dialog.getByRole('button', { name: 'Write this' }).click();
    await dialog.getByText(problem.message).waitFor();
    await dialog.getByRole('button', { name: 'Write this' }).click();
    await dialog.getByText('PodSet web is changed').waitFor();
    expect(await cluster.api.get(refOf(podSet), WEB)).toMatchObject({ spec: { replicas: 4 } });
    await dialog.getByRole('button', { name: 'Close' }).click();
  });

  it('steers the rollout of the selected object, and says why a command is refused', async () => {
    const page = await open();
    await tried(page, ROLLOUT);
    await page.getByRole('button', { name: 'Write this' }).click();
    await page.getByText('CanaryRollout shop is created').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Back to the live cluster' }).click();
    const commands = page.getByRole('region', { name: 'Rollout of CanaryRollout shop' });
    await page.locator('.tree [role=treeitem]', { hasText: 'PodSet web' }).click();
    expect(await commands.count()).toBe(0);
    await page.locator('.tree [role=treeitem]', { hasText: 'CanaryRollout shop' }).click();
    await commands.getByRole('button', { name: 'Retry' }).click();
    await page
      .getByRole('dialog', { name: 'This cannot be written' })
      .locator('.problem', { hasText: 'Cannot retry' })
      .waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await commands.getByRole('button', { name: 'Pause' }).click();
    const dialog = page.getByRole('dialog', { name: 'Pause: CanaryRollout shop' });
    expect(await dialog.locator('pre').textContent()).toBe('spec:\n  paused: true\n');
    await dialog.getByRole('button', { name: 'Write this' }).click();
    await dialog.getByText('CanaryRollout/shop is paused').waitFor();
    expect(await cluster.api.get(refOf(canaryRollout), SHOP)).toMatchObject({ spec: { paused: true } });
  });

  it.for([
    [390, 'dark'],
    [1280, 'light'],
  ] as const)('axe finds nothing in the dialog, with %s pixels in %s', async ([width, colorScheme]) => {
    const page = await open(colorScheme, width);
    await page.locator('.tree [role=treeitem]', { hasText: 'CanaryRollout shop' }).click();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Write this' }).waitFor();
    await page.screenshot({ path: join(pictures, `live-write-${width}-${colorScheme}.png`) });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await violationsOn(page)).toEqual([]);
  });
});
