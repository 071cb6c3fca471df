import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { repository } from '#test/architecture/repository.ts';

const CONFIG = `import { writeSync } from 'node:fs';
writeSync(1, 'loading');
for (;;);
`;

let cwd = '';
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'interrupt-'));
  await writeFile(join(cwd, 'reconcile.config.ts'), CONFIG);
});
afterAll(async () => rm(cwd, { recursive: true, force: true }));

it.for(['SIGINT', 'SIGTERM'] as const)(
  'a command ends at %s while a file of the project never ends loading',
  async (signal) => {
    const main = join(repository, 'lib/cli/main.ts');
    const child = spawn(process.execPath, [main, 'explain', 'website/web'], {
      cwd,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    try {
      await once(child.stdout, 'data');
      child.kill(signal);
      expect(await ended).toEqual([null, signal]);
    } finally {
      child.kill('SIGKILL');
    }
  },
);
