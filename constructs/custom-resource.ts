import { ApiObject, type ApiObjectMetadata, type GroupVersionKind } from 'cdk8s';
import type { Construct } from 'constructs';
import type { TSchema } from 'typebox';
import { firstLookIssues } from '#lib/desired/check/first-look.ts';
import type { KindDefinition } from '#lib/desired/definition.ts';
import { InvalidDefinitionError, InvalidResourceError, type Issue } from '#lib/errors.ts';
import { validateResource } from '#lib/kind/instance/validate.ts';
import { apiVersionOf } from '#lib/kind/names.ts';
import type { Props } from '#lib/kind/schema/schema.ts';
import type { KindShape } from '#lib/kind/shape.ts';
import { evaluateRules } from './evaluate-rules.ts';
import { clusterScoped } from './operator/names.ts';

/** The props of the construct of a kind, in the same form that `cdk8s import` generates. */
export interface CustomResourceProps<Sp extends TSchema> {
  /** The metadata. If it has no name, cdk8s derives the name from the path of the construct. */
  readonly metadata?: ApiObjectMetadata;
  /**
   * The spec. The construct checks the spec against the schema of the kind when the construct is made, and when it is rendered.
   */
  readonly spec: Props<Sp>;
}

/** The type of the classes that {@link CustomResource} makes. */
export interface CustomResourceClass<Sp extends TSchema, St extends TSchema> {
  new (scope: Construct, id: string, props: CustomResourceProps<Sp>): ApiObject;
  /** Group, version and kind, as in the classes that `cdk8s import` generates. */
  readonly GVK: GroupVersionKind;
  /** The definition of the kind, for the loop, the planner and the construct `Operator`. */
  readonly definition: KindDefinition<Sp, St>;
  /** The desired-state function of the kind, which a test can call directly. */
  readonly desired: KindDefinition<Sp, St>['desired'];
  /** Returns a manifest as plain JSON. The manifest is not checked, and is not added to a chart. */
  manifest(props: CustomResourceProps<Sp>): object;
}

/** A rendered resource. */
interface Manifest<Sp extends TSchema> {
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
  readonly spec: Props<Sp>;
}

/**
 * Whether cdk8s resolves a value only when it renders: `Lazy` and every other object with a `produce` or `resolve` method. The
 * resolved value is checked when the object is rendered.
 *
 * Tokens are recognized by their methods and not by their class. If an app loads two copies of cdk8s, neither copy recognizes the
 * class `Lazy` of the other.
 */
const isToken = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  const { produce, resolve } = value as { produce?: unknown; resolve?: unknown };
  return typeof produce === 'function' || typeof resolve === 'function';
};

const containsToken = (value: unknown): boolean => {
  if (isToken(value)) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(containsToken);
};

/** Checks the values, and then the rules. As in the API server, rules are evaluated only if all values are valid and resolved. */
const issuesOf = (definition: KindShape, object: object): Issue[] => {
  const issues = validateResource(definition, object, { isToken });
  return issues.length > 0 || containsToken(object) ? issues : evaluateRules(definition, { ...object });
};

const looked = new WeakSet<KindShape>();

/** Checks with the first resource of a kind whether its function makes children of undeclared kinds. */
const lookOnce = <Sp extends TSchema, St extends TSchema>(
  definition: KindDefinition<Sp, St>,
  { metadata, spec }: Manifest<Sp>,
): void => {
  if (looked.has(definition)) return;
  const { name = 'example', namespace = 'default' } = metadata ?? {};
  const home = definition.scope === 'Cluster' ? {} : { namespace };
  const issues = firstLookIssues(definition, { spec, metadata: { name, ...home } });
  if (issues.length > 0) throw new InvalidDefinitionError(definition.kind, issues);
  looked.add(definition);
};

/**
 * Makes the construct of a kind.
 *
 * @param definition - the result of `defineKind`
 * @returns a class to extend
 * @throws {InvalidResourceError} from the constructor and from rendering, for values that do not fit the schema or break one of
 *   its rules. The error has the path of the construct, the JSON path, the value, and the allowed values. Tokens (`Lazy`) are
 *   checked when they are rendered. {@link InvalidDefinitionError} when the function makes children of a kind that the definition
 *   does not own.
 * @example
 * export class PodSet extends CustomResource(podSet) {}
 * new PodSet(chart, 'web', { metadata: { name: 'web' }, spec: { replicas: 3 } });
 */
export const CustomResource = <Sp extends TSchema, St extends TSchema>(
  definition: KindDefinition<Sp, St>,
): CustomResourceClass<Sp, St> => {
  const type = { apiVersion: apiVersionOf(definition), kind: definition.kind };
  const check = (path: string, object: object): void => {
    const issues = issuesOf(definition, object);
    if (issues.length > 0) throw new InvalidResourceError(`${definition.kind} at construct path "${path}"`, issues);
  };
  return class extends ApiObject {
    static readonly GVK: GroupVersionKind = type;
    static readonly definition = definition;
    static readonly desired = definition.desired;

    static manifest(props: CustomResourceProps<Sp>): object {
      return { ...type, ...props };
    }

    constructor(scope: Construct, id: string, props: CustomResourceProps<Sp>) {
      check([scope.node.path, id].filter(Boolean).join('/'), { ...type, ...props });
      super(scope, id, { ...type, ...props });
      if (definition.scope === 'Cluster') clusterScoped(this);
    }

    /**
     * Renders and checks the object. cdk8s resolves patches and tokens here, so the check covers the object that will be applied.
     */
    override toJson(): object {
      const json = super.toJson() as object;
      check(this.node.path, json);
      lookOnce(definition, json as Manifest<Sp>);
      return json;
    }
  };
};
