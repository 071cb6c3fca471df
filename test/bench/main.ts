import { availableParallelism, loadavg } from 'node:os';
import { measureDoors } from './alone/doors.ts';
import { measureForesight } from './alone/foresight.ts';
import { measureP5b } from './alone/p5b.ts';
import { measureP7 } from './alone/p7.ts';
import { measureP8 } from './alone/p8.ts';
import { measureP9 } from './alone/p9.ts';
import { measureP12 } from './alone/p12.ts';
import { measureSimulate } from './alone/simulate.ts';
import { measureVirtualCluster } from './alone/virtual-cluster.ts';
import { measureByLayer } from './cluster/by-layer.ts';
import { measureCurve } from './cluster/curve.ts';
import { measureEmbedded } from './cluster/embedded.ts';
import { measureG1 } from './cluster/g1.ts';
import { measureG2 } from './cluster/g2.ts';
import { measureG3 } from './cluster/g3.ts';
import { measureG4 } from './cluster/g4.ts';
import { measureG5 } from './cluster/g5.ts';
import { measureP1 } from './cluster/p1.ts';
import { measureP1c } from './cluster/p1c.ts';
import { measureP2 } from './cluster/p2.ts';
import { measureP3 } from './cluster/p3.ts';
import { measureP11 } from './cluster/p11.ts';
import { measureStart } from './cluster/start.ts';
import { clearAll } from './ground/fleet.ts';
import { startGround } from './ground/ground.ts';
import { type Options, readOptions, usage } from './options.ts';
import { readLast, saveLast } from './report/last.ts';
import type { PlaneMeasure, Row } from './report/measure.ts';
import { type Circumstances, toFootnote, toJson, toOrigin, toTable } from './report/report.ts';

/** The measures on a control plane, in the order in which they are taken. */
const onPlane: Readonly<Record<string, PlaneMeasure>> = {
  P1: measureP1,
  P1C: measureP1c,
  LAYERS: measureByLayer,
  P2: measureP2,
  P3: measureP3,
  P11: measureP11,
  G1: measureG1,
  G2: measureG2,
  G3: measureG3,
  G4: measureG4,
  G5: measureG5,
  START: measureStart,
  E: measureEmbedded,
  CURVE: measureCurve,
};

/** Measures that take so long that they run only when `--only` names them. */
const asked = new Set(['CURVE']);

/** Measures that need no control plane. */
const alone: Readonly<Record<string, { readonly what: string; readonly take: () => Promise<readonly Row[]> }>> = {
  P5B: { what: 'live heap of PodSets and pods', take: measureP5b },
  P7: { what: 'synth of the bundle and of an empty app', take: measureP7 },
  DOORS: { what: 'imports of the package', take: measureDoors },
  P8: { what: 'function and plan', take: async () => measureP8() },
  P9: { what: 'the classic canary on the virtual cluster', take: measureP9 },
  P12: { what: 'creates that are refused, again and again', take: measureP12 },
  S: { what: 'simulations beside real time', take: measureSimulate },
  F: { what: 'a plan of a thousand objects, states that check searches', take: measureForesight },
};

const known = ['V', ...Object.keys(alone), ...Object.keys(onPlane)];

const progress = (text: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`bench: ${text}\n`);
};

/** A measure that fails does not stop the others. */
const orFailure = async (id: string, taken: Promise<readonly Row[]>): Promise<readonly Row[]> => {
  try {
    return await taken;
  } catch (error) {
    process.exitCode = 1;
    return [{ id, measure: 'not measured', goal: '', verdict: 'note', result: String(error), figures: {} }];
  }
};

const measure = async (options: Options): Promise<readonly Row[]> => {
  const isWanted = (id: string): boolean => (options.only.length === 0 ? !asked.has(id) : options.only.includes(id));
  const rows: Row[] = [];
  for (const [id, { what, take }] of Object.entries(alone).filter(([each]) => isWanted(each))) {
    progress(`${id}: ${what}`);
    rows.push(...(await orFailure(id, take())));
  }
  const measures = Object.entries(onPlane).filter(([id]) => isWanted(id));
  if (measures.length === 0 && !isWanted('V')) return rows;
  progress('control plane and install bundle');
  await using ground = await startGround(options.cpuProfile);
  if (isWanted('V')) {
    progress('V: virtual cluster');
    rows.push(...(await measureVirtualCluster(ground)));
  }
  for (const [id, take] of measures) {
    rows.push(...(await orFailure(id, take({ options, ground, progress }))));
    await clearAll(ground);
  }
  return rows;
};

const bench = async (options: Options): Promise<void> => {
  const unknown = options.only.filter((id) => !known.includes(id));
  if (unknown.length > 0)
    throw new TypeError(`--only names ${unknown.join(', ')}: expected some of ${known.join(', ')}`);
  const loadBefore = loadavg()[0] ?? 0;
  const rows = await measure(options);
  const circumstances: Circumstances = {
    node: process.version,
    cores: availableParallelism(),
    loadBefore,
    loadAfter: loadavg()[0] ?? 0,
    podSets: options.podSets,
    windowSeconds: options.windowSeconds,
    cpuProfiled: options.cpuProfile !== undefined,
  };
  const last = await readLast();
  const text = [toTable(rows, last), '', toFootnote(circumstances), toOrigin(last)].join('\n');
  console.log(options.json ? toJson(rows, circumstances) : text);
  if (options.save) await saveLast(rows, last);
};

try {
  const options = readOptions(process.argv.slice(2));
  if (options) await bench(options);
  else console.log(usage);
} catch (error) {
  console.error(process.env['DEBUG'] ? error : `${String(error)}\n\n${usage}`);
  process.exitCode = 1;
}
