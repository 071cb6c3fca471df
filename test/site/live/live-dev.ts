import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Browser, BrowserContext } from 'playwright-core';
import { repository } from '#apps/site/folders.ts';
import { connectTo } from '#lib/cli/shell/cluster.ts';
import type { Cluster } from '#lib/cli/shell/context.ts';
import { waitFor } from '#test/control-plane/poll.ts';

type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>;

const folder = join(repository, 'test/site/live');

/** The command `dev --ui` in a process of its own, on an embedded cluster, with the PodSet `web`. */
export class LiveDev {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #stdout = '';
  #stderr = '';

  private constructor(options: readonly string[]) {
    const words = ['dev', '--ui', '-f', 'web.yaml', ...options];
    this.#child = spawn(process.execPath, [join(repository, 'lib/cli/main.ts'), ...words], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout?.on('data', (chunk: Buffer) => (this.#stdout += chunk.toString()));
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.#stderr += chunk.toString()));
    this.#ended = once(this.#child, 'exit');
  }

  /** Starts the command, and waits until its operator works. */
  static async start(options: readonly string[] = []): Promise<LiveDev> {
    const dev = new LiveDev(options);
    const ended = dev.#ended.then(() => {
      throw new TypeError(`dev ended:\n${dev.#stderr}`);
    });
    ended.catch(() => undefined);
    await Promise.race([ended, waitFor('the operator', async () => dev.#stderr.includes('works after'))]);
    return dev;
  }

  /** The addresses that the command has printed so far, oldest first. */
  get urls(): readonly string[] {
    return [...this.#stderr.matchAll(/http:\/\/127\.0\.0\.1:\d+\/\S+/g)].map(([url]) => url);
  }

  /** Opens the page in a new session of a browser. @returns its address without the token, and the session */
  async openIn(browser: Browser): Promise<{ readonly address: string; readonly storageState: StorageState }> {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(this.urls[0] ?? '');
    const opened = { address: page.url(), storageState: await context.storageState() };
    await context.close();
    return opened;
  }

  /** Connects as the administrator. */
  connect(): Promise<Cluster> {
    const kubeconfig = /^export KUBECONFIG=(\S+)$/m.exec(this.#stdout)?.[1];
    return connectTo({ kubeconfig }, { env: {}, signal: new AbortController().signal });
  }

  /** Suspends the process, so that its connections stay open and are silent. */
  suspend(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  async end(): Promise<void> {
    this.#child.kill('SIGINT');
    await this.#ended;
  }
}
