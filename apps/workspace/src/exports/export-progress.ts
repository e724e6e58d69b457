/** Writes how far something is, one write at a time and always the latest: who reports does not wait. */
export class ExportProgress {
  private latest: number | undefined;
  private writing: Promise<void> | undefined;

  /** @param write - must not reject */
  constructor(private readonly write: (percent: number) => Promise<void>) {}

  note(percent: number): void {
    this.latest = percent;
    this.writing ??= this.writeAll();
  }

  /** Resolves when nothing is being written. */
  async settled(): Promise<void> {
    await this.writing;
  }

  private async writeAll(): Promise<void> {
    for (let percent = this.take(); percent !== undefined; percent = this.take()) await this.write(percent);
    this.writing = undefined;
  }

  private take(): number | undefined {
    const { latest } = this;
    this.latest = undefined;
    return latest;
  }
}
