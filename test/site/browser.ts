import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { type Browser, type ConsoleMessage, chromium, type Page, type Request } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The Chromium of this machine: `CHROMIUM`, or the first on the path; playwright-core includes none. */
export const findChromium = (): string | undefined => {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const candidates = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return process.env['CHROMIUM'] ?? candidates.find((path) => existsSync(path));
};

/** Starts Chromium. Its sandbox does not work as root, and only pages of this machine are opened. */
export const launchChromium = async (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 });

/** Errors on a page while it was open. */
export const faultsOf = (page: Page): readonly string[] => {
  const faults: string[] = [];
  const onConsole = (message: ConsoleMessage): void => {
    if (['error', 'warning'].includes(message.type())) faults.push(`${page.url()}: ${message.text()}`);
  };
  const onRequest = (request: Request): void => {
    if (new URL(request.url()).hostname !== '127.0.0.1') faults.push(`${page.url()} asks ${request.url()}`);
  };
  page.on('console', onConsole);
  page.on('request', onRequest);
  page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`));
  return faults;
};

/** The accessibility checker axe-core: `AXE` is the path of its file, if it is not installed. */
const findAxe = (): string | undefined => {
  const { AXE } = process.env;
  if (AXE !== undefined) return AXE;
  const folders = createRequire(import.meta.url).resolve.paths('axe-core') ?? [];
  return folders.map((folder) => join(folder, 'axe-core/axe.min.js')).find((path) => existsSync(path));
};

const axe = findAxe();

/** Prints which tool for the tests of pages is missing. @param pages - the tested pages @throws in CI */
export const missingTools = (pages: string): void => {
  for (const [found, reason] of [
    [findChromium(), `NO CHROMIUM: ${pages} are not looked at. Install chromium, or set CHROMIUM to its path.`],
    [axe, `NO AXE-CORE: ${pages} are not checked by it. Install axe-core, or set AXE to the path of axe.min.js.`],
  ] as const) {
    if (found !== undefined) continue;
    if (process.env['CI'] !== undefined) throw new Error(reason);
    process.stderr.write(`\n!!! ${reason}\n`);
  }
};

/** The violations that axe finds on a page, whose content security policy must be off; empty without axe. */
export const violationsOn = async (page: Page): Promise<readonly string[]> => {
  if (axe === undefined) return [];
  await page.addScriptTag({ path: axe });
  return page.evaluate(
    'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ target }) => target.join(" ")).join(", ")))',
  );
};
