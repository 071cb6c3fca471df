import { redrawn } from './dom.ts';

interface VirtualRowsOptions {
  readonly viewport: HTMLElement;
  /** Height of a row in CSS pixels. */
  readonly rowHeight: number;
  /** Makes a row, at each draw in which the row is visible or close to the visible part. */
  readonly render: (index: number) => HTMLElement;
}

/** The number of rows that exist above the visible part, and below it. */
const SPARE = 6;

const BEFORE_LAYOUT_PX = 400;

/**
 * A long list of rows of equal height. Only the visible rows and {@link SPARE} rows at each side exist in the document. While
 * the page is printed, all rows exist.
 */
export class VirtualRows {
  readonly #options: VirtualRowsOptions;
  readonly #space = document.createElement('div');
  #count = 0;
  #isPrinted = false;

  constructor(options: VirtualRowsOptions) {
    this.#options = options;
    this.#space.className = 'space';
    this.#space.setAttribute('role', 'presentation');
    options.viewport.append(this.#space);
    options.viewport.addEventListener('scroll', () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(options.viewport);
    for (const type of ['beforeprint', 'afterprint'])
      addEventListener(type, () => {
        this.#isPrinted = type === 'beforeprint';
        this.draw();
      });
  }

  get count(): number {
    return this.#count;
  }

  show(count: number): void {
    const { rowHeight } = this.#options;
    if (count !== this.#count) this.#space.style.height = `${count * rowHeight}px`;
    this.#count = count;
    this.draw();
  }

  draw(): void {
    const { rowHeight, render } = this.#options;
    const [first, last] = this.#isPrinted ? [0, this.#count] : this.#visible();
    const rows: HTMLElement[] = [];
    for (let index = first; index < last; index += 1) {
      const row = render(index);
      row.style.top = `${index * rowHeight}px`;
      row.style.height = `${rowHeight}px`;
      rows.push(row);
    }
    redrawn(this.#space, () => this.#space.replaceChildren(...rows));
  }

  #visible(): readonly [first: number, last: number] {
    const { viewport, rowHeight } = this.#options;
    const first = Math.max(0, Math.floor(viewport.scrollTop / rowHeight) - SPARE);
    const visible = Math.ceil((viewport.clientHeight || BEFORE_LAYOUT_PX) / rowHeight);
    return [first, Math.min(this.#count, first + visible + 2 * SPARE)];
  }

  reveal(index: number): void {
    const { viewport, rowHeight } = this.#options;
    const top = index * rowHeight;
    if (top < viewport.scrollTop) viewport.scrollTop = top;
    else if (top + rowHeight > viewport.scrollTop + viewport.clientHeight)
      viewport.scrollTop = top + rowHeight - viewport.clientHeight;
  }
}
