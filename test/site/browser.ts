import { existsSync } from 'node:fs';
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
