import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repository } from '#apps/site/folders.ts';
import { findChromium, launchChromium } from './browser.ts';

/** Makes the pictures of the report page in the README, light and dark, from a simulation. */
const RUN = ['simulate', 'test/manifests/deployer.yaml', '--script', 'test/examples/simulate/classic-canary.yaml'];

const chromium = findChromium();
if (chromium === undefined)
  throw new Error('The pictures need Chromium: install chromium, or set CHROMIUM to its path');
const folder = await mkdtemp(join(tmpdir(), 'report-pictures-'));
const browser = await launchChromium(chromium);
try {
  const file = join(folder, 'page.html');
  execFileSync(process.execPath, ['lib/cli/main.ts', ...RUN, '--report', file], { cwd: repository, stdio: 'ignore' });
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, colorScheme });
    const page = await context.newPage();
    await page.goto(`${pathToFileURL(file).href}#t=0:01:41&o=0`);
    await page.screenshot({ path: join(repository, `docs/pictures/report-${colorScheme}.png`) });
  }
} finally {
  await browser.close();
  await rm(folder, { recursive: true, force: true });
}
