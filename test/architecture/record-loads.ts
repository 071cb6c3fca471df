import { registerHooks } from 'node:module';
import process from 'node:process';

/** Imports the module that the command line names, and prints every loaded file as JSON. */
const loaded: string[] = [];

registerHooks({
  load: (url, context, nextLoad) => {
    loaded.push(url);
    return nextLoad(url, context);
  },
});

/**
 * With --import this module is preloaded, and is not the program. Then it prints to standard error after the end of the
 * program.
 */
const [, program, entry] = process.argv;
if (program !== import.meta.filename) process.on('exit', () => process.stderr.write(JSON.stringify(loaded)));
else if (entry === undefined) throw new TypeError('Cannot record loads: no module given, expected one as an argument');
else {
  await import(entry);
  process.stdout.write(JSON.stringify(loaded));
}
