/** Layout of a picture, in pixels. */
export const LAYOUT = {
  width: 1200,
  left: 64,
  right: 32,
  /** Title and legend of revisions. */
  head: 74,
  name: 26,
  /** A row of marks. */
  row: 19,
  rows: 5,
  lane: 26,
  gap: 10,
  /** Height of a single chart, and of one among others. */
  chart: 330,
  smallChart: 190,
  axis: 34,
  foot: 26,
} as const;

/** Width of the time axis. */
export const PLOT_WIDTH = LAYOUT.width - LAYOUT.left - LAYOUT.right;
