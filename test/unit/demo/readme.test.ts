import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingLine } from './shown.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8');

interface Typed {
  readonly command: string;
  readonly shown: readonly string[];
}

/** A line `$ …` at the left margin of a console block is input; the lines up to the next one are output. */
const typedIn = (block: string): readonly Typed[] =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = '', ...shown] = part.trimEnd().split('\n');
      return { command, shown };
    });

const typed = [...readme.matchAll(/^```console\n(.*?)^```$/gms)].flatMap(([, block = '']) => typedIn(block));
const PREFIX = 'npx cdk8s-reconcile ';
const commands = typed.filter(({ command }) => command.startsWith(PREFIX));

describe('README.md', () => {
  let demo: ChildProcess;
  let story = '';
  let kubeconfig = '';

  beforeAll(async () => {
    const env = { ...process.env, NO_COLOR: '1' };
    demo = spawn(process.execPath, ['apps/demo.ts', '--keep'], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const { promise: stands, resolve, reject } = Promise.withResolvers<string>();
    // Read to the end: a demo whose output is closed ends itself.
    demo.stdout?.on('data', (chunk: Buffer) => {
      story += chunk.toString();
      const shownAs = /export KUBECONFIG=(\S+)\n/.exec(story)?.[1];
      if (shownAs !== undefined) resolve(shownAs);
    });
    demo.on('exit', (code, by) => reject(new Error(`the demo ended with ${code ?? by}:\n${story}`)));
    kubeconfig = await stands;
  });

  afterAll(async () => {
    if (demo.exitCode !== null || demo.signalCode !== null) return;
    demo.kill('SIGINT');
    await once(demo, 'exit');
  });

  it('README.md shows what npm start prints', () => {
    const shown = typed.find(({ command }) => command === 'npm start')?.shown ?? [];
    expect(missingLine(shown, story)).toBeUndefined();
  });

  it('README.md has commands that are compared', () => {
    expect(commands.map(({ command }) => command.split(' ')[2])).toEqual([
      'plan',
      'simulate',
      'check',
      'tree',
      'explain',
      'rollout',
    ]);
  });

  it.for(commands)('README.md shows what $command prints', async ({ command, shown }) => {
    const words = ['lib/cli/main.ts', ...command.slice(PREFIX.length).split(' ')];
    const env = { ...process.env, KUBECONFIG: kubeconfig, NO_COLOR: '1' };
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: root, env }).catch(
      (error: { readonly stdout: string }) => error,
    );
    expect(missingLine(shown, stdout)).toBeUndefined();
  });
});
