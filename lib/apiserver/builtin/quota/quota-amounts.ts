import type { JsonObject } from '#lib/json.ts';
import { addQuantities, formatQuantity, type Quantity, storedQuantity } from '../codec/quantity.ts';

/** Amounts by resource name. */
export type Amounts = ReadonlyMap<string, Quantity>;

const none: Quantity = { nano: 0n, format: 'DecimalSI' };

/** Parses the amounts of a stored resource list. */
export const amountsIn = (list: JsonObject): Amounts =>
  new Map(Object.entries(list).map(([name, amount]) => [name, storedQuantity(amount)]));

/** Converts amounts to a resource list for storage, sorted by name. */
export const toResourceList = (amounts: Amounts): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...amounts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, amount]) => [name, formatQuantity(amount)]),
  );

const combined = (a: Amounts, b: Amounts, combine: (x: Quantity, y: Quantity) => Quantity): Amounts => {
  const result = new Map(a);
  for (const [name, amount] of b) {
    const other = result.get(name);
    result.set(name, other === undefined ? amount : combine(other, amount));
  }
  return result;
};

/** Adds amounts, resource by resource. */
export const sumOfAmounts = (a: Amounts, b: Amounts): Amounts => combined(a, b, addQuantities);

/** Returns the larger amount of each resource. */
export const maximumOf = (a: Amounts, b: Amounts): Amounts => combined(a, b, (x, y) => (y.nano > x.nano ? y : x));

/** Returns `a` minus `b` for each resource in `a`; 0 in place of a negative amount. */
export const differenceOf = (a: Amounts, b: Amounts): Amounts =>
  new Map(
    [...a].map(([name, amount]) => {
      const left = amount.nano - (b.get(name) ?? none).nano;
      return [name, { ...amount, nano: left < 0n ? 0n : left }];
    }),
  );

/** Restricts amounts to some resources. */
export const only = (amounts: Amounts, names: ReadonlySet<string> | Amounts): Amounts =>
  new Map([...amounts].filter(([name]) => names.has(name)));

/** Formats amounts: `pods=1,requests.cpu=500m`, sorted by name. */
export const amountsText = (amounts: Amounts): string =>
  Object.entries(toResourceList(amounts))
    .map(([name, amount]) => `${name}=${amount}`)
    .join(',');
