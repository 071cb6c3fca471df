import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { ControlPlaneError } from '#test/control-plane/error.ts';
import manifest from '../../package.json' with { type: 'json' };

/** After the oldest version that package.json allows: the version of development, and the newest one. */
const LATER = ['24', '26'];

/** The lines of Node.js, the oldest first. */
export const nodeLines = (): readonly string[] => [manifest.engines.node.replace('>=', ''), ...LATER];

/**
 * Installs the newest version of a line of Node.js in the cache of npm, or finds it there: the npm package `node` contains it.
 * @throws {ControlPlaneError} BUILD_FAILED when npm cannot get it
 */
export const provideNode = async (line: string): Promise<{ readonly version: string; readonly program: string }> => {
  const args = ['exec', '--yes', `--package=node@${line}`, '--', 'node', '--print'];
  try {
    // Not in the repository: npm would find the version of development there.
    const { stdout } = await promisify(execFile)('npm', [...args, '`${process.version} ${process.execPath}`'], {
      cwd: tmpdir(),
    });
    const [version = '', program = ''] = stdout.trim().split(' ');
    return { version, program };
  } catch (cause) {
    const [reason = ''] = /npm (?:error|ERR!) (?!code|errno|syscall).*/.exec(String(cause)) ?? [];
    throw new ControlPlaneError('BUILD_FAILED', `Cannot install Node.js ${line} with npm: ${reason || String(cause)}`, {
      cause,
    });
  }
};
