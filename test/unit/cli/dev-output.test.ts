import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Ended } from '#lib/cli/child/child-end.ts';
import { UNSUITABLE_LINES, withoutUsualLife } from '#lib/cli/verbs/dev/operator/usual-life.ts';
import { DevOutput } from '#lib/cli/verbs/dev/output.ts';
import { personLog } from '#lib/cli/verbs/run/pretty-log.ts';
import { ApiError } from '#lib/errors.ts';
import type { Logger } from '#lib/telemetry/log.ts';
import { repository } from '#test/architecture/repository.ts';
import { recordingContext } from './run-cli.ts';

const outputOf = (tell: (output: DevOutput) => void): string => {
  const { context, written } = recordingContext();
  tell(new DevOutput(context));
  return written().stderr;
};

describe('DevOutput', () => {
  it.for([
    [{ by: 'exit', code: 1 }, 'The operator ended with code 1 (its output is above)'],
    [
      { by: 'signal', signal: 'SIGKILL' },
      'The operator was ended by SIGKILL; another process sent it, or memory ran out',
    ],
    [
      { by: 'guard', kind: 'Website', key: 'default/web' },
      'The operator was ended by its own guard: the function of Website does not return for default/web; correct the function',
    ],
    [{ by: 'signal', signal: 'SIGTERM' }, 'The operator was ended by SIGTERM'],
    [
      { by: 'failure', error: Object.assign(new Error('spawn EAGAIN'), { code: 'EAGAIN' }) },
      'The operator could not be started (spawn EAGAIN): end other processes, or raise the limits of this user (ulimit -a)',
    ],
    [
      { by: 'failure', error: Object.assign(new Error('spawn /usr/bin/node ENOENT'), { code: 'ENOENT' }) },
      'The operator could not be started (spawn /usr/bin/node ENOENT)',
    ],
  ] as const)('ended() says how, what to do, and what comes: %j', ([ended, words]: readonly [Ended, string]) => {
    expect(outputOf((output) => output.ended(ended, 500))).toBe(
      `${words}; another one starts in 0.50 s, or at the next save.\n`,
    );
  });

  it('error() says what the other commands say, and shows no stack of what is of the surroundings', () => {
    const refusal = new ApiError('apply crd', { httpStatus: 403, reason: 'Forbidden', message: 'no' });
    const missing = Object.assign(new Error('ENOSPC: no space left, watch'), { code: 'ENOSPC', syscall: 'watch' });
    expect(outputOf((output) => output.error(refusal))).toMatch(/^Cannot apply crd: .*; ask for the right, or .*\n$/);
    expect(outputOf((output) => output.error(missing))).toBe('ENOSPC: no space left, watch\n');
  });

  it('limits() says what is not so any more, or not yet, and nothing twice', () => {
    const { context, written } = recordingContext();
    const output = new DevOutput(context);
    const saves = [
      ['left out: A'],
      ['left out: A'],
      ['Web', 'left out: A', 'left out: B'],
      ['Web'],
      ['left out: A', 'Web'],
    ];
    const lines = saves.map((limits) => {
      const before = written().stderr;
      output.limits({ limits });
      return written().stderr.slice(before.length);
    });
    expect(lines).toEqual(['left out: A\n', '', 'Web\nleft out: B\n', '', 'left out: A\n']);
  });
});

const logged = (write: (log: Logger) => void, dropped?: typeof UNSUITABLE_LINES): string => {
  const { context, written } = recordingContext();
  write(withoutUsualLife(personLog(context), dropped));
  return written().stderr.replaceAll(/^\S+ /gm, '');
};

const logAdvice = (log: Logger): void => {
  const advice = 'their versions are converted by a webhook, which is not served: set CONVERSION_SERVICE';
  log.warn({ kinds: ['Web'] }, advice);
  log.info({}, 'operator started');
  log.warn({}, 'other');
};

describe('personLog()', () => {
  it('personLog() leaves out fields without a value', () => {
    const fields = { reason: 'Unreachable', detail: undefined };
    expect(logged((log) => log.info(fields, 'effect failed'))).toBe('info effect failed reason=Unreachable\n');
  });
});

describe('withoutUsualLife()', () => {
  it('withoutUsualLife() leaves out what comes with every save, and nothing else', () => {
    const life = logged((log) => {
      log.info({ server: 'https://a' }, 'operator started');
      log.child({ kind: 'Web' }).info({ kinds: ['Web'] }, 'caches filled, loop started');
      log.info({ reason: 'SIGTERM' }, 'operator stopping');
    });
    expect(life).toBe('');
    const rest = logged((log) => {
      log.info({ kinds: ['Web'], without: ['Job'] }, 'caches filled, loop started');
      log.info({ reason: 'unfit' }, 'operator stopping');
      log.info({}, 'caches filled, running for leader');
      log.error({ key: 'a' }, 'operator started');
    });
    expect(rest).toBe(`info caches filled, loop started kinds=["Web"] without=["Job"]
info operator stopping reason=unfit
info caches filled, running for leader
error operator started key=a
`);
  });

  it('withoutUsualLife() leaves out the advice to serve the webhook, also when other lines stay', () => {
    expect(logged(logAdvice)).toBe('warn other\n');
    expect(logged(logAdvice, UNSUITABLE_LINES)).toBe('info operator started\nwarn other\n');
  });

  it('withoutUsualLife() knows lines that operators still log', async () => {
    const text = await readFile(join(repository, 'docs/troubleshooting.md'), 'utf8');
    expect(text).toContain('| `operator started`, `caches filled, loop started`, `leading`, `operator stopping` |');
    for (const line of Object.keys(UNSUITABLE_LINES)) expect(text).toContain(`| \`${line}\` | warn |`);
  });
});
