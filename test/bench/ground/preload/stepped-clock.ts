import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/**
 * Preloaded into an operator: each SIGUSR2 sets its wall clock, and collects garbage. The file `STEPPED_CLOCK_FILE` has the
 * difference from the clock of the machine, in milliseconds. Worker threads get no signals, so each of their looks at the clock
 * reads the file: all threads of a process have one wall clock.
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
