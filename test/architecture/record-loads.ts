import { registerHooks } from 'node:module';
import process from 'node:process';

/** Imports the module that the command line names, and prints every file that this loaded, as JSON. */
const loaded: string[] = [];

registerHooks({
  load: (url, context, nextLoad) => {
    loaded.push(url);
    return nextLoad(url, context);
  },
});

const [, , entry] = process.argv;
if (entry === undefined) throw new TypeError('Cannot record loads: no module given, expected one as an argument');
await import(entry);
process.stdout.write(JSON.stringify(loaded));
