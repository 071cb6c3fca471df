import { goPlain, goSyntax, goType } from '#lib/apiserver/machinery/text/go-format.ts';
import { goNumber } from '#lib/apiserver/machinery/text/go-text.ts';
import { elementText, indexElement, memberElement, type PathElement } from '../fields/path-element.ts';
import { compareTexts, isList, isMap, memberNames } from '../fields/value.ts';
import { type Atom, type ListType, type MapType, memberAtom, shapeOf } from './atom.ts';
import { listElement } from './list-element.ts';

interface TypeFault {
  readonly path: string;
  readonly message: string;
}

type Errors = readonly TypeFault[];

const none: Errors = [];

const fault = (message: string): Errors => [{ path: '', message }];

const below = (element: PathElement, errors: Errors): Errors =>
  errors.length === 0
    ? none
    : errors.map(({ path, message }) => ({ path: `${elementText(element, goNumber)}${path}`, message }));

/**
 * Valid members of objects, such as a spec, with the type by which they were validated. The cache saves time, because most writes
 * leave most members unchanged.
 */
const valid = new WeakMap<object, Atom>();

const checkScalar = ({ scalar = 'untyped' }: Atom, value: unknown): Errors => {
  if (value === null) return none;
  const kind = typeof value;
  switch (scalar) {
    case 'numeric':
      return kind === 'number' ? none : fault(`expected numeric (int or float), got ${goType(value)}`);
    case 'string':
      return kind === 'string'
        ? none
        : fault(`expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`);
    case 'boolean':
      return kind === 'boolean' ? none : fault(`expected boolean, got &{${goPlain(value)}}`);
    case 'untyped':
      return kind === 'object' ? fault(`expected any scalar, got &{${goPlain(value)}}`) : none;
  }
};

interface Duplicates {
  readonly allowDuplicates: boolean;
}

/** The rules for objects that are or will be stored. */
const stored: Duplicates = { allowDuplicates: true };

type MemberCheck = (atom: Atom, member: unknown) => Errors;

const checkItems = (list: ListType, items: readonly unknown[], rules: Duplicates): Errors => {
  const seen = new Set<string>();
  const errors: TypeFault[] = [];
  for (const [index, item] of items.entries()) {
    const element = list.isAtomic ? indexElement(index) : listElement(list, item);
    if (typeof element === 'string') return [...errors, ...fault(`element ${index}: ${element}`)];
    if (seen.has(element.text) && !rules.allowDuplicates) {
      errors.push(...fault(`duplicate entries for key ${elementText(element, goNumber)}`));
    }
    if (!list.isAtomic) seen.add(element.text);
    errors.push(...below(element, check(list.element, item, rules)));
  }
  return errors;
};

const checkMembers = (map: MapType, value: Readonly<Record<string, unknown>>, checkMember: MemberCheck): Errors => {
  let errors: TypeFault[] | undefined;
  for (const name of memberNames(value)) {
    const atom = memberAtom(map, name);
    const found = atom === undefined ? fault('field not declared in schema') : checkMember(atom, value[name]);
    if (found.length > 0) (errors ??= []).push(...below(memberElement(name), found));
    if (atom === undefined) break;
  }
  return errors ?? none;
};

const checkContainer = (atom: Atom, value: object, rules: Duplicates): Errors => {
  const shape = shapeOf(atom, value);
  if (shape === 'map' && atom.map !== undefined) {
    return isMap(value)
      ? checkMembers(atom.map, value, (member, part) => check(member, part, rules))
      : fault(`expected map, got &{${goPlain(value)}}`);
  }
  if (shape === 'list' && atom.list !== undefined) {
    return isList(value) ? checkItems(atom.list, value, rules) : fault(`expected list, got &{${goPlain(value)}}`);
  }
  return checkScalar(atom, value);
};

/** Validates a member of an object that is or will be stored. Skips a frozen member that was valid for the same type before. */
const checkStored: MemberCheck = (atom, member) => {
  if (typeof member !== 'object' || member === null) return check(atom, member, stored);
  if (valid.get(member) === atom) return none;
  const errors = check(atom, member, stored);
  if (errors.length === 0 && Object.isFrozen(member)) valid.set(member, atom);
  return errors;
};

const check = (atom: Atom, value: unknown, rules: Duplicates): Errors => {
  if (value === null || atom.isAnything === true) return none;
  if (typeof value !== 'object') {
    const shape = shapeOf(atom, value);
    return shape === 'scalar' ? checkScalar(atom, value) : fault(`expected ${shape}, got &{${goPlain(value)}}`);
  }
  return checkContainer(atom, value, rules);
};

/** Compares errors by path. The real server reports errors in random order. */
const compareErrors = (a: TypeFault, b: TypeFault): number => compareTexts(a.path, b.path);

const faultText = ({ path, message }: TypeFault): string => (path === '' ? message : `${path}: ${message}`);

/**
 * Validates a value by its type. With `allowDuplicates`, skips frozen members that were valid before.
 *
 * @returns the errors with the text of the real server; undefined for a valid value
 * @see sigs.k8s.io/structured-merge-diff v6.3.3 typed/validate.go
 */
export const typeError = (atom: Atom, value: unknown, rules: Duplicates): string | undefined => {
  const map = rules.allowDuplicates ? atom.map : undefined;
  const errors = map !== undefined && isMap(value) ? checkMembers(map, value, checkStored) : check(atom, value, rules);
  const [first] = errors;
  if (first === undefined) return undefined;
  return errors.length === 1
    ? faultText(first)
    : ['errors:', ...errors.toSorted(compareErrors).map((error) => `  ${faultText(error)}`)].join('\n');
};
