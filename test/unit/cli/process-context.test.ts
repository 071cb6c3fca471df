import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { repository } from '#test/architecture/repository.ts';

it('processContext() takes no closed terminal for a Ctrl-C, its echo for the same one, and a later one for another', async () => {
  const script = `
    import { processContext } from ${JSON.stringify(join(repository, 'lib/cli/shell/process-context.ts'))};
    const { signal, endInOrder } = processContext();
    endInOrder();
    signal.addEventListener('abort', () => console.log('aborted'));
    process.on('exit', () => console.log('again'));
    setInterval(() => {}, 1000);
    console.log('ready');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    if (line === 'ready') child.kill('SIGHUP');
    if (line !== 'aborted') continue;
    await setTimeout(1100);
    child.kill('SIGINT');
    child.kill('SIGINT');
    await setTimeout(1500);
    child.kill('SIGTERM');
  }
  expect(said).toEqual(['ready', 'aborted', 'again']);
  expect(await exit).toEqual([143, null]);
});
