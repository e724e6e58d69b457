import type { ThemeName } from '../scene';

/** Colours of a picture. Letters have a contrast of at least 4.5 to what is behind them. */
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
  good: '#51cf8a',
  bad: '#ff8787',
  land: '#323c4b',
  palette: [
    ...['#748ffc', '#38d9a9', '#ffd43b', '#ff8787', '#9775fa'],
    ...['#3bc9db', '#f783ac', '#a9e34b', '#ffa94d', '#adb5bd'],
  ],
  ramp: ['#2b3a66', '#91a7ff'],
};

export const themeOf = (name: ThemeName): Theme => (name === 'dark' ? dark : light);

export const FONT = 'Noto Sans';
