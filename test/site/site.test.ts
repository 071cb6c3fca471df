import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository, siteFolders } from '#apps/site/folders.ts';
import { titleOf } from '#apps/site/markdown.ts';
import { addressOf, pagesOf } from '#apps/site/pages.ts';
import { serveFolder } from '#apps/site/serve.ts';
import { faultsOf, findChromium, launchChromium } from './browser.ts';

const chromium = findChromium();
const pictures = join(repository, 'dist/site/pictures');

if (chromium === undefined) {
  const reason = 'NO CHROMIUM: the site is not looked at. Install chromium, or set CHROMIUM to its path.';
  if (process.env['CI'] !== undefined) throw new Error(reason);
  process.stderr.write(`\n!!! ${reason}\n`);
}

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 900 };

let server: Server;
let browser: Browser;
let site: string;

const open = async (viewport: { width: number; height: number }, colorScheme: 'light' | 'dark'): Promise<Page> => {
  const context = await browser.newContext({ viewport, colorScheme, baseURL: site });
  return context.newPage();
};

const widthOf = async (page: Page): Promise<number> => page.evaluate('document.documentElement.scrollWidth');

const backgroundOf = async (page: Page): Promise<string> =>
  page.evaluate('getComputedStyle(document.body).backgroundColor');

describe.skipIf(chromium === undefined)('the documentation site', () => {
  beforeAll(async () => {
    // The environment of a shell, because the variables that vitest sets would change the site.
    const env = { ...process.env, NODE_ENV: 'production' };
    await promisify(execFile)(process.execPath, ['apps/site.ts', '--build'], { cwd: repository, env });
    server = await serveFolder(siteFolders.html, 0);
    site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await launchChromium(chromium ?? '');
    await mkdir(pictures, { recursive: true });
  });

  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  it('shows every page without an error, fits it into a phone and a desk, and asks no other host', async () => {
    const page = await open(DESK, 'light');
    const faults = faultsOf(page);
    const tooWide: string[] = [];
    for (const source of pagesOf(repository)) {
      await page.goto(addressOf(source), { waitUntil: 'networkidle' });
      const title = titleOf(await readFile(join(repository, source), 'utf8'));
      expect((await page.locator('main h1').first().textContent())?.replaceAll('\u200b', '').trim()).toBe(title);
      for (const viewport of [PHONE, DESK]) {
        await page.setViewportSize(viewport);
        if ((await widthOf(page)) > viewport.width) tooWide.push(`${source} at ${viewport.width}`);
      }
    }
    expect({ faults, tooWide }).toEqual({ faults: [], tooWide: [] });
  });

  it.for([
    { name: 'phone', viewport: PHONE, scheme: 'light' },
    { name: 'phone', viewport: PHONE, scheme: 'dark' },
    { name: 'desk', viewport: DESK, scheme: 'light' },
    { name: 'desk', viewport: DESK, scheme: 'dark' },
  ] as const)('is $scheme where the system of a $name is', async ({ name, viewport, scheme }) => {
    const page = await open(viewport, scheme);
    for (const address of ['', 'kinds/pod-set', 'api/']) {
      await page.goto(`/${address}`, { waitUntil: 'networkidle' });
      const file = `${name}-${scheme}-${address.replaceAll('/', '-') || 'index'}.png`;
      await page.screenshot({ path: join(pictures, file) });
    }
    expect(await backgroundOf(page)).toBe(scheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(27, 27, 31)');
  });

  it('leads from page to page by the sidebar, and by links of the text', async () => {
    const page = await open(DESK, 'light');
    await page.goto('/');
    await page.locator('.VPSidebar').getByRole('link', { name: 'Troubleshooting' }).click();
    await page.waitForURL('**/troubleshooting');
    await page.locator('main').getByRole('link', { name: 'reconcile.config.ts' }).first().click();
    await page.waitForURL('**/cli#which-kinds');
    await page.locator('#which-kinds').waitFor();
    expect(await page.locator('#which-kinds').textContent()).toContain('Which kinds');
  });

  it('finds a page by its words', async () => {
    const page = await open(DESK, 'light');
    await page.goto('/', { waitUntil: 'networkidle' });
    await page.keyboard.press('Control+k');
    await page.locator('.VPLocalSearchBox input').fill('PruneNeedsConsent');
    await page.locator('.VPLocalSearchBox .result').first().waitFor();
    await page.screenshot({ path: join(pictures, 'desk-light-search.png') });
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname !== '/');
    const found = page.locator('main', { hasText: 'PruneNeedsConsent' });
    await found.waitFor();
    expect(await found.count()).toBe(1);
  });

  it.for(['defineKind', 'Operator', 'run', 'simulate'])('has a reference of %s', async (name) => {
    const page = await open(DESK, 'light');
    await page.goto('/api/', { waitUntil: 'networkidle' });
    const link = page.locator('.VPSidebar a', { hasText: new RegExp(`^${name}$`) }).first();
    await page.goto((await link.getAttribute('href')) ?? '/nowhere');
    expect(await page.locator('main h1').first().textContent()).toContain(name);
  });

  it('lists each entry point once, under the name of its import', async () => {
    const page = await open(DESK, 'light');
    await page.goto('/api/', { waitUntil: 'networkidle' });
    expect(await page.locator('.VPSidebar .VPSidebarItem.level-0 > .item').allTextContents()).toEqual([
      'Reference',
      'cdk8s-reconcile',
      'cdk8s-reconcile/constructs',
      'cdk8s-reconcile/runtime',
      'cdk8s-reconcile/testing',
    ]);
  });

  it('answers an unknown address with 404, and programs with text', async () => {
    expect((await fetch(`${site}/nowhere`)).status).toBe(404);
    expect((await fetch(`${site}/..%2f..%2fpackage.json`)).status).toBe(404);
    const index = await (await fetch(`${site}/llms.txt`)).text();
    const [, tutorial = ''] = /\((\/tutorial\.md)\)/.exec(index) ?? [];
    expect(await (await fetch(`${site}${tutorial}`)).text()).toContain('# Tutorial: a kind of your own');
  });
});
