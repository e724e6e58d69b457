/** Local part and domain as people have them: no quotes, comments, blanks, or anything that a header could be ended with. */
const ADDRESS =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;
const SENDER = /^(?:"?([^"<>\p{Cc}]*?)"?\s*)<([^<>]+)>$/u;
const LONGEST = 254;
const LONGEST_LOCAL_PART = 64;

/** Whether mail can be sent there: one plain address of ASCII characters, and nothing else. */
export const isMailAddress = (text: string): boolean =>
  text.length <= LONGEST && text.indexOf('@') <= LONGEST_LOCAL_PART && ADDRESS.test(text);

/** The address, without blanks around it and with the domain in lower case; undefined for what is none. */
export function mailAddress(text: string): string | undefined {
  const address = text.replace(/^ +| +$/g, '');
  if (!isMailAddress(address)) return undefined;
  const at = address.lastIndexOf('@');
  return address.slice(0, at) + address.slice(at).toLowerCase();
}

/** For logs: enough to tell one from another of a few, and whose domain it is. */
export function maskedAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return at < 1 ? '***' : `${address[0]}***${address.slice(at)}`;
}

/** Who mail comes from. */
export interface Sender {
  name: string;
  address: string;
}

/** `Name <address>` or an address alone; undefined for anything else. */
export function parseSender(text: string): Sender | undefined {
  const [, name = '', inside = text] = SENDER.exec(text.trim()) ?? [];
  const address = mailAddress(inside);
  return address === undefined ? undefined : { name: name.trim(), address };
}
