import { type Debugger, Session } from 'node:inspector';
import { findSourceMap, SourceMap, type SourceMapPayload } from 'node:module';
import { fileURLToPath } from 'node:url';
import { authorFunctionOf } from './author-function.ts';
import type { KindFunction } from './with-calls.ts';

/** The position of a function in its source. */
export interface FunctionPlace {
  readonly path: string;
  /** The line; the first line is 1. Absent if the running code is not the text of the file, and there is no source map. */
  readonly line?: number;
}

type Location = Debugger.Location;

/**
 * The symbol of a global variable for the function. The inspector evaluates only text, and the text refers to the function by
 * this symbol.
 */
const SLOT = Symbol.for('cdk8s-reconcile.located-function');
const EXPRESSION = "globalThis[Symbol.for('cdk8s-reconcile.located-function')]";

/** Returns the position from the inspector. A session on its own thread calls the callbacks before `post` returns. */
const locationIn = (session: Session): Location | undefined => {
  let location: Location | undefined;
  session.post('Runtime.evaluate', { expression: EXPRESSION }, (_error, evaluated) => {
    const { objectId } = evaluated.result;
    if (objectId === undefined) return;
    session.post('Runtime.getProperties', { objectId, ownProperties: true }, (_failed, { internalProperties = [] }) => {
      const found = internalProperties.find(({ name }) => name === '[[FunctionLocation]]');
      location = found?.value?.value as Location | undefined;
    });
  });
  return location;
};

type Script = Debugger.ScriptParsedEventDataType;

const INLINE = /^data:application\/json[^,]*;base64,(.+)$/s;

/** The source map of a script: one that Node.js has loaded, or one in the text of the script. */
const sourceMapOf = ({ url, sourceMapURL = '' }: Script): SourceMap | undefined => {
  const [, inline] = INLINE.exec(sourceMapURL) ?? [];
  if (inline === undefined) return findSourceMap(url);
  return new SourceMap(JSON.parse(Buffer.from(inline, 'base64').toString()) as SourceMapPayload);
};

/**
 * Whether a test runner, such as Vitest, has transformed the script. Such a runner publishes no source map. Inserted code shifts
 * the first column.
 */
const isTransformed = ({ startColumn }: Script): boolean => startColumn !== 0;

const lineIn = (script: Script, { lineNumber, columnNumber = 0 }: Location): { readonly line?: number } => {
  const source = sourceMapOf(script)?.findEntry(lineNumber, columnNumber);
  if (source !== undefined && 'originalLine' in source) return { line: source.originalLine + 1 };
  return isTransformed(script) ? {} : { line: lineNumber + 1 };
};

const located = (session: Session): FunctionPlace | undefined => {
  const scripts = new Map<string, Script>();
  session.on('Debugger.scriptParsed', ({ params }) => scripts.set(params.scriptId, params));
  session.post('Debugger.enable');
  const location = locationIn(session);
  const script = scripts.get(location?.scriptId ?? '');
  if (location === undefined || script === undefined || script.url === '') return undefined;
  const path = script.url.startsWith('file:') ? fileURLToPath(script.url) : script.url;
  return { path, ...lineIn(script, location) };
};

/**
 * Finds the source position of a function of a kind, through a source map if one is available. The search takes about 20 ms.
 *
 * @returns undefined when the function does not belong to a script with a name
 * @see https://chromedevtools.github.io/devtools-protocol/v8/Runtime/#type-InternalPropertyDescriptor
 */
export const functionPlace = (called: KindFunction): FunctionPlace | undefined => {
  const session = new Session();
  session.connect();
  Reflect.set(globalThis, SLOT, authorFunctionOf(called));
  try {
    return located(session);
  } finally {
    Reflect.deleteProperty(globalThis, SLOT);
    session.disconnect();
  }
};
