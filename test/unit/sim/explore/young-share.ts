import { runInThisContext } from 'node:vm';
import { keepNewObjectsYoung } from '#lib/sim/explore/young-objects.ts';

// Prints the share of new objects that V8 allocates in the young generation, after many objects of the same code lived long.

if (process.argv[2] === 'keepNewObjectsYoung') keepNewObjectsYoung();

const make = (number: number): readonly number[] => [number, number + 1, number + 2];

const LIVING = 400_000;
const living: unknown[] = [];
for (let number = 0; number < LIVING; number += 1) living.push(make(number));

const isYoung = runInThisContext('(object) => %InYoungGeneration(object)') as (object: unknown) => boolean;
const TRIES = 1000;
let young = 0;
for (let number = 0; number < TRIES; number += 1) if (isYoung(make(number))) young += 1;
process.stdout.write(`${young / TRIES}\n`);
