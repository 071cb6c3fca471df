import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { ControlPlaneError } from '#test/control-plane/error.ts';
import manifest from '../../package.json' with { type: 'json' };

/** The tested lines after the oldest version that package.json allows: the line of development, and the newest line. */
const LATER = ['24', '26'];

/** The lines of Node.js, the oldest first. */
export const nodeLines = (): readonly string[] => [manifest.engines.node.replace('>=', ''), ...LATER];

/**
 * Finds the newest version of a line of Node.js in the cache of npm, or installs it there from the npm package `node`.
 * @throws {ControlPlaneError} BUILD_FAILED when npm cannot get it
 */
export const provideNode = async (line: string): Promise<{ readonly version: string; readonly program: string }> => {
  const args = ['exec', '--yes', `--package=node@${line}`, '--', 'node', '--print'];
  try {
    // Outside of the repository, where npm would find the version for development.
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
