import { html, type Html } from '@plinth/html';
import type { Colleague } from './talk';

/** The text with those whom it mentions by `@` and their usernames, as people call them. Others stay text. */
export function withMentions(text: string, known: readonly Colleague[]): Html {
  const names = new Map(known.map(({ username, firstName }) => [username.toLowerCase(), firstName ?? username]));
  if (names.size === 0 || !text.includes('@')) return html`${text}`;
  const longestFirst = [...names.keys()].sort((one, other) => other.length - one.length).map(escaped);
  const mention = new RegExp(`(?<![\\p{L}\\p{N}_])@(${longestFirst.join('|')})(?![\\p{L}\\p{N}_])`, 'giu');
  const parts = text.split(mention);
  return html`${parts.map((part, place) =>
    place % 2 === 0
      ? html`${part}`
      : html`<strong class="plinth-mention">@${names.get(part.toLowerCase()) ?? part}</strong>`,
  )}`;
}

const escaped = (name: string): string => name.replace(/[\\^$.*+?()[\]{}|/-]/gu, '\\$&');
