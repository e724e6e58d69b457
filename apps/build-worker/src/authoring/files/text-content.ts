const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Content as text; undefined for what is not UTF-8, which JSON could not carry unharmed. */
export function textOf(content: Buffer): string | undefined {
  try {
    return decoder.decode(content);
  } catch {
    return undefined;
  }
}
