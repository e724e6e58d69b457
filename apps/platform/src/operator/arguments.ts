import { isIP } from 'node:net';
import { InvalidArgumentError, type Command, type Help } from 'commander';
import { isMailAddress } from '@plinth/mail';

/** Each takes what was typed and returns what was meant, or throws what commander tells with the option's name. */

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** A host as requests name it: a name, or an address without brackets. */
export function host(text: string): string {
  const name = text.toLowerCase();
  const bare = name.replace(/^\[(.*)\]$/, '$1');
  if (isIP(bare) !== 0) return bare;
  if (HOST_NAME.test(name) && !/^[\d.]+$/.test(name)) return name;
  throw new InvalidArgumentError('It takes a name or an address, without scheme, port and path: acme.example.com.');
}

/** For options that take several: each by itself, none twice. */
export const hosts = (text: string, before: readonly string[] = []): string[] => [...new Set([...before, host(text)])];

export function email(text: string): string {
  if (isMailAddress(text)) return text;
  throw new InvalidArgumentError('It takes an e-mail address: ada@example.com.');
}

/** Names are shown on pages: something visible, and no control characters. */
export function shortName(text: string): string {
  const name = text.trim();
  if (name !== '' && name.length <= 200 && !/\p{Cc}/u.test(name)) return name;
  throw new InvalidArgumentError('It takes 1 to 200 characters on one line.');
}

export function id(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number) && number > 0) return number;
  throw new InvalidArgumentError('It takes a whole number above 0.');
}

export const ids = (text: string): number[] => text.split(',').map((part) => id(part.trim()));

export function time(text: string): string {
  const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/i.test(text);
  if (isTime && !Number.isNaN(Date.parse(text))) return text;
  throw new InvalidArgumentError('It takes a time with its zone: 2027-01-31T00:00:00Z.');
}

export function apiKey(text: string): string {
  if (/^sk-[0-9A-Za-z]{20,200}$/.test(text)) return text;
  throw new InvalidArgumentError('It takes sk- and at least 20 letters or digits.');
}

export function onOrOff(text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on';
  throw new InvalidArgumentError('It takes on or off.');
}

export function url(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new InvalidArgumentError('It takes an address: http://127.0.0.1:4000.');
}

/** Help that says which options have to be there; every command refuses words that it does not know. */
export function strictly(program: Command): Command {
  program.configureHelp({
    optionDescription(this: Help, option): string {
      return `${option.description}${option.mandatory ? ' (required)' : ''}`;
    },
  });
  return program.allowExcessArguments(false).showSuggestionAfterError().showHelpAfterError('(--help says more)');
}
