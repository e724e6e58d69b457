/** Reading the data of charts is most of the work. */
const READING = 70;

/** Puts the two halves of the work together: charts that are read, then widgets that are drawn. */
export class PictureProgress {
  private told = -1;

  constructor(private readonly listener: ((percent: number) => void) | undefined) {}

  read(done: number, total: number): void {
    this.tell(total === 0 ? READING : (READING * done) / total);
  }

  drawn(done: number, total: number): void {
    this.tell(READING + (total === 0 ? 0 : ((100 - READING) * done) / total));
  }

  private tell(percent: number): void {
    const whole = Math.floor(percent);
    if (whole <= this.told) return;
    this.told = whole;
    this.listener?.(whole);
  }
}
