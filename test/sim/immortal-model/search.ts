import { immortalContainer } from '#constructs/immortal-container/kind.ts';
import { type Found, type Machine, type Move, searchStates } from '#test/sim/model-search.ts';
import { accidents } from './accidents.ts';
import { clusterSteps, collections } from './cluster.ts';
import { brokenLaws, wrongRest } from './laws.ts';
import type { Mind } from './mind.ts';
import { type Pass, passOf } from './operator.ts';
import { type Asked, type Budget, inWords, type ModelState, type Picture } from './state.ts';
import type { Settings } from './view.ts';

/** An ImmortalContainer, the edits of users, and other events. */
export interface Model {
  readonly settings?: Partial<Settings>;
  /** Edits in order; each may happen at any moment. */
  readonly edits?: readonly Partial<Pick<Asked, 'image' | 'suspend'>>[];
  /** @default nothing */
  readonly budget?: Partial<Budget>;
  /** The parts that are broken on purpose. @default none */
  readonly mind?: Partial<Omit<Mind, 'settings'>>;
  /** The only law to check, such as `L1`. @default all */
  readonly only?: string;
}

const defaults: Settings = {
  restartPolicy: 'Never',
  updatePolicy: 'Recreate',
  forceDeleteAfterSeconds: 0,
  backoff: { initialSeconds: 10, maxSeconds: 20, resetAfterSeconds: 600 },
};

const mindOf = ({ settings, mind }: Model): Mind => ({
  settings: { ...defaults, ...settings },
  desired: immortalContainer.desired,
  plan: (steps) => steps,
  ...mind,
});

/** The state right after the creation of the ImmortalContainer. */
const firstOf = ({ budget }: Model): ModelState => {
  const picture: Picture = { asked: { image: 'a', suspend: false, generation: 1 }, pods: [], node: 'ready' };
  return {
    real: picture,
    seen: picture,
    running: [],
    status: undefined,
    named: [],
    dismissed: [],
    made: 0,
    edits: 0,
    left: { completions: 0, failures: 0, kills: 0, outages: 0, delays: 0, ...budget },
    now: 0,
  };
};

const edited = (state: ModelState, { edits = [] }: Model): Move<ModelState>[] => {
  const edit = edits[state.edits];
  if (edit === undefined) return [];
  const { asked } = state.real;
  const real = { ...state.real, asked: { ...asked, ...edit, generation: asked.generation + 1 } };
  return [{ label: `user: ${JSON.stringify(edit)}`, state: { ...state, real, edits: state.edits + 1 } }];
};

/** Searches all states of a model. */
export const searchModel = (model: Model, options: { readonly maxStates: number }): Found => {
  const { only = '' } = model;
  const mind = mindOf(model);
  // The operator must be able to delete by force alone: the collector of Kubernetes may be late forever.
  const isLeftToUs = mind.settings.forceDeleteAfterSeconds > 0;
  const passes = new WeakMap<ModelState, Pass>();
  const passIn = (state: ModelState): Pass => {
    const pass = passes.get(state) ?? passOf(state, mind);
    passes.set(state, pass);
    return pass;
  };
  const machine: Machine<ModelState> = {
    // Time passes only when the operator waits for it: otherwise the search would not end.
    goesOn: (state) => {
      const { state: next, awaited } = passIn(state);
      const time = awaited === undefined ? [] : [{ label: 'time', state: { ...state, now: awaited } }];
      return [
        ...(next !== state ? [{ label: 'operator', state: next }] : time),
        ...clusterSteps(state),
        ...(isLeftToUs ? [] : collections(state)),
      ];
    },
    mayHappen: (state) => {
      const { hurried } = passIn(state);
      return [
        ...(hurried ? [{ label: 'operator, in a hurry', state: hurried }] : []),
        ...edited(state, model),
        ...accidents(state),
        ...(isLeftToUs ? collections(state) : []),
      ];
    },
    broken: (before, step) => brokenLaws(before, step, mind.settings).find((text) => text.startsWith(only)),
    wrongEnd: wrongRest,
    inWords,
  };
  return searchStates(machine, firstOf(model), options);
};
