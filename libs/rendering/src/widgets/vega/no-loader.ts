/** Loads nothing. Whoever wants to is remembered: Vega itself goes on with an empty chart. */
export class NoLoader {
  readonly options = {};
  refused: string | undefined;

  load = (address: unknown): Promise<never> => this.refuse(address);
  http = (address: unknown): Promise<never> => this.refuse(address);
  file = (address: unknown): Promise<never> => this.refuse(address);

  /** A link of a chart leads nowhere. To throw here would end the process. */
  sanitize = (address: unknown): Promise<{ href: string | null }> => {
    const text = String(address);
    return Promise.resolve({ href: /^data:image\/png;base64,/i.test(text) ? text : null });
  };

  private refuse(address: unknown): Promise<never> {
    this.refused = `charts load nothing, and this one wants ${String(address).slice(0, 80)}`;
    return Promise.reject(new Error(this.refused));
  }
}
