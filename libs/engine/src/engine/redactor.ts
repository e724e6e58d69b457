const HIDDEN = '***';
const TOKEN = /eyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g;
const CREDENTIALS_IN_URL = /(\b[a-z][\w+.-]*:\/\/[^/\s:@]*:)[^@\s/]+@/gi;
const MAX_LENGTH = 8_000;

/** Takes secrets out of text that leaves the process. */
export class Redactor {
  private readonly secrets: readonly string[];

  constructor(secrets: readonly string[]) {
    // A longer one may hold a shorter one.
    this.secrets = [...new Set(secrets)].sort((a, b) => b.length - a.length);
  }

  clean(text: string): string {
    const without = this.secrets.reduce((left, secret) => left.replaceAll(secret, HIDDEN), text.slice(0, MAX_LENGTH));
    return without.replace(TOKEN, HIDDEN).replace(CREDENTIALS_IN_URL, `$1${HIDDEN}@`);
  }
}
