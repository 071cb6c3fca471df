import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/**
 * An operator preloads this module. Each SIGUSR2 sets the wall clock of the operator, and collects garbage. The file
 * `STEPPED_CLOCK_FILE` has the difference from the clock of the machine, in milliseconds. Worker threads get no signals, so they
 * read the file at each use of the clock. Therefore all threads of a process have one wall clock.
 */
const file = process.env['STEPPED_CLOCK_FILE'] ?? '';
const machineNow = Date.now.bind(Date);

const offset = (): number => {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    // The clock was never set.
    return 0;
  }
};

let offsetMs = offset();
Date.now = () => machineNow() + (isMainThread ? offsetMs : offset());

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

process.on('SIGUSR2', () => {
  offsetMs = offset();
  collectGarbage();
});
