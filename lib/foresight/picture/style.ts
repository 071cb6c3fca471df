/** Number of colours for revisions. If there are more revisions, the colours repeat. */
export const PALETTE = 6;

const LIGHT = {
  bg: '#ffffff',
  ink: '#1b2431',
  dim: '#5d6b7e',
  faint: '#e4e8ee',
  frame: '#c9d1db',
  wanted: '#1b2431',
  revisions: ['#3b6fd4', '#12a07c', '#d9822b', '#8a56c9', '#c4447a', '#5a7d1f'],
  calm: ['#dff3ea', '#0d6b50'],
  busy: ['#dfe9fb', '#234a97'],
  waiting: ['#fdf0d5', '#84570a'],
  bad: ['#fbdfe0', '#a01f28'],
} as const;

const DARK = {
  bg: '#0f1620',
  ink: '#e8edf4',
  dim: '#9aa8ba',
  faint: '#222d3b',
  frame: '#3a4757',
  wanted: '#ffffff',
  revisions: ['#6f9bf0', '#35c9a3', '#f0a557', '#b38bea', '#e878a6', '#9dc45a'],
  calm: ['#123a2f', '#8fe3c6'],
  busy: ['#1a2f57', '#b4ccff'],
  waiting: ['#44330f', '#ffd98c'],
  bad: ['#4d191e', '#ffb3b7'],
} as const;

const MOODS = ['calm', 'busy', 'waiting', 'bad'] as const;

/** CSS classes of messages and their colour scheme. */
const SEQUENCE = [
  ['chosen', 'busy'],
  ['fault', 'bad'],
] as const;

const colours = (theme: typeof LIGHT | typeof DARK): string => {
  const rules = [
    `.bg{fill:${theme.bg}}.halo,.layer{stroke:${theme.bg}}`,
    `text{fill:${theme.ink}}.dim{fill:${theme.dim}}.area{fill:${theme.bg}}`,
    `.grid{stroke:${theme.faint}}.axis{stroke:${theme.frame}}`,
    `.wanted{stroke:${theme.wanted}}.lead{stroke:${theme.dim}}.mark{fill:${theme.dim}}.user{fill:${theme.ink}}.wrong{fill:${theme.bad[1]}}`,
    ...theme.revisions.map((colour, index) => `.r${index}{fill:${colour}}`),
    ...SEQUENCE.map(
      ([look, mood]) =>
        `.${look}-line{stroke:${theme[mood][1]}}.${look}-fill,.${look}-ink{fill:${theme[mood][1]}}.${look}-box{fill:${theme[mood][0]}}`,
    ),
    `.step-line{stroke:${theme.dim}}.step-fill{fill:${theme.dim}}.step-ink{fill:${theme.ink}}.step-box{fill:${theme.faint}}.said-ink{fill:${theme.dim}}`,
    ...MOODS.map((mood) => `.${mood}{fill:${theme[mood][0]}}.${mood}-ink{fill:${theme[mood][1]}}`),
  ];
  return rules.join('');
};

const SHAPES = [
  'text{font-family:ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"DejaVu Sans",sans-serif;font-size:13px}',
  '.title{font-size:22px;font-weight:700}.name{font-size:15px;font-weight:600}.small{font-size:12px}.num{font-variant-numeric:tabular-nums}',
  '.grid,.axis{stroke-width:1}.wanted{fill:none;stroke-width:2;stroke-dasharray:6 4}.lead{stroke-width:1;stroke-dasharray:1 3}',
  '.area{font-size:15px;font-weight:700;}.soft{fill-opacity:.32}.layer{stroke-width:.8}.halo{stroke-width:4;stroke-linejoin:round;paint-order:stroke}.shade{fill-opacity:.45}.label{font-size:12px}.user-text{font-weight:600}',
];

/** The style sheet of a picture, with a light and a dark scheme. */
export const PICTURE_STYLE = [...SHAPES, colours(LIGHT), `@media (prefers-color-scheme:dark){${colours(DARK)}}`].join(
  '\n',
);
