import type { SceneColours, ThemeName } from '../scene';
import { colourIn, inkOn, legible, luminance, mixed } from './colour';

/** Colours of a picture, as `#rrggbb`. Letters have a contrast of at least 4.5 to what is behind them. */
export interface Theme {
  page: string;
  card: string;
  panel: string;
  /** Behind headings of columns, and letters of code. */
  tint: string;
  line: string;
  ink: string;
  /** Letters that matter less. */
  dim: string;
  accent: string;
  /** Letters on the accent. */
  onAccent: string;
  good: string;
  bad: string;
  /** Land without data. */
  land: string;
  palette: readonly string[];
  /** From little to much. */
  ramp: readonly [string, string];
}

const light: Theme = {
  page: '#f4f6f9',
  card: '#ffffff',
  panel: '#eaeef4',
  tint: '#f5f7fa',
  line: '#e1e6ed',
  ink: '#1b2430',
  dim: '#586273',
  accent: '#3b5bdb',
  onAccent: '#ffffff',
  good: '#0b7a45',
  bad: '#c92a2a',
  land: '#dfe4ec',
  palette: [
    ...['#4c6ef5', '#12b886', '#fab005', '#fa5252', '#7950f2'],
    ...['#15aabf', '#e64980', '#82c91e', '#fd7e14', '#868e96'],
  ],
  ramp: ['#d7e0fb', '#2f4bc4'],
};

const dark: Theme = {
  page: '#12161d',
  card: '#1b212b',
  panel: '#161b24',
  tint: '#232b37',
  line: '#303a49',
  ink: '#e8ecf2',
  dim: '#a3aebd',
  accent: '#91a7ff',
  onAccent: '#10151c',
  good: '#51cf8a',
  bad: '#ff8787',
  land: '#323c4b',
  palette: [
    ...['#748ffc', '#38d9a9', '#ffd43b', '#ff8787', '#9775fa'],
    ...['#3bc9db', '#f783ac', '#a9e34b', '#ffa94d', '#adb5bd'],
  ],
  ramp: ['#2b3a66', '#91a7ff'],
};

/** The colours of a theme, with those that a dashboard or a host has chosen where letters stay legible with them. */
export function themeOf({ theme, colours }: { theme: ThemeName; colours?: SceneColours | null | undefined }): Theme {
  const chosen = chosenIn(colours ?? {});
  const standard = baseOf(theme, chosen.card ?? chosen.page);
  return Object.keys(chosen).length === 0 ? standard : withChosen(standard, chosen);
}

type Chosen = Partial<Record<keyof SceneColours, string>>;

function chosenIn(colours: SceneColours): Chosen {
  const found = Object.entries(colours).map(([name, text]) => [name, colourIn(text)] as const);
  return Object.fromEntries(found.filter(([, colour]) => colour !== undefined));
}

function withChosen(standard: Theme, chosen: Chosen): Theme {
  const { card = standard.card, page = standard.page, line = standard.line } = chosen;
  const ink = legible(chosen.ink ?? standard.ink, card, inkOn(card));
  const accent = legible(chosen.accent ?? standard.accent, card, ink);
  return {
    ...standard,
    ...{ page, card, line, ink, accent },
    panel: chosen.page === undefined ? standard.panel : mixed(page, ink, 0.05),
    tint: chosen.card === undefined ? standard.tint : mixed(card, ink, 0.03),
    dim: legible(chosen.dim ?? standard.dim, card, ink),
    good: legible(standard.good, card, ink),
    bad: legible(standard.bad, card, ink),
    onAccent: inkOn(accent),
    ...(chosen.accent !== undefined && {
      palette: [chosen.accent, ...standard.palette.slice(1)],
      ramp: [mixed(card, chosen.accent, 0.2), chosen.accent] as const,
    }),
  };
}

/** What is not chosen fits to what is: a dark ground takes the rest from the dark theme. */
function baseOf(name: ThemeName, ground: string | undefined): Theme {
  if (ground === undefined) return name === 'dark' ? dark : light;
  return luminance(ground) < 0.18 ? dark : light;
}

export const FONT = 'Noto Sans';
