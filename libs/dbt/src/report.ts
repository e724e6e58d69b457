import { type Conversion } from './conversion';

/** What people are told about a conversion, gathered while it goes on. */
export class Report {
  readonly skipped: Conversion['skipped'] = [];
  readonly renamed: Conversion['renamed'] = [];
  private readonly told = new Set<string>();

  skip(what: string, reason: string): void {
    this.skipped.push({ what, reason });
  }

  rename(from: string, to: string): void {
    this.renamed.push({ from, to });
  }

  get warnings(): string[] {
    return [...this.told];
  }

  warn(message: string): void {
    this.told.add(message);
  }
}
