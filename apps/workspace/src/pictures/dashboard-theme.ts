import type { Scene, SceneColours } from '@plinth/rendering';
import type { DashboardConfig } from '../dashboards/dashboard-config';

type Theme = DashboardConfig['theme'];

/** The theme of a dashboard: light or dark, and the colours that it names itself. What else is in it is passed over. */
export function themeIn(theme: Theme): Pick<Scene, 'theme' | 'colours'> {
  const colours = coloursIn(theme);
  return {
    theme: theme?.['themeId'] === 'dark' ? 'dark' : 'light',
    colours: Object.values(colours).some((colour) => colour != null) ? colours : null,
  };
}

function coloursIn(theme: Theme): SceneColours {
  const text = (...path: readonly string[]): string | null => textAt(theme, path);
  return {
    page: text('dashboard', 'backgroundColor') ?? text('backgroundColor'),
    card: text('widgets', 'backgroundColor'),
    line: text('widgets', 'border', 'color'),
    ink: text('widgets', 'text', 'color'),
    dim: text('widgets', 'text', 'secondaryColor'),
    accent: text('primaryColor'),
  };
}

function textAt(value: unknown, path: readonly string[]): string | null {
  const found = path.reduce<unknown>(
    (inside, name) =>
      typeof inside === 'object' && inside !== null ? (inside as Record<string, unknown>)[name] : undefined,
    value,
  );
  return typeof found === 'string' ? found : null;
}

/** What a host application wants of it: the other of light and dark has none of the dashboard's grounds and letters. */
export function themeFor(
  dashboard: Theme,
  { theme, accent }: { theme: 'light' | 'dark' | null; accent: string | null },
): Pick<Scene, 'theme' | 'colours'> {
  const own = themeIn(dashboard);
  const chosen = { accent: own.colours?.accent ?? accent };
  if (theme !== null && theme !== own.theme) return { theme, colours: chosen.accent === null ? null : chosen };
  return { theme: own.theme, colours: own.colours || accent ? { ...own.colours, ...chosen } : null };
}
