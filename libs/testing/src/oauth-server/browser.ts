const MOST_STEPS = 10;

/** Follows redirections with the cookies of one person. */
export class Browser {
  private readonly cookies = new Map<string, string>();

  /** The first address that begins with `end`, which is not visited. */
  async follow(start: string, end: string): Promise<URL> {
    let url = new URL(start);
    for (let step = 0; step < MOST_STEPS; step += 1) {
      if (url.href.startsWith(end)) return url;
      const reply = await fetch(url, { redirect: 'manual', headers: { cookie: this.header() } });
      this.keep(reply.headers.getSetCookie());
      const location = reply.headers.get('location');
      if (location === null) throw new Error(`${url.pathname} answered ${reply.status}: ${await reply.text()}`);
      url = new URL(location, url);
    }
    throw new Error('The redirections have no end');
  }

  private header(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  private keep(lines: readonly string[]): void {
    for (const line of lines) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
  }
}
