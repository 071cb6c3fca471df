/** True when both types are the same, modifiers included. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- deferred conditional types compare by identity
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Fails to compile unless its argument is `true`. */
export type Expect<T extends true> = T;
