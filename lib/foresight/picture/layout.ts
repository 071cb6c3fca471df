/** Layout of a picture, in pixels. */
export const LAYOUT = {
  width: 1200,
  left: 64,
  right: 32,
  /** Height of the title and of the legend of revisions. */
  head: 74,
  name: 26,
  /** Height of a row of marks. */
  row: 19,
  rows: 5,
  lane: 26,
  gap: 10,
  /** Height of a chart if it is the only chart (`chart`), and if there are several charts (`smallChart`). */
  chart: 330,
  smallChart: 190,
  axis: 34,
  foot: 26,
} as const;

/** Width of the time axis. */
export const PLOT_WIDTH = LAYOUT.width - LAYOUT.left - LAYOUT.right;
