import { InvariantError } from '#lib/errors.ts';

/** Label values by label name. The values must come from small sets, so that the number of time series is bounded. */
export type MetricLabels = Readonly<Record<string, string>>;

/** A number that only grows. */
export class Counter {
  #value = 0;

  get value(): number {
    return this.#value;
  }

  increment(by = 1): void {
    this.#value += by;
  }
}

/** The distribution of observations: the number of observations in each bucket, and their sum. */
export class Histogram {
  /** The upper bounds of the buckets, ascending. An additional bucket counts larger values. */
  readonly bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  get sum(): number {
    return this.#sum;
  }

  /** For each bound, the number of observations up to that bound. The last number counts all observations. */
  get cumulative(): readonly number[] {
    let total = 0;
    return this.#counts.map((count) => (total += count));
  }

  observe(value: number): void {
    let low = 0;
    let high = this.bounds.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (value <= (this.bounds[middle] ?? Infinity)) high = middle;
      else low = middle + 1;
    }
    this.#counts[low] = (this.#counts[low] ?? 0) + 1;
    this.#sum += value;
  }
}

/** The name, the description and the type of a metric. */
export interface FamilyOptions {
  /** Letters, digits and underscores. */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
}

interface Member {
  readonly labels: MetricLabels;
  readonly source: Counter | Histogram | (() => number);
}

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');

const numberText = (value: number): string => {
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
};

const sample = (name: string, labels: MetricLabels, value: number): string => {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${numberText(value)}`;
};

const histogramSamples = (name: string, labels: MetricLabels, histogram: Histogram): string[] => {
  const { cumulative, bounds, sum } = histogram;
  const buckets = cumulative.map((count, index) =>
    sample(`${name}_bucket`, { ...labels, le: numberText(bounds[index] ?? Infinity) }, count),
  );
  const count = cumulative.at(-1) ?? 0;
  return [...buckets, sample(`${name}_sum`, labels, sum), sample(`${name}_count`, labels, count)];
};

/** All time series of one metric. */
export class Family {
  readonly #options: FamilyOptions;
  readonly #members = new Map<string, Member>();

  constructor(options: FamilyOptions) {
    this.#options = options;
  }

  /** The counter with these labels. The same labels always give the same counter. */
  counter(labels: MetricLabels = {}): Counter {
    const { source } = this.#member(labels, () => new Counter());
    if (source instanceof Counter) return source;
    throw this.#misused('counter');
  }

  /** The histogram with these labels. The same labels always give the same histogram. */
  histogram(labels: MetricLabels, bounds: readonly number[]): Histogram {
    const { source } = this.#member(labels, () => new Histogram(bounds));
    if (source instanceof Histogram) return source;
    throw this.#misused('histogram');
  }

  /** Adds a value that is read at each scrape. A later call with the same labels replaces the function. */
  read(labels: MetricLabels, source: () => number): void {
    this.#members.set(JSON.stringify(labels), { labels, source });
  }

  /** The family in the text format of Prometheus, without a newline at the end. */
  text(): string {
    const { name, help, type } = this.#options;
    const samples = [...this.#members.values()].flatMap(({ labels, source }) => {
      if (source instanceof Histogram) return histogramSamples(name, labels, source);
      return [sample(name, labels, source instanceof Counter ? source.value : source())];
    });
    const head = [`# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`, `# TYPE ${name} ${type}`];
    return samples.length === 0 ? '' : [...head, ...samples].join('\n');
  }

  #member(labels: MetricLabels, make: () => Member['source']): Member {
    const id = JSON.stringify(labels);
    const known = this.#members.get(id);
    if (known) return known;
    const member = { labels, source: make() };
    this.#members.set(id, member);
    return member;
  }

  #misused(as: string): InvariantError {
    return new InvariantError(`Metric ${this.#options.name} is no ${as}`);
  }
}

/** The metrics of a process; names are unique. */
export class Registry {
  readonly #families = new Map<string, Family>();

  /** Adds a family. @throws {InvariantError} when the name is taken */
  family(options: FamilyOptions): Family {
    if (this.#families.has(options.name)) throw new InvariantError(`Metric ${options.name} exists already`);
    const family = new Family(options);
    this.#families.set(options.name, family);
    return family;
  }

  /**
   * All metrics in the text format of Prometheus, version 0.0.4.
   *
   * @see https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
   */
  text(): string {
    const texts = [...this.#families.values()].map((family) => family.text()).filter((text) => text !== '');
    return `${texts.join('\n')}\n`;
  }
}
