import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { OperatorProcess } from '#lib/cli/verbs/dev/operator/operator-process.ts';

const loading = {
  config: 'reconcile.config.ts',
  cwd: '/',
  options: { namespaces: [], hasEffects: false, isEmbedded: true },
};
const nowhere = { write: () => undefined };

/** A process without a channel, as Node returns it when no file descriptors are left for its pipes. */
const withoutPipes = (): ChildProcess => {
  const child = Object.assign(new EventEmitter(), { pid: undefined, kill: () => false });
  process.nextTick(() => child.emit('error', new Error('spawn EMFILE')));
  return child as unknown as ChildProcess;
};

const refused = (): ChildProcess => {
  throw new Error('spawn ENOMEM');
};

const absent = (): ChildProcess => spawn('/nothing/node', [], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });

const running = (program: string) => (): ChildProcess =>
  spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });

describe('OperatorProcess', () => {
  it.for([
    ['ENOENT', absent],
    ['EMFILE', withoutPipes],
    ['ENOMEM', refused],
  ] as const)('ended reports a process that could not be started for %s', async ([code, begin]) => {
    const listeners = process.listenerCount('exit');
    const operator = OperatorProcess.start(nowhere, begin);
    const loaded = await operator.load(loading);
    expect(loaded).toMatchObject({ type: 'unstarted', ended: { by: 'failure' } });
    expect(await operator.ended).toMatchObject({ error: { message: expect.stringContaining(code) } });
    operator.run({ env: {}, isTerminal: false });
    operator.kill();
    await operator.stop();
    expect(process.listenerCount('exit')).toBe(listeners);
  });

  it('load() reports how the process ended while it loaded', async () => {
    const messages = ['process.exit(3)', "process.kill(process.pid, 'SIGKILL')"].map(async (program) =>
      OperatorProcess.start(nowhere, running(program)).load(loading),
    );
    expect(await Promise.all(messages)).toMatchObject([
      { message: 'loading the kinds ended the process (exit code 3)' },
      { message: 'loading the kinds ended the process (SIGKILL)' },
    ]);
  });
});
