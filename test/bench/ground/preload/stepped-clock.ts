import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Preloaded into an operator: each SIGUSR2 sets its wall clock, and collects garbage. The file `STEPPED_CLOCK_FILE` has the
 * difference from the clock of the machine, in milliseconds. Worker threads get no signals, so their clocks stay.
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
Date.now = () => machineNow() + offsetMs;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

process.on('SIGUSR2', () => {
  offsetMs = offset();
  collectGarbage();
});
