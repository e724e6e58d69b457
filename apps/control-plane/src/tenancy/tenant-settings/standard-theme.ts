import type { Schemas } from '@plinth/contract';

const scheme = { contrast: 50, logoUrl: '' };

/** The theme of tenants without one of their own. */
export const standardTheme: Schemas['AppTheme'] = {
  palette: { accent: { color: '#0f766e' }, surfaceMode: 'neutral', contrastLevel: 50 },
  logoUrl: '',
  light: { ...scheme, accentColor: '#0f766e', backgroundColor: '#ffffff', foregroundColor: '#111827' },
  dark: { ...scheme, accentColor: '#2dd4bf', backgroundColor: '#111827', foregroundColor: '#f9fafb' },
};
